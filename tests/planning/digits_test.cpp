// Fixed-point sums: the stated bound holds, and a smaller tolerance buys more digits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "bootfold/error.h"
#include "statistic/reference.h"

namespace bootfold {
namespace digits_test {

using reference::Columns;
using testing::HasSubstr;

std::vector<std::pair<std::string, std::vector<double>>> hard_data() {
  std::vector<std::pair<std::string, std::vector<double>>> all;
  const auto add = [&](const std::string& name, auto&& transform) {
    std::vector<double> x = reference::normals(700, 21);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = transform(x[i], i);
    all.emplace_back(name, x);
  };
  add("normal", [](double x, std::size_t) { return x; });
  add("all negative", [](double x, std::size_t) { return -1e3 - x * x; });
  add("offset 1e15", [](double x, std::size_t) { return 1e15 + std::round(8 * x); });
  add("offset 1e8, any bits", [](double x, std::size_t) { return 1e8 + x; });
  add("lognormal", [](double x, std::size_t) { return std::exp(3 * x); });
  add("denormal", [](double x, std::size_t) { return std::ldexp(x, -1060); });
  add("huge", [](double x, std::size_t) { return std::ldexp(x, 1010); });
  add("one outlier", [](double x, std::size_t i) { return i == 99 ? 1e9 : x; });
  add("one huge outlier", [](double x, std::size_t i) { return i == 99 ? -1e30 : x; });
  add("Cauchy", [](double x, std::size_t i) { return i % 2 == 0 ? x : 1 / x; });
  add("1e300 next to 1", [](double x, std::size_t i) { return i % 70 == 0 ? 1e300 : 1 + x; });
  add("whole", [](double x, std::size_t) { return std::round(100 * x); });
  add("cents", [](double x, std::size_t) { return std::round(100 * x) / 100; });
  add("two values", [](double x, std::size_t) { return x > 1 ? 0.1 : 0.2; });
  return all;
}

// |folded mean - exact mean of the resample| <= sum_error * standard error, beside the rounding of
// the result itself (two units in its last place).
TEST(Digits, TheStatedBoundHolds) {
  std::vector<std::string> refused;
  for (const auto& [what, x] : hard_data())
    for (const double tolerance : {1e-2, 1e-5, 1e-9, 1e-13})
      for (const Path path : {Path::stream, Path::gather}) {
        SCOPED_TRACE(testing::Message()
                     << what << ", tolerance " << tolerance << ", path " << name(path));
        Options options{.replicates = 12, .seed = 3, .path = path, .tolerance = tolerance};
        std::optional<Result> result;
        try {
          result = bootstrap(x, statistic::mean(), options);
        } catch (const InvalidArgument& error) {
          EXPECT_THAT(error.what(), HasSubstr("tolerance"));
          EXPECT_EQ(path, Path::stream);
          std::ostringstream which;
          which << what << " to " << tolerance;
          refused.push_back(which.str());
          continue;
        }
        const double deviation =
            reference::values("standard_deviation:0", {x}, reference::Counts(x.size(), 1))[0];
        const double standard_error = deviation / std::sqrt(static_cast<double>(x.size()));
        EXPECT_LE(result->plan().sum_error, tolerance) << result->plan().explain();
        for (std::uint64_t r = 0; r < 12; ++r) {
          const auto counts = reference::counts_of(path, x.size(), 3, r);
          const reference::Rows rows({x}, counts);
          const reference::Columns columns = {x};
          const reference::Real truth = reference::Rows(columns, counts).mean();
          const double error =
              std::abs(static_cast<double>(reference::Real(result->replicate(r)) - truth));
          // Of a mean near 0 the sum of centre and deviation is rounded, not the mean.
          const auto value = std::max(std::abs(static_cast<double>(truth)), deviation);
          const double unit = std::nextafter(value, INFINITY) - value;
          ASSERT_LE(error, result->plan().sum_error * standard_error + 2 * unit)
              << "replicate " << r << "\n"
              << result->plan().explain();
        }
      }
  // Only where the largest row is beyond all digits, or doubles themselves are not good enough.
  EXPECT_THAT(refused,
              testing::ElementsAre("lognormal to 1e-13", "one outlier to 1e-13",
                                   "one huge outlier to 1e-13", "Cauchy to 1e-13",
                                   "1e300 next to 1 to 0.01", "1e300 next to 1 to 1e-05",
                                   "1e300 next to 1 to 1e-09", "1e300 next to 1 to 1e-13"));
}

TEST(Digits, ASmallerToleranceTakesMoreDigitsAndThenDoubles) {
  const std::vector<double> x = reference::normals(100'000, 1);
  int last = 0;
  for (const double tolerance : {1e-1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11}) {
    const Plan found = plan(x, statistic::mean(), {.path = Path::stream, .tolerance = tolerance});
    EXPECT_GE(found.digits, last);
    EXPECT_LE(found.sum_error, tolerance);
    EXPECT_GT(found.sum_error, 0);
    EXPECT_THAT(found.arithmetic, HasSubstr(std::to_string(found.digits) + " digits"));
    last = found.digits;
  }
  EXPECT_GE(last, 6);
  const Plan doubles = plan(x, statistic::mean(), {.tolerance = 1e-15});
  EXPECT_EQ(doubles.arithmetic, "compensated double");
  EXPECT_EQ(doubles.digits, 0);
  EXPECT_EQ(doubles.path, Path::gather);
  EXPECT_THAT(doubles.explain(), HasSubstr("compensated"));
  EXPECT_THAT(
      reference::message_of<InvalidArgument>([&] {
        static_cast<void>(plan(x, statistic::mean(), {.path = Path::stream, .tolerance = 1e-15}));
      }),
      testing::AllOf(HasSubstr("path 'stream' is not available"), HasSubstr("tolerance")));
}

TEST(Digits, CompensatedDoublesAreRight) {
  const reference::Columns xy = {reference::normals(900, 1), reference::uniforms(900, 2)};
  for (const char* name : {"correlation", "covariance", "ratio", "regression"}) {
    const Result result = bootstrap(reference::view(xy), statistic::parse(name),
                                    {.replicates = 20, .seed = 1, .tolerance = 1e-16});
    ASSERT_EQ(result.plan().arithmetic, "compensated double");
    for (std::uint64_t r = 0; r < 20; ++r) {
      const auto truth = reference::values(name, xy, reference::counts_of(Path::gather, 900, 1, r));
      for (std::size_t k = 0; k < truth.size(); ++k)
        EXPECT_TRUE(reference::close(result.replicate(r, k), truth[k], 1e-13, 1)) << name;
    }
    const auto truth = reference::values(name, xy, reference::Counts(900, 1));
    EXPECT_TRUE(reference::close(result.estimate(), truth[0], 1e-13, 1)) << name;
  }
}

std::vector<double> transformed(std::vector<double> x, double (*transform)(double)) {
  for (double& value : x) value = transform(value);
  return x;
}

// Replicates with and without the largest rows have digits of their own: bounds hold for the
// usual rows, and what is rounded in making a product is relative to the row.
TEST(Digits, MomentsOfHeavyTailsAreRight) {
  const std::size_t rows = 3000;
  const std::vector<double> z = reference::normals(rows, 21);
  Columns outlier = {z, reference::normals(rows, 22)};
  outlier[0][7] = 1e13;
  const std::vector<std::pair<std::string, Columns>> all = {
      {"lognormal(0, 3)", {transformed(z, [](double x) { return std::exp(3 * x); }), z}},
      {"reciprocals", {transformed(z, [](double x) { return 1 / x; }), z}},
      {"one outlier", outlier}};
  for (const auto& [what, columns] : all)
    for (const char* name : {"mean", "variance", "skewness", "kurtosis", "correlation"})
      for (const Path path : {Path::stream, Path::gather}) {
        SCOPED_TRACE(testing::Message() << what << ", " << name << ", " << bootfold::name(path));
        const bool two = std::string_view(name) == "correlation";
        const Columns used = two ? columns : Columns{columns[0]};
        const Result result = bootstrap(reference::view(used), statistic::parse(name),
                                        {.replicates = 40, .seed = 1, .path = path});
        EXPECT_THAT(result.plan().arithmetic, HasSubstr("fixed point"));
        for (std::uint64_t r = 0; r < 40; ++r) {
          const auto truth =
              reference::values(name, used, reference::counts_of(path, rows, 1, r))[0];
          ASSERT_TRUE(reference::close(result.replicate(r), truth, 1e-6, 1)) << "replicate " << r;
        }
      }
}

// 1,499,999 rows around 5 and one of 1e18: about a third of the replicates do not draw it, and
// their means differ from each other as means of normal rows do.
TEST(Digits, ReplicatesWithoutAHugeRowHaveTheirOwnDigits) {
  std::vector<double> x = reference::normals(1'500'000, 3);
  for (double& value : x) value += 5;
  x[1'234'567] = 1e18;
  const Result result = bootstrap(x, statistic::mean(), {.replicates = 60, .seed = 4});
  EXPECT_EQ(result.plan().path, Path::stream);
  std::vector<double> without;
  for (const double value : result.replicates())
    if (value < 1e6) without.push_back(value);
  ASSERT_GT(without.size(), 10U);
  ASSERT_LT(without.size(), 40U);
  const double deviation =
      reference::values("standard_deviation", {without}, reference::Counts(without.size(), 1))[0];
  // The standard error is 1 / sqrt(n); of more than ten values it is within a factor of two, but
  // for once in a thousand.
  EXPECT_GT(deviation * std::sqrt(1.5e6), 0.5);
  EXPECT_LT(deviation * std::sqrt(1.5e6), 2);
  std::sort(without.begin(), without.end());
  EXPECT_EQ(std::adjacent_find(without.begin(), without.end()), without.end());
}

// More than 65,536 planes of digits: heavy-tailed columns, whose upper digits are listed.
TEST(Digits, ManyColumnsOfHeavyTails) {
  constexpr std::size_t kRows = 600;
  Columns columns(197, std::vector<double>(kRows));
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const std::vector<double> z = reference::normals(kRows, c);
    const std::vector<double> by = reference::normals(kRows, 1000 + c);
    for (std::size_t i = 0; i < kRows; ++i) columns[c][i] = z[i] / std::abs(by[i]);
  }
  for (std::size_t i = 0; i < kRows; ++i) columns[0][i] = 2 * columns[1][i] - columns[196][i];
  const Result result = bootstrap(reference::view(columns), statistic::regression(),
                                  {.replicates = 2, .seed = 1, .path = Path::stream});
  for (std::uint64_t r = 0; r < 2; ++r) {
    EXPECT_NEAR(result.replicate(r, 1), 2, 1e-6);
    EXPECT_NEAR(result.replicate(r, 2), 0, 1e-6);
    EXPECT_NEAR(result.replicate(r, 196), -1, 1e-6);
  }
}

// Multiples of a power of two are kept without any error, in as few digits as they need.
TEST(Digits, WholeNumbersAreExact) {
  std::vector<double> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 200) / 4;
  for (const Path path : {Path::stream, Path::gather}) {
    const Plan found = plan(x, statistic::mean(), {.path = path});
    EXPECT_EQ(found.sum_error, 0);
    EXPECT_LE(found.digits, 2);
    EXPECT_THAT(found.explain(), HasSubstr("exact"));
  }
}

// Fewer digits never change a value by more than the tolerance.
TEST(Digits, ResultsAgreeToTheTolerance) {
  const std::vector<double> x = reference::normals(5000, 9);
  const auto run = [&](double tolerance) {
    return bootstrap(x, statistic::mean(),
                     {.replicates = 200, .seed = 2, .path = Path::stream, .tolerance = tolerance});
  };
  const Result fine = run(1e-11);
  for (const double tolerance : {0.5, 1e-2, 1e-4, 1e-6}) {
    const Result coarse = run(tolerance);
    for (std::uint64_t r = 0; r < 200; ++r)
      ASSERT_NEAR(coarse.replicate(r), fine.replicate(r), tolerance * fine.standard_error() * 1.2);
  }
}

}  // namespace digits_test
}  // namespace bootfold
