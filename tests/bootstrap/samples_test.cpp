// Several samples: independent, each as long as it is; and samples that are paired.
#include "bootfold/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "statistic/reference.h"

namespace bootfold {
namespace samples_test {

using statistic::Resample;
using testing::HasSubstr;

const std::vector<double> kTreatment = {94, 197, 16, 38, 99, 141, 23};
const std::vector<double> kControl = {52, 104, 146, 10, 50, 31, 40, 27, 46};

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double difference_of_means(std::span<const Resample> drawn) {
  return mean_of(drawn[0].column(0)) - mean_of(drawn[1].column(0));
}

// Outside truth: both exact standard errors, and the acceleration that SciPy's tests print. The
// samples are independent, so variances add up; a standard error is off by more than 5 of its own
// errors once in 1.7 million.
TEST(Samples, OfMiceHaveThePublishedErrorAndAcceleration) {
  const Result result =
      bootstrap_samples({DataView(kTreatment), DataView(kControl)}, difference_of_means,
                        {.replicates = 200'000, .seed = 5, .influence = true});
  EXPECT_NEAR(result.estimate(), 30.634920634921, 1e-9);
  EXPECT_NEAR(result.standard_error(), std::hypot(23.3635234373, 13.3303494604),
              5 * result.standard_error_error());
  EXPECT_NEAR(result.companions().influences.at(0).acceleration(), 0.011008228344026734, 1e-12);
  EXPECT_EQ(result.companions().influences.at(0).estimate, result.estimate());
  EXPECT_EQ(interval::bca(result).status, interval::Status::good);
  EXPECT_EQ(interval::abc(result).status, interval::Status::fell_back);
}

// The same bits as strata of one table, for any number of threads.
TEST(Samples, AreStrata) {
  std::vector<double> stacked = kTreatment;
  stacked.insert(stacked.end(), kControl.begin(), kControl.end());
  std::vector<std::uint32_t> strata(7, 0);
  strata.resize(16, 1);
  const auto apart = statistic::callable([](const Resample& drawn) {
    return mean_of(drawn.column(0).first(7)) - mean_of(drawn.column(0).last(9));
  });
  const Result table = bootstrap(
      stacked, apart, {.replicates = 500, .seed = 3, .scheme = scheme::Stratified{strata}});
  for (const unsigned threads : {1U, 2U, 7U}) {
    Options options{.replicates = 500, .seed = 3};
    options.execution.threads = threads;
    const Result samples = bootstrap_samples({DataView(kTreatment), DataView(kControl)},
                                             difference_of_means, options, "difference");
    EXPECT_TRUE(std::equal(table.replicates().begin(), table.replicates().end(),
                           samples.replicates().begin()));
    EXPECT_EQ(samples.plan().outputs, std::vector<std::string>{"difference"});
  }
}

// Delete-one by hand: the value without each row of each sample.
TEST(Samples, InfluenceIsThatOfEveryRowInItsSample) {
  const auto ratio = [](std::span<const Resample> drawn) {
    return mean_of(drawn[0].column(0)) / mean_of(drawn[1].column(0));
  };
  const Result result = bootstrap_samples({DataView(kTreatment), DataView(kControl)}, ratio,
                                          {.replicates = 10, .influence = true});
  double second = 0;
  double third = 0;
  for (const bool first : {true, false}) {
    const std::vector<double>& own = first ? kTreatment : kControl;
    std::vector<double> values;
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::vector<double> rest = own;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      values.push_back(first ? mean_of(rest) / mean_of(kControl)
                             : mean_of(kTreatment) / mean_of(rest));
    }
    const auto n = static_cast<double>(own.size());
    for (const double value : values) {
      const double u = (n - 1) * (mean_of(values) - value) / n;
      second += u * u;
      third += u * u * u;
    }
  }
  EXPECT_NEAR(result.companions().influences.at(0).acceleration(),
              third / (6 * std::pow(second, 1.5)), 1e-12);
}

TEST(Samples, MisuseIsExplained) {
  const auto message = [](std::vector<DataView> samples, const Options& options) {
    try {
      static_cast<void>(bootstrap_samples(samples, difference_of_means, options));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const std::vector<ColumnView> two = {kControl, kControl};
  const DataView one(kControl);
  EXPECT_THAT(message({}, {}), HasSubstr("no samples"));
  EXPECT_THAT(message({one, DataView(two)}, {}), HasSubstr("sample 2 has 2 columns"));
  EXPECT_THAT(message({one, one}, {.scheme = scheme::Poisson{}}), HasSubstr("scheme is 'poisson'"));
  EXPECT_THAT(message({one, one}, {.scheme = scheme::Iid{5}}), HasSubstr("'iid' with a size"));
  EXPECT_THAT(message({one, one}, {.standard_errors = true}), HasSubstr("standard_errors"));
}

// Paired samples are columns: their difference is the mean of the rows' differences, and so is its
// standard error, by the same draws.
TEST(Samples, PairedSamplesAreColumns) {
  const std::vector<double> before = reference::normals(100, 1);
  std::vector<double> after = reference::normals(100, 2);
  std::vector<double> change;
  for (std::size_t i = 0; i < before.size(); ++i) {
    after[i] = 3 * before[i] + after[i] / 10;
    change.push_back(after[i] - before[i]);
  }
  const std::vector<ColumnView> columns = {after, before};
  const Options options{
      .replicates = 300, .seed = 4, .path = Path::gather, .standard_errors = true};
  const Result paired = bootstrap(DataView(columns), statistic::difference(), options);
  const Result plain = bootstrap(change, statistic::mean(), options);
  EXPECT_NEAR(paired.estimate(), plain.estimate(), 1e-12);
  EXPECT_NEAR(paired.companions().estimate_errors.at(0), plain.companions().estimate_errors.at(0),
              1e-12);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_NEAR(paired.replicate(i), plain.replicate(i), 1e-6);  // the tolerance of sums is 1e-5
    EXPECT_NEAR(paired.companions().replicate_errors[i], plain.companions().replicate_errors[i],
                1e-6);
  }
  EXPECT_EQ(statistic::parse("difference").name(), "difference");
}

}  // namespace samples_test
}  // namespace bootfold
