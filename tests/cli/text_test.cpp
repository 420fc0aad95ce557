// Numbers as people type and read them, and the histogram.
#include "text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "histogram.h"
#include "number.h"

namespace bootfold::cli {
namespace text_test {

TEST(Number, WholeNumbersAsPeopleTypeThem) {
  EXPECT_EQ(parse_whole("-n", "1000000", 1), 1'000'000U);
  EXPECT_EQ(parse_whole("-n", "1_000_000", 1), 1'000'000U);
  EXPECT_EQ(parse_whole("-n", "1e6", 1), 1'000'000U);
  EXPECT_EQ(parse_whole("-n", "2.5E3", 1), 2'500U);
  EXPECT_EQ(parse_whole("-n", "1e18", 1), 1'000'000'000'000'000'000U);
  EXPECT_EQ(parse_whole("-n", "18446744073709551615", 0), 18446744073709551615U);
  EXPECT_EQ(parse_whole("-n", "0", 0), 0U);
  for (const char* text : {"", "x", "1.5", "1e", "_1", "1_", "1__0", "0x10", "1e-3", "nan", "inf",
                           "1 0", "18446744073709551616", "1e400", "-1", "-0.5"})
    EXPECT_THROW((void)parse_whole("-n", text, 0), InvalidArgument) << text;
}

TEST(Number, Sizes) {
  EXPECT_EQ(parse_size("-m", "1000"), 1000U);
  EXPECT_EQ(parse_size("-m", "256M"), 256U << 20);
  EXPECT_EQ(parse_size("-m", "64KiB"), 64U << 10);
  EXPECT_EQ(parse_size("-m", "64kb"), 64'000U);
  EXPECT_EQ(parse_size("-m", "1.5G"), 3U << 29);
  EXPECT_EQ(parse_size("-m", "1e6"), 1'000'000U);
  EXPECT_EQ(parse_size("-m", "256 MiB"), 256U << 20);
  EXPECT_EQ(parse_size("-m", "1T"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_size("-m", ""), 0U);  // the default
  for (const char* text : {"M", "-1M", "0", "0.1", "12Q", "1MM", "1e30", "nan", "1,5G"})
    EXPECT_THROW((void)parse_size("-m", text), InvalidArgument) << text;
}

TEST(Text, ValuesHaveTheDigitsTheirErrorAllows) {
  EXPECT_EQ(with_error(0.05001883, 3.2e-7), "0.05001883 +- 0.00000032");
  EXPECT_EQ(with_error(9.748e-5, 6.9e-8), "(9.7480 +- 0.0069)e-05");
  EXPECT_EQ(with_error(1234567.8, 321.0), "1234568 +- 321");
  EXPECT_EQ(with_error(1.2345e12, 3.21e8), "(1.23450 +- 0.00032)e+12");
  EXPECT_EQ(with_error(0.5, 0.0996), "0.50 +- 0.10");
  EXPECT_EQ(with_error(-1e-9, 0.01), "0.000 +- 0.010");
  EXPECT_EQ(with_error(4, 0), "4 +- 0");
  EXPECT_EQ(rounded(10.0234567, 0.0031), "10.0235");
  EXPECT_EQ(rounded(0, 3e-10), "0");
  EXPECT_EQ(rounded(0.1, 0), "0.1");
  EXPECT_EQ(rounded(0.1 + 0.2, 0), "0.3");  // not 0.30000000000000004
  EXPECT_EQ(rounded(1.0 / 3, 1e-30), "0.333333333333333");
  EXPECT_EQ(rounded(std::numeric_limits<double>::quiet_NaN(), 1), "nan");
}

/// The numbers of a table, errors first.
std::vector<std::string> table_of(std::vector<double> errors, const std::vector<double>& values) {
  const TableNumbers shown(values, errors);
  errors.insert(errors.end(), values.begin(), values.end());
  std::vector<std::string> texts;
  for (const double each : errors) texts.push_back(shown(each));
  return texts;
}

// Two digits of the median error, also for rows with smaller and larger ones.
TEST(Text, ATableHasOneNumberOfDecimals) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(table_of({0.705, 0.3, 2.5}, {36.343, 66.2, 51, 0}),
            (Texts{"0.70", "0.30", "2.50", "36.34", "66.20", "51.00", "0.00"}));
  EXPECT_EQ(table_of({0.02, 3, 4}, {1, -0.001}), (Texts{"0.02", "3.00", "4.00", "1.00", "0.00"}));
  EXPECT_EQ(table_of({1e-9, 30, 40}, {123}), (Texts{"0.0000", "30.0000", "40.0000", "123.0000"}));
  EXPECT_EQ(table_of({31, 321}, {12345, 8}), (Texts{"31", "321", "12345", "8"}));
  EXPECT_EQ(table_of({0}, {0.1 + 0.2}), (Texts{"0", "0.3"}));  // nothing is known
}

TEST(Text, ATableHasOneNotation) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(table_of({1.2e-7}, {3.456e-6, 0}), (Texts{"1.2e-07", "3.46e-06", "0e+00"}));
  EXPECT_EQ(table_of({1.58e-8, 0.158}, {1.5, 6e-7, 0}),
            (Texts{"1.580e-08", "1.580e-01", "1.500e+00", "6.000e-07", "0.000e+00"}));
  EXPECT_EQ(table_of({3.21e8}, {1.2345e12, 7}), (Texts{"3.2e+08", "1.23450e+12", "7e+00"}));
  EXPECT_EQ(table_of({0.02, 0}, {5.46532, 0, 7.12346}),
            (Texts{"0.020", "0.000", "5.465", "0.000", "7.123"}));
}

TEST(Text, ProbabilitiesHaveThreeDecimals) {
  EXPECT_EQ(probability(0.0582, 0.0025), "0.058 +- 0.003");
  EXPECT_EQ(probability(0.561, 0.028), "0.561 +- 0.028");
  EXPECT_EQ(probability(0.0001, 0.0001), "<0.001");
  EXPECT_EQ(probability(0.012345, 0), "0.012");
  EXPECT_EQ(probability(1, 0), "1.000");
}

TEST(Text, AnErrorHasTheNotationOfItsNumber) {
  EXPECT_EQ(error_text(6.1e-5, has_power({0.617725, 6.1e-5})), "0.000061");
  EXPECT_EQ(error_text(6.1e-9, has_power({1.5e-7, 6.1e-9})), "6.1e-09");
  EXPECT_EQ(error_text(3.5, has_power({2711, 3.5})), "3.5");
  EXPECT_EQ(error_text(4e-8, true), "4.0e-08");
  EXPECT_EQ(error_text(0, true), "0");
}

TEST(Text, ABiasHasTheNotationOfItsStandardError) {
  EXPECT_EQ(with_error_beside(-4.6e-5, 6.6e-5, {0.006619, 4.7e-5}), "-0.000046 +- 0.000066");
  EXPECT_EQ(with_error_beside(-4.6e-9, 6.6e-9, {6.6e-7, 4.7e-9}), "(-4.6 +- 6.6)e-09");
  EXPECT_EQ(with_error_beside(0, 0, {1, 0.1}), "0 +- 0");
}

TEST(Text, NumbersWithWords) {
  EXPECT_EQ(grouped(5000000), "5,000,000");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(scaled(9.812e9), "9.81 billion");
  EXPECT_EQ(scaled(999.6), "1 thousand");
  EXPECT_EQ(scaled(5e12), "5 trillion");
  EXPECT_EQ(scaled(12), "12");
  EXPECT_EQ(bytes(43'200'000), "41.2 MiB");
  EXPECT_EQ(bytes(12), "12 bytes");
  EXPECT_EQ(duration(0.012), "12 ms");
  EXPECT_EQ(duration(8.314), "8.31 s");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(20400), "5 h 40 min");
  EXPECT_EQ(duration(86400 * 12 + 3 * 3600), "12 days 3 h");
}

TEST(Text, LinesAreFolded) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "one two\n  three");
  EXPECT_EQ(one_line("a\n  b\tc\033"), "a b c?");
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    all.push_back(text.substr(at, text.find('\n', at) - at));
  return all;
}

