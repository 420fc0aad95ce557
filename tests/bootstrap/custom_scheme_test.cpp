// A scheme of a user's own, in this file alone: rows come in pairs of neighbours, and a replicate
// draws one row of each pair and takes it twice. With k pairs there are 2^k equally likely
// resamples, so its law is known by enumeration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "bootfold/batches.h"
#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "bootfold/interval.h"
#include "bootfold/random.h"
#include "random/theory.h"
#include "resample/design.h"
#include "resample/sampling_by.h"

namespace bootfold {
namespace custom_scheme_test {

using testing::AllOf;
using testing::HasSubstr;

class PairDesign final : public resample::Design {
 public:
  [[nodiscard]] std::string_view name() const override { return "pairs"; }

  void check(std::uint64_t rows) const override {
    if (rows % 2 != 0) throw InvalidArgument("scheme 'pairs' needs an even number of rows");
  }

  [[nodiscard]] resample::Traits traits(std::uint64_t) const override { return {}; }

  [[nodiscard]] std::shared_ptr<const resample::Sampling> sampling(
      std::uint64_t rows, std::uint64_t seed, std::uint64_t, execution::Level) const override {
    return resample::sampling_by([=](std::uint64_t replicate, resample::RowList& out) {
      random::Stream stream({seed, replicate});
      out.clear();
      for (std::uint32_t first = 0; first < rows; first += 2)
        out.insert(out.end(), 2, first + static_cast<std::uint32_t>(stream() & 1));
      return std::span<const std::uint32_t>(out);
    });
  }

