// A bootstrap of shards has the bits of a bootstrap of all rows in one place, however the rows are
// cut and in whatever order looks and parts are merged.
#include "bootfold/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace shards_test {

using testing::AllOf;
using testing::HasSubstr;

struct Piece {
  std::uint64_t first;
  std::uint64_t rows;
};

/// A random cut into about `count` pieces, with empty ones and some of one row.
std::vector<Piece> random_cut(std::uint64_t rows, std::size_t count, std::mt19937_64& words) {
  std::vector<std::uint64_t> cuts = {0, rows};
  for (std::size_t i = 1; i < count; ++i) {
    const std::uint64_t cut = words() % (rows + 1);
    cuts.push_back(cut);
    if (i % 3 == 0) cuts.push_back(std::min(rows, cut + i % 2));  // one row, or none
  }
  std::sort(cuts.begin(), cuts.end());
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    pieces.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  return pieces;
}

DataView slice(const DataView& data, const Piece& piece) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < data.columns(); ++c)
    columns.push_back(data.column(c).slice(piece.first, piece.rows));
  return DataView(std::move(columns));
}

/// Looks, plans and parts travel as bytes, to three machines.
Result by_shards(const DataView& data, const std::vector<Statistic>& statistics,
                 const Options& options, std::vector<Piece> pieces, std::mt19937_64& words) {
  std::vector<shards::Look> looks;
  for (const Piece& piece : pieces)
    looks.push_back(shards::Look::from_bytes(
        shards::look(slice(data, piece), statistics, {.execution = options.execution}).to_bytes()));
  const shards::Plan plan(shards::join(looks), statistics, options);
  const std::string bytes = plan.to_bytes();
  std::vector<shards::Plan> there;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, pieces.size()); ++i)
    there.push_back(shards::Plan::from_bytes(bytes, statistics, 0, options.execution));
  std::shuffle(pieces.begin(), pieces.end(), words);
  shards::Part all = plan.empty();
  for (const Piece& piece : pieces) {
    const shards::Plan& machine = there[words() % there.size()];
    // Some shards make their replicates in two jobs.
    if (words() % 3 == 0 && options.replicates > 1) {
      const std::uint64_t middle = options.first_replicate + 1 + words() % (options.replicates - 1);
      const std::uint64_t end = options.first_replicate + options.replicates;
      all += machine.part(slice(data, piece), piece.first, {.replicates = std::pair(middle, end)});
      all += machine.part(slice(data, piece), piece.first,
                          {.replicates = std::pair(options.first_replicate, middle)});
    } else {
      all += machine.part(slice(data, piece), piece.first);
    }
  }
  return plan.finish(shards::Part::from_bytes(all.to_bytes()));
}

void expect_same(const Result& found, const Result& wanted) {
  ASSERT_EQ(found.plan().path, wanted.plan().path);
  ASSERT_EQ(found.fingerprint(), wanted.fingerprint());
  for (std::size_t k = 0; k < wanted.outputs(); ++k)
    ASSERT_EQ(found.estimate(k), wanted.estimate(k)) << k;
  ASSERT_TRUE(std::ranges::equal(found.replicates(), wanted.replicates(),
                                 [](double a, double b) { return a == b || (a != a && b != b); }));
}

struct Case {
  std::string name;
  std::vector<Statistic> statistics;
  std::size_t columns;
  Options options = {};
};

std::vector<Case> cases() {
  Options poisson;
  poisson.scheme = scheme::Poisson{};
  Options few;
  few.scheme = scheme::Iid{.size = 50};
  Options later;
  later.first_replicate = 1000;
  later.seed = 9;
  const Statistic squares = statistic::sums(
      2,
      [](std::span<const double> row, std::span<double> f) {
        f[0] = row[0] * row[0];
        f[1] = row[0] > 0 ? 1 : 0;
      },
      [](const statistic::Folded& f) { return f.mean(0) / f.mean(1); });
  return {
      {"mean", {statistic::mean()}, 1},
      {"moments", {statistic::variance(), statistic::kurtosis(), statistic::sum()}, 1, later},
      {"correlation", {statistic::correlation()}, 2},
      {"regression", {statistic::regression(), statistic::mean()}, 3},
      {"weighted", {statistic::weighted(statistic::variance())}, 2},
      {"own features", {squares}, 1},
      {"proportion", {statistic::proportion(0.5)}, 1},
      {"poisson", {statistic::mean(), statistic::ratio()}, 2, poisson},
      {"few draws", {statistic::mean(), statistic::correlation()}, 2, few},
      {"median", {statistic::median()}, 1},
      {"quantiles", {statistic::quantile(0.9), statistic::interquartile_range()}, 1, later},
      {"mean and median", {statistic::mean(), statistic::median()}, 1, later},
      {"quantiles of two columns", {statistic::median(), statistic::correlation()}, 2},
  };
}

