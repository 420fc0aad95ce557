// mad, gini, top_share and spearman: by counts in the order of the values, against their
// definitions on the rows written out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "bootfold/bootstrap.h"
#include "bootfold/resample.h"
#include "statistic/laws.h"
#include "text/concat.h"

namespace bootfold {
namespace ordered_test {

using testing::ElementsAreArray;
using testing::HasSubstr;
using Values = std::vector<double>;
using Real = long double;

/// The middle of a list, or the mean of the two in the middle.
double median(Values x) {
  std::sort(x.begin(), x.end());
  const std::size_t n = x.size();
  return n % 2 == 1 ? x[n / 2] : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2;
}

double mad(const Values& x) {
  const double middle = median(x);
  Values deviations;
  for (const double each : x) deviations.push_back(std::abs(each - middle));
  return median(deviations);
}

bool has_sum(const Values& x) {
  return *std::min_element(x.begin(), x.end()) >= 0 && *std::max_element(x.begin(), x.end()) > 0;
}

/// By all pairs of rows.
double gini(const Values& x) {
  if (!has_sum(x)) return std::nan("");
  Real differences = 0;
  Real sum = 0;
  for (const double a : x) {
    sum += a;
    for (const double b : x) differences += std::abs(Real{a} - Real{b});
  }
  return static_cast<double>(differences / (2 * static_cast<Real>(x.size()) * sum));
}

double top_share(Values x, double q) {
  if (!has_sum(x)) return std::nan("");
  std::sort(x.begin(), x.end(), std::greater<>());
  const double rows = q * static_cast<double>(x.size());
  Real top = 0;
  Real sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real part = std::clamp(Real{rows} - static_cast<Real>(i), Real{0}, Real{1});
    top += part * x[i];
    sum += x[i];
  }
  return static_cast<double>(top / sum);
}

/// By comparing every row with every other.
Values ranks(const Values& x) {
  Values found;
  for (const double each : x) {
    double rank = 0.5;
    for (const double other : x) rank += other < each ? 1 : other == each ? 0.5 : 0;
    found.push_back(rank);
  }
  return found;
}

double spearman(const Values& x, const Values& y) {
  const Values a = ranks(x);
  const Values b = ranks(y);
  const Real mean = (static_cast<Real>(x.size()) + 1) / 2;
  Real aa = 0;
  Real bb = 0;
  Real ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
    ab += (a[i] - mean) * (b[i] - mean);
  }
  return aa > 0 && bb > 0 ? static_cast<double>(ab / std::sqrt(aa * bb)) : std::nan("");
}

double trimmed_mean(Values x, double share) {
  std::sort(x.begin(), x.end());
  const auto cut = static_cast<std::size_t>(share * static_cast<double>(x.size()));
  Real sum = 0;
  for (std::size_t i = cut; i < x.size() - cut; ++i) sum += x[i];
  return static_cast<double>(sum / static_cast<Real>(x.size() - 2 * cut));
}

void expect_same(double found, double wanted, const char* what) {
  if (std::isnan(wanted))
    EXPECT_TRUE(std::isnan(found)) << what << " is " << found;
  else
    EXPECT_NEAR(found, wanted, 1e-13 * (1 + std::abs(wanted))) << what;
}

/// Incomes without ties, scores with many, and numbers of both signs.
struct Rows {
  explicit Rows(std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      const double noise = std::sin(static_cast<double>(i * i) + 0.3);
      income.push_back(std::exp(3 * noise));
      score.push_back(std::round(3 + 3 * std::cos(static_cast<double>(7 * i)) * noise));
      change.push_back(100 * std::cos(static_cast<double>(i)) + noise);
    }
  }
  [[nodiscard]] DataView view() const { return DataView({income, score, change}, kNames); }

  inline static const std::vector<std::string> kNames = {"income", "score", "change"};
  Values income;
  Values score;
  Values change;
};

