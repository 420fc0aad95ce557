// `bootfold bootstrap --by`: what it prints, writes and refuses; strata and clusters by columns.
#include "bootfold/groups.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bootfold/compare.h"
#include "bootfold/data.h"
#include "program.h"

namespace bootfold::cli {
namespace groups_test {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Two carriers and three months, one combination of one row.
std::string flights() {
  std::string text = "carrier,month,delay,distance\n";
  for (int row = 0; row < 60; ++row)
    text += std::string(row % 3 == 0 ? "UA" : "AA") + "," + std::to_string(9 + row % 2) + "," +
            std::to_string(row * 37 % 41) + "," + std::to_string(100 + row) + "\n";
  return text + "UA,1,5,100\n";
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Json json_of(std::vector<std::string> arguments, const std::string& input) {
  arguments.insert(arguments.begin(), {"bootstrap", "-"});
  arguments.insert(arguments.end(), {"--replicates", "200", "--json"});
  const Outcome outcome = run(arguments, {.input = input});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(Groups, TextHasATableAPictureAndWhatIsSkipped) {
  const Outcome outcome =
      run({"bootstrap", "-", "--column", "delay", "--by", "carrier,month", "--replicates", "200"},
          {.input = flights()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("mean of delay by carrier, month\n"));
  EXPECT_THAT(outcome.out, HasSubstr("95% interval"));
  EXPECT_THAT(outcome.out, HasSubstr("AA, 10 "));
  EXPECT_THAT(outcome.out, HasSubstr("1 group of one row, which has no standard error: UA, 1\n"));
  EXPECT_THAT(outcome.out, HasSubstr("200 replicates of 4 groups, 60 rows, seed 0"));
}

TEST(Groups, CompareTakesCombinations) {
  const auto compared = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"compare", "-", "--value", "delay", "--where",
                                         "not (carrier == 'UA' and month == 1)"});
    arguments.insert(arguments.end(), {"--replicates", "200", "--json"});
    const Outcome outcome = run(arguments, {.input = flights()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  };
  const Json found = compared({"--by", "carrier,month", "--control", "UA, 9"});
  EXPECT_EQ(found["by"], "carrier, month");
  EXPECT_EQ(found["control"], "UA, 9");
  ASSERT_EQ(found["contrasts"].size(), 3U);
  EXPECT_EQ(found["contrasts"][0]["group"], "AA, 9");
  // A group has the numbers that bootstrap --by has.
  const Json groups = json_of({"--column", "delay", "--by", "carrier", "--by", "month"}, flights());
  EXPECT_EQ(found["groups"][1]["estimate"], groups["groups"][0]["values"][0]["estimate"]);
  EXPECT_EQ(found["groups"][1]["seed"], groups["groups"][0]["seed"]);
  EXPECT_EQ(compared({"--by", "carrier", "--by", "month", "--control", "UA,9"})["contrasts"],
            found["contrasts"]);
  for (const char* some : {"AA,9,AA,10", "\"AA, 9\",\"AA, 10\""}) {
    const Json two = compared({"--by", "carrier,month", "--control", "UA,9", "--groups", some});
    EXPECT_EQ(two["contrasts"].size(), 2U) << some;
    EXPECT_EQ(two["contrasts"][1], found["contrasts"][1]) << some;
  }
}

TEST(Groups, CompareListsTheCombinationsThereAre) {
  const auto complaint = [](const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"compare", "-", "--value", "delay"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Outcome outcome = run(arguments, {.input = flights()});
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(complaint({"--by", "carrier,month", "--control", "UA,7"}),
              testing::AllOf(HasSubstr("'UA, 7' but the labels of column 'carrier, month'"),
                             HasSubstr("'AA, 9', 'AA, 10', 'UA, 1', 'UA, 9', 'UA, 10'")));
  EXPECT_THAT(complaint({"--by", "carrier,month", "--control", "UA"}),
              HasSubstr("--control is 'UA' but --by names 2 columns; give one label for each"));
  EXPECT_THAT(complaint({"--by", "carrier,carrier"}), HasSubstr("twice"));
}

TEST(Groups, JsonHasEveryValueOfEveryGroup) {
  const Json found = json_of({"--column", "delay,distance", "--statistic", "mean,ratio", "--by",
                              "carrier", "--by", "month", "--seed", "3"},
                             flights());
  EXPECT_EQ(found["by"], Json::array({"carrier", "month"}));
  ASSERT_EQ(found["groups"].size(), 4U);
  EXPECT_EQ(found["groups"][0]["group"], Json::array({"AA", "9"}));
  EXPECT_EQ(found["groups"][0]["seed"], comparison::group_seed(3, "AA, 9"));
  ASSERT_EQ(found["groups"][0]["values"].size(), 3U);
  EXPECT_EQ(found["groups"][0]["values"][1]["columns"], Json::array({"distance"}));
  EXPECT_EQ(found["groups"][0]["values"][2]["statistic"], "ratio");
  EXPECT_EQ(found["skipped"][0]["group"], Json::array({"UA", "1"}));
}

TEST(Groups, HaveTheNumbersOfTheirRowsAlone) {
  const Json found = json_of({"--column", "delay", "--by", "carrier", "--seed", "3"}, flights());
  const std::string seed = std::to_string(comparison::group_seed(3, "UA"));
  const Json alone =
      json_of({"--column", "delay", "--where", "carrier == 'UA'", "--seed", seed}, flights());
  EXPECT_EQ(found["groups"][1]["values"][0]["standard_error"], alone["standard_error"]);
  EXPECT_EQ(found["groups"][1]["values"][0]["interval"]["low"], alone["interval"]["low"]);
}

TEST(Groups, OutputIsATidyTable) {
  const Folder folder;
  const std::string path = folder.path("delays.csv");
  const Outcome outcome = run({"bootstrap", "-", "--column", "delay", "--by", "carrier",
                               "--statistic", "mean,median", "--output", path, "--quiet"},
                              {.input = flights()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string table = content(path);
  EXPECT_THAT(table, StartsWith("carrier,statistic,value,rows,estimate,standard_error,low,high\n"
                                "AA,mean,delay,40,"));
  EXPECT_THAT(table, HasSubstr("\nUA,median,delay,21,"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("plan")));
}

TEST(Groups, OutputMayBeParquet) {
  const Folder folder;
  for (const std::string ending : {"csv", "parquet"}) {
    const Outcome outcome =
        run({"bootstrap", "-", "--column", "delay", "--by", "carrier,month", "--quiet",
             "--replicates", "50", "--output", folder.path("delays." + ending)},
            {.input = flights()});
    if (outcome.err.find("no Arrow C++") != std::string::npos) GTEST_SKIP() << outcome.err;
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  const data::ReadOptions options{.columns = {"rows", "low", "high"}, .labels = {"carrier"}};
  const data::Table csv = data::read(folder.path("delays.csv"), options);
  const data::Table parquet = data::read(folder.path("delays.parquet"), options);
  EXPECT_EQ(parquet.labels().names, (std::vector<std::string>{"AA", "UA"}));
  EXPECT_EQ(parquet.view().column(0).type(), data::Type::int64);
  ASSERT_EQ(csv.view().rows(), parquet.view().rows());
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t row = 0; row < csv.view().rows(); ++row)
      EXPECT_EQ(csv.view().column(c)[row], parquet.view().column(c)[row]);
}

TEST(Groups, PlotHasAPanelForEveryValueWithItsGroups) {
  const Folder folder;
  const std::string path = folder.path("delays.svg");
  const Outcome outcome = run({"bootstrap", "-", "--column", "delay,distance", "--by", "carrier",
                               "--plot", path, "--quiet", "--replicates", "50"},
                              {.input = flights()});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string svg = content(path);
  for (const char* text :
       {"mean of delay by carrier", "mean of distance by carrier", ">AA<", ">UA<"})
    EXPECT_THAT(svg, HasSubstr(text));
}

TEST(Groups, AColumnHasOneNotation) {
  std::string rates = "group,rate\n";
  for (int row = 0; row < 40; ++row)
    rates += fmt::format("{},{}\n", row % 2 == 0 ? "high" : "low",
                         (row % 2 == 0 ? 0.5 : 2e-7) * (1 + row % 5));
  const Outcome outcome =
      run({"bootstrap", "-", "--column", "rate", "--by", "group", "--quiet"}, {.input = rates});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // The estimate, the standard error and both limits of either group.
  EXPECT_THAT(outcome.out, testing::ContainsRegex("high .*e.*e.*e.* to .*e"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("low .*e-07.*e-.*e-.* to .*e-07"));
}

// The standard errors of these groups differ by a factor of 10, and one does not vary: the numbers
// below each other have the same digits, in groups and in comparisons. So has a group that is a
// thousand times as noisy.
TEST(Groups, AColumnHasTheSameDigits) {
  std::string table = "group,x\n";
  for (int row = 0; row < 160; ++row) {
    const int group = row % 4;
    const double noise = row * 37 % 101 / 101.0 - 0.5;
    const double sizes[] = {0, 1, 12, 12000};
    table += fmt::format("{},{}\n", "abcd"[group], 5 + noise * sizes[group]);
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"bootstrap", "-", "--column", "x", "--by", "group"},
        {"compare", "-", "--value", "x", "--by", "group", "--control", "a"}}) {
    std::vector<std::string> arguments = words;
    arguments.insert(arguments.end(), {"--quiet", "--replicates", "300"});
    const Outcome outcome = run(arguments, {.input = table});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    std::map<std::string, std::vector<std::string>> digits;  // of the numbers with a point
    std::istringstream lines(outcome.out.substr(0, outcome.out.find("against")));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream cells(line);
      std::string name;
      cells >> name;
      for (std::string cell; cells >> cell;)
        if (const std::size_t point = cell.find('.'); point != std::string::npos)
          digits[name].push_back(std::to_string(cell.size() - point - 1));
    }
    SCOPED_TRACE(outcome.out);
    for (const char* group : {"a", "b", "c", "d"})  // estimate, error, limits
      EXPECT_EQ(digits[group], std::vector<std::string>(4, "2"));
  }
}

TEST(Groups, RefuseWhatIsNotForThem) {
  const auto message = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"bootstrap", "-", "--column", "delay", "--by", "carrier"});
    const Outcome outcome = run(more, {.input = flights()});
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_THAT(message({"--replicates", "exact"}),
              HasSubstr("--replicates exact is not for groups (--by)"));
  EXPECT_THAT(message({"--save", "x.safetensors"}), HasSubstr("--save is not for groups"));
  EXPECT_THAT(message({"--interval", "bca,normal"}), HasSubstr("give one"));
  EXPECT_THAT(message({"--output", "x.npy"}), HasSubstr("must end in .csv or .parquet"));
  EXPECT_THAT(message({"--by", "carrier"}), HasSubstr("column 'carrier' twice"));
  EXPECT_THAT(message({"--by", "origin"}), HasSubstr("origin"));
}

TEST(Groups, ClustersAndStrataMayHaveSeveralColumns) {
  const Json found = json_of({"--column", "delay", "--cluster", "carrier,month"}, flights());
  EXPECT_EQ(found["plan"]["scheme"], "cluster, 5 clusters");
  const Json within = json_of(
      {"--column", "delay", "--cluster", "carrier,month", "--strata", "carrier"}, flights());
  EXPECT_EQ(within["plan"]["scheme"], "cluster, 5 clusters within 2 strata");
  EXPECT_NE(within["standard_error"], found["standard_error"]);
  const Json strata = json_of({"--column", "delay", "--strata", "carrier,month"}, flights());
  EXPECT_EQ(strata["plan"]["scheme"], "stratified, 5 strata");
}

TEST(Groups, AClusterInTwoStrataIsNamed) {
  const Outcome outcome =
      run({"bootstrap", "-", "--column", "delay", "--cluster", "carrier", "--strata", "month"},
          {.input = flights()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("cluster 'AA' of --cluster carrier has rows in two strata of "
                                     "--strata month, '10' and '9'"));
}

}  // namespace groups_test
}  // namespace bootfold::cli
