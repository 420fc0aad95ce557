// What `bootfold compare` prints, writes and refuses.
#include "bootfold/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bootfold/data.h"
#include "forest_plot.h"
#include "program.h"

namespace bootfold::cli {
namespace compare_test {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kMice =
    "group,days\n"
    "treatment,94\ntreatment,197\ntreatment,16\ntreatment,38\ntreatment,99\ntreatment,141\n"
    "treatment,23\n"
    "control,52\ncontrol,104\ncontrol,146\ncontrol,10\ncontrol,50\ncontrol,31\ncontrol,40\n"
    "control,27\ncontrol,46\n";

// Four groups whose means rise by a tenth.
std::string four_groups(std::size_t rows) {
  std::string text = "variant,revenue,visits\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t group = row * 7919 % 13 % 4;
    const double value = static_cast<double>(row * 104729 % 1009) / 1009;
    text += std::string(1, static_cast<char>('A' + group)) + "," +
            std::to_string(2 + value + 0.1 * static_cast<double>(group)) + "," +
            std::to_string(1 + row % 5) + "\n";
  }
  return text;
}

Json json_of(const std::vector<std::string>& arguments, const Surroundings& surroundings = {}) {
  const Outcome outcome = run(arguments, surroundings);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

TEST(Compare, JsonHasEveryKeyAndTheMiceTheirNumbers) {
  const Json result =
      json_of({"compare", "-", "--by", "group", "--replicates", "1e5", "--json"}, {.input = kMice});
  for (const char* key :
       {"statistic", "columns", "by", "control", "difference", "confidence", "interval_method",
        "correction", "groups", "contrasts", "rows", "omitted_rows", "replicates", "seed", "simd",
        "threads", "seconds", "read_seconds", "peak_memory_bytes"})
    EXPECT_TRUE(result.contains(key)) << key;
  EXPECT_EQ(result["by"], "group");
  EXPECT_EQ(result["control"], "control");
  EXPECT_EQ(result["columns"], Json::array({"days"}));
  EXPECT_EQ(result["rows"], 16);
  ASSERT_EQ(result["groups"].size(), 2U);
  for (const char* key : {"name", "rows", "estimate", "standard_error", "standard_error_error",
                          "undefined_replicates", "seed", "plan"})
    EXPECT_TRUE(result["groups"][1].contains(key)) << key;
  EXPECT_EQ(result["groups"][0]["name"], "control");
  EXPECT_EQ(result["groups"][0]["rows"], 9);
  EXPECT_EQ(result["groups"][0]["seed"].get<std::uint64_t>(), comparison::group_seed(0, "control"));
  ASSERT_EQ(result["contrasts"].size(), 1U);
  const Json& contrast = result["contrasts"][0];
  for (const char* key :
       {"group", "estimate", "standard_error", "standard_error_error", "bias", "interval",
        "p_value", "p_value_error", "adjusted_interval", "adjusted_p_value",
        "adjusted_p_value_error", "undefined_replicates", "notes"})
    EXPECT_TRUE(contrast.contains(key)) << key;
  EXPECT_NEAR(contrast["estimate"], 30.634920634921, 1e-9);
  // Exact, as in tests/comparison; more than 5 errors away once in two million.
  EXPECT_NEAR(contrast["standard_error"], std::hypot(23.3635234373, 13.3303494604),
              5 * contrast["standard_error_error"].get<double>());
  EXPECT_EQ(contrast["interval"]["method"], "percentile");
  ASSERT_EQ(contrast["notes"].size(), 1U);  // seven mice
  EXPECT_EQ(contrast["notes"][0]["name"], "few_rows");
}

TEST(Compare, MatchesTheLibrary) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(500));
  const data::Table table = data::read(file, {.columns = {"revenue"}, .labels = {"variant"}});
  const Comparison found = compare(table.view(), table.labels(), statistic::quantile(0.9),
                                   {.control = "C",
                                    .groups = {"A", "D"},
                                    .difference = comparison::Difference::relative,
                                    .interval = interval::Method::basic,
                                    .correction = comparison::Correction::simultaneous,
                                    .confidence = 0.9,
                                    .replicates = 500,
                                    .seed = 11});
  const Json result =
      json_of({"compare",      file,           "--value",     "revenue",      "--by",
               "variant",      "--control",    "C",           "--groups",     "A,D",
               "--difference", "relative",     "--interval",  "basic",        "--correction",
               "simultaneous", "--confidence", "0.9",         "--replicates", "500",
               "--seed",       "11",           "--statistic", "quantile:0.9", "--json"});
  EXPECT_EQ(result["correction"], "simultaneous");
  ASSERT_EQ(result["contrasts"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& contrast = result["contrasts"][i];
    EXPECT_EQ(contrast["group"], found.contrasts[i].group);
    EXPECT_EQ(contrast["estimate"], found.contrasts[i].estimate);
    EXPECT_EQ(contrast["interval"]["low"], found.contrasts[i].interval.low);
    EXPECT_EQ(contrast["adjusted_interval"]["high"], found.contrasts[i].adjusted_interval.high);
    EXPECT_EQ(contrast["adjusted_p_value"], found.contrasts[i].adjusted_p_value);
  }
}

TEST(Compare, TextShowsAllResults) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(800));
  const Outcome outcome =
      run({"compare", file, "--value", "revenue", "--by", "variant", "--correction", "holm"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"mean of revenue by variant\n", "A (control)", "against A",
                           "standard error", "95% intervals", "adjusted p", "+0.", "Holm",
                           "10,000 replicates of 4 groups, 800 rows, seed 0", "peak memory"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
  const Outcome lift = run({"compare", file, "--value", "revenue", "--by", "variant",
                            "--difference", "relative", "--quiet", "--groups", "B"});
  EXPECT_THAT(lift.out, HasSubstr("lift"));
  EXPECT_THAT(lift.out, HasSubstr("%"));
  EXPECT_THAT(lift.out, Not(HasSubstr("peak memory")));
  EXPECT_EQ(std::count(lift.out.begin(), lift.out.end(), '\n'), 7) << lift.out;
}

TEST(Compare, NotesReachTheReaderEvenIfQuiet) {
  const Outcome outcome = run({"compare", "-", "--by", "g", "--difference", "relative", "--quiet"},
                              {.input = "g,x\na,-1\na,1\na,1\na,3\nb,1\nb,2\nc,5\nc,5\n"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("b, c: undefined on"));
  EXPECT_THAT(outcome.out, HasSubstr("take --difference\n"));
}

TEST(Compare, TakesTheIntervalsAndSchemesOfBootstrap) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(400));
  for (const char* method : {"bca", "studentized"}) {
    const Json result = json_of({"compare", file, "--value", "revenue", "--by", "variant",
                                 "--interval", method, "--replicates", "500", "--json"});
    EXPECT_EQ(result["interval_method"], method);
    EXPECT_EQ(result["contrasts"][0]["interval"]["method"], method);
    EXPECT_EQ(result["contrasts"][0]["interval"]["status"], "good");
  }
  const Json clusters = json_of({"compare", file, "--value", "revenue", "--by", "variant",
                                 "--cluster", "visits", "--replicates", "500", "--json"});
  const data::Table table =
      data::read(file, {.columns = {"revenue"}, .labels = {"variant", "visits"}});
  const Comparison found =
      compare(table.view(), table.labels(0), statistic::mean(),
              {.replicates = 500, .scheme = scheme::Cluster{table.labels(1).codes}});
  EXPECT_EQ(clusters["by"], "variant");
  EXPECT_EQ(clusters["contrasts"][2]["standard_error"], found.contrasts[2].standard_error);
}