std::vector<Statistic> all_statistics() {
  const auto of = [](const Statistic& statistic, std::vector<std::string> names) {
    return statistic.with_columns(std::move(names));
  };
  return {of(statistic::mad(), {"income"}),
          of(statistic::mad(), {"score"}),
          of(statistic::mad(), {"change"}),
          of(statistic::gini(), {"income"}),
          of(statistic::gini(), {"score"}),
          of(statistic::gini(), {"change"}),
          of(statistic::top_share(0.013), {"income"}),
          of(statistic::top_share(0.5), {"score"}),
          of(statistic::top_share(1), {"score"}),
          of(statistic::spearman(), {"income", "score"}),
          of(statistic::spearman(), {"score", "change"}),
          of(statistic::spearman(), {"change", "change"}),
          of(statistic::interquartile_range(), {"change"}),
          of(statistic::trimmed_mean(0.1), {"income"}),
          of(statistic::trimmed_mean(0.25), {"score"}),
          of(statistic::trimmed_mean(0.4), {"change"})};
}

std::vector<double> wanted(const Values& income, const Values& score, const Values& change) {
  Values sorted = change;
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const double high = sorted[std::min(low + 1, sorted.size() - 1)];
    return sorted[low] + (place - static_cast<double>(low)) * (high - sorted[low]);
  };
  return {mad(income),
          mad(score),
          mad(change),
          gini(income),
          gini(score),
          gini(change),
          top_share(income, 0.013),
          top_share(score, 0.5),
          top_share(score, 1),
          spearman(income, score),
          spearman(score, change),
          spearman(change, change),
          quantile(0.75) - quantile(0.25),
          trimmed_mean(income, 0.1),
          trimmed_mean(score, 0.25),
          trimmed_mean(change, 0.4)};
}

struct Schemes {
  explicit Schemes(std::size_t rows) : labels(rows), weights(rows) {
    for (std::uint32_t i = 0; i < rows; ++i) {
      labels[i] = i / 4;
      weights[i] = 1 + i % 3;
    }
  }
  [[nodiscard]] std::vector<Scheme> all() const {
    return {scheme::Iid{},           scheme::Poisson{},           scheme::Cluster{labels},
            scheme::Balanced{},      scheme::StationaryBlocks{5}, scheme::Stratified{labels},
            scheme::Unequal{weights}};
  }

  std::vector<std::uint32_t> labels;
  Values weights;
};

// All columns and statistics in one call, which share the counts.
TEST(Ordered, AreTheStatisticsOfEveryResample) {
  for (const std::size_t rows : {40UL, 301UL}) {
    const Schemes schemes(rows);
    for (const Scheme& scheme : schemes.all()) {
      SCOPED_TRACE(text::concat(name(scheme), ", ", rows, " rows"));
      const Rows data(rows);
      constexpr std::size_t kReplicates = 21;  // two groups of 8 and a rest
      std::vector<std::uint8_t> counts(kReplicates * rows);
      resample::Counter(rows, {.seed = 7, .scheme = scheme, .replicates = kReplicates})
          .counts(0, counts);
      const Result result =
          bootstrap(data.view(), all_statistics(),
                    {.replicates = kReplicates, .seed = 7, .scheme = scheme, .joint = true});
      EXPECT_THAT(result.plan().explain(), HasSubstr("counts are walked over"));
      for (std::size_t r = 0; r < kReplicates; ++r) {
        const auto drawn = [&](const Values& column) {
          Values found;
          for (std::size_t i = 0; i < rows; ++i)
            found.insert(found.end(), counts[r * rows + i], column[i]);
          return found;
        };
        const Values truth = wanted(drawn(data.income), drawn(data.score), drawn(data.change));
        ASSERT_EQ(truth.size(), result.outputs());
        for (std::size_t k = 0; k < truth.size(); ++k)
          expect_same(result.replicate(r, k), truth[k], result.plan().outputs[k].c_str());
      }
    }
  }
}

/// Any function of the resample, which no engine knows more of.
Statistic drawn_out(const Statistic& statistic) {
  const statistic::Bound bound = statistic.bind(statistic.fewest_columns());
  return statistic::callable(
      [call = std::get<statistic::Call>(bound.body).call](const statistic::Resample& resample) {
        double value = 0;
        call(resample, {&value, 1});
        return value;
      },
      statistic.name(), statistic::RowOrder::any);
}

