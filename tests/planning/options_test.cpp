// Requests that cannot be met: the message names the value, the rule and the remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace options_test {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const DataView& data, const std::vector<Statistic>& statistics,
                      const Options& options) {
  const std::string planned = reference::message_of<InvalidArgument>(
      [&] { static_cast<void>(plan(data, statistics, options)); });
  const std::string run = reference::message_of<InvalidArgument>(
      [&] { static_cast<void>(bootstrap(data, statistics, options)); });
  EXPECT_EQ(planned, run);
  EXPECT_EQ(planned.find('\n'), std::string::npos) << "more than one line: " << planned;
  return planned;
}

const std::vector<double> kFew = {3, 1, 4, 1, 5, 9, 2, 6};

TEST(Options, Replicates) {
  EXPECT_THAT(complaint(kFew, {statistic::mean()}, {.replicates = 0}),
              AllOf(HasSubstr("replicates is 0"), HasSubstr("at least 1")));
  const std::string absurd =
      complaint(kFew, {statistic::mean()}, {.replicates = 1'000'000'000'000'000'000});
  EXPECT_THAT(absurd, AllOf(HasSubstr("1,000,000,000,000,000,000"), HasSubstr("6.9 EiB"),
                            HasSubstr("this machine has")));
  EXPECT_THAT(complaint(kFew, {statistic::mean()},
                        {.replicates = std::numeric_limits<std::uint64_t>::max()}),
              HasSubstr("EiB"));
}

TEST(Options, Tolerance) {
  for (const double tolerance : {0.0, -1.0, 1.0, 2.0, reference::kNan})
    EXPECT_THAT(complaint(kFew, {statistic::mean()}, {.replicates = 5, .tolerance = tolerance}),
                AllOf(HasSubstr("tolerance is"), HasSubstr("above 0 and below 1")));
}

TEST(Options, Threads) {
  Options options{.replicates = 5};
  options.execution.threads = 5000;
  EXPECT_THAT(complaint(kFew, {statistic::mean()}, options),
              AllOf(HasSubstr("5000"), HasSubstr("1024")));
}

TEST(Options, NoStatisticAndNoRows) {
  EXPECT_THAT(complaint(kFew, {}, {}), HasSubstr("statistic"));
  EXPECT_THAT(complaint(std::vector<double>{}, {statistic::mean()}, {}), HasSubstr("no rows"));
  EXPECT_THAT(complaint(DataView(), {statistic::mean()}, {}), HasSubstr("no rows"));
}

TEST(Options, ColumnsThatAStatisticDoesNotTake) {
  EXPECT_THAT(complaint(kFew, {statistic::correlation()}, {}),
              AllOf(HasSubstr("'correlation'"), HasSubstr("exactly 2"), HasSubstr("have 1")));
  EXPECT_THAT(complaint(kFew, {statistic::regression()}, {}),
              AllOf(HasSubstr("at least 2"), HasSubstr("have 1")));
  const DataView three = reference::view({kFew, kFew, kFew});
  EXPECT_THAT(complaint(three, {statistic::ratio()}, {}), HasSubstr("have 3"));
}

