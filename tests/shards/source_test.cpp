// A bootstrap of a source has the bits of a bootstrap of the same rows in memory, whatever the
// chunks and the memory limit are.
#include "bootfold/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bootfold/bootstrap.h"
#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace source_test {

using testing::HasSubstr;

/// Rows in memory, cut into chunks of given lengths, over and over.
class Cut final : public data::Source {
 public:
  Cut(DataView data, std::vector<std::uint64_t> lengths, bool length_is_known = false)
      : data_(std::move(data)), lengths_(std::move(lengths)), known_(length_is_known) {
    for (std::size_t c = 0; c < data_.columns(); ++c) names_.push_back(data_.name(c));
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return known_ ? std::optional<std::uint64_t>(data_.rows()) : std::nullopt;
  }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override {
    ++passes;
    return std::make_unique<CutPass>(*this);
  }

  mutable std::size_t passes = 0;
  std::optional<std::size_t> loses_a_row_in_pass;

 private:
  class CutPass final : public data::Pass {
   public:
    explicit CutPass(const Cut& cut)
        : cut_(cut), rows_(cut.data_.rows() - (cut.loses_a_row_in_pass == cut.passes ? 1 : 0)) {}
    [[nodiscard]] std::optional<data::Chunk> next() override {
      if (at_ == rows_) return std::nullopt;
      const std::uint64_t rows =
          std::min(cut_.lengths_[next_++ % cut_.lengths_.size()], rows_ - at_);
      std::vector<ColumnView> columns;
      for (std::size_t c = 0; c < cut_.data_.columns(); ++c)
        columns.push_back(cut_.data_.column(c).slice(at_, rows));
      at_ += rows;
      return data::Chunk{DataView(std::move(columns)), {}};
    }

   private:
    const Cut& cut_;
    std::uint64_t rows_;
    std::uint64_t at_ = 0;
    std::size_t next_ = 0;
  };

  DataView data_;
  std::vector<std::uint64_t> lengths_;
  bool known_;
  std::vector<std::string> names_;
};

/// 2.2 million rows of 16 bytes: more than half of 64 MiB.
class LargeSource : public testing::Test {
 protected:
  static constexpr std::size_t kRows = 2'200'000;
  static constexpr std::size_t kMemory = std::size_t{64} << 20;

  static void SetUpTestSuite() {
    std::mt19937_64 words(1);
    std::normal_distribution<double> normal;
    values_ = std::vector<std::vector<double>>(2, std::vector<double>(kRows));
    for (std::size_t i = 0; i < kRows; ++i) {
      values_[0][i] = std::exp(normal(words));
      values_[1][i] = normal(words) + values_[0][i];
    }
    zeros_ones_.resize(5 * kRows);
    for (double& value : zeros_ones_) value = static_cast<double>(words() % 2);
  }
  static void TearDownTestSuite() {
    values_.clear();
    zeros_ones_ = {};
  }

  static DataView data() {
    return DataView({ColumnView(values_[0]), ColumnView(values_[1])}, {"x", "y"});
  }
  static void expect_same(const Result& found, const Result& wanted) {
    EXPECT_EQ(found.fingerprint(), wanted.fingerprint());
    for (std::size_t k = 0; k < wanted.outputs(); ++k)
      EXPECT_EQ(found.estimate(k), wanted.estimate(k));
    EXPECT_TRUE(std::ranges::equal(found.replicates(), wanted.replicates()));
  }

  inline static std::vector<std::vector<double>> values_;
  inline static std::vector<double> zeros_ones_;
};

TEST_F(LargeSource, AddsUpSumsWhateverTheChunks) {
  const std::vector<Statistic> statistics = {statistic::correlation(), statistic::ratio()};
  Options options{.replicates = 8, .seed = 5};
  const Result wanted = bootstrap(data(), statistics, options);
  options.memory = kMemory;
  for (const std::vector<std::uint64_t>& lengths :
       {std::vector<std::uint64_t>{kRows}, {1 << 20}, {100'000, 0, 1, 777}, {999'999}}) {
    const Cut source(data(), lengths);
    expect_same(bootstrap(source, statistics, options), wanted);
    EXPECT_EQ(source.passes, 2);
    EXPECT_EQ(plan(source, statistics, options).reads, 2);
  }
}