// Medians and sums of whole numbers have the bits of the definition.
TEST(Ordered, EqualTheDefinitionOnResamplesThatAreDrawnOut) {
  const Rows data(5000);
  const Options options{.replicates = 24, .seed = 11, .path = Path::stream};
  const auto compare = [&](const DataView& view, const Statistic& statistic, double allowed) {
    const Result walked = bootstrap(view, statistic, options);
    const Result drawn = bootstrap(view, drawn_out(statistic), options);
    EXPECT_THAT(drawn.plan().explain(), HasSubstr("rows repeated"));
    EXPECT_NEAR(walked.estimate(), drawn.estimate(), allowed * std::abs(drawn.estimate()));
    for (std::size_t r = 0; r < options.replicates; ++r)
      EXPECT_NEAR(walked.replicate(r), drawn.replicate(r), allowed * std::abs(drawn.replicate(r)))
          << statistic.name() << ", replicate " << r;
  };
  for (const Values& column : {data.income, data.score, data.change})
    compare(ColumnView(column), statistic::mad(), 0);
  compare(DataView({data.income, data.score}), statistic::spearman(), 0);
  compare(DataView({data.change, data.income}), statistic::spearman(), 0);
  for (const Values& column : {data.income, data.score}) {
    compare(ColumnView(column), statistic::gini(), 1e-14);
    compare(ColumnView(column), statistic::top_share(0.1), 1e-14);
  }
}

// Of up to 4,096 rows they are walked over, of more only the windows in which ranks may lie.
TEST(Ordered, TrimmedMeansAndMixturesOfFewRowsAreThoseOfTheResample) {
  for (const std::size_t rows : {3UL, 300UL, 4096UL, 4097UL}) {
    const Rows data(rows);
    const Options options{.replicates = 20, .seed = 3, .joint = true};
    const std::vector<Statistic> statistics = {
        statistic::trimmed_mean(0.1).with_columns({"change"}),
        statistic::median().with_columns({"income"}), statistic::mean().with_columns({"score"})};
    const Result result = bootstrap(data.view(), statistics, options);
    EXPECT_EQ(result.plan().explain().find("counts are walked over") != std::string::npos,
              rows <= 4096);
    std::vector<std::uint8_t> counts(20 * rows);
    resample::Counter(rows, {.seed = 3, .replicates = 20}).counts(0, counts);
    for (std::size_t r = 0; r < 20; ++r) {
      Values change;
      Values income;
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        change.insert(change.end(), counts[r * rows + i], data.change[i]);
        income.insert(income.end(), counts[r * rows + i], data.income[i]);
        sum += counts[r * rows + i] * data.score[i];
      }
      std::sort(income.begin(), income.end());
      const double median = (income[(rows - 1) / 2] + income[rows / 2]) / 2;
      expect_same(result.replicate(r, 0), trimmed_mean(change, 0.1), "trimmed mean");
      expect_same(result.replicate(r, 1), median, "median");
      expect_same(result.replicate(r, 2), sum / static_cast<double>(rows), "mean");
    }
  }
}

/// The law of a statistic over all resamples of a few rows; undefined values count as -9.
template <class Value>
std::map<long long, double> law_of(std::size_t rows, const Value& value) {
  std::map<long long, double> law;
  auto all = std::size_t{1};
  for (std::size_t i = 0; i < rows; ++i) all *= rows;
  std::vector<std::size_t> drawn(rows);
  for (std::size_t number = 0; number < all; ++number) {
    for (std::size_t i = 0, rest = number; i < rows; ++i, rest /= rows) drawn[i] = rest % rows;
    const double own = value(drawn);
    law[std::llround((std::isnan(own) ? -9 : own) * 1e9)] += 1 / static_cast<double>(all);
  }
  return law;
}