/// Columns: lognormal, normal, positive weights.
std::vector<std::vector<double>> columns(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> all(3, std::vector<double>(rows));
  for (std::size_t i = 0; i < rows; ++i) {
    all[0][i] = std::exp(normal(words));
    all[1][i] = 1 + std::abs(normal(words)) + 0.1 * all[0][i];
    all[2][i] = normal(words);
  }
  return all;
}

DataView view(const std::vector<std::vector<double>>& columns, std::size_t count) {
  std::vector<ColumnView> views;
  for (std::size_t c = 0; c < count; ++c) views.emplace_back(columns[c]);
  return DataView(std::move(views));
}

TEST(Shards, OfAnyCutGiveTheBitsOfTheWhole) {
  std::mt19937_64 words(1);
  for (const std::size_t rows : {1U, 7U, 4096U, 4097U, 20'000U}) {
    const auto values = columns(rows, rows);
    for (Case one : cases()) {
      if (rows == 1 && one.name != "mean" && one.name != "median") continue;
      one.options.replicates = 60;
      const DataView data = view(values, one.columns);
      const Result wanted = bootstrap(data, one.statistics, one.options);
      for (const std::size_t pieces : {1U, 2U, 7U, 40U}) {
        SCOPED_TRACE(testing::Message()
                     << one.name << ", " << rows << " rows, " << pieces << " pieces");
        ASSERT_NO_FATAL_FAILURE(expect_same(
            by_shards(data, one.statistics, one.options, random_cut(rows, pieces, words), words),
            wanted));
      }
    }
  }
}

// The ways to make parts: sums, values near quantiles, counts of distinct rows, and all rows.
TEST(Shards, OfAThousandPiecesGiveTheBitsOfTheWholeAtEverySimdLevel) {
  std::mt19937_64 words(8);
  auto values = columns(6000, 5);
  for (double& value : values[2]) value = value > 0 ? 1 : 0;
  struct Way {
    std::string name;
    Statistic statistic;
    DataView data;
  };
  const std::vector<Way> ways = {
      {"sums", statistic::correlation(), view(values, 2)},
      {"quantiles", statistic::quantile(0.9), view(values, 1)},
      {"few distinct rows", statistic::mean(), DataView(values[2])},
      {"few rows", statistic::trimmed_mean(0.1), slice(view(values, 1), {0, 700})},
  };
  for (const Way& way : ways) {
    Options options{.replicates = 6, .seed = 2};
    const Result wanted = bootstrap(way.data, way.statistic, options);
    for (const auto level : execution::available_levels()) {
      SCOPED_TRACE(testing::Message() << way.name << ", " << execution::name(level));
      options.execution.level = level;
      ASSERT_NO_FATAL_FAILURE(
          expect_same(by_shards(way.data, {way.statistic}, options,
                                random_cut(way.data.rows(), 1000, words), words),
                      wanted));
    }
  }
}

// Three super-blocks, cut within and at their ends.
TEST(Shards, MayBeginWithinASuperBlockAtEverySimdLevel) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  const std::uint64_t rows = 2 * kBlock + 12'345;
  const auto values = columns(rows, 3);
  const DataView data = view(values, 2);
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::correlation()};
  Options options{.replicates = 4, .seed = 4};
  const Result wanted = bootstrap(data, statistics, options);
  std::mt19937_64 words(2);
  const std::vector<Piece> cut = {{0, 5},
                                  {5, 4096},
                                  {4101, kBlock - 4101},
                                  {kBlock, 0},
                                  {kBlock, kBlock + 4095},
                                  {2 * kBlock + 4095, 8250}};
  for (const auto level : execution::available_levels()) {
    SCOPED_TRACE(execution::name(level));
    options.execution.level = level;
    ASSERT_NO_FATAL_FAILURE(expect_same(by_shards(data, statistics, options, cut, words), wanted));
  }
}

