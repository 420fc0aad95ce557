// Inputs of any kind: what the networks see of text, dates and missing values.
#include "bootfold/ensemble/encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/ensemble/range.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "bootfold/tables.h"
#include "data/temp_file.h"
#include "ensemble/encoding/automatic.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/encoding/tree_edges.h"
#include "ensemble/encoding/value_sample.h"

namespace bootfold::ensemble {
namespace encoding_test {

using testing::ElementsAre;
using testing_data::message_of;
using testing_data::TempFile;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A file, its encoding, and its rows as the networks see them, without standardization.
struct Learned {
  Learned(const std::string& csv, const std::vector<std::string>& columns,
          EncodingOptions options = {})
      : file("rows.csv", csv), learner(std::make_shared<EncodingLearner>(options)), table([&] {
          data::ReadOptions read{.columns = columns};
          read.codes = learner;
          return data::read(file.path(), read);
        }()) {
    learner->add(table.view());
    encoding = learner->finish();
    for (const std::string& column : columns) names.push_back(column);
  }

  [[nodiscard]] std::vector<std::vector<float>> rows(const DataView& view) const {
    Scaling scaling{std::vector<double>(names.size(), 0.0), std::vector<double>(names.size(), 1.0)};
    const InputEncoder encoder(encoding, scaling, names.size());
    std::vector<float> out(view.rows() * encoder.columns());
    encoder.encode(view, 0, view.rows(), out.data());
    std::vector<std::vector<float>> rows;
    for (std::size_t row = 0; row < view.rows(); ++row)
      rows.emplace_back(out.begin() + static_cast<std::ptrdiff_t>(row * encoder.columns()),
                        out.begin() + static_cast<std::ptrdiff_t>((row + 1) * encoder.columns()));
    return rows;
  }
  [[nodiscard]] std::vector<std::vector<float>> rows() const { return rows(table.view()); }

  /// Another file, as a trained model reads it.
  [[nodiscard]] data::Table read(const TempFile& other) const {
    data::ReadOptions read{.columns = names};
    read.codes = std::make_shared<EncodingCodes>(encoding);
    return data::read(other.path(), read);
  }

