// Statistics as expressions: they are what their definitions say on every resample, in the bits of
// the named statistic where there is one, and mistakes are marked in the text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/computed.h"
#include "bootfold/error.h"
#include "bootfold/influence.h"
#include "bootfold/resample.h"
#include "bootfold/statistic.h"
#include "reference.h"

namespace bootfold::expression_test {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Values = std::vector<double>;

constexpr std::size_t kRows = 47;

struct Rows {
  Values x;
  Values y;

  Rows() {
    for (std::size_t i = 0; i < kRows; ++i) {
      x.push_back(0.5 + static_cast<double>(i * i % 53));  // with ties
      y.push_back(static_cast<double>(i * 7 % 11) - 3 + 0.1 * x[i]);
    }
  }
  [[nodiscard]] DataView view() const { return {{ColumnView(x), ColumnView(y)}, {"x", "y y"}}; }
};

/// The rows of a resample, in the order of the data.
Rows drawn(const Rows& rows, const std::vector<std::uint32_t>& numbers) {
  Rows found;
  found.x.clear();
  found.y.clear();
  for (const std::uint32_t row : numbers) {
    found.x.push_back(rows.x[row]);
    found.y.push_back(rows.y[row]);
  }
  return found;
}

double mean(const Values& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double quantile(Values x, double q) {
  std::sort(x.begin(), x.end());
  const double place = q * static_cast<double>(x.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const double high = x[std::min(low + 1, x.size() - 1)];
  return x[low] + (place - static_cast<double>(low)) * (high - x[low]);
}
double variance(const Values& x) {
  double sum = 0;
  for (const double each : x) sum += (each - mean(x)) * (each - mean(x));
  return sum / static_cast<double>(x.size() - 1);
}
template <class Function>
Values map(const Values& x, Function function) {
  Values found;
  for (const double each : x) found.push_back(function(each));
  return found;
}
double mad(const Values& x) {
  const double median = quantile(x, 0.5);
  return quantile(map(x, [=](double each) { return std::abs(each - median); }), 0.5);
}
/// By its definition: the mean absolute difference of all pairs over twice the mean.
double gini(const Values& x) {
  double sum = 0;
  for (const double a : x)
    for (const double b : x) sum += std::abs(a - b);
  return sum / (2 * static_cast<double>(x.size() * x.size()) * mean(x));
}
double top_share(Values x, double q) {
  std::sort(x.rbegin(), x.rend());
  double left = q * static_cast<double>(x.size());
  double top = 0;
  for (std::size_t i = 0; i < x.size() && left > 0; ++i, left -= 1)
    top += std::min(1.0, left) * x[i];
  return top / std::accumulate(x.begin(), x.end(), 0.0);
}
Values ranks(const Values& x) {
  return map(x, [&](double each) {
    double rank = 0.5;
    for (const double other : x) rank += other < each ? 1 : other == each ? 0.5 : 0;
    return rank;
  });
}
double covariance(const Values& x, const Values& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mean(x)) * (y[i] - mean(y));
  return sum / static_cast<double>(x.size() - 1);
}
double correlation(const Values& x, const Values& y) {
  return covariance(x, y) / std::sqrt(variance(x) * variance(y));
}

/// With divisor n.
double central_moment(const Values& x, int order) {
  return mean(map(x, [&](double each) { return std::pow(each - mean(x), order); }));
}
double skewness(const Values& x) {
  return central_moment(x, 3) / std::pow(central_moment(x, 2), 1.5);
}
double kurtosis(const Values& x) {
  return central_moment(x, 4) / std::pow(central_moment(x, 2), 2) - 3;
}
double trimmed_mean(Values x, double cut) {
  std::sort(x.begin(), x.end());
  const auto each = static_cast<std::ptrdiff_t>(cut * static_cast<double>(x.size()));
  return mean(Values(x.begin() + each, x.end() - each));
}

struct Case {
  const char* text;
  double (*value)(const Rows& rows);
};

const auto kCases = std::to_array<Case>({
    {"mean(x)", [](const Rows& r) { return mean(r.x); }},
    {"sum(x) / sum(`y y`)", [](const Rows& r) { return mean(r.x) / mean(r.y); }},
    {"gm = exp(mean(log(x)))",
     [](const Rows& r) { return std::exp(mean(map(r.x, [](double v) { return std::log(v); }))); }},
    {"geometric_mean(x)",
     [](const Rows& r) { return std::exp(mean(map(r.x, [](double v) { return std::log(v); }))); }},
    {"mean(x > 20)",
     [](const Rows& r) { return mean(map(r.x, [](double v) -> double { return v > 20; })); }},
    {"count(x > 20) / count()",
     [](const Rows& r) { return mean(map(r.x, [](double v) -> double { return v > 20; })); }},
    {"sd(x) / mean(x)", [](const Rows& r) { return std::sqrt(variance(r.x)) / mean(r.x); }},
    {"variance(x, 0) + 2 * -mean(`y y`) ^ 2",
     [](const Rows& r) {
       return variance(r.x) * static_cast<double>(r.x.size() - 1) /
                  static_cast<double>(r.x.size()) -
              2 * mean(r.y) * mean(r.y);
     }},
    {"slope(`y y`, x)", [](const Rows& r) { return covariance(r.x, r.y) / variance(r.x); }},
    {"correlation(x, abs(`y y`))",
     [](const Rows& r) {
       return correlation(r.x, map(r.y, [](double v) { return std::abs(v); }));
     }},
    // Sums that share columns, and so features.
    {"correlation(x, `y y`) * mean(x)",
     [](const Rows& r) { return correlation(r.x, r.y) * mean(r.x); }},
    {"slope(x, `y y`) * sd(`y y`) / sd(x) - covariance(x, `y y`) / mean(x) + variance(x)",
     [](const Rows& r) {
       const double slope = covariance(r.x, r.y) / variance(r.y);
       return slope * std::sqrt(variance(r.y) / variance(r.x)) - covariance(r.x, r.y) / mean(r.x) +
              variance(r.x);
     }},
    {"quantile(x, 0.9) / median(x)",
     [](const Rows& r) { return quantile(r.x, 0.9) / quantile(r.x, 0.5); }},
    {"p90(x) - percentile(x, 10)",
     [](const Rows& r) { return quantile(r.x, 0.9) - quantile(r.x, 0.1); }},
    {"max(x) - min(x)", [](const Rows& r) { return quantile(r.x, 1) - quantile(r.x, 0); }},
    {"median(min(x, 10, `y y`))",
     [](const Rows& r) {
       Values least;
       for (std::size_t i = 0; i < r.x.size(); ++i)
         least.push_back(std::min({r.x[i], 10.0, r.y[i]}));
       return quantile(least, 0.5);
     }},
    // Of different kinds.
    {"median(x) - median(`y y`)",
     [](const Rows& r) { return quantile(r.x, 0.5) - quantile(r.y, 0.5); }},
    {"quantile(x, 0.9) / mean(x)", [](const Rows& r) { return quantile(r.x, 0.9) / mean(r.x); }},
    {"mad(x) / median(x)", [](const Rows& r) { return mad(r.x) / quantile(r.x, 0.5); }},
    {"skewness(x) - skewness(log(x))",
     [](const Rows& r) {
       return skewness(r.x) - skewness(map(r.x, [](double v) { return std::log(v); }));
     }},
    {"skewness(x) ^ 2 + kurtosis(`y y`) / 2",
     [](const Rows& r) { return skewness(r.x) * skewness(r.x) + kurtosis(r.y) / 2; }},
    {"kurtosis(x) / median(x)", [](const Rows& r) { return kurtosis(r.x) / quantile(r.x, 0.5); }},
    {"trimmed_mean(x, 0.1) - mean(x)",
     [](const Rows& r) { return trimmed_mean(r.x, 0.1) - mean(r.x); }},
    {"trimmed_mean(x, 0.25) / trimmed_mean(`y y`, 0.1) + skewness(x)",
     [](const Rows& r) {
       return trimmed_mean(r.x, 0.25) / trimmed_mean(r.y, 0.1) + skewness(r.x);
     }},
    {"gini(x)", [](const Rows& r) { return gini(r.x); }},
    {"top_share(x, 0.1)", [](const Rows& r) { return top_share(r.x, 0.1); }},
    {"spearman(x, `y y`)", [](const Rows& r) { return correlation(ranks(r.x), ranks(r.y)); }},
});

// Replicates of path gather are statistics of the rows that indices() lists.
TEST(Expression, IsItsDefinitionOnEveryResample) {
  const Rows rows;
  constexpr std::uint64_t kReplicates = 40;
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.text);
    const Statistic statistic = statistic::expression(each.text);
    const data::WithComputed table(rows.view(), statistic.columns());
    const Result result = bootstrap(table.view(), statistic,
                                    {.replicates = kReplicates, .seed = 3, .path = Path::gather});
    EXPECT_NEAR(result.estimate(), each.value(rows), 1e-12 * (1 + std::abs(result.estimate())));
    for (std::uint64_t r = 0; r < kReplicates; ++r) {
      const double wanted = each.value(drawn(rows, resample::indices(kRows, {3, r})));
      EXPECT_NEAR(result.replicate(r), wanted, 1e-6 * (1 + std::abs(wanted))) << r;
    }
  }
}

