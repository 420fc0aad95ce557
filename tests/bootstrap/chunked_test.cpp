// A column in chunks gives the bits of one piece on every path, instruction set and thread count,
// wherever it is cut: within tiles of 4096 rows, within blocks of 65,536 and of 2^20 rows.
#include "bootfold/chunked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bootfold/bootstrap.h"
#include "statistic/reference.h"

namespace bootfold {
namespace chunked_bootstrap_test {

/// The values cut at random places; some chunks are empty.
data::Chunked cut(const std::vector<double>& values, std::size_t chunks, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> ends(chunks - 1);
  for (std::size_t& end : ends) end = random() % (values.size() + 1);
  std::ranges::sort(ends);
  ends.push_back(values.size());
  std::vector<ColumnView> found = {ColumnView()};
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    found.push_back(ColumnView(values).slice(begin, end - begin));
    begin = end;
  }
  return data::Chunked(std::move(found));
}

/// The last digits tell the order of the rows.
double ordered_sum(const statistic::Resample& resample) {
  double sum = 0;
  for (const double value : resample.column(0)) sum = 0.999 * sum + value;
  return sum;
}

struct Case {
  std::string name;
  Statistic statistic;
  std::optional<Path> path = std::nullopt;
  std::size_t columns = 1;
};

std::vector<Case> cases() {
  using namespace statistic;  // NOLINT(google-build-using-namespace)
  return {{"mean", mean()},
          {"mean, gather", mean(), Path::gather},
          {"mean, stream", mean(), Path::stream},
          {"variance", variance()},
          {"median", median()},
          {"median, gather", median(), Path::gather},
          {"trimmed mean", trimmed_mean(0.1)},
          {"regression", regression(), std::nullopt, 2},
          {"regression, gather", regression(), Path::gather, 2},
          {"callable", callable(ordered_sum)}};
}

void expect_same(const Result& found, const Result& expected) {
  EXPECT_EQ(found.fingerprint(), expected.fingerprint());
  ASSERT_EQ(found.outputs(), expected.outputs());
  for (std::size_t output = 0; output < found.outputs(); ++output)
    EXPECT_EQ(found.estimate(output), expected.estimate(output));
  EXPECT_TRUE(std::ranges::equal(found.replicates(), expected.replicates()));
  EXPECT_EQ(found.plan().path, expected.plan().path);
  const auto& influences = found.companions().influences;
  ASSERT_EQ(influences.size(), expected.companions().influences.size());
  for (std::size_t i = 0; i < influences.size(); ++i)
    EXPECT_EQ(influences[i].third, expected.companions().influences[i].third);
}

void expect_bits_of_one_piece(std::size_t rows, std::span<const std::size_t> chunks,
                              const Options& options, std::span<const Case> wanted) {
  const std::vector<double> x = reference::normals(rows, 1), y = reference::normals(rows, 2);
  for (const Case& one : wanted) {
    Options serial = options;
    serial.path = one.path;
    serial.execution.level = execution::Level::portable;
    serial.execution.threads = 1;
    const DataView whole = one.columns == 1 ? DataView(x) : DataView({x, y});
    const Result expected = bootstrap(whole, one.statistic, serial);
    for (const std::size_t count : chunks)
      for (const execution::Level level : execution::available_levels())
        for (const unsigned threads : {1U, 3U}) {
          SCOPED_TRACE(testing::Message()
                       << one.name << ", " << rows << " rows, " << count << " chunks, "
                       << execution::name(level) << ", threads " << threads);
          const data::Chunked first = cut(x, count, 1), second = cut(y, count + 3, 2);
          const DataView view = one.columns == 1
                                    ? DataView(ColumnView(first))
                                    : DataView({ColumnView(first), ColumnView(second)});
          Options parallel = serial;
          parallel.execution.level = level;
          parallel.execution.threads = threads;
          expect_same(bootstrap(view, one.statistic, parallel), expected);
        }
  }
}

TEST(ChunkedBootstrap, HasTheBitsOfOnePiece) {
  const std::vector<std::size_t> chunks = {1, 2, 7, 1000};
  expect_bits_of_one_piece(300, chunks, {.replicates = 9, .influence = true}, cases());
  expect_bits_of_one_piece(20'000, chunks, {.replicates = 9}, cases());
}

TEST(ChunkedBootstrap, HasTheBitsOfOnePieceBeyondABlock) {
  const std::vector<std::size_t> chunks = {7, 1000};
  const std::vector<Case> all = cases();
  std::vector<Case> large;
  for (const Case& one : all)
    if (one.name == "mean" || one.name == "trimmed mean" || one.name == "regression")
      large.push_back(one);
  expect_bits_of_one_piece((std::size_t{1} << 20) + 70'001, chunks, {.replicates = 2}, large);
}

}  // namespace chunked_bootstrap_test
}  // namespace bootfold