TEST(Compare, OneSidedWithAutomaticReplicates) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(400));
  const std::vector<std::string> command = {"compare",      file,      "--value",       "revenue",
                                            "--by",         "variant", "--alternative", "greater",
                                            "--replicates", "auto",    "--precision",   "0.05"};
  const Outcome text = run(command);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("at least "));
  EXPECT_THAT(text.out, HasSubstr("p-values are one-sided"));
  EXPECT_THAT(text.out, HasSubstr("limits known to 0.0"));
  std::vector<std::string> json = command;
  json.emplace_back("--json");
  const Json result = json_of(json);
  EXPECT_EQ(result["alternative"], "greater");
  EXPECT_TRUE(result["contrasts"][0]["interval"]["high"].is_null());
  EXPECT_LE(result["precision"]["reached"], 0.05);
  EXPECT_EQ(result["precision"]["rounds"].back(), result["replicates"]);
}

TEST(Compare, ThreadsChangeNothing) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(3000));
  Json first;
  for (const char* threads : {"1", "2", "7"}) {
    Json result = json_of(
        {"compare", file, "--value", "revenue", "--by", "variant", "--json", "--threads", threads});
    if (first.is_null()) first = result["contrasts"];
    EXPECT_EQ(result["contrasts"], first) << threads;
  }
}