// The output tells elsewhere that rows have weights.
TEST(Expression, KeepsItsNameWithWeights) {
  const Rows rows;
  const std::vector<double> weights(rows.x.size(), 2);
  for (const auto& [text, name] :
       {std::pair("gm = exp(mean(log(x)))", "gm"),
        std::pair("quantile(x, 0.9) / mean(x)", "quantile(x, 0.9) / mean(x)"),
        std::pair("mean(x)", "mean(x)")}) {
    const Statistic statistic = statistic::expression(text);
    const data::WithComputed table(DataView({ColumnView(rows.x), ColumnView(weights)}, {"x", "w"}),
                                   statistic.columns());
    const DataView data({table.view().column(0), ColumnView(weights)},
                        {statistic.columns()[0], "w"});
    const Plan planned = plan(data, statistic::weighted(statistic));
    EXPECT_EQ(planned.outputs[0], name);
    EXPECT_EQ(planned.weights, "w");
    EXPECT_NE(planned.explain().find("weights     column w\n"), std::string::npos);
    EXPECT_EQ(plan(data, statistic::weighted(statistic::mean())).outputs[0], "weighted_mean");
  }
}

// An aggregate alone is the named statistic: path, bits, exact law and standard error.
TEST(Expression, OfOneAggregateHasTheBitsOfTheName) {
  const Rows rows;
  for (const char* name : {"mean", "median", "variance", "quantile:0.9", "trimmed_mean:0.1"}) {
    SCOPED_TRACE(name);
    std::string text(name);
    const std::size_t colon = text.find(':');
    text = colon == text.npos ? text + "(x)"
                              : text.substr(0, colon) + "(x, " + text.substr(colon + 1) + ")";
    const Statistic statistic = statistic::expression(text);
    const Result one = bootstrap(rows.view(), statistic, {.replicates = 200, .seed = 9});
    const Result other =
        bootstrap(ColumnView(rows.x), statistic::parse(name), {.replicates = 200, .seed = 9});
    EXPECT_EQ(one.plan().path, other.plan().path);
    EXPECT_TRUE(std::ranges::equal(one.replicates(), other.replicates()));
    EXPECT_EQ(statistic.exact_law(), statistic::parse(name).exact_law());
    EXPECT_EQ(statistic.standard_error() == nullptr,
              statistic::parse(name).standard_error() == nullptr);
  }
}