  /// A pair adds 2 U_a or 2 U_b, each with probability 1/2: U_a + U_b plus or minus U_a - U_b.
  [[nodiscard]] std::optional<resample::Cumulants> cumulants(
      std::span<const double> changes) const override {
    resample::Cumulants sums;
    for (std::size_t i = 0; i < changes.size(); i += 2)
      sums.second.add(std::pow(changes[i] - changes[i + 1], 2));
    return sums;
  }
};

const Scheme kPairs = scheme::Custom{std::make_shared<const PairDesign>()};
const std::vector<double> kValues = {1, 2, 30, 10, 500, 900};

double mean_of(std::span<const double> x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// The value of a function on each of the eight resamples of kValues.
template <class Function>
std::vector<double> enumerated(const Function& function) {
  std::vector<double> values;
  for (unsigned choice = 0; choice < 8; ++choice) {
    std::vector<double> drawn;
    for (unsigned pair = 0; pair < 3; ++pair)
      drawn.insert(drawn.end(), 2, kValues[2 * pair + (choice >> pair & 1)]);
    values.push_back(function(drawn));
  }
  return values;
}

/// All values are among `law`, and each of those comes up equally often: a chi-square with a false
/// alarm once in a million seeds. The seed is fixed.
testing::AssertionResult uniform_on(const std::vector<double>& law,
                                    std::span<const double> values) {
  std::vector<std::uint64_t> observed(law.size());
  for (const double value : values) {
    const auto near = std::find_if(law.begin(), law.end(), [value](double each) {
      return std::abs(each - value) < 1e-9 * std::abs(each);
    });
    if (near == law.end()) return testing::AssertionFailure() << value << " cannot come up";
    ++observed[static_cast<std::size_t>(near - law.begin())];
  }
  return theory::follows_uniform(observed);
}

// Four families, four laws. Two tests a family share the alarm of theory::kAlarm each.
TEST(CustomScheme, FollowsItsEnumeratedLaw) {
  const Options options{.replicates = 80'000, .seed = 5, .scheme = kPairs};
  const auto median_of = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return (x[2] + x[3]) / 2;
  };
  const Result mean = bootstrap(kValues, statistic::mean(), options);
  EXPECT_TRUE(uniform_on(enumerated(mean_of), mean.replicates()));
  EXPECT_EQ(mean.plan().path, Path::gather);
  EXPECT_EQ(mean.plan().scheme, "pairs");
  EXPECT_EQ(mean.estimate(), mean_of(kValues));

  // The middle pair decides the median of the resample: 30 or 10.
  const Result median = bootstrap(kValues, statistic::median(), options);
  EXPECT_TRUE(uniform_on({10, 30}, median.replicates()));
  EXPECT_EQ(enumerated(median_of), (std::vector<double>{30, 30, 10, 10, 30, 30, 10, 10}));

  const Result call = bootstrap(
      kValues, statistic::callable([](const statistic::Resample& r) { return r.column(0)[5]; }),
      options);
  EXPECT_TRUE(uniform_on({500, 900}, call.replicates()));
}

TEST(CustomScheme, HasTheSameBitsForAnyThreadsAndPieces) {
  Options options{.replicates = 1000, .seed = 5, .scheme = kPairs};
  const Result whole = bootstrap(kValues, statistic::mean(), options);
  options.execution.threads = 3;
  options.replicates = 400;
  Result pieces = bootstrap(kValues, statistic::mean(), options);
  options.first_replicate = 400;
  options.replicates = 600;
  pieces.append(bootstrap(kValues, statistic::mean(), options));
  EXPECT_THAT(pieces.replicates(), testing::ElementsAreArray(whole.replicates()));
}

TEST(CustomScheme, ServesBatches) {
  const Result result = bootstrap_batches(kValues, {"mean"},
                                          [](const Batch& batch, std::span<double> values) {
                                            for (std::size_t r = 0; r < values.size(); ++r)
                                              values[r] = mean_of(batch.resamples[r].column(0));
                                          },
                                          {.replicates = 100, .seed = 5, .scheme = kPairs});
  const Result engine =
      bootstrap(kValues, statistic::mean(), {.replicates = 100, .seed = 5, .scheme = kPairs});
  for (std::size_t r = 0; r < 100; ++r)
    EXPECT_NEAR(result.replicate(r), engine.replicate(r), 1e-9) << r;
}

// A mean is linear, so its cumulants are exact: the standard deviation of the enumerated law, and a
// symmetric law has no acceleration.
TEST(CustomScheme, GivesItsCumulantsToInfluence) {
  const std::vector<double> law = enumerated(mean_of);
  const double centre = mean_of(law);
  double variance = 0;
  for (const double value : law) variance += (value - centre) * (value - centre) / 8;
  const Influence found = influence(kValues, statistic::mean(), {.scheme = kPairs})[0];
  EXPECT_EQ(found.problem, "");
  EXPECT_NEAR(found.standard_error(), std::sqrt(variance), 1e-9);
  EXPECT_EQ(found.acceleration(), 0);
  EXPECT_THAT(found.method, HasSubstr("under scheme 'pairs'"));
}

/// The same scheme, of which nothing more is known than how it draws.
class DrawingOnly final : public resample::Design {
 public:
  [[nodiscard]] std::string_view name() const override { return "drawing only"; }
  [[nodiscard]] resample::Traits traits(std::uint64_t rows) const override {
    return PairDesign().traits(rows);
  }
  [[nodiscard]] std::shared_ptr<const resample::Sampling> sampling(
      std::uint64_t rows, std::uint64_t seed, std::uint64_t replicates,
      execution::Level level) const override {
    return PairDesign().sampling(rows, seed, replicates, level);
  }
};

TEST(CustomScheme, WithoutCumulantsHasNoBcaIntervalAndSaysWhy) {
  const Options options{.scheme = scheme::Custom{std::make_shared<const DrawingOnly>()}};
  const Influence found = influence(kValues, statistic::mean(), options)[0];
  EXPECT_FALSE(found.usable());
  EXPECT_THAT(found.problem, AllOf(HasSubstr("not known"), HasSubstr("'drawing only'")));
}

TEST(CustomScheme, IsRefusedWhereItDoesNotFit) {
  const auto message = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<double> odd = {1, 2, 3};
  EXPECT_THAT(message([&] { (void)bootstrap(odd, statistic::mean(), {.scheme = kPairs}); }),
              HasSubstr("needs an even number of rows"));
  EXPECT_THAT(message([&] {
                (void)bootstrap(kValues, statistic::mean(),
                                {.scheme = kPairs, .path = Path::stream});
              }),
              HasSubstr("'pairs'"));
  EXPECT_THAT(message([&] {
                (void)bootstrap(kValues, statistic::mean(),
                                {.scheme = kPairs, .standard_errors = true});
              }),
              HasSubstr("'pairs'"));
  EXPECT_THAT(
      message([&] { (void)bootstrap(kValues, statistic::mean(), {.scheme = scheme::Custom{}}); }),
      HasSubstr("has no design"));
}

}  // namespace custom_scheme_test
}  // namespace bootfold
