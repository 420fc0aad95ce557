// Means by halves and several quantiles by their joint law, against all resamples.
#include <chrono>
#include <cmath>
#include <string_view>

#include "bootfold/bootstrap.h"
#include "exact/laws.h"

namespace bootfold::exact {
namespace few_rows_test {

/// Both laws give the same probabilities, below and up to every so manieth atom of the first.
void expect_equal(const Distribution& all, const Distribution& other, std::size_t step) {
  ASSERT_EQ(all.method(), Method::enumeration);
  ASSERT_FALSE(all.atoms().empty());
  EXPECT_NEAR(all.estimate(), other.estimate(), 1e-13 * std::abs(all.estimate()));
  EXPECT_NEAR(all.standard_error(), other.standard_error(), 1e-12 * all.standard_error());
  EXPECT_NEAR(all.mean(), other.mean(), 1e-12 * all.standard_error());
  for (std::size_t i = 0; i < all.atoms().size(); i += step) {
    const double x = all.atoms()[i].value;
    EXPECT_NEAR(all.cdf(x), other.cdf(x), 1e-12) << x;
    EXPECT_NEAR(all.below(x), other.below(x), 1e-12) << x;
  }
  for (const double p : {0.001, 0.025, 0.05, 0.3, 0.5, 0.77, 0.95, 0.975, 0.9999})
    EXPECT_NEAR(all.quantile(p), other.quantile(p), 1e-9 * all.standard_error()) << p;
}

// With fewer resamples allowed than there are (1,352,078 of 12 rows) the halves have to do.
TEST(Halves, GiveTheLawOfAllResamples) {
  for (const std::size_t n : {7U, 11U, 12U}) {
    const std::vector<double> data = normals(n, n);
    for (const Statistic& statistic : {statistic::mean(), statistic::sum()}) {
      SCOPED_TRACE(testing::Message() << statistic.name() << " of " << n);
      const std::uint64_t few = n == 7 ? 1000 : 50'000;
      const Distribution halves = distribution(data, statistic, {.resamples = few});
      EXPECT_EQ(halves.method(), Method::enumeration);
      EXPECT_TRUE(halves.atoms().empty());
      EXPECT_LE(halves.error_bound(), 1e-12);
      expect_equal(distribution(data, statistic), halves, n == 7 ? 1 : 4999);
    }
  }
}

TEST(Halves, HandleTies) {
  std::vector<double> data = normals(12, 3);
  data[3] = data[7] = data[1];
  data[5] = data[6];
  const Distribution halves = distribution(data, statistic::mean(), {.resamples = 10'000});
  EXPECT_TRUE(halves.atoms().empty());
  expect_equal(distribution(data, statistic::mean()), halves, 499);
}

// Outside truth: the sixteen numbers, each moved by about 1e-11 so that they have no common step.
TEST(Halves, MeetTheExactValuesOfSixteenNumbers) {
  std::vector<double> data = kSixteen;
  const std::vector<double> moves = normals(16, 1);
  for (std::size_t i = 0; i < 16; ++i) data[i] += 1e-11 * moves[i];
  const Distribution law = distribution(data, statistic::mean());
  EXPECT_EQ(law.method(), Method::enumeration);
  EXPECT_NEAR(law.standard_error(), 14.2367687168, 1e-10);
  EXPECT_NEAR(law.quantile(0.025), 28.8625, 1e-9);
  EXPECT_NEAR(law.quantile(0.975), 84.2375, 1e-9);
  const Distribution lattice = distribution(kSixteen, statistic::mean());
  for (const double p : {0.01, 0.2, 0.5, 0.9})
    EXPECT_NEAR(law.quantile(p), lattice.quantile(p), 1e-9);
}

TEST(Halves, ServeUpToEighteenRows) {
  EXPECT_EQ(outline(normals(14, 1), statistic::mean()).method, Method::enumeration);
  EXPECT_EQ(outline(normals(18, 1), statistic::mean()).method, Method::enumeration);
  EXPECT_EQ(outline(normals(19, 1), statistic::mean()).method, Method::characteristic);
}

// More than 64 rows too, if few values are distinct: 200 rows of five values against the lattice
// that the same values, rounded, lie on.
TEST(Halves, ServeManyRowsOfFewValues) {
  const std::vector<double> kinds = normals(5, 2);
  std::vector<double> data;
  std::vector<double> rounded;
  for (std::size_t i = 0; i < 200; ++i) {
    data.push_back(kinds[i * i % 11 % 5]);
    rounded.push_back(std::round(1e3 * data.back()) / 1e3);
  }
  const Distribution law = distribution(data, statistic::mean());
  const Distribution lattice = distribution(rounded, statistic::mean());
  EXPECT_EQ(law.method(), Method::enumeration);
  EXPECT_EQ(lattice.method(), Method::lattice);
  for (const double p : {0.001, 0.025, 0.3, 0.5, 0.77, 0.975, 0.9999})
    EXPECT_NEAR(law.quantile(p), lattice.quantile(p), 1e-3) << p;
}

/// Hard data: normal, heavy-tailed, with an outlier, in clusters, nearly equal, decimals that are
/// too fine or too far apart for a lattice, few distinct values.
std::vector<std::pair<const char*, std::vector<double>>> hard_data(std::size_t n) {
  const std::vector<double> z = normals(n, n);
  std::vector<std::pair<const char*, std::vector<double>>> all = {{"normal", z},
                                                                  {"heavy tails", z},
                                                                  {"outlier", z},
                                                                  {"clusters", z},
                                                                  {"nearly 1", z},
                                                                  {"six decimals", z},
                                                                  {"cents and billions", z},
                                                                  {"eight values", z}};
  for (std::size_t i = 0; i < n; ++i) {
    all[1].second[i] = std::exp(3 * z[i]);
    all[3].second[i] = z[i % 4] + 1e-6 * z[i];
    all[4].second[i] = 1 + 1e-9 * z[i];
    all[5].second[i] = std::round(1e6 * z[i]) / 1e6;
    all[6].second[i] = std::round(1e2 * z[i]) / 1e2;
    all[7].second[i] = z[i % 8];
  }
  all[2].second[0] = 1e6 * std::sqrt(2);
  all[6].second[0] = 1234567890;
  return all;
}

// Up to 18 rows all have a law, whatever the values.
TEST(FewRows, AlwaysHaveALaw) {
  for (const std::size_t n : {10U, 14U, 15U})
    for (const auto& [kind, data] : hard_data(n)) {
      SCOPED_TRACE(testing::Message() << n << " rows, " << kind);
      const Distribution law = distribution(data, statistic::mean());
      EXPECT_LE(law.error_bound(), 1e-10);
      const double low = law.quantile(0.025);
      // Values that are nearly 1 are known to a millionth of their standard error.
      EXPECT_GE(law.cdf(low), 0.025 - 1e-6);
      EXPECT_LE(law.below(low), 0.025 + 1e-6);
    }
  for (const auto& [kind, data] : hard_data(18))
    EXPECT_NE(outline(data, statistic::mean()).method, Method::characteristic) << kind;
}

// From 19 rows on lumpy data are refused, before the work: outline() refuses as well, and the
// message tells the bound, the rule and what to do. Only laws whose bound is in fact too large.
TEST(FewRows, LumpyDataAreRefusedAtOnce) {
  for (const std::size_t n : {19U, 25U, 100U})
    for (const auto& [kind, data] : hard_data(n)) {
      if (std::string_view(kind) != "outlier" && std::string_view(kind) != "cents and billions")
        continue;
      SCOPED_TRACE(testing::Message() << n << " rows, " << kind);
      const auto start = std::chrono::steady_clock::now();
      const std::string refusal =
          message_of<InvalidArgument>([&] { static_cast<void>(outline(data, statistic::mean())); });
      EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
      for (const std::string& part :
           {std::to_string(n) + " rows", std::string("error bound"), std::string("at most 1e-06"),
            std::string("common step"), std::string("replicates=1000000")})
        EXPECT_NE(refusal.find(part), std::string::npos) << part << "\n" << refusal;
    }
}

TEST(SlowFewRows, ForecastsDoNotRefuseWhatHasABound) {
  for (const std::size_t n : {19U, 25U, 30U})
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << n << " rows, seed " << seed);
      std::vector<double> data = normals(n, 100 * n + seed);
      for (double& x : data) x = std::exp(2.5 * x);
      const Distribution law =
          distribution(data, statistic::mean(), {.method = Method::characteristic, .tolerance = 1});
      if (law.error_bound() > 1e-6) continue;
      EXPECT_EQ(outline(data, statistic::mean()).method, Method::characteristic);
    }
}

// With and without positions between two rows, and with ties.
TEST(Ranks, GiveTheLawOfAllResamples) {
  for (const std::size_t n : {3U, 5U, 8U, 9U, 11U}) {
    std::vector<double> data = normals(n, n);
    for (const bool ties : {false, true}) {
      SCOPED_TRACE(testing::Message() << n << " rows" << (ties ? ", ties" : ""));
      if (ties) data[n / 2] = data[0];
      const auto statistic = statistic::interquartile_range();
      const Distribution ranks = distribution(data, statistic, {.method = Method::order});
      EXPECT_EQ(ranks.method(), Method::order);
      expect_equal(distribution(data, statistic), ranks, n > 9 ? 7 : 1);
    }
  }
}

// 60 rows, 100,000 replicates: a standard error is off by more than 5 of its own errors once in 1.7
// million; the share below a point once in 1.7 million by more than 5 binomial ones.
TEST(Ranks, OfManyRowsAreWhereReplicatesAre) {
  const std::vector<double> data = normals(60, 8);
  const auto statistic = statistic::interquartile_range();
  const Distribution law = distribution(data, statistic);
  EXPECT_EQ(law.method(), Method::order);
  EXPECT_LE(law.error_bound(), 1e-11);
  double sum = 0;
  for (const Atom& atom : law.atoms()) sum += atom.probability;
  EXPECT_NEAR(sum, 1, 1e-12);
  const Result result = bootstrap(data, statistic, {.replicates = 100'000, .seed = 2});
  EXPECT_NEAR(result.estimate(), law.estimate(), 1e-14);
  EXPECT_NEAR(result.standard_error(), law.standard_error(), 5 * result.standard_error_error());
  const double point = law.quantile(0.9);
  double below = 0;
  for (const double value : result.replicates()) below += value <= point ? 1 : 0;
  const double share = law.cdf(point);
  EXPECT_NEAR(below / 1e5, share, 5 * std::sqrt(share * (1 - share) / 1e5));
}

}  // namespace few_rows_test
}  // namespace bootfold::exact
