// Intervals on the command line: with the run, from a file, and with as many replicates as it
// takes.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "program.h"

namespace bootfold::cli {
namespace interval_test {

using Json = nlohmann::json;

constexpr const char* kSixteen =
    "x\n10\n12\n12.5\n12.5\n13.9\n15\n21\n22\n23\n34\n50\n81\n89\n121\n134\n213\n";

Json json_of(const std::vector<std::string>& arguments, const Surroundings& surroundings = {}) {
  const Outcome outcome = run(arguments, surroundings);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Interval, OneMethodIsTheInterval) {
  const Json result = json_of(
      {"bootstrap", "-", "--interval", "bca", "--json", "--replicates", "1e5", "--convention", "r"},
      {.input = kSixteen});
  EXPECT_EQ(result["interval"]["method"], "bca");
  EXPECT_EQ(result["interval"]["status"], "good");
  EXPECT_NEAR(result["interval"]["low"], 32.24, 0.5);
  EXPECT_NEAR(result["interval"]["high"], 91.4, 1.5);
  EXPECT_FALSE(result.contains("intervals"));
  EXPECT_NEAR(result["influence"]["acceleration"], 0.06152887, 1e-8);
  EXPECT_GT(result["bias_error"], 0);
}

// Messages name options of the program, not members of C++.
TEST(Interval, WhatASavedRunDoesNotHaveIsNamedByItsOption) {
  const Folder folder;
  const std::string file = folder.path("run.safetensors");
  ASSERT_EQ(run({"bootstrap", "-", "--save", file, "--quiet"}, {.input = kSixteen}).code, 0);
  const Outcome outcome = run({"interval", file, "--interval", "studentized"});
  EXPECT_NE(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "bootstrap again with --interval studentized"));
  EXPECT_FALSE(contains(outcome.err, "C++"));
}

TEST(Interval, AllOfThem) {
  const Json result =
      json_of({"bootstrap", "-", "--interval", "all", "--json"}, {.input = kSixteen});
  ASSERT_EQ(result["intervals"].size(), 6U);
  EXPECT_EQ(result["intervals"][0], result["interval"]);
  EXPECT_EQ(result["interval"]["method"], "bca");
  EXPECT_EQ(result["standard_errors_by"], "formula");
  const Outcome text = run({"bootstrap", "-", "--interval", "all"}, {.input = kSixteen});
  for (const char* part : {"bca; all of them:", "  normal", "  basic", "  percentile",
                           "  studentized", "  abc", "Monte Carlo error"})
    EXPECT_TRUE(contains(text.out, part)) << part << "\n" << text.out;
}

// A nested bootstrap is not started unasked; and abc of a median says why not.
TEST(Interval, AllOfAMedian) {
  const Json result =
      json_of({"bootstrap", "-", "--statistic", "median", "--interval", "all", "--json"},
              {.input = kSixteen});
  ASSERT_EQ(result["intervals"].size(), 5U);
  EXPECT_EQ(result["intervals"][4]["method"], "abc");
  EXPECT_EQ(result["intervals"][4]["status"], "fell back");
  EXPECT_EQ(result["intervals"][4]["fallback"], "percentile");
  EXPECT_TRUE(contains(result["intervals"][4]["reason"], "functions of sums"));
  const Json nested = json_of({"bootstrap", "-", "--statistic", "median", "--interval",
                               "studentized", "--json", "--replicates", "200"},
                              {.input = kSixteen});
  EXPECT_EQ(nested["standard_errors_by"], "nested bootstrap, 50 replicates");
}

TEST(Interval, SeveralStatisticsHaveListsOfLists) {
  const Json result = json_of({"bootstrap", "-", "--statistic", "mean,variance", "--interval",
                               "percentile,basic", "--json"},
                              {.input = kSixteen});
  ASSERT_EQ(result["intervals"].size(), 2U);
  ASSERT_EQ(result["intervals"][1].size(), 2U);
  EXPECT_EQ(result["interval"][1]["method"], "percentile");
  EXPECT_EQ(result["intervals"][1][1]["method"], "basic");
}

TEST(Interval, OneSidedOnesHaveOneLimit) {
  const Json less =
      json_of({"bootstrap", "-", "--alternative", "less", "--json"}, {.input = kSixteen});
  EXPECT_TRUE(less["interval"]["low"].is_null());
  EXPECT_GT(less["interval"]["high"], 50);
  EXPECT_EQ(less["interval"]["alternative"], "less");
  const Outcome text = run({"bootstrap", "-", "--alternative", "greater"}, {.input = kSixteen});
  EXPECT_TRUE(contains(text.out, "at least ")) << text.out;
}

TEST(Interval, FallbackIsReportedAndStrictIsAnError) {
  const Surroundings constant{.input = "x\n4\n4\n4\n"};
  const Outcome text = run({"bootstrap", "-", "--interval", "bca"}, constant);
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(contains(text.out, "percentile instead of bca: no row changes the value"))
      << text.out;
  const Outcome strict = run({"bootstrap", "-", "--interval", "bca", "--strict"}, constant);
  EXPECT_EQ(strict.code, 2);
  EXPECT_EQ(strict.out, "");
  EXPECT_TRUE(contains(strict.err, "strict: the bca interval of mean")) << strict.err;
}

TEST(Interval, FromAFileWithoutARun) {
  const Folder folder;
  const std::string file = folder.path("run.safetensors");
  const Json run_once = json_of(
      {"bootstrap", "-", "--interval", "all", "--confidence", "0.9", "--save", file, "--json"},
      {.input = kSixteen});
  EXPECT_EQ(folder.files(), std::vector<std::string>{"run.safetensors"});
  const Json later = json_of({"interval", file, "--confidence", "0.9", "--json"});
  EXPECT_EQ(later["intervals"], run_once["intervals"]);
  for (const char* key : {"estimate", "standard_error", "bias", "seed", "replicates", "rows"})
    EXPECT_EQ(later[key], run_once[key]) << key;
  const Json other = json_of({"interval", file, "--interval", "basic", "--json"});
  EXPECT_EQ(other["interval"]["confidence"], 0.95);
  EXPECT_LT(other["interval"]["low"], later["intervals"][2]["low"]);
  const Outcome text = run({"interval", file});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"mean of x\n", "studentized", "plan ", "seed 0", "####"})
    EXPECT_TRUE(contains(text.out, part)) << part << "\n" << text.out;
  EXPECT_FALSE(contains(text.out, "peak memory"));
}

