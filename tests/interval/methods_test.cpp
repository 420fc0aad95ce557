// Every method against its formula, published numbers, and the spread over seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <functional>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "statistic/laws.h"
#include "statistic/reference.h"

namespace bootfold {
namespace methods_test {

using interval::Alternative;
using interval::Convention;
using interval::Method;
using interval::Status;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double z_of(double p) { return quantile(boost::math::normal(), p); }
double p_of(double z) { return cdf(boost::math::normal(), z); }

Influence influence_of(double second, double third) {
  Influence found;
  found.rows = 10;
  found.second = second;
  found.third = third;
  return found;
}

Result result_of(std::vector<double> replicates, double estimate, double acceleration = 0) {
  Plan plan;
  plan.replicates = replicates.size();
  plan.outputs = {"it"};
  Companions companions;
  companions.influences = {influence_of(1, 6 * acceleration)};
  return Result(plan, 0, {estimate}, std::move(replicates), std::move(companions));
}

TEST(Normal, IsTheFormula) {
  const std::vector<double> x = reference::normals(999, 1);
  const Result result = result_of(x, 0.3);
  const Interval found = interval::normal(result, {.confidence = 0.9});
  EXPECT_NEAR(found.low, 0.3 - result.bias() - z_of(0.95) * result.standard_error(), 1e-12);
  EXPECT_NEAR(found.high, 0.3 - result.bias() + z_of(0.95) * result.standard_error(), 1e-12);
  EXPECT_EQ(found.status, Status::good);
  EXPECT_EQ(found.method, "normal");
}

// Every method sees the replicates moved by estimate - centre: so the limits are those of
// replicates that were moved, z0 of BCa counts those below the centre, and pivots are from the
// centre.
TEST(Centre, MovesTheReplicatesForEveryMethod) {
  const double estimate = 0.3;
  const double centre = 0.1;
  const std::vector<double> drawn = reference::normals(999, 4);
  std::vector<double> moved = drawn;
  for (double& value : moved) value += estimate - centre;
  const auto make = [&](std::vector<double> replicates, std::vector<double> centres) {
    Plan plan;
    plan.replicates = replicates.size();
    plan.outputs = {"it"};
    Companions companions;
    companions.influences = {influence_of(1, 0.2)};
    companions.estimate_errors = {0.9};
    companions.errors_from = {ErrorSource::data};
    for (const double value : drawn) companions.replicate_errors.push_back(1 + value * value / 10);
    companions.centres = std::move(centres);
    return Result(plan, 0, {estimate}, std::move(replicates), std::move(companions));
  };
  const Result with = make(drawn, {centre});
  const Result without = make(moved, {});
  EXPECT_NEAR(with.bias(), without.bias(), 1e-12);
  for (const Method method :
       {Method::normal, Method::basic, Method::percentile, Method::bca, Method::studentized}) {
    SCOPED_TRACE(name(method));
    const Interval found = interval::make(method, with);
    const Interval expected = interval::make(method, without);
    EXPECT_NEAR(found.low, expected.low, 1e-12);
    EXPECT_NEAR(found.high, expected.high, 1e-12);
    EXPECT_NEAR(found.low_error, expected.low_error, 1e-12);
  }
  EXPECT_NEAR(interval::percentile(with).low, interval::percentile(make(drawn, {})).low + 0.2,
              1e-12);
}

TEST(Basic, MirrorsThePercentiles) {
  const Result result = result_of(reference::normals(999, 2), 0.3);
  for (const Convention convention : {Convention::numpy, Convention::r}) {
    const interval::Options options{.confidence = 0.9, .convention = convention};
    const Interval percentile = interval::percentile(result, options);
    const Interval basic = interval::basic(result, options);
    EXPECT_NEAR(basic.low, 0.6 - percentile.high, 1e-12);
    EXPECT_NEAR(basic.high, 0.6 - percentile.low, 1e-12);
    EXPECT_EQ(basic.low_error, percentile.high_error);
  }
}

TEST(Bca, IsTheFormula) {
  const std::vector<double> x = reference::normals(2000, 3);
  for (const double acceleration : {0.0, 0.08, -0.12}) {
    SCOPED_TRACE(acceleration);
    const Result result = result_of(x, 0.1, acceleration);
    const auto below = static_cast<double>(
        std::count_if(x.begin(), x.end(), [](double value) { return value < 0.1; }));
    const double z0 = z_of(below / 2000);
    const auto corrected = [&](double p) {
      const double w = z0 + z_of(p);
      return p_of(z0 + w / (1 - acceleration * w));
    };
    const Interval found = interval::bca(result, {.confidence = 0.9});
    EXPECT_NEAR(found.low, reference::quantile(x, corrected(0.05)), 1e-9);
    EXPECT_NEAR(found.high, reference::quantile(x, corrected(0.95)), 1e-9);
    EXPECT_EQ(found.status, Status::good);
  }
}

// Half of the replicates below, ties half: z0 = 0 and BCa without acceleration is the percentile
// interval. Strictly, ties do not count.
TEST(Bca, TiesCountHalfOrNot) {
  std::vector<double> x;
  for (int i = 0; i < 400; ++i) x.push_back(i % 20);
  const Result result = result_of(x, 9.0);  // 180 below, 20 equal, 200 above
  const Interval half = interval::bca(result, {.confidence = 0.5});
  EXPECT_EQ(half.low, reference::quantile(x, p_of(2 * z_of(0.475) + z_of(0.25))));
  const double z0 = z_of(0.45);
  const Interval strict = interval::bca(result, {.confidence = 0.5, .convention = Convention::r});
  // (R + 1) p lies between order statistics that are equal.
  const double place = 401 * p_of(2 * z0 + z_of(0.25));
  EXPECT_EQ(strict.low, std::floor((std::floor(place) - 1) / 20));
}

// R boot's norm.inter, as documented: order statistic (R + 1) p, on the normal scale between.
TEST(Convention, QuantilesOfR) {
  const std::vector<double> x = reference::normals(99, 4);
  std::vector<double> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  const Result result = result_of(x, 0);
  const auto of_r = [&](double confidence) {
    return interval::percentile(result, {.confidence = confidence, .convention = Convention::r});
  };
  EXPECT_NEAR(of_r(0.9).low, sorted[4], 1e-12);    // 100 * 0.05 = 5th
  EXPECT_NEAR(of_r(0.9).high, sorted[94], 1e-12);  // 95th
  EXPECT_EQ(of_r(0.5).low, sorted[24]);
  const double p = (1 - 0.95) / 2;  // 2.5th
  const double weight = (z_of(p) - z_of(0.02)) / (z_of(0.03) - z_of(0.02));
  EXPECT_NEAR(of_r(0.95).low, sorted[1] + weight * (sorted[2] - sorted[1]), 1e-12);
  const Interval extreme = of_r(0.999);
  EXPECT_EQ(extreme.limits(), std::make_pair(sorted.front(), sorted.back()));
  EXPECT_EQ(extreme.status, Status::extreme);
  EXPECT_THAT(extreme.reason, HasSubstr("more are needed"));
}

TEST(Alternative, OneLimitIsInfinite) {
  const std::vector<double> x = reference::normals(5000, 5);
  const Result result = bootstrap(x, statistic::mean(),
                                  {.replicates = 5000, .influence = true, .standard_errors = true});
  for (const Interval& both : interval::all(result, {.confidence = 0.9})) {
    SCOPED_TRACE(both.method);
    const Method method = interval::parse_method(both.method);
    const Interval less =
        interval::make(method, result, {.confidence = 0.95, .alternative = Alternative::less});
    EXPECT_EQ(less.low, -kInfinity);
    EXPECT_EQ(less.low_error, 0);
    EXPECT_NEAR(less.high, both.high, 1e-12);
    const Interval greater =
        interval::make(method, result, {.confidence = 0.95, .alternative = Alternative::greater});
    EXPECT_EQ(greater.high, kInfinity);
    EXPECT_NEAR(greater.low, both.low, 1e-12);
    EXPECT_EQ(greater.alternative, Alternative::greater);
  }
}

// The studentized interval of a mean, by hand.
TEST(Studentized, IsTheFormula) {
  const std::vector<double> x = reference::kSixteen;
  const Result result =
      bootstrap(x, statistic::mean(), {.replicates = 2000, .seed = 3, .standard_errors = true});
  const auto error_of = [](const std::vector<double>& rows) {
    const auto n = static_cast<double>(rows.size());
    double mean = 0;
    double squares = 0;
    for (const double row : rows) mean += row / n;
    for (const double row : rows) squares += (row - mean) * (row - mean);
    return std::sqrt(squares / (n - 1) / n);
  };
  std::vector<double> pivots;
  for (std::uint64_t r = 0; r < 2000; ++r) {
    std::vector<double> rows;
    for (const std::uint32_t row : resample::indices(16, {3, r})) rows.push_back(x[row]);
    pivots.push_back((result.replicate(r) - result.estimate()) / error_of(rows));
    EXPECT_NEAR(result.companions().replicate_errors[r], error_of(rows), 1e-9);
  }
  const Interval found = interval::studentized(result, {.confidence = 0.9});
  const double error = error_of(x);
  EXPECT_NEAR(found.low, result.estimate() - error * reference::quantile(pivots, 0.95), 1e-8);
  EXPECT_NEAR(found.high, result.estimate() - error * reference::quantile(pivots, 0.05), 1e-8);
  EXPECT_EQ(result.companions().error_method, "formula");
}

// The same replicates whether standard errors are asked for or not, and the plan is for them alone.
TEST(Studentized, LeavesTheReplicatesAlone) {
  const std::vector<double> x = reference::normals(1000, 6);
  const Result plain = bootstrap(x, {statistic::mean(), statistic::variance()}, {.replicates = 50});
  const Result with = bootstrap(x, {statistic::mean(), statistic::variance()},
                                {.replicates = 50, .standard_errors = true});
  ASSERT_EQ(with.outputs(), 2U);
  EXPECT_EQ(with.plan().outputs, plain.plan().outputs);
  for (std::uint64_t r = 0; r < 50; ++r)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(with.replicate(r, k), plain.replicate(r, k), 1e-6);
}

// 95 % BCa of the mean of `sixteen`: exact limits under the bootstrap law with strict z0.
TEST(Published, SixteenBca) {
  const Result result = bootstrap(reference::kSixteen, statistic::mean(),
                                  {.replicates = 1'000'000, .seed = 5, .influence = true});
  const Interval found = interval::bca(result, {.convention = Convention::r});
  EXPECT_NEAR(found.low, 32.2375, laws::kZ * found.low_error);
  EXPECT_NEAR(found.high, 91.375, laws::kZ * found.high_error);
  EXPECT_LT(found.low_error, 0.05);
  EXPECT_LT(found.high_error, 0.1);
  const Interval basic = interval::basic(result);
  EXPECT_NEAR(basic.low, 23.75, laws::kZ * basic.low_error);
  EXPECT_NEAR(basic.high, 79.125, laws::kZ * basic.high_error);
}

// R boot's example prints one run of 999 replicates: (1.266, 2.085) and BCa (1.254, 2.058). Errors
// of theirs: sqrt(1000) times those of a million. That its acceleration is from a regression, ours
// the jackknife's, matters less than that.
TEST(Published, CityRatio) {
  const reference::Columns columns = {reference::kCityX, reference::kCityU};
  const Result result = bootstrap(reference::view(columns), statistic::ratio(),
                                  {.replicates = 1'000'000, .seed = 5, .influence = true});
  const double theirs = std::sqrt(1e6 / 999);
  EXPECT_NEAR(result.estimate(), 1.5203125, 1e-12);
  EXPECT_NEAR(result.bias(), 0.0490, laws::kZ * theirs * result.bias_error());
  EXPECT_NEAR(result.standard_error(), 0.2158, laws::kZ * theirs * result.standard_error_error());
  const Interval percentile = interval::percentile(result);
  EXPECT_NEAR(percentile.low, 1.266, laws::kZ * theirs * percentile.low_error);
  EXPECT_NEAR(percentile.high, 2.085, laws::kZ * theirs * percentile.high_error);
  const Interval bca = interval::bca(result, {.convention = Convention::r});
  EXPECT_NEAR(bca.low, 1.254, laws::kZ * theirs * bca.low_error);
  EXPECT_NEAR(bca.high, 2.058, laws::kZ * theirs * bca.high_error);
}

// boot.ci of R boot 1.3.28 on the same 999 replicates, with L = empinf(type = "jack"): what it
// printed.
TEST(Published, RBootOnTheSameReplicates) {
  const Result result = bootstrap(reference::kSixteen, statistic::mean(),
                                  {.replicates = 999, .seed = 3, .influence = true});
  const auto expect = [&](Method method, double confidence, double low, double high) {
    SCOPED_TRACE(interval::name(method));
    const Interval found =
        interval::make(method, result, {.confidence = confidence, .convention = Convention::r});
    EXPECT_NEAR(found.low, low, 6e-11);
    EXPECT_NEAR(found.high, high, 6e-11);
  };
  expect(Method::normal, 0.90, 29.54028619389, 77.59018177408);
  expect(Method::normal, 0.95, 24.93774298570, 82.19272498226);
  expect(Method::basic, 0.90, 27.75, 76.15);
  expect(Method::basic, 0.95, 22.2375, 79.20625);
  expect(Method::percentile, 0.90, 31.8375, 80.2375);
  expect(Method::percentile, 0.95, 28.78125, 85.75);
  expect(Method::bca, 0.90, 33.45487756377, 83.69188541427);
  expect(Method::bca, 0.95, 30.83573660513, 89.52407603968);
}

// abc.ci of R boot 1.3.28, whose derivatives are differences over 0.001 / n (of law it was given
// standardised columns: its correlation cancels); and the correlation in decimal arithmetic of 60
// digits.
TEST(Published, RBootAbc) {
  const reference::Columns law = {reference::kLsat, reference::kGpa};
  const reference::Columns city = {reference::kCityX, reference::kCityU};
  const auto expect = [](const DataView& data, const Statistic& statistic, Convention convention,
                         double confidence, double low, double high, double tolerance) {
    SCOPED_TRACE(statistic.name());
    const Result result = bootstrap(data, statistic, {.replicates = 50, .influence = true});
    const Interval found =
        interval::abc(result, {.confidence = confidence, .convention = convention});
    EXPECT_NEAR(found.low, low, tolerance);
    EXPECT_NEAR(found.high, high, tolerance);
  };
  const std::vector<double>& sixteen = reference::kSixteen;
  expect(sixteen, statistic::mean(), Convention::r, 0.90, 35.27677992, 84.32105197, 2e-7);
  expect(sixteen, statistic::mean(), Convention::r, 0.95, 32.32420888, 91.53013664, 2e-7);
  expect(reference::view(law), statistic::correlation(), Convention::r, 0.90, 0.4428178297,
         0.9214490528, 3e-7);
  expect(reference::view(law), statistic::correlation(), Convention::r, 0.95, 0.3379692817,
         0.9420702017, 3e-7);
  expect(reference::view(law), statistic::correlation(), Convention::r, 0.90, 0.4428177409454952,
         0.9214490321262943, 5e-9);
  expect(reference::view(city), statistic::ratio(), Convention::r, 0.90, 1.293671520, 1.948800960,
         1e-6);
  expect(reference::view(law), statistic::correlation(), Convention::numpy, 0.90,
         0.4429413073641535, 0.92147763947763, 5e-9);
  expect(reference::view(law), statistic::correlation(), Convention::numpy, 0.95,
         0.33812296813471354, 0.9420958384531773, 5e-9);
}

// What ABC is: second-order as BCa is. In standard errors the two differ by about c / n: from 25 to
// 400 rows that shrinks to a sixteenth, where c / sqrt(n) would shrink to a fourth only. And with
// 400 rows ABC is closer to BCa than the normal interval is. Both but for chance in BCa's limits,
// one false alarm in a million each. The rows are the quantiles of an exponential law, so that
// little but n changes. (How close they are on given data no theory says; RBootAbc holds the
// numbers.)
TEST(Abc, ComesCloseToBcaFasterThanTheNormalInterval) {
  const auto distances = [](const Statistic& statistic, std::size_t rows) {
    std::vector<double> x;
    for (std::size_t i = 0; i < rows; ++i)
      x.push_back(-std::log1p(-(static_cast<double>(i) + 0.5) / static_cast<double>(rows)));
    const Result result =
        bootstrap(x, statistic, {.replicates = 1'000'000, .seed = 6, .influence = true});
    const double unit = result.standard_error();
    const Interval bca = interval::bca(result, {.confidence = 0.9});
    const Interval abc = interval::abc(result, {.confidence = 0.9});
    const Interval normal = interval::normal(result, {.confidence = 0.9});
    EXPECT_EQ(abc.status, Status::good);
    EXPECT_EQ(abc.low_error, 0);
    struct Distance {
      double abc;
      double normal;
      double chance;
    };
    return std::array{Distance{std::abs(abc.low - bca.low) / unit,
                               std::abs(normal.low - bca.low) / unit, bca.low_error / unit},
                      Distance{std::abs(abc.high - bca.high) / unit,
                               std::abs(normal.high - bca.high) / unit, bca.high_error / unit}};
  };
  for (const Statistic& statistic : {statistic::mean(), statistic::standard_deviation()}) {
    const auto few = distances(statistic, 25);
    const auto many = distances(statistic, 400);
    for (const std::size_t side : {0U, 1U}) {
      SCOPED_TRACE(testing::Message() << statistic.name() << ", side " << side);
      EXPECT_LT(many.at(side).abc - laws::kZ * many.at(side).chance,
                (few.at(side).abc + laws::kZ * few.at(side).chance) / 4);
      EXPECT_LT(many.at(side).abc + laws::kZ * many.at(side).chance, many.at(side).normal);
    }
  }
}

// The mean moves along a straight line, so ABC of the mean is closed: estimate + deviation * place.
TEST(Abc, OfTheMeanIsClosed) {
  const std::vector<double>& x = reference::kSixteen;
  const Result result = bootstrap(x, statistic::mean(), {.replicates = 100, .influence = true});
  double mean = 0;
  double second = 0;
  double third = 0;
  for (const double value : x) mean += value / 16;
  for (const double value : x) {
    second += std::pow(value - mean, 2);
    third += std::pow(value - mean, 3);
  }
  const double a = third / (6 * std::pow(second, 1.5));
  const double deviation = std::sqrt(second) / 16;
  const Interval found = interval::abc(result, {.confidence = 0.95});
  const auto limit = [&](double p) {  // no curvature: z0 = a, to the first order
    const double w = z_of(2 * p_of(a) * 0.5) + z_of(p);
    return mean + deviation * w / ((1 - a * w) * (1 - a * w));
  };
  EXPECT_NEAR(found.low, limit(0.025), 1e-5);
  EXPECT_NEAR(found.high, limit(0.975), 1e-5);
}

TEST(Names, RoundTrip) {
  for (const char* name : {"normal", "basic", "percentile", "bca", "studentized", "abc"})
    EXPECT_EQ(interval::name(interval::parse_method(name)), name);
  for (const char* name : {"two-sided", "less", "greater"})
    EXPECT_EQ(interval::name(interval::parse_alternative(name)), name);
  for (const char* name : {"numpy", "r"})
    EXPECT_EQ(interval::name(interval::parse_convention(name)), name);
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [] { static_cast<void>(interval::parse_method("bac")); }),
              AllOf(HasSubstr("'bac'"), HasSubstr("did you mean 'bca'?"), HasSubstr("normal")));
}

TEST(Methods, SayWhatTheyNeed) {
  const Result plain = bootstrap(reference::kSixteen, statistic::mean(), {.replicates = 100});
  EXPECT_THAT(
      reference::message_of<InvalidArgument>([&] { static_cast<void>(interval::bca(plain)); }),
      HasSubstr("bootstrap again with interval=bca"));
  EXPECT_THAT(reference::message_of<InvalidArgument>(
                  [&] { static_cast<void>(interval::studentized(plain)); }),
              HasSubstr("bootstrap again with interval=studentized"));
  EXPECT_EQ(interval::all(plain).size(), 3U);
  EXPECT_EQ(interval::available(plain),
            (std::vector{Method::normal, Method::basic, Method::percentile}));
}

}  // namespace methods_test
}  // namespace bootfold