// Functions of sums stream and have closed forms for the influence of rows; quantiles of one
// column take beta draws.
TEST(Expression, RunsByThePathOfItsParts) {
  std::vector<double> x(100'000);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = 1 + std::fmod(static_cast<double>(i) * 0.618, 7);
  const DataView view({ColumnView(x)}, {"x"});
  EXPECT_EQ(plan(view, statistic::expression("sd(x) / mean(x)")).path, Path::stream);
  EXPECT_EQ(plan(view, statistic::expression("p90(x) / median(x)")).path, Path::order);
  const auto sums = influence(view, statistic::expression("sd(x) / mean(x)"));
  EXPECT_THAT(sums[0].method, HasSubstr("downdated sums"));
  const auto order = influence(view, statistic::expression("p90(x) / median(x)"));
  EXPECT_THAT(order[0].method, HasSubstr("order statistics"));
}

TEST(Expression, UndefinedReplicatesAreCounted) {
  const std::vector<double> x = {0, 0, 0, 1};
  const DataView view({ColumnView(x)}, {"x"});
  const Result result =
      bootstrap(view, statistic::expression("1 / sum(x)"), {.replicates = 4000, .seed = 1});
  // (3/4)^4 = 0.3164 of the resamples have no 1; 4,000 of them have 1,070 to 1,461 such ones but
  // once in 10 million.
  EXPECT_GT(result.undefined(), 1070U);
  EXPECT_LT(result.undefined(), 1461U);
}

TEST(Expression, TakesWeights) {
  const Rows rows;
  Values w;
  for (std::size_t i = 0; i < kRows; ++i) w.push_back(static_cast<double>(i % 4));
  const DataView view({ColumnView(rows.x), ColumnView(rows.y), ColumnView(w)}, {"x", "y", "w"});
  double wx = 0;
  double wy = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    wx += w[i] * rows.x[i];
    wy += w[i] * rows.y[i];
  }
  const Statistic ratio = statistic::weighted(statistic::expression("mean(x) / mean(y)"));
  EXPECT_NEAR(bootstrap(view, ratio, {.replicates = 10}).estimate(), wx / wy, 1e-12);
  const Statistic mixed = statistic::weighted(statistic::expression("median(x) / mean(y)"));
  const Statistic median = statistic::weighted(statistic::median());
  const DataView of_x({ColumnView(rows.x), ColumnView(w)}, {"x", "w"});
  EXPECT_NEAR(bootstrap(view, mixed, {.replicates = 10}).estimate(),
              bootstrap(of_x, median, {.replicates = 10}).estimate() /
                  (wy / std::accumulate(w.begin(), w.end(), 0.0)),
              1e-12);
}