// Resamples much smaller than the data: every shard draws all row numbers and adds its own rows.
TEST(Shards, OfFewDrawsAreLookedUpRowByRowAtEverySimdLevel) {
  const auto values = columns(1'200'000, 3);
  const DataView data = view(values, 2);
  const std::vector<Statistic> statistics = {statistic::correlation()};
  Options options{.replicates = 30, .seed = 4, .scheme = scheme::Iid{.size = 10'000}};
  const Result wanted = bootstrap(data, statistics, options);
  ASSERT_EQ(wanted.plan().path, Path::gather);
  std::mt19937_64 words(2);
  for (const auto level : execution::available_levels()) {
    SCOPED_TRACE(execution::name(level));
    options.execution.level = level;
    ASSERT_NO_FATAL_FAILURE(expect_same(
        by_shards(data, statistics, options, random_cut(data.rows(), 5, words), words), wanted));
  }
}

// So few rows are drawn that rows are looked up one by one: all rows are in the look.
TEST(Shards, OfFewRowsTakeAnyStatistic) {
  const auto values = columns(500, 1);
  const DataView data = view(values, 1);
  std::mt19937_64 words(3);
  const std::vector<Statistic> statistics = {statistic::trimmed_mean(0.1), statistic::mean()};
  const Options options{.replicates = 100, .influence = true};
  const Result wanted = bootstrap(data, statistics, options);
  const Result found = by_shards(data, statistics, {.replicates = 100, .influence = true},
                                 random_cut(500, 5, words), words);
  expect_same(found, wanted);
}

// Quantiles: the bins that hold values are a list at the pieces and an array at the whole.
TEST(Shards, LooksMergeInAnyOrder) {
  constexpr std::size_t kRows = 60'000;
  const auto values = columns(kRows, 2);
  std::mt19937_64 words(5);
  for (const auto& [statistic, count] :
       {std::pair(statistic::correlation(), 2U), std::pair(statistic::median(), 1U),
        std::pair(statistic::quantile(0.9), 2U)}) {
    SCOPED_TRACE(statistic.name());
    const DataView data = view(values, count);
    std::vector<Statistic> statistics = {statistic};
    if (statistic.name() == "quantile") statistics.push_back(statistic::mean());  // three kinds
    const shards::Look whole = shards::look(data, statistics);
    std::vector<Piece> pieces = random_cut(kRows, 9, words);
    std::shuffle(pieces.begin(), pieces.end(), words);
    std::optional<shards::Look> all;
    for (const Piece& piece : pieces) {
      shards::Look look = shards::look(slice(data, piece), statistics, {.first = piece.first});
      all = all ? *all | look : look;
    }
    EXPECT_EQ(*all, whole);
    EXPECT_EQ(all->to_bytes(), whole.to_bytes());
    EXPECT_EQ(shards::Look::from_bytes(whole.to_bytes()), whole);
    EXPECT_EQ(all->rows(), kRows);
  }
}

// A part holds the sums of all kinds at once.
TEST(Shards, OfSeveralKindsShareTheMemory) {
  constexpr std::size_t kMemory = std::size_t{256} << 20;
  const auto values = columns(10'000, 2);
  const std::vector<Statistic> statistics = {statistic::mean(), statistic::median()};
  const shards::Plan plan(shards::look(view(values, 2), statistics), statistics,
                          {.replicates = 20, .memory = kMemory});
  ASSERT_EQ(plan.plan().runs.size(), 3U);
  std::size_t bytes = 0;
  for (const Plan& run : plan.plan().runs) {
    EXPECT_LE(run.memory_limit, kMemory / 3);
    bytes += run.working_bytes;
  }
  EXPECT_EQ(plan.plan().working_bytes, bytes);
  EXPECT_EQ(plan.plan().memory_limit, kMemory);
}

TEST(Shards, StatisticsThatNeedAllRowsAreRefusedAtOnce) {
  const auto values = columns(10'000, 2);
  const auto look_at = [&](std::size_t rows) {
    static_cast<void>(shards::look(slice(view(values, 1), {0, rows}), statistic::gini()));
  };
  EXPECT_NO_THROW(look_at(4096));
  EXPECT_THAT(reference::message_of<InvalidArgument>([&] { look_at(4097); }),
              HasSubstr("statistic 'gini' needs all rows in one place"));
}

class Refused : public testing::Test {
 protected:
  Refused()
      : values_(columns(10'000, 2)),
        data_(view(values_, 1)),
        plan_(shards::look(data_, statistic::mean()), statistic::mean(), {.replicates = 20}) {}

  [[nodiscard]] shards::Part part(std::uint64_t first, std::uint64_t rows) const {
    return plan_.part(slice(data_, {first, rows}), first);
  }
  template <class Make>
  static std::string message(Make&& make) {
    return reference::message_of<InvalidArgument>([&] { static_cast<void>(make()); });
  }

  std::vector<std::vector<double>> values_;
  DataView data_;
  shards::Plan plan_;
};

TEST_F(Refused, OverlapsAndGapsNameTheRanges) {
  EXPECT_THAT(message([&] { return part(0, 6000) + part(5000, 5000); }),
              AllOf(HasSubstr("rows 1 to 6,000"), HasSubstr("rows 5,001 to 10,000")));
  EXPECT_THAT(message([&] { return plan_.finish(part(0, 3000) + part(7000, 3000)); }),
              AllOf(HasSubstr("lack rows 3,001 to 7,000"), HasSubstr("replicates 1 to 20")));
  const shards::Part early =
      plan_.part(data_, 0, {.replicates = std::pair<std::uint64_t, std::uint64_t>(0, 15)});
  EXPECT_THAT(message([&] { return plan_.finish(early); }), HasSubstr("replicates 16 to 20"));
  EXPECT_THAT(message([&] { return early + part(0, 10); }), HasSubstr("rows 1 to 10"));
}

TEST_F(Refused, PartsOfAnotherPlan) {
  const shards::Plan other(shards::look(data_, statistic::mean()), statistic::mean(),
                           {.replicates = 20, .seed = 1});
  EXPECT_THAT(message([&] { return plan_.finish(other.part(data_, 0)); }),
              HasSubstr("fingerprint"));
  EXPECT_THAT(message([&] { return part(0, 10) + other.part(data_, 0); }),
              HasSubstr("fingerprints"));
}

TEST_F(Refused, OtherStatisticsAndColumns) {
  EXPECT_THAT(message([&] {
                return shards::Plan(shards::look(data_, statistic::mean()), statistic::variance());
              }),
              AllOf(HasSubstr("mean"), HasSubstr("variance")));
  EXPECT_THAT(message([&] {
                return shards::look(data_, statistic::mean()) |
                       shards::look(view(values_, 2), statistic::mean());
              }),
              HasSubstr("columns"));
  EXPECT_THAT(message([&] { return plan_.part(view(values_, 2), 0); }), HasSubstr("2 columns"));
  EXPECT_THAT(message([&] { return part(0, 10'000) + plan_.part(data_, 1); }),
              HasSubstr("10,000 rows"));
}

TEST_F(Refused, WhatNeedsAllRows) {
  EXPECT_THAT(message([&] {
                return shards::Plan(shards::look(data_, statistic::trimmed_mean(0.1)),
                                    statistic::trimmed_mean(0.1));
              }),
              AllOf(HasSubstr("trimmed"), HasSubstr("all rows in one place")));
  const std::vector<std::uint32_t> labels(10'000);
  EXPECT_THAT(message([&] {
                return shards::Plan(shards::look(data_, statistic::mean()), statistic::mean(),
                                    {.scheme = scheme::Stratified{labels}});
              }),
              HasSubstr("stratified"));
  EXPECT_THAT(message([&] {
                return shards::Plan(shards::look(data_, statistic::mean()), statistic::mean(),
                                    {.influence = true});
              }),
              HasSubstr("BCa"));
}

TEST_F(Refused, DamagedBytes) {
  const auto message = [](const std::string& bytes) {
    return reference::message_of<DataError>(
        [&] { static_cast<void>(shards::Part::from_bytes(bytes)); });
  };
  const std::string bytes = part(0, 10'000).to_bytes();
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  EXPECT_THAT(message(flipped), HasSubstr("checksum"));
  EXPECT_THAT(message(bytes.substr(0, bytes.size() - 3)), HasSubstr("cut off"));
  EXPECT_THAT(message("value\n1\n"), HasSubstr("it is not a part; bootfold part makes one"));
  EXPECT_THAT(message(plan_.to_bytes()), HasSubstr("it is a plan but a part is expected"));
}

// Infinite values are named by their row in the whole.
TEST(Shards, NameTheRowOfABadValue) {
  std::vector<double> values(9000, 1.0);
  values[8000] = std::nan("");
  const DataView data(values);
  const shards::Look all =
      shards::join({shards::look(slice(data, {0, 5000}), statistic::mean()),
                    shards::look(slice(data, {5000, 4000}), statistic::mean())});
  EXPECT_THAT(reference::message_of<DataError>(
                  [&] { static_cast<void>(shards::Plan(all, statistic::mean())); }),
              HasSubstr("row 8001"));
}

}  // namespace shards_test
}  // namespace bootfold
