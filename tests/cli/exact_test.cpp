// `--replicates exact`: the same report from the law itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>

#include "program.h"

namespace bootfold::cli {
namespace exact_test {

using Json = nlohmann::json;

constexpr const char* kSixteen =
    "x\n10\n12\n12.5\n12.5\n13.9\n15\n21\n22\n23\n34\n50\n81\n89\n121\n134\n213\n";

TEST(Exact, JsonHasTheKeysOfAnyBootstrap) {
  const std::vector<std::string> command = {"bootstrap", "-", "--json", "--replicates"};
  std::vector<std::string> drawn = command;
  drawn.emplace_back("1000");
  std::vector<std::string> exact = command;
  exact.emplace_back("exact");
  const Json expected = Json::parse(run(drawn, {.input = kSixteen}).out);
  const Outcome outcome = run(exact, {.input = kSixteen});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json result = Json::parse(outcome.out);
  for (const auto& [key, value] : expected.items()) EXPECT_TRUE(result.contains(key)) << key;
  EXPECT_EQ(result["replicates"], "exact");
  EXPECT_EQ(result["plan"]["path"], "exact");
  EXPECT_EQ(result["plan"]["method"], "lattice");
  EXPECT_EQ(result["estimate"], 53.99375);
  EXPECT_NEAR(result["standard_error"], 14.2367687168, 1e-10);
  EXPECT_EQ(result["standard_error_error"], 0.0);
  EXPECT_EQ(result["bias"], 0.0);
  EXPECT_EQ(result["interval"]["low"], 28.8625);
  EXPECT_EQ(result["interval"]["high"], 84.2375);
  EXPECT_EQ(result["interval"]["low_error"], 0.0);
  EXPECT_LT(result["error_bound"], 1e-11);
}

TEST(Exact, TextShowsNumbersPictureAndBound) {
  const Outcome outcome = run({"bootstrap", "-", "--replicates", "exact"},
                              {.input = kSixteen, .variables = {"LC_ALL=C"}});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"mean of x", "28.8625 to 84.2375", "no Monte Carlo error", "####",
                           "exact, lattice", "multiples of 0.1", "16 rows"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

// Of all intervals, those that need replicates are left out.
TEST(Exact, AllIntervalsAreThoseThatNeedNoReplicates) {
  const Outcome outcome =
      run({"bootstrap", "-", "--replicates", "exact", "--interval", "all", "--json"},
          {.input = kSixteen});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  std::vector<std::string> methods;
  for (const Json& interval : result["intervals"]) methods.push_back(interval["method"]);
  EXPECT_EQ(methods, (std::vector<std::string>{"bca", "normal", "basic", "percentile"}));
  EXPECT_EQ(result["interval"]["method"], "bca");
  const Outcome forecast =
      run({"explain", "-", "--replicates", "exact", "--interval", "all"}, {.input = kSixteen});
  EXPECT_EQ(forecast.code, 0) << forecast.err;
  const Outcome named = run({"bootstrap", "-", "--replicates", "exact", "--interval", "all,abc"},
                            {.input = kSixteen});
  EXPECT_EQ(named.code, 2);
  EXPECT_NE(named.err.find("abc"), std::string::npos) << named.err;
}

// Every resample of equal rows gives the estimate, so BCa has no acceleration.
TEST(Exact, AllIntervalsLeaveOutWhatIsNotAvailable) {
  const Outcome outcome =
      run({"bootstrap", "-", "--replicates", "exact", "--interval", "all", "--quiet"},
          {.input = "x\n2\n2\n2\n"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("bca is not available"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("2 to 2, percentile"), std::string::npos) << outcome.out;
}

TEST(Exact, SeveralStatisticsAndColumns) {
  const Outcome outcome = run({"bootstrap", "-", "--column", "price,volume", "--statistic",
                               "median,mean", "--replicates", "exact", "--json"},
                              {.input = two_columns(50)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json result = Json::parse(outcome.out);
  EXPECT_EQ(result["statistic"],
            Json({"median(price)", "median(volume)", "mean(price)", "mean(volume)"}));
  EXPECT_EQ(result["error_bound"].size(), 4U);
  EXPECT_EQ(result["plan"]["method"][0], "order");
}

TEST(Exact, ExplainShowsTheMethod) {
  const Outcome text =
      run({"explain", "-", "--replicates", "exact", "--statistic", "median"}, {.input = kSixteen});
  EXPECT_NE(text.out.find("exact, order"), std::string::npos) << text.out;
  const Json result = Json::parse(
      run({"explain", "-", "--replicates", "exact", "--json"}, {.input = kSixteen}).out);
  EXPECT_EQ(result["plan"]["path"], "exact");
  EXPECT_EQ(result["plan"]["method"], "lattice");
}

TEST(Exact, ErrorsAreOneLine) {
  const auto refused = [](const std::vector<std::string>& more, const char* part) {
    std::vector<std::string> command = {"bootstrap", "-", "--replicates", "exact"};
    command.insert(command.end(), more.begin(), more.end());
    const Outcome outcome = run(command, {.input = kSixteen});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  };
  refused({"--statistic", "variance"}, "draw replicates instead: --replicates 1000000");
  refused({"--path", "gather"}, "--path");
  refused({"--output", "r.npy"}, "--output");
}

// Whole degrees Fahrenheit in Celsius lie on a lattice with a step of 5/9, as their integers do.
TEST(Exact, CelsiusHasTheLawOfFahrenheit) {
  std::string fahrenheit = "x\n";
  std::string celsius = "x\n";
  for (int i = 0; i < 200; ++i) {
    const int f = 20 + i * i % 83;
    fahrenheit += std::to_string(f) + "\n";
    celsius += fmt::format("{}\n", (f - 32) * 5 / 9.0);
  }
  const std::vector<std::string> command = {"bootstrap", "-", "--replicates", "exact", "--json"};
  const Json whole = Json::parse(run(command, {.input = fahrenheit}).out);
  const Json result = Json::parse(run(command, {.input = celsius}).out);
  EXPECT_EQ(result["plan"]["method"], "lattice");
  for (const char* limit : {"low", "high"})
    EXPECT_NEAR(result["interval"][limit].get<double>(),
                (whole["interval"][limit].get<double>() - 32) * 5 / 9, 1e-12);
}

// An outlier among 20 rows makes lumps; `explain` refuses as `bootstrap` does.
TEST(Exact, LumpyDataAreRefused) {
  std::string rows = "x\n1e7\n";
  for (int i = 1; i < 20; ++i) rows += fmt::format("{}\n", std::sqrt(i));
  for (const char* verb : {"bootstrap", "explain"}) {
    const Outcome outcome = run({verb, "-", "--replicates", "exact"}, {.input = rows});
    EXPECT_EQ(outcome.code, 2);
    for (const char* part : {"20 rows", "at most 1e-06", "common step", "--replicates 1000000"})
      EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  }
}

// 18 rows without a step take seconds, by halves, with the picture.
TEST(Exact, AnInterruptEndsItWithinASecond) {
  std::string rows = "x\n";
  for (int i = 1; i < 19; ++i) rows += fmt::format("{}\n", std::exp(std::sqrt(i)));
  double seconds = 0;
  const Outcome outcome = run({"bootstrap", "-", "--replicates", "exact", "--interval", "all"},
                              {.input = rows,
                               .signal = SIGINT,
                               .patience = std::chrono::milliseconds(700),
                               .cpu_after_signal = &seconds});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.err, "bootfold: interrupted; nothing was written\n");
  EXPECT_LT(seconds, 2);  // of two threads
}

}  // namespace exact_test
}  // namespace bootfold::cli