// Features that terms share have a place in every list that is made for one statistic: path stream,
// influences, clusters, weights and exact laws.
TEST(Expression, OfSumsThatShareFeaturesHasRoomForThem) {
  const Statistic statistic =
      statistic::expression("correlation(x, y) * sd(x) / sd(y) * variance(x) / covariance(x, y)");
  Rows rows;
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < kRows; ++i) labels.push_back(i / 3);
  const DataView view({ColumnView(rows.x), ColumnView(rows.y)}, {"x", "y"});
  const double wanted = variance(rows.x) / variance(rows.y);
  for (const Scheme& scheme :
       std::vector<Scheme>{scheme::Iid{}, scheme::Cluster{labels}, scheme::Bayesian{}})
    for (const std::optional<Path> path :
         {std::optional<Path>(), std::optional<Path>(Path::stream)}) {
      const bool streams = std::holds_alternative<scheme::Iid>(scheme);
      Options options{.replicates = 50, .seed = 5, .scheme = scheme};
      options.path = streams ? path : std::nullopt;
      options.influence = streams;
      const Result result = bootstrap(view, statistic, options);
      EXPECT_NEAR(result.estimate(), wanted, 1e-9 * wanted);
      EXPECT_EQ(result.undefined(), 0U);
      if (streams) {
        EXPECT_GT(result.companions().influences[0].second, 0);
      }
    }
}