// A run that is kept has what BCa needs, even if it was not asked for.
TEST(Interval, AKeptRunHasInfluences) {
  const Folder folder;
  const std::string file = folder.path("run.safetensors");
  EXPECT_EQ(run({"bootstrap", "-", "--save", file, "--quiet"}, {.input = kSixteen}).code, 0);
  EXPECT_EQ(json_of({"interval", file, "--interval", "bca", "--json"})["interval"]["status"],
            "good");
  const Outcome lacking = run({"interval", file, "--interval", "studentized"});
  EXPECT_EQ(lacking.code, 2);
  EXPECT_TRUE(contains(lacking.err, "--interval studentized")) << lacking.err;
}

TEST(Interval, ReplicatesAuto) {
  const Json result = json_of({"bootstrap", "-", "--interval", "bca", "--replicates", "auto",
                               "--precision", "0.03", "--json"},
                              {.input = kSixteen});
  EXPECT_EQ(result["precision"]["met"], true);
  EXPECT_LE(result["precision"]["reached"], 0.03);
  EXPECT_EQ(result["precision"]["rounds"].back(), result["replicates"]);
  const double error = result["standard_error"];
  EXPECT_LE(result["interval"]["high_error"], 0.03 * error);
  const Outcome text =
      run({"bootstrap", "-", "--replicates", "auto", "--precision", "0.05"}, {.input = kSixteen});
  EXPECT_TRUE(contains(text.out, "precision ")) << text.out;
  EXPECT_EQ(run({"explain", "-", "--replicates", "auto"}, {.input = kSixteen}).code, 0);
}