TEST(Ordered, HaveTheLawOfAllResamples) {
  const Values x = {0, 3, -1, 3, 8};
  const Values y = {2, 2, 5, 1, 4};
  const Values z = {0, 3, 0, 3, 8};
  const auto rows_of = [](const Values& column, const std::vector<std::size_t>& drawn) {
    Values found;
    for (const std::size_t row : drawn) found.push_back(column[row]);
    return found;
  };
  using Drawn = std::vector<std::size_t>;
  struct Case {
    Statistic statistic;
    std::function<double(const Drawn&)> value;
  };
  const std::vector<Case> cases = {
      {statistic::mad(), [&](const Drawn& d) { return mad(rows_of(x, d)); }},
      {statistic::gini(), [&](const Drawn& d) { return gini(rows_of(x, d)); }},
      {statistic::gini(), [&](const Drawn& d) { return gini(rows_of(z, d)); }},
      {statistic::top_share(0.3), [&](const Drawn& d) { return top_share(rows_of(z, d), 0.3); }},
      {statistic::spearman(),
       [&](const Drawn& d) { return spearman(rows_of(x, d), rows_of(y, d)); }}};
  for (std::size_t c = 0; c < cases.size(); ++c) {
    SCOPED_TRACE(text::concat(cases[c].statistic.name(), ", case ", c));
    const DataView view = c == 4 ? DataView({x, y}) : DataView({c < 2 ? x : z});
    const Result result = bootstrap(view, cases[c].statistic, {.replicates = 40'000, .seed = 5});
    ASSERT_EQ(result.plan().path, Path::stream);
    const std::map<long long, double> law = law_of(x.size(), cases[c].value);
    std::map<long long, double> found;
    for (const auto& [value, probability] : law) found[value] = 0;
    for (const double value : result.replicates()) {
      const auto cell = found.find(std::llround((std::isnan(value) ? -9 : value) * 1e9));
      ASSERT_NE(cell, found.end()) << value << " is the value of no resample";
      ++cell->second;
    }
    Values counts;
    Values probabilities;
    for (const auto& [value, probability] : law) {
      probabilities.push_back(probability);
      counts.push_back(found[value]);
    }
    EXPECT_TRUE(laws::chi_square(counts, probabilities));
  }
}

std::vector<std::uint64_t> bits(const Result& result) {
  std::vector<std::uint64_t> found;
  for (const double value : result.replicates())
    found.push_back(std::bit_cast<std::uint64_t>(value));
  return found;
}

// Several super-blocks, tails of every length, and ties within and across blocks of the kernels.
TEST(Ordered, AreTheSameForAnyThreadsLevelsAndRanges) {
  for (const std::size_t rows :
       {1UL, 2UL, 7UL, 8UL, 9UL, 15UL, 17UL, 511UL, 513UL, 5000UL, 262'200UL, 1'050'001UL}) {
    SCOPED_TRACE(text::concat(rows, " rows"));
    const Rows data(rows);
    std::vector<Statistic> statistics = all_statistics();
    // Sorting and reading several columns takes its time.
    if (rows > 200'000) statistics = {statistics[0], statistics[6]};
    if (rows > 200'000 && rows < 1'000'000) statistics.push_back(all_statistics()[9]);
    Options options{.replicates = 12, .seed = 9};
    options.execution = {.threads = 1, .level = execution::Level::portable};
    const auto expected = bits(bootstrap(data.view(), statistics, options));
    for (const auto level : execution::available_levels()) {
      options.execution = {.threads = 3, .level = level};
      EXPECT_THAT(bits(bootstrap(data.view(), statistics, options)), ElementsAreArray(expected))
          << execution::name(level);
    }
    options.first_replicate = 5;
    options.replicates = 3;
    const auto part = bits(bootstrap(data.view(), statistics, options));
    const std::size_t outputs = expected.size() / 12;
    EXPECT_TRUE(std::equal(part.begin(), part.end(),
                           expected.begin() + static_cast<std::ptrdiff_t>(5 * outputs)));
  }
}

TEST(Ordered, TakeNumbersOfAnySize) {
  Values large;
  Values far;
  for (std::size_t i = 0; i < 200; ++i) {
    const double noise = std::sin(static_cast<double>(i * i));
    large.push_back(1e308 * (1 + 0.7 * noise));
    far.push_back(1e9 + noise);
  }
  const Options options{.replicates = 16, .seed = 2};
  std::vector<std::uint8_t> counts(16 * 200);
  resample::Counter(200, {.seed = 2}).counts(0, counts);
  const auto drawn = [&](const Values& column, std::size_t r, double scale) {
    Values found;
    for (std::size_t i = 0; i < 200; ++i)
      found.insert(found.end(), counts[r * 200 + i], column[i] * scale);
    return found;
  };
  const Result shares = bootstrap(ColumnView(large), statistic::top_share(0.25), options);
  const Result indices = bootstrap(ColumnView(large), statistic::gini(), options);
  const Result near = bootstrap(ColumnView(far), statistic::gini(), options);
  for (std::size_t r = 0; r < 16; ++r) {
    EXPECT_NEAR(shares.replicate(r), top_share(drawn(large, r, 0x1p-100), 0.25), 1e-14);
    EXPECT_NEAR(indices.replicate(r), gini(drawn(large, r, 0x1p-100)), 1e-14);
    // A Gini coefficient of 1e-10: no digits are lost, because gaps do not cancel.
    const double tiny = gini(drawn(far, r, 1));
    EXPECT_NEAR(near.replicate(r), tiny, 1e-12 * tiny);
  }
}

TEST(Ordered, AreUndefinedWhereTheirDefinitionsAre) {
  const Options options{.replicates = 200, .seed = 1};
  const auto undefined = [&](const Values& x, const Statistic& statistic) {
    return bootstrap(ColumnView(x), statistic, options).undefined();
  };
  const Values zeros(20, 0.0);
  const Values negative(20, -1.0);
  for (const Statistic& statistic : {statistic::gini(), statistic::top_share(0.1)}) {
    EXPECT_EQ(undefined(zeros, statistic), 200U);
    EXPECT_EQ(undefined(negative, statistic), 200U);
  }
  EXPECT_EQ(undefined(zeros, statistic::mad()), 0U);
  const Values fours(20, 4.0);
  const Result equal = bootstrap(ColumnView(fours), statistic::gini(), options);
  EXPECT_THAT(equal.replicates(), testing::Each(0.0));
  const Result all = bootstrap(ColumnView(fours), statistic::top_share(1), options);
  EXPECT_THAT(all.replicates(), testing::Each(1.0));
  const Result flat = bootstrap(DataView({fours, zeros}), statistic::spearman(), options);
  EXPECT_EQ(flat.undefined(), 200U);
}

TEST(Ordered, SpearmanOfMonotoneRowsIsOne) {
  const Rows data(150);
  Values rising;
  Values falling;
  for (const double each : data.income) {
    rising.push_back(std::log(each));
    falling.push_back(-each);
  }
  const Options options{.replicates = 100, .seed = 6};
  const auto values = [&](const Values& other) {
    return bootstrap(DataView({data.income, other}), statistic::spearman(), options);
  };
  EXPECT_THAT(values(rising).replicates(), testing::Each(1.0));
  EXPECT_THAT(values(falling).replicates(), testing::Each(-1.0));
}

// The scheme that may draw no row, and rows so few that this happens.
TEST(Ordered, OfNoRowsAreUndefined) {
  const Values x = {1, 2};
  const Result result = bootstrap(
      ColumnView(x), std::vector{statistic::mad(), statistic::gini(), statistic::median()},
      {.replicates = 2000, .seed = 4, .scheme = scheme::Poisson{}});
  // exp(-2) = 0.135 of the resamples are empty: 193 to 348 of 2,000 but once in a million.
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GT(result.undefined(k), 193U);
    EXPECT_LT(result.undefined(k), 348U);
  }
}

TEST(Ordered, SaysWhichPathAndWhy) {
  const Rows data(2000);
  for (const Statistic& statistic :
       {statistic::mad(), statistic::gini(), statistic::top_share(0.1)}) {
    const Plan plan = bootfold::plan(ColumnView(data.income), statistic);
    EXPECT_EQ(plan.path, Path::stream);
    EXPECT_THAT(
        plan.explain(),
        HasSubstr("counts are walked over in the order of the values, which is found once"));
  }
  EXPECT_EQ(bootfold::plan(DataView({data.income, data.score}), statistic::spearman()).path,
            Path::stream);
  EXPECT_EQ(
      bootfold::plan(ColumnView(data.income), statistic::gini(), {.scheme = scheme::Balanced{}})
          .path,
      Path::gather);
}

}  // namespace ordered_test
}  // namespace bootfold
