// Why an expression has no value on the data.
#include "bootfold/undefined.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/computed.h"
#include "bootfold/error.h"

namespace bootfold {
namespace undefined_test {

/// What is told of an expression of a = 1, 2, 3 and b = 2, 4, 6.
std::string told(const std::string& text) {
  const std::vector<double> a = {1, 2, 3};
  const std::vector<double> b = {2, 4, 6};
  const Statistic statistic = statistic::expression(text);
  const data::WithComputed rows(DataView({ColumnView(a), ColumnView(b)}, {"a", "b"}),
                                statistic.columns());
  const double estimate = bootstrap(rows.view(), statistic, {.replicates = 2}).estimate();
  const std::string why = why_undefined(rows.view(), text);
  EXPECT_EQ(std::isnan(estimate), !why.empty()) << text << " is " << estimate;
  return why;
}

TEST(Undefined, NamesTheInnermostOperation) {
  EXPECT_EQ(told("mean(a) / (mean(b) - 4)"), "a division by 0: mean(b) - 4 is 0");
  EXPECT_EQ(told("1 + log(mean(a - 5))"), "the logarithm of a negative number: mean(a - 5) is -3");
  EXPECT_EQ(told("log(sqrt(mean(a) - 6) - 1)"),
            "the square root of a negative number: mean(a) - 6 is -4");
  EXPECT_EQ(told("1 + correlation(a, b * 0)"), "correlation(a, b * 0) is undefined on these rows");
  EXPECT_EQ(told("mean(a) / mean(b)"), "");
}

TEST(Undefined, AConstantZeroIsNotExplainedByItself) {
  EXPECT_EQ(told("mean(a) / 0"), "a division by 0");
}

TEST(Undefined, ValuesOfARowNameTheFunction) {
  const std::vector<double> a = {1, 2, 3};
  const data::WithComputed rows(DataView({ColumnView(a)}, {"a"}), {"log(a - 2)", "1 / (a - 1)"});
  const DataView log({rows.view().column(0)}, {"log(a - 2)"});
  const DataView ratio({rows.view().column(1)}, {"1 / (a - 1)"});
  for (const auto& [view, message] :
       {std::pair(log, "row 1 is missing or undefined (log of 0 or of a negative number?) but"),
        std::pair(ratio, "row 1 is inf (a division by 0?) but")}) {
    try {
      (void)bootstrap(view, statistic::mean());
      ADD_FAILURE() << message;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

TEST(Undefined, AStatisticOfOneOfTwoColumnsOfTheSameNameIsRefused) {
  const std::vector<double> values = {1, 2, 3};
  const DataView rows({ColumnView(values), ColumnView(values)}, {"a", "a"});
  EXPECT_THROW((void)bootstrap(rows, statistic::expression("mean(a)")), InvalidArgument);
}

}  // namespace undefined_test
}  // namespace bootfold