TEST(Compare, RowsWithoutLabelOrValueAreLeftOutIfAsked) {
  const std::string text = "g,x\na,1\na,2\n,3\nb,NA\nb,4\nb,6\n";
  const Json result =
      json_of({"compare", "-", "--by", "g", "--nan", "omit", "--json"}, {.input = text});
  EXPECT_EQ(result["omitted_rows"], 2);
  EXPECT_EQ(result["contrasts"][0]["estimate"], 3.5);
  const Outcome refused = run({"compare", "-", "--by", "g"}, {.input = text});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("standard input:4:1: missing label"));
}

TEST(Compare, WritesTheReplicatesOfTheDifferences) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(300));
  const std::string output = folder.path("d.npy");
  const Json result = json_of({"compare", file, "--value", "revenue", "--by", "variant",
                               "--replicates", "400", "--json", "--output", output});
  const data::Table written = data::read(output, {.columns = {"1", "2", "3"}});
  ASSERT_EQ(written.view().rows(), 400U);
  for (std::size_t c = 0; c < 3; ++c) {
    double mean = 0;
    for (std::size_t row = 0; row < 400; ++row) mean += written.view().column(c)[row] / 400;
    const Json& contrast = result["contrasts"][c];
    EXPECT_NEAR(mean - contrast["estimate"].get<double>(), contrast["bias"].get<double>(), 1e-12);
  }
}