TEST(Interval, ExplainRefusesWhatBootstrapRefuses) {
  const std::vector<std::vector<std::string>> refused = {
      {"--scheme", "balanced", "--replicates", "auto"},
      {"--scheme", "jackknife", "--replicates", "auto"},
      {"--statistic", "median", "--interval", "studentized", "--replicates", "exact"},
      {"--statistic", "median", "--interval", "abc", "--replicates", "exact"}};
  for (const std::vector<std::string>& options : refused) {
    std::vector<std::string> arguments = {"bootstrap", "-"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome ran = run(arguments, {.input = kSixteen});
    arguments[0] = "explain";
    const Outcome planned = run(arguments, {.input = kSixteen});
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_EQ(planned.code, 2) << planned.out;
    EXPECT_EQ(planned.err, ran.err);
  }
}

// Under other schemes `all` are those that the scheme has, from a stored run too.
TEST(Interval, AllUnderAnotherScheme) {
  const Folder folder;
  const std::string file = folder.path("run.safetensors");
  const Json result = json_of({"bootstrap", "-", "--scheme", "stationary", "--block-length", "3",
                               "--interval", "all", "--save", file, "--json"},
                              {.input = kSixteen});
  ASSERT_EQ(result["intervals"].size(), 4U);
  EXPECT_EQ(result["interval"]["method"], "bca");
  EXPECT_EQ(result["interval"]["status"], "good");
  EXPECT_EQ(result["influence"]["method"], "downdated sums, in blocks");
  const Json later = json_of({"interval", file, "--json"});
  EXPECT_EQ(later["intervals"], result["intervals"]);
  for (const char* method : {"abc", "studentized"}) {
    const Outcome refused = run(
        {"bootstrap", "-", "--scheme", "stationary", "--block-length", "3", "--interval", method},
        {.input = kSixteen});
    EXPECT_EQ(refused.code, 2);
    EXPECT_TRUE(contains(refused.err, "stationary") && contains(refused.err, "bca")) << refused.err;
  }
  const Json fewer = json_of({"bootstrap", "-", "--size", "8", "--interval", "all", "--json"},
                             {.input = kSixteen});
  ASSERT_EQ(fewer["intervals"].size(), 6U);
  for (const Json& interval : fewer["intervals"]) EXPECT_EQ(interval["status"], "good");
}

// A kept run knows the names of its columns, so it prints the labels of the run itself.
TEST(Interval, AKeptRunKnowsItsColumns) {
  const Folder folder;
  const std::string file = folder.path("run.safetensors");
  const std::string table = folder.write("prices.csv", "price,volume\n1,2\n2,5\n4,1\n8,3\n");
  for (const std::string& columns : {std::string("price"), std::string("price,volume")}) {
    const Outcome now = run({"bootstrap", table, "--column", columns, "--save", file, "--quiet",
                             "--interval", "basic"});
    EXPECT_EQ(now.code, 0) << now.err;
    const Outcome later = run({"interval", file, "--quiet", "--interval", "basic"});
    EXPECT_EQ(later.out, now.out);
    EXPECT_TRUE(contains(later.out, columns == "price" ? "mean of price" : "mean(volume)"));
  }
  EXPECT_EQ(json_of({"interval", file, "--json"})["columns"], Json::array({"price", "volume"}));
}

TEST(Interval, InnerReplicatesAreAChoiceAndTheirCostIsMeasured) {
  const Json nested =
      json_of({"bootstrap", "-", "--statistic", "median", "--interval", "studentized", "--json",
               "--replicates", "200", "--nested-replicates", "20"},
              {.input = kSixteen});
  EXPECT_EQ(nested["standard_errors_by"], "nested bootstrap, 20 replicates");
  const Outcome explained = run(
      {"explain", "-", "--statistic", "median", "--interval", "studentized", "--replicates", "100"},
      {.input = kSixteen});
  EXPECT_TRUE(contains(explained.out, "measured on a few")) << explained.out;
}

// trimmed_mean looks at the resample, so it is evaluated without every one of the sixteen rows.
TEST(Interval, ExplainShowsTheCostOfInfluences) {
  const Outcome explained =
      run({"explain", "-", "--statistic", "trimmed_mean:0.1", "--interval", "bca"},
          {.input = kSixteen, .variables = {"COLUMNS=120"}});
  EXPECT_TRUE(contains(explained.out, "16 evaluations")) << explained.out;
  const Outcome sums = run({"explain", "-", "--interval", "bca"}, {.input = kSixteen});
  EXPECT_FALSE(contains(sums.out, "evaluations")) << sums.out;
}

// A run in two parts has the intervals of the whole run, whatever the order of the files.
TEST(Interval, JoinsThePartsOfARun) {
  const Folder folder;
  const std::string data = folder.write("x.csv", kSixteen);
  const auto save = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"bootstrap", data, "--save", folder.path(name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments).code, 0);
    return folder.path(name);
  };
  const std::string whole = save("whole.safetensors", {"--replicates", "3000"});
  const std::string a = save("a.safetensors", {"--replicates", "1000"});
  const std::string b =
      save("b.safetensors", {"--replicates", "2000", "--first-replicate", "1000"});
  const Json joined = json_of({"interval", b, a, "--json"});
  EXPECT_EQ(joined["interval"], json_of({"interval", whole, "--json"})["interval"]);

  const auto refused = [&](const std::vector<std::string>& files) {
    std::vector<std::string> arguments = {"interval"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  const std::string overlap = refused({a, whole});
  EXPECT_TRUE(contains(overlap, "a.safetensors") && contains(overlap, "whole.safetensors") &&
              contains(overlap, "replicates 0 to 999") &&
              contains(overlap, "replicates 0 to 2,999"))
      << overlap;
  const std::string c = save("c.safetensors", {"--replicates", "10", "--first-replicate", "1500"});
  EXPECT_TRUE(contains(refused({a, c}), "missing")) << refused({a, c});
  const std::string other =
      save("other.safetensors", {"--replicates", "10", "--first-replicate", "1000", "--seed", "1"});
  EXPECT_TRUE(contains(refused({a, other}), "different runs")) << refused({a, other});
}

}  // namespace interval_test
}  // namespace bootfold::cli
