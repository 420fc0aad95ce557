// What `bootfold bootstrap` and `bootfold explain` print and write.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "bootfold/data.h"
#include "program.h"

namespace bootfold::cli {
namespace bootstrap_test {

using Json = nlohmann::json;

constexpr const char* kOneToTen = "x\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

Json json_of(const std::vector<std::string>& arguments, const Surroundings& surroundings = {}) {
  const Outcome outcome = run(arguments, surroundings);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Bootstrap, JsonHasEveryKey) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kOneToTen);
  const Json result = json_of({"bootstrap", file, "--replicates", "5000", "--seed", "7", "--json"});
  for (const char* key : {"estimate", "standard_error", "standard_error_error", "bias", "interval",
                          "rows", "replicates", "seed", "plan", "simd", "threads", "seconds",
                          "peak_memory_bytes", "omitted_rows", "undefined_replicates", "statistic"})
    EXPECT_TRUE(result.contains(key)) << key;
  for (const char* key : {"method", "confidence", "low", "high", "low_error", "high_error"})
    EXPECT_TRUE(result["interval"].contains(key)) << key;
  EXPECT_TRUE(result["plan"].contains("path"));
  EXPECT_TRUE(result["plan"].contains("reason"));
  EXPECT_EQ(result["statistic"], "mean");
  EXPECT_EQ(result["rows"], 10);
  EXPECT_EQ(result["replicates"], 5000);
  EXPECT_EQ(result["seed"], 7);
  EXPECT_EQ(result["interval"]["method"], "percentile");
  EXPECT_EQ(result["interval"]["confidence"], 0.95);
  EXPECT_GT(result["peak_memory_bytes"].get<double>(), 1e5);
}

// The mean of 10 draws from 1 .. 10 has standard deviation sqrt(8.25 / 10); the estimate of it from
// 100000 replicates is off by more than 5 of its own errors once in two million.
TEST(Bootstrap, MatchesTheLibrary) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kOneToTen);
  const Json result = json_of({"bootstrap", file, "--replicates", "1e5", "--json"});
  const double error = result["standard_error_error"];
  EXPECT_EQ(result["estimate"], 5.5);
  EXPECT_NEAR(result["standard_error"], std::sqrt(0.825), 5 * error);
  EXPECT_NEAR(result["bias"], 0, 5 * std::sqrt(0.825 / 1e5));
  EXPECT_NEAR(result["interval"]["low"], 3.7, 0.11);
  EXPECT_NEAR(result["interval"]["high"], 7.3, 0.11);
}

TEST(Bootstrap, TheSameCommandGivesTheSameNumbersOnAnyNumberOfThreads) {
  const Folder folder;
  const std::string file = folder.write("x.csv", two_columns(1000));
  const std::vector<std::string> command = {"bootstrap", file,     "--column",
                                            "price",     "--json", "--threads"};
  Json first;
  for (const char* threads : {"1", "2", "7"}) {
    std::vector<std::string> full = command;
    full.emplace_back(threads);
    Json result = json_of(full);
    EXPECT_EQ(result["threads"], std::stoi(threads));
    for (const char* key : {"threads", "seconds", "read_seconds", "peak_memory_bytes", "plan"})
      result.erase(key);
    if (first.is_null()) first = result;
    EXPECT_EQ(result, first) << threads << " threads";
  }
}

TEST(Bootstrap, SeveralStatisticsMakeLists) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kOneToTen);
  const Json result = json_of({"bootstrap", file, "--statistic", "mean,median", "--statistic",
                               "quantile:0.9", "--json", "--replicates", "1_000"});
  for (const char* key : {"statistic", "estimate", "standard_error", "standard_error_error", "bias",
                          "interval", "undefined_replicates"}) {
    ASSERT_TRUE(result[key].is_array()) << key;
    EXPECT_EQ(result[key].size(), 3U) << key;
  }
  EXPECT_EQ(result["statistic"][0], "mean");
  EXPECT_EQ(result["statistic"][1], "median");
  EXPECT_EQ(result["estimate"][1], 5.5);
  EXPECT_NEAR(result["estimate"][2], 9.1, 1e-12);
  EXPECT_EQ(result["replicates"], 1000);
}

