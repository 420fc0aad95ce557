// A result comes back from a file as it was, and broken files are told apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "data/safetensors.h"
#include "data/temp_file.h"
#include "statistic/reference.h"

namespace bootfold {
namespace stored_test {

using testing::HasSubstr;
using testing_data::TempFile;

void expect_equal(const Result& a, const Result& b) {
  EXPECT_EQ(a.seed(), b.seed());
  EXPECT_EQ(a.plan().columns, b.plan().columns);
  EXPECT_EQ(a.plan().outputs, b.plan().outputs);
  EXPECT_EQ(a.plan().explain(), b.plan().explain());
  EXPECT_TRUE(std::equal(a.replicates().begin(), a.replicates().end(), b.replicates().begin(),
                         b.replicates().end(),
                         [](double x, double y) { return x == y || (x != x && y != y); }));
  EXPECT_EQ(a.companions().replicate_errors, b.companions().replicate_errors);
  EXPECT_EQ(a.companions().linear_parts, b.companions().linear_parts);
  EXPECT_EQ(a.companions().error_method, b.companions().error_method);
  ASSERT_EQ(interval::available(a), interval::available(b));
  for (std::size_t output = 0; output < a.outputs(); ++output) {
    EXPECT_EQ(a.estimate(output), b.estimate(output));
    if (a.bias(output) == a.bias(output)) {
      EXPECT_EQ(a.bias_error(output), b.bias_error(output));
    }
    for (const interval::Method method : interval::available(a)) {
      const Interval before = interval::make(method, a, {.confidence = 0.8, .output = output});
      const Interval after = interval::make(method, b, {.confidence = 0.8, .output = output});
      EXPECT_EQ(before.limits(), after.limits());
      EXPECT_EQ(before.low_error, after.low_error);
      EXPECT_EQ(before.status, after.status);
      EXPECT_EQ(before.reason, after.reason);
    }
  }
}

TEST(StoredResult, RoundTrip) {
  const std::vector<double> x = reference::normals(200, 1);
  const std::vector<double> y = reference::normals(200, 2);
  const TempFile file("run.safetensors");
  const Result plain = bootstrap(x, statistic::median(), {.replicates = 500, .seed = 9});
  plain.save(file.path());
  expect_equal(plain, Result::load(file.path()));
  const Result full = bootstrap(
      DataView({x, y}, {"price, \"net\"", "volume"}),
      {statistic::mean(), statistic::ratio(), statistic::regression()},
      {.replicates = 500, .seed = ~std::uint64_t{0}, .influence = true, .standard_errors = true});
  full.save(file.path());
  const Result back = Result::load(file.path());
  expect_equal(full, back);
  EXPECT_EQ(back.companions().influences[1].method, "downdated sums");
  EXPECT_EQ(interval::available(back).size(), 6U);
}

TEST(StoredResult, LinearPartsOfABalancedRunRoundTrip) {
  const TempFile file("run.safetensors");
  const Result run =
      bootstrap(reference::normals(30, 1), {statistic::mean(), statistic::variance()},
                {.replicates = 300, .scheme = scheme::Balanced{}});
  ASSERT_EQ(run.companions().linear_parts.size(), 600U);
  run.save(file.path());
  expect_equal(run, Result::load(file.path()));
}

// NaN among replicates, a statistic without derivatives, a delete-one value that is undefined.
TEST(StoredResult, UndefinedNumbersRoundTrip) {
  const TempFile file("run.safetensors");
  const Result result =
      bootstrap(std::vector<double>{1, 1, 1, 1, 9}, {statistic::skewness(), statistic::median()},
                {.replicates = 300, .influence = true});
  EXPECT_GT(result.undefined(), 0U);
  result.save(file.path());
  const Result back = Result::load(file.path());
  expect_equal(result, back);
  EXPECT_EQ(back.companions().influences[0].problem, result.companions().influences[0].problem);
}

// A loaded run can be extended.
TEST(StoredResult, CanBeContinued) {
  const TempFile file("run.safetensors");
  bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 100, .seed = 3})
      .save(file.path());
  Result run = Result::load(file.path());
  run.append(bootstrap(reference::kSixteen, statistic::mean(),
                       {.replicates = 50, .seed = 3, .first_replicate = 100}));
  const Result whole =
      bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 150, .seed = 3});
  EXPECT_TRUE(std::equal(whole.replicates().begin(), whole.replicates().end(),
                         run.replicates().begin(), run.replicates().end()));
}

std::string message_about(const std::string& contents) {
  const TempFile file("run.safetensors", contents);
  return reference::message_of<DataError>([&] { static_cast<void>(Result::load(file.path())); });
}

TEST(StoredResult, BrokenFilesGetOneClearMessage) {
  const TempFile file("run.safetensors");
  bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 100}).save(file.path());
  const std::string good = testing_data::contents_of(file.path());
  EXPECT_THAT(message_about(good.substr(0, good.size() - 5)), HasSubstr("was it cut?"));
  EXPECT_THAT(message_about(good.substr(0, 100)), HasSubstr("header is longer"));
  EXPECT_THAT(message_about("hello"), HasSubstr("too short"));

  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_THAT(message_about(changed("bootfold result 3", "another thing 1  ")),
              HasSubstr("does not contain a result that bootfold has saved"));
  EXPECT_THAT(message_about(changed("bootfold result 3", "bootfold result 1")),
              testing::AllOf(HasSubstr("an earlier version of bootfold wrote it"),
                             HasSubstr("run the bootstrap again")));
  EXPECT_THAT(
      message_about(changed("bootfold result 3", "bootfold result 9")),
      testing::AllOf(HasSubstr("its format is 'bootfold result 9'"), HasSubstr("update bootfold")));
  EXPECT_THAT(message_about(changed("\\\"seed\\\"", "\\\"sEEd\\\"")),
              HasSubstr("metadata of the result are invalid"));
  EXPECT_THAT(message_about(changed("\\\"replicates\\\":100", "\\\"replicates\\\":101")),
              HasSubstr("'replicates' does not have the shape"));
  EXPECT_THAT(message_about(changed("\"estimates\"", "\"Estimates\"")),
              HasSubstr("no array 'estimates'"));
  EXPECT_THAT(message_about(changed("gather", "gothic")), HasSubstr("unknown path 'gothic'"));
}

// Any byte of the header may be wrong: a result or one message comes out, never anything else.
TEST(StoredResult, CorruptHeadersNeverCrash) {
  const TempFile file("run.safetensors");
  bootstrap(reference::kSixteen, statistic::mean(),
            {.replicates = 5, .influence = true, .standard_errors = true})
      .save(file.path());
  const std::string good = testing_data::contents_of(file.path());
  int refused = 0;
  for (std::size_t at = 0; at < std::min<std::size_t>(good.size(), 2500); ++at) {
    std::string bad = good;
    bad[at] = "\0\xff{}[]\"9-e, "[at % 13];
    file.write(bad);
    try {
      const Result result = Result::load(file.path());
      for (const Interval& each : interval::all(result)) EXPECT_FALSE(each.method.empty());
    } catch (const DataError& error) {
      EXPECT_EQ(std::string(error.what()).find("cannot read "), 0U) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace stored_test
}  // namespace bootfold
