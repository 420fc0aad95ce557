// Looks merge: any cut of the rows into pieces, merged in any order, gives the look of the whole,
// to the bit. So what a plan decides does not depend on how the rows are cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bootfold/error.h"
#include "statistic/reference.h"
#include "study/content_hash.h"
#include "study/study.h"

namespace bootfold {
namespace look_test {

using study::ColumnsLook;
using study::FeaturesLook;
using study::Study;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Piece {
  std::uint64_t first;
  std::uint64_t rows;
};

/// A random cut into pieces, among them empty ones and pieces of one row, in random order.
std::vector<Piece> random_cut(std::uint64_t rows, std::mt19937_64& words) {
  std::vector<Piece> pieces;
  for (std::uint64_t first = 0; first < rows;) {
    std::uint64_t size = 0;
    switch (words() % 4) {
      case 0:
        break;  // empty
      case 1:
        size = 1;
        break;
      case 2:
        size = words() % 5000;
        break;
      default:
        size = words() % (rows / 2 + 1);
    }
    size = std::min(size, rows - first);
    pieces.push_back({first, size});
    first += size;
  }
  std::shuffle(pieces.begin(), pieces.end(), words);
  return pieces;
}

DataView slice(const DataView& data, const Piece& piece) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < data.columns(); ++c)
    columns.push_back(data.column(c).slice(piece.first, piece.rows));
  return DataView(std::move(columns));
}

/// Seen as rows 0, 1, ... and moved to their place, as if the look had not known it.
ColumnsLook columns_of(const Study& study, const Piece& piece, std::size_t most_distinct = 0) {
  ColumnsLook look = study.empty_columns_look(most_distinct);
  look.see(slice(study.data(), piece), 0, study.problem().features, 1 << 26, {});
  look.shift(piece.first);
  return look;
}

ColumnsLook merged_columns(const Study& study, const std::vector<Piece>& pieces,
                           std::size_t most_distinct = 0) {
  ColumnsLook all = study.empty_columns_look(most_distinct);
  for (const Piece& piece : pieces) all = columns_of(study, piece, most_distinct) | all;
  return all;
}

/// Columns of every kind: continuous, whole numbers, 0 and 1, heavy tails, tiny numbers, both
/// zeros.
std::vector<std::vector<double>> columns(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> all(6, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    all[0][i] = 1e6 + normal(words);
    all[1][i] = std::floor(20 * normal(words));
    all[2][i] = static_cast<double>(words() % 2);
    all[3][i] = std::exp(5 * normal(words));
    all[4][i] = std::ldexp(normal(words), -1060);
    all[5][i] = words() % 2 == 0 ? 0.0 : -0.0;
  }
  return all;
}

DataView view(const std::vector<std::vector<double>>& columns) {
  std::vector<ColumnView> views;
  for (const auto& column : columns) views.emplace_back(column);
  return DataView(std::move(views));
}

std::vector<Statistic> statistics() {
  return {statistic::mean(), statistic::kurtosis(),
          statistic::sums(
              2,
              [](std::span<const double> row, std::span<double> features) {
                features[0] = row[0] * 0.1;
                features[1] = row[1] > 3 ? 1 : 0;
              },
              [](const statistic::Folded& f) { return f.mean(0) + f.mean(1); })};
}