TEST(Bootstrap, SeveralColumnsAreNamed) {
  const Folder folder;
  const std::string file = folder.write("x.csv", two_columns(50));
  const Json result = json_of({"bootstrap", file, "--column", "price", "--column", "volume",
                               "--statistic", "mean,correlation", "--json"});
  EXPECT_EQ(result["statistic"],
            Json({"mean(price)", "mean(volume)", "correlation(price, volume)"}));
  EXPECT_EQ(result["columns"], Json({"price", "volume"}));
  EXPECT_EQ(result["estimate"].size(), 3U);
}

TEST(Bootstrap, AColumnNameMayHoldAComma) {
  const Folder folder;
  const std::string file = folder.write("x.csv", "\"price, EUR\",n\n1,2\n3,4\n5,9\n");
  const Json result = json_of({"bootstrap", file, "--column", "\"price, EUR\"", "--json"});
  EXPECT_EQ(result["estimate"], 3);
  EXPECT_EQ(result["columns"], Json({"price, EUR"}));
}

TEST(Bootstrap, ReadsStandardInput) {
  const Json result = json_of({"bootstrap", "-", "--json"}, {.input = kOneToTen});
  EXPECT_EQ(result["estimate"], 5.5);
}

TEST(Bootstrap, OmittedRowsAreCounted) {
  const Json result =
      json_of({"bootstrap", "-", "--json", "--nan", "omit"}, {.input = "x\n1\nnan\n2\n\"\"\n3\n"});
  EXPECT_EQ(result["rows"], 3);
  EXPECT_EQ(result["omitted_rows"], 2);
  const Outcome text = run({"bootstrap", "-", "--nan", "omit"}, {.input = "x\n1\nnan\n2\n3\n"});
  EXPECT_TRUE(contains(text.out, "(1 with NaN left out)")) << text.out;
}

TEST(Bootstrap, OutputHoldsTheReplicates) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kOneToTen);
  const Json result = json_of(
      {"bootstrap", file, "--replicates", "500", "--json", "--output", folder.path("r.npy")});
  const data::Table table = data::read(folder.path("r.npy"));
  ASSERT_EQ(table.view().rows(), 500U);
  ASSERT_EQ(table.view().columns(), 1U);
  double sum = 0;
  for (std::size_t row = 0; row < 500; ++row) sum += table.view().column(0)[row];
  EXPECT_NEAR(sum / 500 - 5.5, result["bias"], 1e-12);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"r.npy", "x.csv"}));
}

TEST(Bootstrap, OutputOfSeveralStatisticsIsAMatrix) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kOneToTen);
  const Json result = json_of({"bootstrap", file, "--statistic", "min,max", "--replicates", "300",
                               "--json", "--output", folder.path("r.npy")});
  const data::Table table = data::read(folder.path("r.npy"), {.columns = {"1", "2"}});
  ASSERT_EQ(table.view().rows(), 300U);
  for (std::size_t row = 0; row < 300; ++row)
    EXPECT_LE(table.view().column(0)[row], table.view().column(1)[row]);
}