// The mean of equal rows has no error, however small it is.
TEST(Expression, DividesByTinyMeans) {
  const Values tiny(5, 1e-19);
  const Result result = bootstrap(DataView({ColumnView(tiny)}, {"x"}),
                                  statistic::expression("1 / mean(x)"), {.replicates = 20});
  EXPECT_DOUBLE_EQ(result.estimate(), 1e19);
  EXPECT_EQ(result.undefined(), 0U);
}

// Weights go to all terms, on every resample.
TEST(Expression, OfWeightedTermsIsThatOfTheTerms) {
  const Rows rows;
  Values w;
  for (std::size_t i = 0; i < kRows; ++i) w.push_back(static_cast<double>(i % 4));
  const DataView view({ColumnView(rows.x), ColumnView(rows.y), ColumnView(w)}, {"x", "y", "w"});
  std::vector<Statistic> all;
  for (const char* text : {"median(x)", "mean(y)", "median(x) / mean(y)"})
    all.push_back(statistic::weighted(statistic::expression(text)));
  const Result result = bootstrap(view, all, {.replicates = 60, .seed = 2, .joint = true});
  for (std::uint64_t r = 0; r < 60; ++r)
    EXPECT_NEAR(result.replicate(r, 2), result.replicate(r, 0) / result.replicate(r, 1),
                1e-9 * std::abs(result.replicate(r, 2)));
}

std::string complaint(const char* text) {
  return reference::message_of<InvalidArgument>(
      [&] { static_cast<void>(statistic::expression(text)); });
}

TEST(Expression, MarksMistakes) {
  EXPECT_THAT(complaint("meen(x)"), AllOf(HasSubstr("no function 'meen'; did you mean 'mean'?"),
                                          HasSubstr("\n  meen(x)\n  ^~~~")));
  EXPECT_THAT(complaint("mean(x) + y"), AllOf(HasSubstr("character 11, 'y'"), HasSubstr("mean(y)"),
                                              HasSubstr("\n            ^")));
  EXPECT_THAT(complaint("mean(median(x))"), HasSubstr("median() is inside of mean()"));
  EXPECT_THAT(complaint("quantile(x)"),
              HasSubstr("takes a column and a number, but has 1 argument"));
  EXPECT_THAT(complaint("quantile(x, y)"), HasSubstr("the last argument of quantile is a number"));
  EXPECT_THAT(complaint("quantile(x, 1.5)"), HasSubstr("1.5"));
  EXPECT_THAT(complaint("count(x)"), HasSubstr("count takes a condition"));
  EXPECT_THAT(complaint("count()"), HasSubstr("write count(CONDITION)"));
  EXPECT_THAT(complaint("mean(x = 3)"), HasSubstr("write == for equality"));
  EXPECT_THAT(complaint("mean(1)"), AllOf(HasSubstr("character 6, '1'"), HasSubstr("no column")));
  EXPECT_THAT(complaint("1 + (2)"), HasSubstr("no function over all rows"));
  EXPECT_THAT(complaint("regression(x, y)"), HasSubstr("stands alone"));
  EXPECT_THAT(complaint("mean('a')"), HasSubstr("text"));
}

TEST(Expression, NamesItsColumns) {
  EXPECT_THAT(statistic::expression("sum(a) / sum(b)").columns(), ElementsAre("a", "b"));
  EXPECT_THAT(statistic::expression("mean(log(a)) - mean( log( a ) ) + mean(a)").columns(),
              ElementsAre("log(a)", "a"));
  // A column is read by its name again, so the name keeps the meaning.
  EXPECT_THAT(statistic::expression("mean((-2) ^ a) + mean(-2 ^ a) + mean(`True` * (b - (c - 1)))")
                  .columns(),
              ElementsAre("(-2) ^ a", "-(2 ^ a)", "`True` * (b - (c - 1))"));
  const std::vector<std::string> texts = {"mean", "mean(log(pris))"};
  EXPECT_THAT(
      statistic::mark_column(texts, "pris", "there is no column 'pris'"),
      AllOf(HasSubstr("no column 'pris'"), HasSubstr("\n  mean(log(pris))\n           ^~~~")));
}

}  // namespace bootfold::expression_test
