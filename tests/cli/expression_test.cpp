// Expressions on the command line: --statistic, --column, --value, --where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "program.h"

namespace bootfold::cli {
namespace expression_test {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string diamonds() {
  std::string text = "price,carat,cut\n";
  for (int row = 1; row <= 200; ++row)
    text += std::to_string(row * row % 97 + 1) + "," + std::to_string(row % 7 + 1) + "," +
            (row % 3 == 0 ? "Good" : "Ideal") + "\n";
  return text;
}

Json json_of(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin() + 1, "-");
  arguments.insert(arguments.end(), {"--replicates", "100", "--json"});
  const Outcome outcome = run(arguments, {.input = diamonds()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(Expressions, AreStatistics) {
  const Outcome outcome =
      run({"bootstrap", "-", "--statistic",
           "gm = exp(mean(log(price))), quantile(price, 0.9) / median(price)", "--statistic",
           "mean(cut == 'Ideal')", "--replicates", "100", "--quiet"},
          {.input = diamonds()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("gm\n  estimate "));
  EXPECT_THAT(outcome.out, HasSubstr("\nquantile(price, 0.9) / median(price)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nmean(cut == 'Ideal')\n  estimate        0.670"));
}

TEST(Expressions, AreColumnsAndValues) {
  double sum = 0;
  for (int row = 1; row <= 200; ++row) sum += std::log(row * row % 97 + 1);
  const Json found = json_of({"bootstrap", "--column", "log(price)", "--statistic", "mean"});
  EXPECT_NEAR(found["estimate"], sum / 200, 1e-12);
  const Json compared = json_of({"compare", "--value", "pow(price, 2)", "--by", "cut"});
  EXPECT_EQ(compared["columns"], Json({"pow(price, 2)"}));
  const Json named = json_of({"compare", "--by", "cut", "--statistic", "sum(price) / sum(carat)"});
  EXPECT_EQ(named["statistic"], "sum(price) / sum(carat)");
}

TEST(Expressions, StandBesideNamesOfColumns) {
  const Json found =
      json_of({"bootstrap", "--column", "carat", "--statistic", "mean,max(price),sd"});
  EXPECT_EQ(found["statistic"], Json({"mean(carat)", "max(price)", "standard_deviation(carat)"}));
  const Outcome refused =
      run({"bootstrap", "-", "--statistic", "mean,max(price)"}, {.input = diamonds()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("'mean' has no column"), HasSubstr("mean(COLUMN)")));
}

TEST(Expressions, GroupsHaveThem) {
  const Outcome outcome = run({"bootstrap", "-", "--statistic", "cv = sd(price) / mean(price)",
                               "--by", "cut", "--replicates", "100"},
                              {.input = diamonds()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("cv by cut\n"));
}

TEST(Expressions, MistakesAreMarkedBelowTheText) {
  const auto complaint = [](const std::vector<std::string>& words) {
    std::vector<std::string> arguments = {"bootstrap", "-"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Outcome outcome = run(arguments, {.input = diamonds()});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(complaint({"--statistic", "mean(log(prise))"}),
              AllOf(StartsWith("bootfold: --statistic is 'mean(log(prise))'"),
                    HasSubstr("did you mean 'price'?"),
                    testing::EndsWith("\n  mean(log(prise))\n           ^~~~~\n")));
  EXPECT_THAT(complaint({"--column", "price", "--where", "carat = 3"}),
              AllOf(StartsWith("bootfold: --where is 'carat = 3' but at character 7, '='"),
                    testing::EndsWith("\n  carat = 3\n        ^\n")));
  EXPECT_THAT(complaint({"--column", "price", "--statistic", "stdev,p101"}),
              HasSubstr("unknown statistic 'p101'"));
}

TEST(Expressions, OtherWordsForStatistics) {
  const Json found = json_of(
      {"bootstrap", "--column", "price", "--statistic", "std,var,iqr,avg,p90,percentile:90"});
  EXPECT_EQ(found["statistic"], Json({"standard_deviation", "variance", "interquartile_range",
                                      "mean", "quantile:0.9", "quantile:0.9"}));
}

}  // namespace expression_test
}  // namespace bootfold::cli
