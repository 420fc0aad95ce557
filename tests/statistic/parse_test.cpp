// Statistics by name, and what is said about names that are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace parse_test {

using testing::AllOf;
using testing::HasSubstr;

std::string complaint(const std::string& text) {
  return reference::message_of<InvalidArgument>([&] { static_cast<void>(statistic::parse(text)); });
}

TEST(Parse, EveryListingParses) {
  EXPECT_EQ(statistic::listings().size(), 27U);
  for (const statistic::Listing& listing : statistic::listings()) {
    SCOPED_TRACE(listing.usage);
    EXPECT_FALSE(listing.meaning.empty());
    const std::string name = listing.usage.substr(0, listing.usage.find_first_of(":["));
    const bool needs_number = listing.usage.find(':') != std::string::npos &&
                              listing.usage.find('[') == std::string::npos;
    const bool takes_number = listing.usage.find(':') != std::string::npos;
    if (needs_number) {
      EXPECT_THAT(complaint(name), AllOf(HasSubstr(name), HasSubstr("needs a number")));
    } else {
      EXPECT_EQ(statistic::parse(name).name(), name);
    }
    if (takes_number) {
      EXPECT_NO_THROW(static_cast<void>(statistic::parse(name + (needs_number ? ":0.25" : ":1"))));
    } else {
      EXPECT_THAT(complaint(name + ":3"), HasSubstr("takes no number"));
    }
    const Statistic parsed = statistic::parse(needs_number ? name + ":0.25" : name);
    EXPECT_EQ(parsed.fewest_columns(), listing.columns == "1" ? 1U : 2U);
    EXPECT_EQ(parsed.most_columns(), listing.columns == "1"   ? 1U
                                     : listing.columns == "2" ? 2U
                                                              : Statistic::kAnyNumber);
  }
}

TEST(Parse, UnknownNamesGetASuggestionAndTheList) {
  EXPECT_THAT(complaint("meen"), AllOf(HasSubstr("'meen'"), HasSubstr("did you mean 'mean'?")));
  EXPECT_THAT(complaint("medain"), HasSubstr("did you mean 'median'?"));
  EXPECT_THAT(complaint("quantil:0.5"), HasSubstr("did you mean 'quantile'?"));
  EXPECT_THAT(complaint("xyzzy"), AllOf(HasSubstr("correlation"), HasSubstr("quantile:Q")));
  EXPECT_THAT(complaint(""), HasSubstr("regression"));
}

TEST(Parse, NamesTellTheirNumbers) {
  for (const char* name : {"proportion:15", "proportion:-0.5", "quantile:0.9", "trimmed_mean:0.1"})
    EXPECT_EQ(statistic::parse(name).name(), name);
  EXPECT_EQ(statistic::parse("proportion:0").name(), "proportion");
  // 99.9 / 100 and 0.9 / 100 are no decimals of few digits.
  EXPECT_EQ(statistic::parse("percentile:99.9").name(), "quantile:0.999");
  EXPECT_EQ(statistic::parse("percentile:0.9").name(), "quantile:0.009");
  EXPECT_EQ(statistic::parse("p99.9").name(), "quantile:0.999");
}

TEST(Parse, NumbersOutsideTheirRange) {
  EXPECT_THAT(complaint("quantile:1.5"), AllOf(HasSubstr("1.5"), HasSubstr("[0, 1]")));
  EXPECT_THAT(complaint("quantile:-0.1"), HasSubstr("-0.1"));
  EXPECT_THAT(complaint("quantile:nan"), HasSubstr("[0, 1]"));
  EXPECT_THAT(complaint("trimmed_mean:0.5"), AllOf(HasSubstr("0.5"), HasSubstr("below 0.5")));
  EXPECT_THAT(complaint("trimmed_mean:-1"), HasSubstr("-1"));
  EXPECT_THAT(complaint("sharpe_ratio:0"), HasSubstr("periods is 0"));
  EXPECT_THAT(complaint("sharpe_ratio:inf"), HasSubstr("periods"));
  EXPECT_THAT(complaint("proportion:nan"), HasSubstr("NaN"));
  EXPECT_THAT(complaint("variance:2"), AllOf(HasSubstr("2"), HasSubstr("0 (divide by n)")));
  EXPECT_THAT(complaint("covariance:0.5"), HasSubstr("0.5"));  // the value that was given
}

TEST(Parse, InvalidNumbersAreRejected) {
  EXPECT_THAT(complaint("quantile:"), HasSubstr("not a number"));
  EXPECT_THAT(complaint("quantile:0.5x"), AllOf(HasSubstr("'0.5x'"), HasSubstr("quantile:Q")));
  EXPECT_THAT(complaint("quantile:0.5:0.6"), HasSubstr("not a number"));
  EXPECT_THAT(complaint("mean:3"), AllOf(HasSubstr("'mean:3'"), HasSubstr("write 'mean'")));
}

TEST(Parse, TheNameOfAQuantileTellsItApart) {
  EXPECT_EQ(statistic::parse("quantile:0.5").name(), "quantile:0.5");
  EXPECT_NE(statistic::quantile(0.12345678).name(), statistic::quantile(0.12345679).name());
}

TEST(Parse, FunctionsCheckTheirArgumentsToo) {
  EXPECT_THROW(static_cast<void>(statistic::variance(2)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(statistic::standard_deviation(-1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(statistic::covariance(7)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(statistic::quantile(reference::kNan)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(statistic::sharpe_ratio(-1)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(statistic::sums(0, {}, {})), InvalidArgument);
}

}  // namespace parse_test
}  // namespace bootfold