TEST(Compare, ErrorsAreOneLine) {
  const Folder folder;
  const std::string file = folder.write("v.csv", four_groups(40));
  const auto refused = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"compare", file});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(refused({"--value", "revenue"}), HasSubstr("no --by given"));
  EXPECT_THAT(refused({"--by", "variant"}), HasSubstr("none is chosen; --column NAME chooses"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "varient"}),
              HasSubstr("no column 'varient'; did you mean 'variant'?"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--control", "E"}),
              HasSubstr("there are 'A', 'B', 'C', 'D'"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--statistic", "mean,median",
                       "--checkpoint", "x.checkpoint"}),
              HasSubstr("there are 2 comparisons"));
  EXPECT_THAT(
      refused({"--value", "revenue,visits", "--by", "variant", "--statistic", "regression"}),
      HasSubstr("'regression' gives 2 values"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--correction", "bonferoni"}),
              HasSubstr("did you mean 'bonferroni'?"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--difference", "lift"}),
              HasSubstr("absolute, relative"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--interval", "all"}),
              HasSubstr("--interval is 'all'"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "revenue"}), HasSubstr("has 1 row"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--replicates", "1"}),
              HasSubstr("at least 2"));
  EXPECT_THAT(refused({"--value", "variant", "--by", "variant"}), HasSubstr("is not a number"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--replicates", "exact"}),
              HasSubstr("take a number or auto"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--scheme", "jackknife"}),
              HasSubstr("no resamples to compare"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--nested-replicates", "1"}),
              HasSubstr("--nested-replicates is 1"));
  EXPECT_THAT(refused({"--value", "revenue", "--by", "variant", "--alternative", "more"}),
              HasSubstr("two-sided, less, greater"));
}

TEST(Compare, CtrlCEndsItWithinASecond) {
  const Folder folder;
  std::vector<double> values;
  for (std::size_t row = 0; row < 500'000; ++row) {
    values.push_back(static_cast<double>(row % 2));
    values.push_back(static_cast<double>(row * 7919 % 500'000));
  }
  data::write_npy(folder.path("x.npy"), values, std::vector<std::size_t>{500'000, 2});
  double seconds = 0;
  const Outcome outcome =
      run({"compare", folder.path("x.npy"), "--by", "1", "--replicates", "1e6", "--threads", "2"},
          {.signal = SIGINT,
           .patience = std::chrono::milliseconds(1000),
           .cpu_after_signal = &seconds});
  EXPECT_EQ(outcome.code, 130);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "bootfold: interrupted; nothing was written\n");
  EXPECT_LT(seconds, 1);
}

TEST(ForestPlot, DrawsIntervalsOnOneAxis) {
  const std::vector<IntervalLine> lines = {{"B", 1, 2, 3}, {"long name", -2, -0.5, 1}};
  EXPECT_EQ(forest_plot(lines, {.width = 62, .utf8 = false}),
            "  B                             :       |========*========|\n"
            "  long name   |------------*----+-------|\n"
            "             -+--------+--------+-------+--------+--------+-\n"
            "             -2       -1        0       1        2        3\n");
}

TEST(ForestPlot, AllLettersAreOneColumnWide) {
  const std::vector<IntervalLine> lines = {{"gr\xC3\xBCn", 1, 2, 3}, {"blau", 1, 2, 3}};
  const std::string picture = forest_plot(lines, {.width = 50, .utf8 = true});
  const std::size_t end = picture.find('\n');
  EXPECT_EQ(picture.substr(7, end - 7), picture.substr(end + 7, end - 7)) << picture;
}

TEST(ForestPlot, HasNothingToShowWithoutLength) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(forest_plot({}, {}), "");
  const std::vector<IntervalLine> points = {{"a", 0, 0, 0}};
  EXPECT_EQ(forest_plot(points, {}), "");
  const std::vector<IntervalLine> none = {{"a", 0, std::nan(""), 1}};
  EXPECT_EQ(forest_plot(none, {}), "");
  // An open end runs to the edge; huge and tiny numbers and narrow pictures do no harm.
  const std::vector<IntervalLine> open = {{"a", -infinity, 1, 2}};
  EXPECT_NE(forest_plot(open, {.width = 1}), "");
  const std::vector<IntervalLine> huge = {{"a", -1e308, 1, 1e308}, {"b", 0, 1e-300, 1}};
  EXPECT_EQ(forest_plot(huge, {}), "");
  const std::vector<IntervalLine> tiny = {{"a", -1e-300, 1e-301, 1e-300}};
  EXPECT_NE(forest_plot(tiny, {}), "");
}

TEST(Compare, SeveralStatisticsAndValuesAreOneComparisonEach) {
  const Json found = json_of({"compare", "-", "--by", "variant", "--value", "revenue,visits",
                              "--statistic", "mean,ratio", "--replicates", "200", "--json"},
                             {.input = four_groups(400)});
  ASSERT_EQ(found["comparisons"].size(), 3U);
  EXPECT_EQ(found["comparisons"][1]["columns"], Json::array({"visits"}));
  EXPECT_EQ(found["comparisons"][2]["statistic"], "ratio(revenue, visits)");
  const Json alone = json_of(
      {"compare", "-", "--by", "variant", "--value", "visits", "--replicates", "200", "--json"},
      {.input = four_groups(400)});
  EXPECT_EQ(found["comparisons"][1]["contrasts"], alone["contrasts"]);
  const Outcome text =
      run({"compare", "-", "--by", "variant", "--value", "revenue,visits", "--replicates", "200"},
          {.input = four_groups(400)});
  EXPECT_THAT(text.out, HasSubstr("mean of revenue by variant\n"));
  EXPECT_THAT(text.out, HasSubstr("mean of visits by variant\n"));
}

TEST(Compare, GroupsHaveIntervals) {
  const Json found = json_of(
      {"compare", "-", "--by", "variant", "--value", "revenue", "--replicates", "200", "--json"},
      {.input = four_groups(400)});
  for (const Json& group : found["groups"]) {
    EXPECT_LT(group["interval"]["low"], group["estimate"]);
    EXPECT_GT(group["interval"]["high"], group["estimate"]);
  }
  const Outcome text =
      run({"compare", "-", "--by", "variant", "--value", "revenue", "--replicates", "200"},
          {.input = four_groups(400)});
  const std::string head = text.out.substr(0, text.out.find("against"));
  EXPECT_THAT(head, HasSubstr("95% interval"));
}

TEST(Compare, ReplicatesOfSeveralComparisonsHaveAnAxisMore) {
  const Folder folder;
  const std::string path = folder.path("differences.npy");
  const Outcome outcome = run({"compare", "-", "--by", "variant", "--value", "revenue,visits",
                               "--replicates", "50", "--output", path, "--quiet"},
                              {.input = four_groups(400)});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(std::filesystem::file_size(path), 128 + 8 * 50 * 2 * 3);
}

TEST(Compare, WritesATableOfTheDifferences) {
  const Folder folder;
  const std::string path = folder.path("differences.csv");
  const Outcome outcome = run({"compare", "-", "--by", "variant", "--value", "revenue,visits",
                               "--replicates", "50", "--output", path, "--json"},
                              {.input = four_groups(400)});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line,
            "statistic,value,group,control,difference,estimate,standard_error,low,high,p_value,"
            "adjusted_low,adjusted_high,adjusted_p_value");
  const data::Table table = data::read(path, {.columns = {"estimate", "low", "p_value"}});
  ASSERT_EQ(table.view().rows(), 6U);
  const Json all = Json::parse(outcome.out)["comparisons"];
  for (std::size_t row = 0; row < 6; ++row) {
    const Json& contrast = all[row / 3]["contrasts"][row % 3];
    EXPECT_EQ(table.view().column(0)[row], contrast["estimate"]);
    EXPECT_EQ(table.view().column(1)[row], contrast["interval"]["low"]);
    EXPECT_EQ(table.view().column(2)[row], contrast["p_value"]);
  }
}

// A covariate that is nearly the value itself: hardly any variance is left.
TEST(Compare, ACovariateReducesTheStandardError) {
  std::string text = "variant,y,before\n";
  for (int row = 0; row < 300; ++row) {
    const int before = row * 7919 % 1009;
    text += std::string(row % 2 == 0 ? "A" : "B") + "," + std::to_string(before + row % 7) + "," +
            std::to_string(before) + "\n";
  }
  const std::vector<std::string> command = {
      "compare", "-", "--by", "variant", "--value", "y", "--replicates", "500", "--json"};
  std::vector<std::string> with = command;
  with.insert(with.end(), {"--covariate", "before"});
  const Json plain = json_of(command, {.input = text});
  const Json found = json_of(with, {.input = text});
  EXPECT_LT(found["contrasts"][0]["standard_error"].get<double>(),
            0.05 * plain["contrasts"][0]["standard_error"].get<double>());
  EXPECT_EQ(found["covariate"]["column"], "before");
  EXPECT_NEAR(found["covariate"]["theta"].get<double>(), 1, 0.01);
  EXPECT_EQ(found["columns"], Json::array({"y"}));
  with.insert(with.end(), {"--statistic", "median"});
  const Outcome refused = run(with, {.input = text});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--covariate adjusts means but --statistic is 'median'"));
  const std::vector<std::string> named = {"compare",      "-",       "--by",        "variant",
                                          "--statistic",  "mean(y)", "--covariate", "before",
                                          "--replicates", "500"};
  std::vector<std::string> more = named;
  more.push_back("--json");
  EXPECT_EQ(json_of(more, {.input = text})["contrasts"], found["contrasts"]);
  more.back() = "--quiet";
  EXPECT_THAT(run(more, {.input = text}).out,
              testing::StartsWith("mean of y, adjusted for before by variant\n"));
}

// Whole users are drawn, who see both variants: what they have of their own cancels. Without
// clusters the standard error is that of rows, which differ by user.
TEST(Compare, RatiosTakeClustersOfUsers) {
  std::string text = "variant,user,clicks,views\n";
  double sum = 0;
  double squares = 0;
  for (int user = 0; user < 60; ++user) {
    int difference = 0;
    for (int visit = 0; visit < 5; ++visit) {
      const int a = user * 37 % 11 * 10 + (user * 7 + visit * 3) % 5;
      const int b = user * 37 % 11 * 10 + (user * 3 + visit * 11) % 7;
      text += "A," + std::to_string(user) + "," + std::to_string(a) + ",100\n";
      text += "B," + std::to_string(user) + "," + std::to_string(b) + ",100\n";
      difference += b - a;
    }
    sum += difference / 500.0;
    squares += difference / 500.0 * (difference / 500.0);
  }
  // Of the mean of 60 differences.
  const double wanted = std::sqrt((squares / 60 - sum / 60 * (sum / 60)) / 60);
  std::vector<std::string> command = {"compare",      "-",           "--by",  "variant", "--value",
                                      "clicks,views", "--statistic", "ratio", "--json"};
  const double rows = json_of(command, {.input = text})["contrasts"][0]["standard_error"];
  command.insert(command.end(), {"--cluster", "user"});
  const double users = json_of(command, {.input = text})["contrasts"][0]["standard_error"];
  EXPECT_NEAR(users / wanted, 1, 0.035);  // 5 of its Monte Carlo errors
  EXPECT_GT(rows, 10 * users);
}

// Limits of few distinct values have no Monte Carlo error; the doubles next to them are no news.
TEST(Compare, NoNumberHasSixteenDigits) {
  std::string text = "g,x\n";
  for (const int x : {6, 2, 3, 0, 1, 2, 3, 8, 3, 6, 0, 7, 7})
    text += "a," + std::to_string(x) + "\n";
  for (const int x : {7, 6, 7, 9, 3, 6, 1, 7, 3, 0, 4, 8, 6})
    text += "b," + std::to_string(x) + "\n";
  for (const char* statistic : {"median", "mean"})
    for (const char* difference : {"absolute", "relative"}) {
      const Outcome outcome = run({"compare", "-", "--by", "g", "--quiet", "--statistic", statistic,
                                   "--difference", difference},
                                  {.input = text});
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      std::size_t digits = 0;
      for (const char c : outcome.out) {
        digits = (c >= '0' && c <= '9') || c == '.' ? digits + 1 : 0;
        ASSERT_LE(digits, 9U) << outcome.out;
      }
      EXPECT_THAT(outcome.out, testing::ContainsRegex("b  .* to ")) << outcome.out;
    }
}

}  // namespace compare_test
}  // namespace bootfold::cli