  TempFile file;
  std::shared_ptr<EncodingLearner> learner;
  data::Table table;
  Encoding encoding;
  std::vector<std::string> names;
};

const std::string kColors = "x,color\n1,red\n2,blue\n,red\n4,NA\n";

TEST(Encoding, TextHasAColumnForEachLevelInTheOrderOfNames) {
  const Learned learned(kColors, {"x", "color"}, {.rare_rows = 1});
  EXPECT_THAT(learned.encoding.names(learned.names),
              ElementsAre("x", "x missing", "color=blue", "color=red", "color missing"));
  // The median of 1, 2 and 4 stands for the missing number.
  EXPECT_THAT(learned.rows(), ElementsAre(ElementsAre(1, 0, 0, 1, 0), ElementsAre(2, 0, 1, 0, 0),
                                          ElementsAre(2, 1, 0, 1, 0), ElementsAre(4, 0, 0, 0, 1)));
}

TEST(Encoding, QuotedWordForMissingValuesIsALevel) {
  const Learned learned("x,y\n1,\"NA\"\n2,b\n3,NA\n", {"y"}, {.rare_rows = 1});
  EXPECT_THAT(learned.encoding.names({"y"}), ElementsAre("y=NA", "y=b", "y missing"));
}

TEST(Encoding, UnknownLevelHasACodeOfItsOwnAndIsOutside) {
  const Learned learned(kColors, {"x", "color"}, {.rare_rows = 1});
  const TempFile other("rows.csv", "color,x\ngreen,1\nred,3\n");
  const data::Table table = learned.read(other);
  EXPECT_EQ(table.view().column(1)[0], unknown_text_code("green"));
  EXPECT_EQ(table.view().column(1)[1], text_code(0));
  EXPECT_THAT(learned.rows(table.view()),
              ElementsAre(ElementsAre(1, 0, 0, 0, 0), ElementsAre(3, 0, 0, 1, 0)));
  Ensemble::Frame frame;
  frame.inputs = learned.names;
  frame.encoding = learned.encoding;
  frame.input_scaling = {{0, 0}, {1, 1}};
  frame.input_range = {{1, 0}, {4, 0}};
  EXPECT_THAT(outside_range(frame, table.view()), ElementsAre(1, 0));
  // Missing values were in both columns of the training rows.
  EXPECT_THAT(outside_range(frame, learned.table.view()), ElementsAre(0, 0, 0, 0));
}

TEST(Encoding, RareLevelsShareOneColumnWithUnknownOnes) {
  const Learned learned("x\na\na\na\nb\nb\nb\nc\nd\n", {"x"}, {.rare_rows = 3});
  EXPECT_THAT(learned.encoding.names({"x"}), ElementsAre("x=a", "x=b", "x other"));
  EXPECT_THAT(learned.rows()[6], ElementsAre(0, 0, 1));
  EXPECT_THAT(learned.rows()[7], ElementsAre(0, 0, 1));
  const TempFile other("rows.csv", "x\nz\n");
  EXPECT_THAT(learned.rows(learned.read(other).view()), ElementsAre(ElementsAre(0, 0, 1)));
}

TEST(Encoding, LevelsBeyondTheLimitAreHashedAndTheMostFrequentKeepTheirColumn) {
  std::string csv = "x\n";
  for (int level = 0; level < 50; ++level)
    for (int row = 0; row < 50 - level; ++row) csv += "l" + std::to_string(100 + level) + "\n";
  const Learned learned(csv, {"x"}, {.levels = 3, .rare_rows = 1, .hashed = 8});
  EXPECT_EQ(learned.encoding.inputs[0].own, 3U);
  EXPECT_EQ(learned.encoding.inputs[0].shared, 8U);
  const std::vector<std::string> names = learned.encoding.names({"x"});
  ASSERT_EQ(names.size(), 11U);
  EXPECT_EQ(names[0], "x=l100");
  EXPECT_EQ(names[2], "x=l102");
  EXPECT_EQ(names[3], "x other 1");
  std::vector<int> used(11);
  for (const std::vector<float>& row : learned.rows()) {
    float sum = 0;
    for (std::size_t c = 0; c < row.size(); ++c) {
      sum += row[c];
      used[c] += row[c] > 0 ? 1 : 0;
    }
    EXPECT_EQ(sum, 1.0F);
  }
  EXPECT_EQ(used[0], 50);
  EXPECT_EQ(used[2], 48);
  for (const int rows : used) EXPECT_GT(rows, 0);  // 47 levels fill all of 8 columns
}

// Numbers in a column with text are levels, and so are those of columns that are declared.
TEST(Encoding, NumbersAreLevelsWhereTextIsOrWhereDeclared) {
  const Learned learned("grade,zip\n1,7\n2,8\n1,7\nA,7.0\n", {"grade", "zip"},
                        {.categorical = {"zip"}, .rare_rows = 1});
  EXPECT_THAT(learned.encoding.names(learned.names),
              ElementsAre("grade=1", "grade=2", "grade=A", "zip=7", "zip=8"));
  EXPECT_THAT(learned.rows()[3], ElementsAre(0, 0, 1, 1, 0));
  const TempFile other("rows.csv", "grade,zip\n2,9\n");
  EXPECT_THAT(learned.rows(learned.read(other).view()), ElementsAre(ElementsAre(0, 1, 0, 0, 0)));
}

TEST(Encoding, WordsForTrueAndFalseAreOneAndZero) {
  const Learned learned("ok\nTRUE\nfalse\nNA\nTRUE\n", {"ok"});
  EXPECT_EQ(learned.encoding.inputs[0].kind, InputKind::boolean);
  EXPECT_THAT(learned.rows(), ElementsAre(ElementsAre(1, 0), ElementsAre(0, 0), ElementsAre(1, 1),
                                          ElementsAre(1, 0)));
  const TempFile others("rows.csv", "ok\nyes\nno\n");  // other words for the same
  EXPECT_THAT(learned.rows(learned.read(others).view()),
              ElementsAre(ElementsAre(1, 0), ElementsAre(0, 0)));
}

// A word that was not seen is a missing value, outside of the training rows.
TEST(Encoding, UnknownWordInAColumnOfTrueAndFalseIsMissing) {
  for (const char* csv : {"ok\nyes\nno\nNA\nyes\n", "ok\nyes\nno\nyes\n"}) {
    SCOPED_TRACE(csv);
    const Learned learned(csv, {"ok"});
    const TempFile file("rows.csv", "ok\nmaybe\nno\n");
    const data::Table table = learned.read(file);
    const std::vector<std::vector<float>> rows = learned.rows(table.view());
    EXPECT_EQ(rows[0][0], 1.0F);  // the median
    if (rows[0].size() > 1) {
      EXPECT_EQ(rows[0][1], 1.0F);
    }
    EXPECT_EQ(rows[1][0], 0.0F);
    Ensemble::Frame frame;
    frame.inputs = learned.names;
    frame.encoding = learned.encoding;
    frame.input_scaling = {{0}, {1}};
    frame.input_range = {{0}, {1}};
    EXPECT_THAT(outside_range(frame, table.view()), ElementsAre(1, 0));
  }
}

// Codes of texts are numbers from 2^960 on; numbers of that size stay numbers.
TEST(Encoding, NumbersOfAnySizeAreNumbers) {
  const Learned learned("x\n1\n3e290\n-3e290\n1e308\n2\n", {"x"});
  EXPECT_EQ(learned.encoding.inputs[0].kind, InputKind::number);
  EXPECT_THAT(learned.learner->notes(), testing::IsEmpty());
  const Learned power(
      "x\n1\n97453140113999990803533823878751883108762268575950075268679064572129486907664261024656"
      "15065882010259225304916231408668183459169865203094046577987296312653419531277699956473029870"
      "78965549005364835279959347921837887368559792539487494574636361546896561282773880310427754708"
      "1828589991914110976\n",
      {"x"});
  EXPECT_EQ(power.encoding.inputs[0].kind, InputKind::number);
  EXPECT_THAT(power.learner->notes(), testing::IsEmpty());
}

TEST(Encoding, DatesAreTimeMonthWeekdayAndHour) {
  // Sunday in January at 06:00, and Thursday in February at midnight.
  const Learned learned("when\n2024-01-28 06:00\n2024-02-29\n", {"when"}, {.dates = {"when"}});
  const std::vector<std::vector<float>> rows = learned.rows();
  ASSERT_EQ(rows[0].size(), 22U);
  EXPECT_EQ(rows[0][0], static_cast<float>(1706421600.0));
  std::vector<float> sunday(19, 0.0F);
  sunday[0] = sunday[12 + 6] = 1;
  EXPECT_EQ(std::vector<float>(rows[0].begin() + 1, rows[0].begin() + 20), sunday);
  EXPECT_EQ(rows[0][20], 1.0F);  // the sine of a quarter of the day
  EXPECT_NEAR(rows[0][21], 0.0, 1e-7);
  std::vector<float> thursday(19, 0.0F);
  thursday[1] = thursday[12 + 3] = 1;
  EXPECT_EQ(std::vector<float>(rows[1].begin() + 1, rows[1].begin() + 20), thursday);
  EXPECT_EQ(rows[1][20], 0.0F);
  EXPECT_EQ(rows[1][21], 1.0F);
  const TempFile bad("rows.csv", "when\n28.1.2024\n");
  EXPECT_THAT(message_of<DataError>([&] { static_cast<void>(learned.read(bad)); }),
              testing::HasSubstr("'28.1.2024' is not a date such as 2024-01-28"));
}

TEST(Encoding, DatesAreReadAsIso8601) {
  EXPECT_EQ(parse_date("1970-01-01"), 0.0);
  EXPECT_EQ(parse_date("1969-12-31T23:59:59"), -1.0);
  EXPECT_EQ(parse_date("2000-03-01 00:00:00.25"), 951868800.25);
  EXPECT_EQ(parse_date("2000-03-01T02:00:00+02:00"), 951868800.0);
  EXPECT_EQ(parse_date("2000-02-29T19:00-0500"), 951868800.0);
  EXPECT_EQ(parse_date("2000-03-01T00:00Z"), 951868800.0);
  for (const char* text : {"", "2000", "2000-3-1", "2001-02-29", "2000-01-01 ", "2000-01-01 24:00",
                           "2000-01-01 10", "2000-01-01T10:00X", "01-01-2000"})
    EXPECT_EQ(parse_date(text), std::nullopt) << text;
}

TEST(Encoding, TextCodesAreApartFromNumbers) {
  for (const std::uint64_t index : {0ULL, 1ULL, 65'535ULL, (1ULL << 32) + 77})
    EXPECT_EQ(text_of_code(text_code(index)), index);
  for (const double number :
       {0.0, -1e308, 1e280, 3e290, 1e304, kNaN, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(text_of_code(number), std::nullopt) << number;
}

// The learner sees the rows in tables of any size.
TEST(Encoding, DoesNotDependOnChunks) {
  std::string csv = "a,b\n";
  random::Stream stream({.seed = 3});
  for (int row = 0; row < 3000; ++row) {
    const double u = random::uniform(stream);
    csv += (u < 0.1 ? std::string() : std::to_string(u)) + ",";
    csv += row < 2500 ? std::to_string(row % 40) + "\n" : "t" + std::to_string(row % 3) + "\n";
  }
  const Learned whole(csv, {"a", "b"});
  EXPECT_EQ(whole.encoding.inputs[1].kind, InputKind::category);
  for (const std::size_t bytes : {16, 1000, 100'000}) {
    auto learner = std::make_shared<EncodingLearner>();
    data::ReadOptions options{.columns = {"a", "b"}};
    options.codes = learner;
    const data::Tables tables({whole.file.path()}, options, bytes);
    const auto pass = tables.open();
    while (const auto table = pass->next()) learner->add(table->view());
    EXPECT_EQ(learner->finish(), whole.encoding) << bytes;
  }
}

// Quantiles of 0, 1, ..., 8 in four bins are 0, 2, 4, 6 and 8.
TEST(Encoding, BinsAreZeroBelowOneAboveAndLinearBetween) {
  const Learned learned("x,flag\n0,0\n1,1\n2,0\n3,1\n4,0\n5,0\n6,0\n7,0\n8,0\nNA,0\n",
                        {"x", "flag"}, {.bins = 4});
  EXPECT_THAT(learned.encoding.inputs[0].bins, ElementsAre(0, 2, 4, 6, 8));
  EXPECT_THAT(learned.encoding.names(learned.names),
              ElementsAre("x", "x bin 1", "x bin 2", "x bin 3", "x bin 4", "x missing", "flag"));
  EXPECT_THAT(learned.rows()[0], ElementsAre(0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(learned.rows()[5], ElementsAre(5, 1, 1, 0.5F, 0, 0, 0));
  EXPECT_THAT(learned.rows()[9], ElementsAre(4, 1, 1, 0, 0, 1, 0));  // the median
  const TempFile other("rows.csv", "x,flag\n-1,0\n12,1\n");
  EXPECT_THAT(learned.rows(learned.read(other).view()),
              ElementsAre(ElementsAre(-1, 0, 0, 0, 0, 0, 0), ElementsAre(12, 1, 1, 1, 1, 0, 1)));
}

TEST(Encoding, WinsorizedNumbersStayWithinQuantilesAndAreOutsideAllTheSame) {
  std::string csv = "x,flag,constant\n";
  for (int row = 0; row < 200; ++row) csv += std::to_string(row) + (row == 7 ? ",1,5\n" : ",0,5\n");
  const Learned learned(csv, {"x", "flag", "constant"}, {.winsorize = 0.01});
  EXPECT_THAT(learned.encoding.inputs[0].limits, ElementsAre(2, 197));
  EXPECT_TRUE(learned.encoding.inputs[1].limits.empty());  // 0 and 1 stay, however rare
  EXPECT_TRUE(learned.encoding.inputs[2].limits.empty());
  EXPECT_THAT(learned.rows()[0], ElementsAre(2, 0, 5));
  EXPECT_THAT(learned.rows()[100], ElementsAre(100, 0, 5));
  EXPECT_THAT(learned.rows()[199], ElementsAre(197, 0, 5));
  for (const double share : {-0.1, 0.5, kNaN})
    EXPECT_THAT(message_of<InvalidArgument>([&] { EncodingLearner({.winsorize = share}); }),
                testing::HasSubstr("winsorize is "));
}

TEST(Encoding, PeriodicFeaturesAreSinesAndCosinesOfTheStandardizedNumber) {
  const Learned learned("x,flag,z\n0,0,1\n0.25,1,2\n0.5,0,\n", {"x", "flag", "z"},
                        {.periodic = 2, .periodic_scale = 3});
  EXPECT_THAT(learned.encoding.names(learned.names),
              ElementsAre("x", "x sine 1", "x sine 2", "x cosine 1", "x cosine 2", "flag", "z",
                          "z missing"));
  const std::vector<double>& drawn = learned.encoding.inputs[0].periodic;
  ASSERT_EQ(drawn.size(), 2U);
  random::Stream stream({.replicate = 0, .purpose = random::Purpose::frequencies});
  EXPECT_EQ(drawn[0], 3 * random::normal(stream));
  EXPECT_EQ(drawn[1], 3 * random::normal(stream));
  const std::vector<float> row = learned.rows()[1];
  for (std::size_t wave = 0; wave < 2; ++wave) {
    const double angle = 2 * std::numbers::pi * 0.25 * drawn[wave];
    EXPECT_NEAR(row[1 + wave], std::sin(angle), 1e-7);
    EXPECT_NEAR(row[3 + wave], std::cos(angle), 1e-7);
  }
  EXPECT_THAT(message_of<InvalidArgument>([] { EncodingLearner({.periodic_scale = 0}); }),
              testing::HasSubstr("periodic_scale is 0"));
}

// Frequencies are drawn for each column, and the first ones stay when there are more.
TEST(Encoding, FrequenciesOfColumnsDifferAndDoNotDependOnTheirNumber) {
  const std::string csv = "x,y\n0,0\n1,1\n2,2\n";
  const Learned few(csv, {"x", "y"}, {.periodic = 2});
  const Learned many(csv, {"x", "y"}, {.periodic = 8});
  EXPECT_NE(few.encoding.inputs[0].periodic, few.encoding.inputs[1].periodic);
  for (std::size_t c = 0; c < 2; ++c)
    EXPECT_TRUE(std::equal(few.encoding.inputs[c].periodic.begin(),
                           few.encoding.inputs[c].periodic.end(),
                           many.encoding.inputs[c].periodic.begin()));
}

// The hours of dates, a fixed number of bits away from libraries: 6:00 is a quarter of a day.
TEST(Encoding, SinesOfTheTimeOfDayAreExactAtQuarters) {
  const Learned learned("d\n2024-01-28 00:00\n2024-01-28 06:00\n2024-01-28 12:00\n", {"d"},
                        {.dates = {"d"}});
  const std::vector<std::vector<float>> rows = learned.rows();
  const std::size_t sine = rows[0].size() - 2;
  EXPECT_EQ(rows[0][sine], 0.0F);
  EXPECT_EQ(rows[0][sine + 1], 1.0F);
  EXPECT_EQ(rows[1][sine], 1.0F);
  EXPECT_EQ(rows[1][sine + 1], 0.0F);
  EXPECT_EQ(rows[2][sine + 1], -1.0F);
}

/// Edges of a tree on a column that is all rows.
std::vector<double> edges_of_tree(const std::vector<double>& x, const Examples& examples,
                                  TreeOptions options) {
  std::vector<std::uint64_t> rows(x.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  return tree_edges(x, rows, tree_targets(examples), options);
}

TEST(TreeEdges, SplitsWhereTheTargetChanges) {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 1000; ++i) {
    x.push_back((i * 617) % 1000);
    y.push_back(x.back() < 100 ? 3 : x.back() < 730 ? 1 : 2);
  }
  const Examples examples{.targets = DataView({ColumnView(y)})};
  // Splits are tried after every fourth of the 1000 values.
  EXPECT_THAT(edges_of_tree(x, examples, {.bins = 3, .least_rows = 20}),
              ElementsAre(0, testing::AllOf(testing::Gt(95), testing::Lt(105)),
                          testing::AllOf(testing::Gt(725), testing::Lt(735)), 999));
  // Exact where each value is a group of its own.
  std::vector<double> tens;
  for (const double value : x) tens.push_back(std::floor(value / 10));
  EXPECT_THAT(edges_of_tree(tens, examples, {.bins = 8, .least_rows = 20}),
              ElementsAre(0, 9.5, 72.5, 99));
  EXPECT_THAT(edges_of_tree(tens, examples, {.bins = 2, .least_rows = 20}),
              ElementsAre(0, 9.5, 99));  // the larger gain comes first
  EXPECT_TRUE(edges_of_tree(tens, examples, {.bins = 8, .least_rows = 501}).empty());
  const std::vector<double> constant(1000, 4.0);
  EXPECT_TRUE(edges_of_tree(tens, {.targets = DataView({ColumnView(constant)})},
                            {.bins = 8, .least_rows = 1})
                  .empty());
}

TEST(TreeEdges, ClassesSplitByGini) {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  data::Labels classes{{0, 0, 0, 1, 1, 1, 2, 2, 2}, {"a", "b", "c"}};
  EXPECT_THAT(edges_of_tree(x, {.classes = &classes}, {.bins = 9, .least_rows = 1}),
              ElementsAre(1, 3.5, 6.5, 9));
  EXPECT_THAT(edges_of_tree(x, {.classes = &classes}, {.bins = 9, .least_rows = 4}),
              ElementsAre(1, testing::AnyOf(4.5, 5.5), 9));
}

/// All splits of a best-first tree, by sums over rows for every candidate.
std::vector<double> slow_edges(const std::vector<double>& x,
                               const std::vector<std::vector<double>>& outputs, std::size_t bins,
                               std::size_t least) {
  std::vector<double> sorted = x;
  std::ranges::sort(sorted);
  const auto error = [&](double low, double high, std::size_t& rows) {
    double total = 0;
    for (const std::vector<double>& y : outputs) {
      double sum = 0;
      double squares = 0;
      double all = 0;
      double mean = 0;
      for (const double value : y) mean += value / static_cast<double>(y.size());
      for (const double value : y) all += (value - mean) * (value - mean);
      rows = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > low && x[i] < high) {
          ++rows;
          sum += y[i] - mean;
          squares += (y[i] - mean) * (y[i] - mean);
        }
      if (rows > 0) total += (squares - sum * sum / static_cast<double>(rows)) / all;
    }
    return total;
  };
  std::vector<double> edges{-1e9, 1e9};
  while (edges.size() <= bins) {
    double best = 1e-9;
    double place = 0;
    for (std::size_t leaf = 0; leaf + 1 < edges.size(); ++leaf) {
      std::size_t rows = 0;
      const double whole = error(edges[leaf], edges[leaf + 1], rows);
      for (std::size_t i = 1; i < sorted.size(); ++i) {
        const double at = sorted[i - 1] / 2 + sorted[i] / 2;
        if (sorted[i] == sorted[i - 1] || at <= edges[leaf] || at >= edges[leaf + 1]) continue;
        std::size_t left = 0;
        std::size_t right = 0;
        const double parts = error(edges[leaf], at, left) + error(at, edges[leaf + 1], right);
        if (left < least || right < least || !(whole - parts > best)) continue;
        best = whole - parts;
        place = at;
      }
    }
    if (place == 0) break;
    edges.insert(std::ranges::lower_bound(edges, place), place);
  }
  edges.front() = sorted.front();
  edges.back() = sorted.back();
  return edges;
}

TEST(TreeEdges, MatchATreeThatTriesEverySplit) {
  random::Stream stream({.seed = 5});
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<double> x;
    std::vector<std::vector<double>> y(2);
    for (int i = 0; i < 150; ++i) {
      x.push_back(1 + std::floor(60 * random::uniform(stream)));
      y[0].push_back(100 * std::sin(x.back() / 7) + 30 * random::normal(stream));
      y[1].push_back((x.back() > 22 ? 1 : 0) + 0.3 * random::normal(stream));
    }
    const Examples examples{.targets = DataView({ColumnView(y[0]), ColumnView(y[1])})};
    EXPECT_EQ(edges_of_tree(x, examples, {.bins = 7, .least_rows = 6}), slow_edges(x, y, 7, 6));
  }
}

// A row of weight 2 is two rows, and one of weight 0 is none; but rows in a leaf are rows.
TEST(TreeEdges, WeightsAreRepetitions) {
  random::Stream stream({.seed = 6});
  std::vector<double> x, y, weights, repeated_x, repeated_y;
  for (int i = 0; i < 300; ++i) {
    x.push_back(std::floor(100 * random::uniform(stream)));
    y.push_back(std::floor(10 * std::sin(x.back() / 9) + 3 * random::normal(stream)));
    weights.push_back(static_cast<double>(random::uniform_index(stream, 3)));
    for (double copy = 0; copy < weights.back(); ++copy) {
      repeated_x.push_back(x.back());
      repeated_y.push_back(y.back());
    }
  }
  const Examples weighted{.targets = DataView({ColumnView(y)}), .weights = ColumnView(weights)};
  const Examples repeated{.targets = DataView({ColumnView(repeated_y)})};
  const std::vector<double> edges = edges_of_tree(x, weighted, {.bins = 6, .least_rows = 1});
  EXPECT_EQ(edges.size(), 7U);
  EXPECT_EQ(edges, edges_of_tree(repeated_x, repeated, {.bins = 6, .least_rows = 1}));
}

TEST(TreeEdges, NeighbouringNumbersKeepEdgesApart) {
  const double next = std::nextafter(1.0, 2.0);
  const std::vector<double> x = {1, 1, next, next, 3, 3};
  const std::vector<double> y = {0, 0, 5, 5, 9, 9};
  const std::vector<double> edges =
      edges_of_tree(x, {.targets = DataView({ColumnView(y)})}, {.bins = 4, .least_rows = 1});
  for (std::size_t i = 1; i < edges.size(); ++i) EXPECT_LT(edges[i - 1], edges[i]);
}

TEST(Encoding, AutomaticValuesFollowFromRowsAndColumnsOfNumbers) {
  const auto filled = [](std::uint64_t rows, std::size_t numbers, EncodingOptions given = {}) {
    const EncodingOptions found = with_automatic_values(given, rows, numbers, true);
    return std::pair(found.bins.value(), found.winsorize.value());
  };
  EXPECT_EQ(filled(999, 5), std::pair(std::size_t{0}, 0.0));
  EXPECT_EQ(filled(1'000, 5), std::pair(std::size_t{16}, 0.001));
  EXPECT_EQ(filled(1'000, 32), std::pair(std::size_t{16}, 0.001));
  EXPECT_EQ(filled(1'000, 33), std::pair(std::size_t{15}, 0.001));
  EXPECT_EQ(filled(1'000, 128), std::pair(std::size_t{4}, 0.001));
  EXPECT_EQ(filled(1'000, 129), std::pair(std::size_t{0}, 0.0));
  EXPECT_EQ(filled(1'000'000, 20), std::pair(std::size_t{6}, 0.001));
  EXPECT_EQ(filled(100'000'000, 20), std::pair(std::size_t{0}, 0.001));
  EXPECT_EQ(filled(1'000, 5, {.bins = 3}), std::pair(std::size_t{3}, 0.001));
  EXPECT_EQ(filled(10, 5, {.winsorize = 0.1}), std::pair(std::size_t{0}, 0.1));
  EXPECT_EQ(with_automatic_values({}, 10, 5, true).bin_edges, BinEdges::tree);
  EXPECT_EQ(with_automatic_values({}, 10, 5, false).bin_edges, BinEdges::quantiles);
}

/// Columns of normal numbers, and of 0 and 1.
Encoding automatic(std::size_t rows, std::size_t numbers, std::size_t truths, std::size_t memory) {
  random::Stream stream({.seed = 4});
  std::vector<std::vector<double>> columns(numbers + truths, std::vector<double>(rows));
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (double& value : columns[c])
      value = c < numbers ? random::normal(stream) : std::round(random::uniform(stream));
  EncodingLearner learner({.bin_edges = BinEdges::quantiles, .memory = memory});
  learner.add(DataView(std::vector<ColumnView>(columns.begin(), columns.end())));
  return learner.finish();
}

TEST(Encoding, ColumnsOfZeroAndOneDoNotCountForAutomaticBins) {
  const Encoding found = automatic(1'000, 5, 150, 0);
  EXPECT_EQ(found.inputs[4].bins.size(), 17U);
  EXPECT_EQ(found.inputs[4].limits.size(), 2U);
  EXPECT_TRUE(found.inputs[5].bins.empty());
}

TEST(Encoding, AutomaticBinsFitTheMemoryOfTheRows) {
  EXPECT_EQ(automatic(1'000, 10, 0, 1'000'000).inputs[0].bins.size(), 17U);
  // 100 columns for each row: 10 of numbers, 2 beside them, and 8 bins of each.
  const Encoding fewer = automatic(1'000, 10, 0, 400'000);
  EXPECT_EQ(fewer.inputs[0].bins.size(), 9U);
  EXPECT_LE(bytes_of_rows(1'000, fewer.columns(10) + 2), 400'000U);
  const Encoding none = automatic(1'000, 10, 0, 150'000);
  EXPECT_TRUE(none.inputs[0].bins.empty());
  EXPECT_EQ(none.inputs[0].limits.size(), 2U);
}

TEST(Encoding, BinsOfATreeDoNotDependOnChunksAndNeedTargets) {
  std::vector<double> x;
  std::vector<double> y;
  random::Stream stream({.seed = 8});
  for (int i = 0; i < 5000; ++i) {
    x.push_back(i % 50 == 0 ? kNaN : random::normal(stream));
    y.push_back((x.back() > 0.5 ? 2 : 0) + random::normal(stream));
  }
  const Examples examples{.targets = DataView({ColumnView(y)})};
  const EncodingOptions options{.bins = 4, .bin_edges = BinEdges::tree};
  std::optional<Encoding> first;
  for (const std::size_t chunk : {std::size_t{5000}, std::size_t{37}}) {
    EncodingLearner learner(options);
    for (std::size_t row = 0; row < x.size(); row += chunk) {
      const std::size_t count = std::min(chunk, x.size() - row);
      learner.add(DataView({ColumnView(std::span(x).subspan(row, count))}));
    }
    EXPECT_THAT(message_of<InvalidArgument>([&] { static_cast<void>(learner.finish()); }),
                testing::HasSubstr("bin_edges is tree"));
    EXPECT_THAT(message_of<InvalidArgument>([&] {
                  const std::span<const double> few(y.data(), 10);
                  static_cast<void>(learner.finish({.targets = DataView({ColumnView(few)})}));
                }),
                testing::HasSubstr("targets of 10 rows but inputs of 5000"));
    const Encoding encoding = learner.finish(examples);
    if (!first) first = encoding;
    EXPECT_EQ(encoding, *first);
  }
  ASSERT_EQ(first->inputs[0].bins.size(), 5U);
  // One of the splits is where the target changes.
  const auto near = [](double edge) { return std::abs(edge - 0.5) < 0.05; };
  EXPECT_TRUE(std::ranges::any_of(first->inputs[0].bins, near));
}

TEST(ValueSample, MedianIsExactUpTo65536Values) {
  ValueSample sample;
  for (std::size_t i = 0; i < ValueSample::kMost; ++i)
    sample.add(static_cast<double>((i * 40'503) % 65'536));
  EXPECT_EQ(median_of(sample.sorted()), 32'767.5);
  for (std::size_t i = 0; i < 9 * ValueSample::kMost; ++i)
    sample.add(static_cast<double>((i * 40'503) % 65'536));
  EXPECT_LE(sample.sorted().size(), ValueSample::kMost);
  EXPECT_NEAR(median_of(sample.sorted()), 32'767.5, 400);
}

/// Training rows with a category, by encoding and by hand.
struct Mixed {
  explicit Mixed(std::size_t rows) {
    random::Stream stream({.seed = 11});
    for (std::size_t row = 0; row < rows; ++row) {
      const double u = random::uniform(stream);
      const auto level = static_cast<std::size_t>(3 * random::uniform(stream));
      const bool missing = random::uniform(stream) < 0.2;
      x.push_back(missing ? kNaN : u);
      code.push_back(text_code(level));
      y.push_back(u + static_cast<double>(level) + 0.1 * random::normal(stream));
      for (std::size_t l = 0; l < 3; ++l) one_hot[l].push_back(l == level ? 1.0 : 0.0);
      indicator.push_back(missing ? 1.0 : 0.0);
    }
    encoding.inputs = {
        {.kind = InputKind::number, .missing = true, .median = 0.5},
        {.kind = InputKind::category, .levels = {"a", "b", "c"}, .slots = {0, 1, 2}, .own = 3}};
    for (const double value : x) filled.push_back(std::isnan(value) ? 0.5 : value);
  }

  [[nodiscard]] Examples encoded() const {
    Examples examples{DataView({ColumnView(x), ColumnView(code)}, {"x", "level"})};
    examples.targets = DataView({ColumnView(y)}, {"y"});
    examples.encoding = &encoding;
    return examples;
  }
  [[nodiscard]] Examples by_hand() const {
    Examples examples{DataView({ColumnView(filled), ColumnView(indicator), ColumnView(one_hot[0]),
                                ColumnView(one_hot[1]), ColumnView(one_hot[2])})};
    examples.targets = DataView({ColumnView(y)}, {"y"});
    return examples;
  }

  std::vector<double> x, code, y, indicator, filled;
  std::vector<double> one_hot[3];
  Encoding encoding;
};

TEST(EncodedTraining, MembersMatchThoseOfInputsThatWereEncodedByHand) {
  const Mixed mixed(300);
  Training training{.members = 40, .epochs = 5, .standardize = false};
  const Ensemble encoded = train(mixed.encoded(), {.hidden = {16}}, training);
  const Ensemble by_hand = train(mixed.by_hand(), {.hidden = {16}}, training);
  for (std::size_t m = 0; m < 40; ++m) {
    const std::span<const float> a = encoded.parameters(m);
    const std::span<const float> b = by_hand.parameters(m);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size_bytes()), 0);
  }
  EXPECT_EQ(encoded.out_of_bag().mean, by_hand.out_of_bag().mean);
  EXPECT_EQ(encoded.predict(mixed.encoded().inputs).mean,
            by_hand.predict(mixed.by_hand().inputs).mean);
}

TEST(EncodedTraining, MissingValuesAndCategoriesAreLeftOutOfTheStandardization) {
  const Mixed mixed(300);
  const Ensemble trained = train(mixed.encoded(), {.hidden = {4}}, {.members = 1, .epochs = 1});
  double sum = 0;
  double count = 0;
  for (const double value : mixed.x)
    if (!std::isnan(value)) {
      sum += value;
      ++count;
    }
  EXPECT_NEAR(trained.frame().input_scaling.mean[0], sum / count, 1e-12);
  EXPECT_EQ(trained.frame().input_scaling.mean[1], 0.0);
  EXPECT_EQ(trained.frame().input_scaling.scale[1], 1.0);
  EXPECT_EQ(trained.frame().input_range.low[1], 0.0);
}

TEST(EncodedTraining, FilesKeepTheEncodingAndThePredictions) {
  Mixed mixed(200);
  mixed.encoding.inputs[0].bins = {0, 0.25, 0.5, 1};
  mixed.encoding.inputs[0].limits = {0.01, 0.99};
  mixed.encoding.inputs[0].periodic = {0.1, -2.5};
  const Ensemble trained = train(mixed.encoded(), {.hidden = {8}}, {.members = 3, .epochs = 3});
  const TempFile file("model.safetensors");
  trained.save(file.path());
  const Ensemble loaded = Ensemble::load(file.path());
  EXPECT_EQ(loaded.frame().encoding, trained.frame().encoding);
  const Prediction before = trained.predict(mixed.encoded().inputs);
  const Prediction after = loaded.predict(mixed.encoded().inputs);
  EXPECT_EQ(before.mean, after.mean);
  EXPECT_EQ(before.outside, after.outside);
}

TEST(EncodedTraining, MissingValuesAreErrorsUnlessTheEncodingAcceptsThem) {
  Mixed mixed(50);
  mixed.encoding.accepts_missing = false;
  EXPECT_THAT(message_of<DataError>([&] {
                static_cast<void>(train(mixed.encoded(), {.hidden = {4}}, {.members = 1}));
              }),
              testing::HasSubstr("is not finite"));
  mixed.encoding.inputs.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                static_cast<void>(train(mixed.encoded(), {.hidden = {4}}, {.members = 1}));
              }),
              testing::HasSubstr("the encoding is of 1 inputs but there are 2"));
}

TEST(EncodingLearner, NotesTextAmongNumbersAndColumnsWithoutFrequentLevels) {
  const Learned learned("x,id,y\n1,a1,u\n2,a2,u\ntwo,a3,u\n3,a4,u\n4,a5,u\n", {"x", "id", "y"});
  EXPECT_THAT(learned.learner->notes(),
              ElementsAre("column 'x' is read as a category, because 1 of its 5 values are not "
                          "numbers, such as 'two'",
                          "column 'id' has no level with 5 rows or more, so nothing can be learned "
                          "from it; leave it out"));
}

TEST(EncodingLearner, NotesDatesThatAreReadAsTexts) {
  const Learned learned("when\n2024-01-28\n2024-01-29\n2024-01-30\n", {"when"});
  EXPECT_THAT(learned.learner->notes(),
              ElementsAre(testing::HasSubstr("look like dates: give dates=when, or leave it out")));
}

TEST(EncodingLearner, NamesOptionsThatCannotBeUsed) {
  EXPECT_THAT(message_of<InvalidArgument>(
                  [] { const Learned learned("x,y\n1,2\n", {"x"}, {.categorical = {"y"}}); }),
              testing::HasSubstr("categorical names 'y', which is not an input; the inputs are x"));
  EXPECT_THAT(message_of<InvalidArgument>([] {
                const Learned learned("x\n1\n", {"x"}, {.categorical = {"x"}, .dates = {"x"}});
              }),
              testing::HasSubstr("column 'x' is named by two of categorical, dates and numbers"));
  EXPECT_THAT(message_of<InvalidArgument>([] { const EncodingLearner learner({.levels = 0}); }),
              testing::HasSubstr("levels is 0 but must be at least 1"));
}

}  // namespace encoding_test
}  // namespace bootfold::ensemble