// 300,000 rows: more than a chunk, so that typical sizes come from one tile in sixteen.
TEST(Look, OfAnyCutIsThatOfTheWhole) {
  std::mt19937_64 words(1);
  for (const std::size_t rows : {1U, 2U, 1022U, 1023U, 1024U, 9000U, 300'000U}) {
    const auto values = columns(rows, rows);
    const DataView data = view(values);
    Study whole(data, statistics());
    whole.look({.most_distinct = 3000}, {});
    for (int cut = 0; cut < (rows > 100'000 ? 3 : 20); ++cut) {
      SCOPED_TRACE(testing::Message() << rows << " rows, cut " << cut);
      const std::vector<Piece> pieces = random_cut(rows, words);
      Study cut_study(data, statistics());
      cut_study.accept(merged_columns(cut_study, pieces, 3000));
      ASSERT_EQ(cut_study.columns(), whole.columns());
      FeaturesLook features = cut_study.empty_features_look();
      for (const Piece& piece : pieces) {
        FeaturesLook part = cut_study.empty_features_look();
        part.see(slice(data, piece), piece.first, cut_study.problem().features, 1 << 26, {});
        features = part | features;
      }
      cut_study.accept(features);
      ASSERT_EQ(cut_study.features(), whole.features());
      for (const bool all_digits : {false, true}) {
        const study::FixedSums& a = whole.fixed(1e-5, all_digits);
        const study::FixedSums& b = cut_study.fixed(1e-5, all_digits);
        ASSERT_EQ(a.features(), b.features());
        for (std::size_t f = 0; f < a.features(); ++f) {
          EXPECT_EQ(a.fixed[f].digits, b.fixed[f].digits);
          EXPECT_EQ(a.fixed[f].unit, b.fixed[f].unit);
          EXPECT_EQ(a.fixed[f].point.centre, b.fixed[f].point.centre);
        }
      }
      for (std::size_t f = 0; f < whole.summaries().size(); ++f) {
        EXPECT_EQ(whole.summaries()[f].mean, cut_study.summaries()[f].mean);
        EXPECT_EQ(whole.summaries()[f].deviation, cut_study.summaries()[f].deviation);
      }
    }
  }
}

// Distinct rows are counted up to a limit, and in the order of the first row among equally
// frequent.
TEST(Look, CountsDistinctRowsOverAnyCut) {
  std::mt19937_64 words(2);
  std::vector<double> values(5000);
  for (double& value : values) value = static_cast<double>(words() % 50);
  const Statistic mean = statistic::mean();
  const DataView data(values);
  for (const std::size_t most : {49U, 50U, 51U}) {
    Study whole(data, {&mean, 1});
    whole.look({.most_distinct = most}, {});
    EXPECT_EQ(whole.many_distinct(), most < 50);
    for (int cut = 0; cut < 20; ++cut) {
      const ColumnsLook all = merged_columns(whole, random_cut(values.size(), words), most);
      EXPECT_EQ(all, whole.columns());
    }
  }
}

// Tiles of two values are counted as a whole: against counts of single rows.
TEST(Look, OfTwoValuesCountsEveryRow) {
  std::mt19937_64 words(3);
  for (const auto& [a, b] : {std::pair(0.0, 1.0), {-0.0, -2.5}, {7.0, 7.0}, {1e300, 3e-5}}) {
    std::vector<double> values(10'000);
    for (double& value : values) value = words() % 3 == 0 ? a : b;
    values[0] = b;
    for (const bool third : {false, true}) {  // in a later tile
      if (third) values[9'999] = 0.25;
      const Statistic mean = statistic::mean();
      Study study(DataView(values), {&mean, 1});
      study.look({.most_distinct = 10}, {});
      const study::DistinctRows found = study.columns().distinct().rows();
      std::uint64_t rows = 0;
      for (std::size_t i = 0; i < found.count(); ++i) {
        const double value = found.columns[0][i];
        EXPECT_EQ(found.weights[i], std::ranges::count(values, value));
        EXPECT_EQ(found.first_rows[i], std::ranges::find(values, value) - values.begin());
        EXPECT_FALSE(value == 0 && std::signbit(value));
        rows += found.weights[i];
      }
      EXPECT_EQ(rows, values.size());
      const study::ValuesLook& look = study.columns().columns()[0];
      EXPECT_EQ(look.min, std::ranges::min(values));
      EXPECT_EQ(look.max, std::ranges::max(values));
      EXPECT_EQ(look.positive, std::ranges::count_if(values, [](double x) { return x > 0; }));
      EXPECT_TRUE(look.sample.suits(values.size()));
      EXPECT_EQ(study.columns().fingerprint(), study::content_hash(DataView(values), 0, {}));
    }
  }
}

// Rows that differ may have equal features of a statistic's own: these count as one.
TEST(Look, DistinctFeaturesAreThoseOfTheRows) {
  const std::vector<double> values = {-1, 1, 2, -2, -2, 3, -0.0, 0.0};
  const Statistic squares = statistic::sums(
      1, [](std::span<const double> row, std::span<double> f) { f[0] = row[0] * row[0]; },
      [](const statistic::Folded& f) { return f.mean(0); });
  Study study(DataView(values), {&squares, 1});
  study.look({.most_distinct = 10}, {});
  const study::DistinctRows found = study.distinct_features();
  EXPECT_THAT(found.columns[0], testing::ElementsAre(4, 1, 0, 9));
  EXPECT_THAT(found.weights, testing::ElementsAre(3, 2, 2, 1));
  EXPECT_THAT(found.first_rows, testing::ElementsAre(2, 0, 6, 5));
}

TEST(Look, FindsTheFirstBadValueInAnyCut) {
  std::mt19937_64 words(3);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<double>> values(2, reference::normals(3000, 7));
    for (int bad = 0; bad < 1 + round % 3; ++bad)
      values[words() % 2][words() % 3000] =
          std::vector<double>{std::nan(""), kInfinity, -kInfinity}[words() % 3];
    const DataView data = view(values);
    const Statistic mean = statistic::mean();
    Study study(data, {&mean, 1});
    const ColumnsLook whole = columns_of(study, {0, data.rows()});
    ASSERT_TRUE(whole.bad());
    const ColumnsLook merged = merged_columns(study, random_cut(data.rows(), words));
    EXPECT_EQ(merged, whole);
    EXPECT_THAT(reference::message_of<DataError>([&] { study.accept(merged); }),
                HasSubstr("row " + std::to_string(whole.bad()->row + 1)));
  }
}

TEST(Look, RefusesOverlapsAndGaps) {
  const std::vector<double> values = reference::normals(1000, 1);
  const DataView data(values);
  const Statistic mean = statistic::mean();
  Study study(data, {&mean, 1});
  const ColumnsLook first = columns_of(study, {0, 600});
  EXPECT_THAT(reference::message_of<InvalidArgument>([&] {
                static_cast<void>(first | columns_of(study, {500, 500}));
              }),
              testing::AllOf(HasSubstr("rows 1 to 600"), HasSubstr("rows 501 to 1,000")));
  EXPECT_THAT(reference::message_of<InvalidArgument>([&] {
                study.accept(first | columns_of(study, {700, 300}));
              }),
              testing::AllOf(HasSubstr("rows 1 to 600"), HasSubstr("rows 701 to 1,000")));
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [&] { static_cast<void>(first | ColumnsLook(2, {}, 0)); }),
              HasSubstr("1 and 2 columns"));
}

// The fingerprint changes with any value, and with its place.
TEST(Look, FingerprintsValuesAndPlaces) {
  const std::vector<double> values = reference::normals(2000, 1);
  const auto fingerprint = [](const std::vector<double>& x) {
    ColumnsLook look(1, {}, 0);
    look.see(DataView(x), 0, {}, 0, {});
    return look.fingerprint();
  };
  const std::uint64_t whole = fingerprint(values);
  for (const std::size_t row : {0U, 1U, 999U, 1999U}) {
    std::vector<double> other = values;
    other[row] = std::nextafter(other[row], 10);
    EXPECT_NE(fingerprint(other), whole);
    std::swap(other = values, other);
    std::swap(other[row], other[1000]);
    if (row != 1000) {
      EXPECT_NE(fingerprint(other), whole);
    }
  }
  const std::vector<float> single(values.begin(), values.end());
  const std::vector<double> back(single.begin(), single.end());
  ColumnsLook look(1, {}, 0);
  look.see(DataView(single), 0, {}, 0, {});
  EXPECT_EQ(look.fingerprint(), fingerprint(back)) << "the type of a column does not matter";
}

}  // namespace look_test
}  // namespace bootfold