TEST(Histogram, MarksEstimateAndLimits) {
  std::vector<double> values(1001);
  for (int i = 0; i <= 1000; ++i) values[i] = std::sqrt(i);
  const Marks marks{.low = 5, .estimate = 20, .high = 30, .confidence = 0.9};
  const std::vector<std::string> picture =
      lines(histogram(values, 0, 1, marks, {.width = 60, .height = 5}));
  ASSERT_EQ(picture.size(), 8U);  // five lines of bars, axis, values, words
  for (const std::string& line : picture) EXPECT_LE(line.size(), 60U);
  const std::string& axis = picture[5];
  EXPECT_LT(axis.find('['), axis.find('|'));
  EXPECT_LT(axis.find('|'), axis.find(']'));
  EXPECT_LT(picture[6].find("5.0"), picture[6].find("20.0"));
  EXPECT_LT(picture[7].find("5%"), picture[7].find("estimate"));
  EXPECT_NE(picture[7].find("95%"), std::string::npos);
}

// A mean of ten 0/1 values lies on eleven points. Each bar must cover as many of them as the next:
// equal counts give equal heights.
TEST(Histogram, LatticesMakeNoCombs) {
  std::vector<double> values(11 * 5000);
  for (int i = 0; i < 11 * 5000; ++i) values[i] = i % 11 / 10.0;
  const std::vector<std::string> picture = lines(
      histogram(values, 0, 1, {.low = 0, .estimate = 0.5, .high = 1}, {.width = 60, .height = 1}));
  const std::string bars = picture[0].substr(2);
  EXPECT_EQ(bars.find_first_not_of('#'), std::string::npos) << bars;
  EXPECT_EQ(bars.size(), 55U);  // eleven bars of five columns
}

TEST(Histogram, CopesWithAnything) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Marks none{.low = nan, .estimate = nan, .high = nan};
  EXPECT_EQ(histogram(std::vector<double>{}, 0, 1, none, {}), "");
  EXPECT_EQ(histogram(std::vector<double>{nan, nan}, 0, 1, none, {}), "");
  EXPECT_EQ(histogram(std::vector<double>{3, 3, 3}, 0, 1, {3, 3, 3}, {}), "");
  EXPECT_NE(histogram(std::vector<double>{1, 2, nan, infinity}, 0, 1, none, {}), "");
  EXPECT_NE(histogram(std::vector<double>{-1e308, 1e308, 0}, 0, 3, {-1e307, 0, 1e307}, {}), "x");
  EXPECT_NE(histogram(std::vector<double>{1, 2, 3}, 0, 1, {1, 2, 3}, {.width = 1, .height = 1}),
            "");
  // Column 1 of two.
  const std::vector<double> pairs = {1, 10, 2, 20, 3, 30};
  EXPECT_NE(histogram(pairs, 1, 2, {10, 20, 30}, {}).find("20.0"), std::string::npos);
}

}  // namespace text_test
}  // namespace bootfold::cli
