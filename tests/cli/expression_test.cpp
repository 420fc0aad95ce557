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

// A name that the caller gave, and an expression as it is written; a line tells the weights.
TEST(Expressions, KeepTheirNames) {
  const auto text_of = [](std::vector<std::string> words) {
    words.insert(words.begin() + 1, "-");
    words.insert(words.end(), {"--weights", "carat", "--replicates", "50"});
    const Outcome outcome = run(words, {.input = diamonds()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("  weights         column carat\n"));
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr("weighted_")));
    return outcome.out;
  };
  const std::string ratio = "gm = exp(mean(log(price))) / mean(carat)";
  const std::string quantiles = "quantile(price, 0.9) / mean(carat) * 2";
  EXPECT_THAT(text_of({"bootstrap", "--statistic", ratio}), StartsWith("gm\n"));
  EXPECT_THAT(text_of({"bootstrap", "--statistic", quantiles}), StartsWith(quantiles + "\n"));
  EXPECT_THAT(text_of({"bootstrap", "--statistic", ratio, "--by", "cut"}),
              StartsWith("gm by cut\n"));
  EXPECT_THAT(text_of({"bootstrap", "--statistic", quantiles, "--by", "cut"}),
              StartsWith(quantiles + " by cut\n"));
  EXPECT_THAT(text_of({"compare", "--statistic", ratio, "--by", "cut"}), StartsWith("gm by cut\n"));
  EXPECT_EQ(json_of({"bootstrap", "--statistic", ratio, "--weights", "carat"})["plan"]["weights"],
            "carat");
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
  EXPECT_THAT(
      complaint({"--column", "price +"}),
      AllOf(StartsWith("bootfold: --column is 'price +' but at"), HasSubstr("\n  price +\n")));
  EXPECT_THAT(complaint({"--column", "price", "--statistic", "stdev,p101"}),
              HasSubstr("unknown statistic 'p101'"));
  EXPECT_THAT(complaint({"--statistic", "mean(unit price)"}),
              AllOf(HasSubstr("a name with blanks goes in backticks: `unit price`"),
                    testing::EndsWith("\n  mean(unit price)\n            ^~~~~\n")));
  EXPECT_THAT(complaint({"--statistic", "1/0"}),
              AllOf(HasSubstr("there is no function over all rows in it, such as mean(price)"),
                    testing::EndsWith("\n  1/0\n  ^~~\n")));
  EXPECT_THAT(complaint({"--statistic", "price / carat"}),
              HasSubstr("write which statistic of it is meant, such as mean(price)"));
  EXPECT_THAT(complaint({"--column", "price", "--statistic", "standard-deviation"}),
              HasSubstr("did you mean 'standard_deviation'?"));
  EXPECT_THAT(
      complaint({"--column", "price", "--where", "carrat > 1"}),
      AllOf(StartsWith("bootfold: --where is 'carrat > 1' but at character 1, 'carrat'"),
            HasSubstr("did you mean 'carat'?"), testing::EndsWith("\n  carrat > 1\n  ^~~~~~\n")));
  EXPECT_THAT(complaint({"--column", "log(prise)"}),
              testing::EndsWith("\n  log(prise)\n      ^~~~~\n"));
  EXPECT_THAT(complaint({"--statistic", "mean(cut > 3)"}),
              AllOf(HasSubstr("'Ideal' is not a number"),
                    testing::EndsWith("\n  mean(cut > 3)\n       ^~~\n")));
  EXPECT_THAT(complaint({"--statistic", "mean(cut == Ideal)"}),
              AllOf(HasSubstr("text goes in quotes: 'Ideal'"),
                    testing::EndsWith("\n  mean(cut == Ideal)\n              ^~~~~\n")));
  EXPECT_THAT(complaint({"--statistic", "mean(price > '5')"}),
              AllOf(HasSubstr("is a number (column 'price')"),
                    testing::EndsWith("\n  mean(price > '5')\n               ^~~\n")));
  EXPECT_THAT(complaint({"--statistic", "quantile(price, 0.9"}),
              AllOf(HasSubstr("--statistic is 'quantile(price, 0.9' but at its end"),
                    testing::EndsWith("\n  quantile(price, 0.9\n                     ^\n")));
  EXPECT_THAT(complaint({"--statistic", "price"}),
              HasSubstr("unknown statistic 'price'; of a column write, for example, mean(price)"));
  EXPECT_THAT(complaint({"--statistic", "roc_auc(carat, price)"}),
              HasSubstr("roc_auc is of 2 or more columns and stands alone, by its name"));
}

TEST(Expressions, KnowColumnsByTheirNumbers) {
  const auto same = [](const std::string& by_number, const std::string& by_name) {
    const Json one = json_of({"bootstrap", "--statistic", by_number});
    const Json other = json_of({"bootstrap", "--statistic", by_name});
    EXPECT_EQ(one["estimate"], other["estimate"]) << by_number;
    EXPECT_EQ(one["interval"], other["interval"]) << by_number;
  };
  same("mean(`2`)", "mean(carat)");
  same("mean(log(`1`)) / sd(`2`)", "mean(log(price)) / sd(carat)");
  same("sum(`1`) / sum(carat * `2`)", "sum(price) / sum(carat * carat)");
  const Json beside = json_of({"bootstrap", "--column", "2", "--statistic", "mean,max(price)"});
  EXPECT_EQ(beside["statistic"], Json({"mean(2)", "max(price)"}));
  const Json compared = json_of({"compare", "--by", "3", "--statistic", "mean(`2`)"});
  const Json named = json_of({"compare", "--by", "cut", "--statistic", "mean(carat)"});
  EXPECT_EQ(compared["contrasts"], named["contrasts"]);
}

TEST(Expressions, AnUndefinedEstimateHasItsReason) {
  const auto text_of = [](const std::string& statistic) {
    const Outcome outcome =
        run({"bootstrap", "-", "--statistic", statistic, "--replicates", "50", "--quiet"},
            {.input = "a,b\n1,2\n2,4\n3,6\n"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_THAT(text_of("mean(a) / (mean(b) - 4)"),
              HasSubstr("nan\n                  undefined: a division by 0: mean(b) - 4 is 0\n"));
  EXPECT_THAT(text_of("x = 1 + log(mean(a) - 5)"),
              HasSubstr("undefined: the logarithm of a negative number: mean(a) - 5 is\n"));
  EXPECT_THAT(text_of("sqrt(1 - correlation(a, a * 0)) + 1"),
              HasSubstr("undefined: correlation(a, a * 0) is undefined on these rows\n"));
  EXPECT_THAT(text_of("mean(a) / mean(b)"), testing::Not(HasSubstr("undefined")));
  EXPECT_THAT(text_of("mean(a) / 0"), HasSubstr("undefined: a division by 0\n"));
  EXPECT_THAT(text_of("mean = median(b)"), StartsWith("mean = median(b)\n"));
}

TEST(Expressions, OtherWordsForStatistics) {
  const Json found = json_of(
      {"bootstrap", "--column", "price", "--statistic", "std,var,iqr,avg,p90,percentile:90"});
  EXPECT_EQ(found["statistic"], Json({"standard_deviation", "variance", "interquartile_range",
                                      "mean", "quantile:0.9", "quantile:0.9"}));
}

}  // namespace expression_test
}  // namespace bootfold::cli