TEST(Bootstrap, TextShowsNumbersHistogramAndPlan) {
  const Folder folder;
  const std::string file = folder.write("x.csv", two_columns(1000));
  const Outcome outcome = run({"bootstrap", file, "--column", "price"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");  // no progress where there is no terminal
  for (const char* part :
       {"mean of price", "estimate ", "standard error ", " +- ", "bias ", "95% interval ",
        "Monte Carlo error", "####", "97.5%", "plan ", "10,000 replicates of 1,000 rows, seed 0",
        "rows x replicates/s", "peak memory "})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST(Bootstrap, PictureHasBlocksWhereTheLocaleHasThem) {
  const Folder folder;
  const std::string file = folder.write("x.csv", two_columns(1000));
  const Outcome outcome =
      run({"bootstrap", file, "--column", "price"}, {.variables = {"LC_ALL=C.UTF-8"}});
  EXPECT_TRUE(contains(outcome.out, "\u2588")) << outcome.out;
}

TEST(Bootstrap, QuietPrintsOnlyTheNumbers) {
  const Folder folder;
  const std::string file = folder.write("x.csv", two_columns(1000));
  const Outcome outcome = run({"bootstrap", file, "--column", "price", "--quiet"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "standard error "));
  EXPECT_FALSE(contains(outcome.out, "####"));
  EXPECT_FALSE(contains(outcome.out, "peak memory"));
}

TEST(Bootstrap, UndefinedNumbersAreNullAndReported) {
  // The one resample of a single row has no variance.
  const Json result =
      json_of({"bootstrap", "-", "--statistic", "variance", "--json"}, {.input = "x\n4\n"});
  EXPECT_TRUE(result["estimate"].is_null());
  EXPECT_EQ(result["undefined_replicates"], 10000);
  const Outcome text = run({"bootstrap", "-", "--statistic", "variance"}, {.input = "x\n4\n"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(contains(text.out, "on 10,000 of 10,000 replicates")) << text.out;
}

TEST(Bootstrap, ConstantDataHaveNoError) {
  const Outcome outcome = run({"bootstrap", "-"}, {.input = "x\n4\n4\n4\n"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.out, "estimate        4\n")) << outcome.out;
}

TEST(Explain, ShowsThePlanWithoutRunning) {
  const Folder folder;
  const std::string file = folder.write("x.csv", two_columns(1000));
  const std::vector<std::string> rest = {file, "--column", "price", "--output",
                                         folder.path("r.npy")};
  std::vector<std::string> command = {"explain"};
  command.insert(command.end(), rest.begin(), rest.end());
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"path ", "reason ", "memory ", "time "})
    EXPECT_TRUE(contains(outcome.out, part)) << part;
  command.emplace_back("--json");
  const Json forecast = json_of(command);
  command[0] = "bootstrap";
  const Json done = json_of(command);
  EXPECT_EQ(forecast["plan"]["path"], done["plan"]["path"]);
  EXPECT_EQ(forecast["plan"]["reason"], done["plan"]["reason"]);
  EXPECT_GE(forecast["estimated_seconds"].get<double>(), 0);
  EXPECT_EQ(forecast["data_bytes"], 8000);
}

TEST(Explain, LeavesNoFile) {
  const Folder folder;
  const std::string file = folder.write("x.csv", kOneToTen);
  EXPECT_EQ(run({"explain", file, "--output", folder.path("r.npy")}).code, 0);
  EXPECT_EQ(folder.files(), std::vector<std::string>{"x.csv"});
}

TEST(Demo, ReportsBothDataSets) {
  const Outcome outcome =
      run({"demo", "bootstrap", "--rows", "20000", "--replicates", "20000", "--seconds", "0.2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part :
       {"1. 20,000 values, 1 with probability 0.05", "2. 20,000 distinct normal values",
        "95% interval", "Monte Carlo error", "plan ", "rows x replicates/s", "peak memory", "####"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
}

TEST(Bootstrap, ErrorsOfBothLimitsHaveOneNotation) {
  std::string text = "x\n";
  for (int row = 0; row < 20'000; ++row) text += row % 7000 == 7 ? "NA\n" : "1\n";
  for (const char* seed : {"1", "2", "3", "4", "8"}) {
    const Outcome outcome = run({"bootstrap", "-", "--statistic", "mean(missing(x))",
                                 "--replicates", "50", "--seed", seed, "--quiet"},
                                {.input = text});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    static const std::regex kFixed("error 0(\\.0+[1-9]\\d)? and 0(\\.0+[1-9]\\d)?\n");
    static const std::regex kPower("error (0|\\d\\.\\de-0\\d) and (0|\\d\\.\\de-0\\d)\n");
    EXPECT_TRUE(std::regex_search(outcome.out, kFixed) || std::regex_search(outcome.out, kPower))
        << outcome.out;
  }
}

TEST(Bootstrap, UndefinedReplicatesAreToldOnce) {
  const Outcome outcome = run({"bootstrap", "-", "--statistic", "log(mean(x))", "--quiet"},
                              {.input = "x\n1\n2\n3\n-1\n-2\n4\n5\n0.5\n0.2\n1\n"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t first = outcome.out.find("undefined");
  ASSERT_NE(first, std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("undefined", first + 1), std::string::npos) << outcome.out;
}

}  // namespace bootstrap_test
}  // namespace bootfold::cli