/// The lengths of a thousand pieces of so many rows, cut at random places; some are empty.
std::vector<std::uint64_t> thousand_lengths(std::uint64_t rows, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::vector<std::uint64_t> cuts = {0, rows};
  while (cuts.size() < 1001) cuts.push_back(cuts.size() % 3 ? words() % (rows + 1) : cuts.back());
  std::sort(cuts.begin(), cuts.end());
  std::vector<std::uint64_t> lengths;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) lengths.push_back(cuts[i + 1] - cuts[i]);
  return lengths;
}

// Sums and quantiles of rows beyond the memory limit, few distinct rows, and rows that are kept.
TEST_F(LargeSource, OfAThousandChunksGivesTheBitsOfTheWholeAtEverySimdLevel) {
  const auto first = [](const ColumnView& column, std::size_t rows) {
    return column.slice(0, rows);
  };
  struct Way {
    std::string name;
    Statistic statistic;
    DataView rows;
    std::size_t passes;
  };
  const std::vector<Way> ways = {
      {"sums", statistic::correlation(),
       DataView({first(data().column(0), 150'000), first(data().column(1), 150'000)}), 2},
      {"quantiles", statistic::median(), DataView({first(data().column(1), 300'000)}), 2},
      {"few distinct rows", statistic::mean(), DataView({first(zeros_ones_, 300'000)}), 1},
      {"few rows", statistic::trimmed_mean(0.1), DataView({first(data().column(0), 700)}), 1},
  };
  for (const Way& way : ways) {
    Options options{.replicates = 20, .seed = 2};
    const Result wanted = bootstrap(way.rows, way.statistic, options);
    options.memory = std::size_t{16} << 20;
    const Cut source(way.rows, thousand_lengths(way.rows.rows(), 6));
    for (const auto level : execution::available_levels()) {
      SCOPED_TRACE(testing::Message() << way.name << ", " << execution::name(level));
      options.execution.level = level;
      source.passes = 0;
      expect_same(bootstrap(source, way.statistic, options), wanted);
      EXPECT_EQ(source.passes, way.passes);
    }
  }
}

// Sums of 20,000 replicates do not fit in a third of the memory that is left.
TEST_F(LargeSource, IsReadAgainForReplicatesThatDoNotFit) {
  const std::vector<Statistic> statistics = {statistic::regression()};
  const DataView rows({data().column(0).slice(0, 45'000), data().column(1).slice(0, 45'000),
                       data().column(1).slice(1, 45'000)});
  Options options{.replicates = 20'000, .seed = 5, .memory = std::size_t{14} << 20};
  const Cut source(rows, {7000});
  const Plan planned = plan(source, statistics, options);
  EXPECT_EQ(planned.reads, 3);
  EXPECT_THAT(planned.explain(), HasSubstr("3 of all rows, the first one to look"));
  expect_same(bootstrap(source, statistics, options), bootstrap(rows, statistics, options));
  EXPECT_EQ(source.passes, 1 + 3);
}

TEST_F(LargeSource, CollectsQuantilesInTwoReads) {
  const std::vector<Statistic> statistics = {statistic::median(), statistic::quantile(0.99)};
  Options options{.replicates = 2000, .seed = 5};
  std::vector<double> twice = values_[0];
  twice.insert(twice.end(), values_[1].begin(), values_[1].end());
  twice.insert(twice.end(), values_[1].begin(), values_[1].end());
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{10'000}}) {
    options.scheme = scheme::Iid{.size = size};
    options.memory = 0;
    const Result wanted = bootstrap(twice, statistics, options);
    options.memory = kMemory;
    const Cut source(DataView(twice), {300'000});
    expect_same(bootstrap(source, statistics, options), wanted);
    EXPECT_EQ(source.passes, 2);
  }
}

// Values so close together that their leading bits are equal: two more reads tell them apart.
TEST_F(LargeSource, ThatLieCloseTogetherIsReadMoreOften) {
  std::vector<double> values(5 * kRows);
  std::mt19937_64 words(4);
  std::normal_distribution<double> normal;
  for (double& value : values) value = 1e9 + normal(words);
  Options options{.replicates = 500, .memory = std::size_t{16} << 20};
  const Cut source(DataView(values), {1'000'000});
  const Statistic median = statistic::median();
  const Result found = bootstrap(source, median, options);
  EXPECT_EQ(source.passes, 4);
  expect_same(found, bootstrap(values, median, options));
}

TEST_F(LargeSource, OfFewDistinctValuesIsReadOnce) {
  const Cut source(DataView(zeros_ones_), {1'000'000}, true);
  Options options{.replicates = 10'000, .memory = kMemory};
  const Statistic mean = statistic::mean();
  double last = 0;
  options.execution.progress = [&](execution::Progress progress) {
    EXPECT_GE(progress.done, last);
    EXPECT_LE(progress.done, progress.total);
    last = progress.done;
  };
  const Result found = bootstrap(source, mean, options);
  EXPECT_EQ(source.passes, 1);
  options.execution.progress = nullptr;
  expect_same(found, bootstrap(zeros_ones_, mean, options));
}

// Quantiles are collected and sums are added up, by reads of their own.
TEST_F(LargeSource, RunsStatisticsOfDifferentKinds) {
  const std::vector<Statistic> statistics = {statistic::expression("median(x)"),
                                             statistic::expression("mean(y)"),
                                             statistic::expression("quantile(y, 0.9)")};
  const Cut source(data(), {300'000});
  Options options{.replicates = 200, .seed = 5, .memory = kMemory};
  const Result found = bootstrap(source, statistics, options);
  EXPECT_EQ(found.plan().runs.size(), 3U);
  EXPECT_EQ(plan(source, statistics, options).fingerprint, found.fingerprint());
  expect_same(found, bootstrap(data(), statistics, options));
  options.checkpoint = "unused";
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [&] { static_cast<void>(bootstrap(source, statistics, options)); }),
              HasSubstr("3 kinds of statistics"));
}

TEST_F(LargeSource, ThatFitsTakesEveryOption) {
  const DataView rows({data().column(0).slice(0, 5'000)});
  const Cut source(rows, {777});
  const Options options{.replicates = 100, .memory = kMemory, .influence = true};
  const Statistic trimmed = statistic::trimmed_mean(0.1);
  expect_same(bootstrap(source, trimmed, options), bootstrap(rows, trimmed, options));
  EXPECT_EQ(source.passes, 1);
}

TEST_F(LargeSource, ThatChangesIsRefused) {
  Cut source(data(), {500'000});
  source.loses_a_row_in_pass = 2;
  const Statistic correlation = statistic::correlation();
  EXPECT_THAT(
      reference::message_of<DataError>([&] {
        static_cast<void>(bootstrap(source, correlation, {.replicates = 10, .memory = kMemory}));
      }),
      testing::AllOf(HasSubstr("2,200,000 rows"), HasSubstr("2,199,999")));
}

TEST_F(LargeSource, SaysWhatNeedsRowsInMemory) {
  const Cut source(data(), {500'000});
  const std::vector<Statistic> trimmed = {statistic::trimmed_mean(0.1)};
  EXPECT_THAT(
      reference::message_of<InvalidArgument>([&] {
        static_cast<void>(bootstrap(source, trimmed, {.replicates = 10, .memory = kMemory}));
      }),
      HasSubstr("Give a memory in which all rows fit"));
}

TEST(Source, StopsWhenAsked) {
  const std::vector<double> values(3'000'000, 0.5);
  const Cut source(DataView(values), {1000});
  std::stop_source stop;
  stop.request_stop();
  Options options{.replicates = 10, .memory = std::size_t{16} << 20};
  options.execution.stop = stop.get_token();
  const Statistic mean = statistic::mean();
  EXPECT_THROW(static_cast<void>(bootstrap(source, mean, options)), Cancelled);
}

TEST(Source, WithoutRowsIsRefused) {
  const std::vector<double> values;
  const Cut source(DataView(values), {1000});
  const Statistic mean = statistic::mean();
  EXPECT_THAT(
      reference::message_of<InvalidArgument>([&] { static_cast<void>(bootstrap(source, mean)); }),
      HasSubstr("no rows"));
}

}  // namespace source_test
}  // namespace bootfold