TEST(Options, PathsThatCannotServe) {
  const auto forced = [](Path path) { return Options{.replicates = 5, .path = path}; };
  const Statistic call =
      statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; });
  for (const Path path : {Path::stream, Path::distinct})
    EXPECT_THAT(complaint(kFew, {call}, forced(path)),
                AllOf(HasSubstr("path '" + std::string(name(path)) + "' is not available"),
                      HasSubstr("sums"), HasSubstr("the plan chooses one")));
  EXPECT_THAT(complaint(kFew, {statistic::median()}, forced(Path::distinct)),
              AllOf(HasSubstr("path 'distinct' is not available"), HasSubstr("sums")));
  EXPECT_THAT(
      complaint(kFew, {statistic::mean()}, forced(Path::order)),
      AllOf(HasSubstr("path 'order' is not available"), HasSubstr("quantiles of one column")));
  EXPECT_THAT(complaint(reference::view({kFew, kFew}), {statistic::median()}, forced(Path::order)),
              HasSubstr("quantiles of one column"));
  EXPECT_THAT(complaint(kFew, {statistic::mean(), call}, forced(Path::stream)),
              HasSubstr("is not available"));
  Options tight = forced(Path::distinct);
  tight.memory = std::size_t{13} << 20;
  EXPECT_THAT(complaint(reference::normals(200'000, 1), {statistic::mean()}, tight),
              AllOf(HasSubstr("path 'distinct' is not available"), HasSubstr("distinct rows")));
}

TEST(Options, PathNames) {
  for (const Path path : {Path::stream, Path::gather, Path::distinct, Path::order, Path::blocks,
                          Path::weights, Path::deletion})
    EXPECT_EQ(parse_path(name(path)), path);
  EXPECT_THAT(reference::message_of<InvalidArgument>([] { static_cast<void>(parse_path("fast")); }),
              AllOf(HasSubstr("'fast'"),
                    HasSubstr("stream, gather, distinct, order, blocks, weights and deletion")));
}

// "16.3 MiB" in a message, in bytes.
std::size_t least_of(const std::string& message) {
  const std::string mark = "at least ";
  const std::size_t at = message.find(mark);
  if (at == std::string::npos) return 0;
  std::size_t used = 0;
  const std::string rest = message.substr(at + mark.size());
  const double number = std::stod(rest, &used);
  const std::string unit = rest.substr(used + 1, 3);
  const double factor = unit == "KiB" ? 1024.0 : unit == "MiB" ? 1048576.0 : 1073741824.0;
  return static_cast<std::size_t>(number * factor);
}

// What the message names as the least that works does work.
TEST(Options, MemoryTooSmall) {
  struct Case {
    std::size_t rows;
    Statistic statistic;
    std::optional<Path> path;
  };
  const Statistic call =
      statistic::callable([](const statistic::Resample& r) { return r.column(0)[0]; });
  for (const Case& c : std::vector<Case>{{3000, statistic::mean(), Path::stream},
                                         {3000, statistic::kurtosis(), Path::gather},
                                         {70'000, statistic::kurtosis(), Path::stream},
                                         {70'001, statistic::mean(), Path::gather},
                                         {90'000, statistic::variance(), Path::gather},
                                         {123'457, call, std::nullopt},
                                         {345'678, call, std::nullopt},
                                         {200'000, statistic::median(), std::nullopt},
                                         {1'000'000, statistic::median(), std::nullopt}}) {
    SCOPED_TRACE(testing::Message() << c.statistic.name() << " of " << c.rows);
    const std::vector<double> x = reference::normals(c.rows, 1);
    Options options{.replicates = 2};
    options.path = c.path;
    options.memory = 1000;
    const std::string message = complaint(x, {c.statistic}, options);
    EXPECT_THAT(message, HasSubstr("memory is 1.0 KiB"));
    options.memory = least_of(message);
    ASSERT_GT(options.memory, 0U) << message;
    try {
      const Plan found = plan(x, c.statistic, options);
      EXPECT_LE(found.working_bytes, options.memory);
      static_cast<void>(bootstrap(x, c.statistic, options));
    } catch (const InvalidArgument& error) {
      ADD_FAILURE() << "the least that works does not: " << error.what();
    }
  }
}

TEST(Options, ValuesThatAreNoNumbers) {
  for (const double bad : {reference::kNan, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()})
    for (const std::size_t row : {0, 4999, 4095, 4096}) {
      std::vector<double> y = reference::normals(5000, 2);
      y[row] = bad;
      const std::vector<double> x = reference::normals(5000, 1);
      const DataView data({ColumnView(x), ColumnView(y)}, {"x", "y"});
      for (const Statistic& statistic : {statistic::mean(), statistic::median()}) {
        const std::string message = reference::message_of<DataError>(
            [&] { static_cast<void>(bootstrap(data, statistic, {.replicates = 5})); });
        EXPECT_THAT(message, AllOf(HasSubstr("column y"),
                                   HasSubstr("row " + std::to_string(row + 1) + " ")));
      }
    }
}

// With several NaN the first is named, however many threads look.
TEST(Options, TheFirstBadValueIsNamed) {
  std::vector<double> x(600'000, 1.5);
  x[262'143] = reference::kNan;  // the end of a chunk of 262144 rows ...
  x[262'144] = reference::kNan;  // ... and the beginning of the next
  for (const unsigned threads : {1U, 2U, 7U})
    for (int trial = 0; trial < 5; ++trial) {
      Options options{.replicates = 5};
      options.execution.threads = threads;
      const std::string message = reference::message_of<DataError>(
          [&] { static_cast<void>(plan(x, statistic::mean(), options)); });
      EXPECT_THAT(message, HasSubstr("row 262144 ")) << threads << " threads";
    }
}

// A difference that no double can hold matters to sums only.
TEST(Options, ARangeBeyondDoubles) {
  const std::vector<double> x = {-1.7e308, -1.7e308, 1.7e308, 1.7e308, 0};
  EXPECT_EQ(bootstrap(x, statistic::max(), {.replicates = 5}).estimate(), 1.7e308);
  const std::vector<double> skewed = {-1.7e308, 1.7e308, 1.7e308};
  EXPECT_EQ(bootstrap(skewed, statistic::median(), {.replicates = 5}).estimate(), 1.7e308);
  EXPECT_THAT(reference::message_of<DataError>([&] {
                static_cast<void>(bootstrap(skewed, statistic::mean(), {.replicates = 5}));
              }),
              HasSubstr("scale the column down"));
}

}  // namespace options_test
}  // namespace bootfold
