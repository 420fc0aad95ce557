// mad, gini, top_share and spearman without each row, against evaluation without each row.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bootfold/bootstrap.h"
#include "bootfold/influence.h"
#include "bootfold/interval.h"
#include "statistic/reference.h"
#include "text/concat.h"

namespace bootfold {
namespace ordered_deletion_test {

using reference::Columns;
using testing::HasSubstr;

const std::vector<Statistic> kStatistics = {statistic::mad(),          statistic::gini(),
                                            statistic::top_share(0.1), statistic::top_share(0.37),
                                            statistic::top_share(0.5), statistic::top_share(0.999),
                                            statistic::spearman()};

/// By its definition, on rows that are written out.
double value_of(const Statistic& statistic, const Columns& columns) {
  std::vector<const double*> starts;
  for (const auto& column : columns) starts.push_back(column.data());
  double value = 0;
  std::get<statistic::Call>(statistic.bind(columns.size()).body)
      .call({starts, columns[0].size()}, {&value, 1});
  return value;
}

std::vector<double> values_without(const Statistic& statistic, const Columns& columns) {
  std::vector<double> values;
  for (std::size_t i = 0; i < columns[0].size(); ++i) {
    Columns fewer = columns;
    for (auto& column : fewer) column.erase(column.begin() + static_cast<std::ptrdiff_t>(i));
    values.push_back(value_of(statistic, fewer));
  }
  return values;
}

/// Skew rows: without ties, with many, and with zeros of which some are the only others.
Columns rows_of(const Statistic& statistic, std::size_t n, int kind) {
  Columns columns(statistic.fewest_columns());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (const double each : reference::normals(n, 10 * n + c)) {
      const double skew = std::exp(each + (c == 1 ? columns[0][columns[1].size()] / 4 : 0));
      columns[c].push_back(kind == 0 ? skew : kind == 1 ? std::round(skew) : std::floor(skew / 2));
    }
  return columns;
}

// Every value by itself: replicates of the jackknife.
TEST(OrderedDeletion, EqualsEvaluationWithoutEachRow) {
  for (const Statistic& statistic : kStatistics)
    for (const std::size_t n : {2U, 3U, 4U, 5U, 6U, 10U, 11U, 20U, 50U, 101U})
      for (const int kind : {0, 1, 2}) {
        SCOPED_TRACE(text::concat(statistic.name(), ", ", n, " rows of kind ", kind));
        const Columns columns = rows_of(statistic, n, kind);
        const std::vector<double> wanted = values_without(statistic, columns);
        const Result found =
            bootstrap(reference::view(columns), statistic, {.scheme = scheme::Jackknife{}});
        EXPECT_EQ(found.plan().path, Path::deletion);
        ASSERT_EQ(found.count(), n);
        const bool defined = std::isfinite(value_of(statistic, columns));
        for (std::size_t i = 0; i < n; ++i)
          if (defined && std::isfinite(wanted[i]))
            EXPECT_NEAR(found.replicate(i), wanted[i], 1e-14) << i;
          else
            EXPECT_TRUE(std::isnan(found.replicate(i))) << i;
      }
}

TEST(OrderedDeletion, HasTheMomentsOfDeletion) {
  for (const Statistic& statistic : kStatistics)
    for (const std::size_t n : {10U, 51U, 400U})
      for (const int kind : {0, 1}) {
        SCOPED_TRACE(text::concat(statistic.name(), ", ", n, " rows of kind ", kind));
        const Columns columns = rows_of(statistic, n, kind);
        const std::vector<double> values = values_without(statistic, columns);
        double mean = 0;
        double second = 0;
        double third = 0;
        for (const double value : values) mean += value / static_cast<double>(n);
        for (const double value : values) {
          const double u = static_cast<double>(n - 1) * (mean - value);
          second += u * u;
          third += u * u * u;
        }
        const Influence found = influence(reference::view(columns), statistic)[0];
        EXPECT_EQ(found.method, "sorted rows");
        EXPECT_EQ(found.rows, static_cast<double>(n));
        EXPECT_NEAR(found.estimate, value_of(statistic, columns), 1e-14);
        EXPECT_NEAR(found.mean, mean, 1e-13);
        // A value that is known to 1e-16 gives a difference that is known to 1e-16 n.
        EXPECT_NEAR(found.second, second, 1e-9 * second + 1e-18);
        EXPECT_NEAR(found.third, third, 1e-9 * std::pow(second, 1.5) + 1e-27);
      }
}

// Rows beyond those that are deleted one by one: by differences, in long double, of some of them.
TEST(OrderedDeletion, OfManyRowsIsThatOfSingleRows) {
  constexpr std::size_t kRows = 20'000;
  for (const Statistic& statistic : kStatistics) {
    SCOPED_TRACE(statistic.name());
    const Columns columns = rows_of(statistic, kRows, 0);
    const Result found =
        bootstrap(reference::view(columns), statistic, {.scheme = scheme::Jackknife{}});
    for (const std::size_t i : {0U, 17U, 9'999U, 19'999U}) {
      Columns fewer = columns;
      for (auto& column : fewer) column.erase(column.begin() + i);
      EXPECT_NEAR(found.replicate(i), value_of(statistic, fewer), 1e-14);
    }
    const Influence all = influence(reference::view(columns), statistic)[0];
    EXPECT_EQ(all.method, "sorted rows");
    EXPECT_TRUE(all.usable());
  }
}

// The digits of U do not go with n: for x = 1 .. n the Gini coefficient is (n^2 - 1) / (3 n (n +
// 1)) and U_i follows from sums of whole numbers.
TEST(OrderedDeletion, KeepsTheDigitsOfManyRows) {
  constexpr std::size_t kRows = 300'000;
  std::vector<double> x(kRows);
  for (std::size_t i = 0; i < kRows; ++i) x[i] = static_cast<double>((i * 7919) % kRows + 1);
  using Real = long double;
  const Real n = kRows;
  const Real sum = n * (n + 1) / 2;
  const Real pairs = (n - 1) * n * (n + 1) / 6;
  Real second = 0;
  Real mean = 0;
  const auto change = [&](Real value) {
    const Real differences = value * (value - 1) / 2 + (n - value) * (n - value + 1) / 2;
    return (n - 1) * (pairs / (n * sum) - (pairs - differences) / ((n - 1) * (sum - value)));
  };
  for (std::size_t i = 1; i <= kRows; ++i) mean += change(static_cast<Real>(i)) / n;
  for (std::size_t i = 1; i <= kRows; ++i) {
    const Real u = change(static_cast<Real>(i)) - mean;
    second += u * u;
  }
  const Influence found = influence(x, statistic::gini())[0];
  EXPECT_NEAR(found.estimate, static_cast<double>(pairs / (n * sum)), 1e-15);
  EXPECT_NEAR(found.second, static_cast<double>(second), 1e-11 * static_cast<double>(second));
}

TEST(OrderedDeletion, UnderStrataAndBlocksIsThatOfAFunctionOfTheResample) {
  std::vector<std::uint32_t> labels(120);
  for (std::uint32_t i = 0; i < 120; ++i) labels[i] = i % 5;
  for (const Statistic& statistic : kStatistics)
    for (const Scheme& scheme :
         std::vector<Scheme>{scheme::Stratified{labels}, scheme::StationaryBlocks{6},
                             scheme::MovingBlocks{5}, scheme::Cluster{labels}}) {
      SCOPED_TRACE(text::concat(statistic.name(), ", ", name(scheme)));
      const Columns columns = rows_of(statistic, 120, 0);
      const Statistic called = statistic::callable([&](const statistic::Resample& resample) {
        Columns rows;
        for (std::size_t c = 0; c < resample.columns.size(); ++c)
          rows.emplace_back(resample.column(c).begin(), resample.column(c).end());
        return value_of(statistic, rows);
      });
      const Options options{.scheme = scheme};
      const Influence closed = influence(reference::view(columns), statistic, options)[0];
      const Influence evaluated = influence(reference::view(columns), called, options)[0];
      EXPECT_NEAR(closed.second, evaluated.second, 1e-10 * evaluated.second);
      EXPECT_NEAR(closed.third, evaluated.third, 1e-10 * std::pow(evaluated.second, 1.5));
      const bool clusters = std::holds_alternative<scheme::Cluster>(scheme);
      EXPECT_THAT(closed.method, HasSubstr(clusters ? "delete-one" : "sorted rows"));
    }
}

TEST(OrderedDeletion, SaysWhatIsUndefined) {
  // Without the negative row there is a value, but not with it.
  const std::vector<double> negative = {1, 2, -1, 4};
  const Influence none = influence(negative, statistic::gini())[0];
  EXPECT_THAT(none.problem, HasSubstr("undefined on the original data"));
  const Result jackknife =
      bootstrap(ColumnView(negative), statistic::gini(), {.scheme = scheme::Jackknife{}});
  EXPECT_EQ(jackknife.undefined(), 3U);
  EXPECT_NEAR(jackknife.replicate(2), value_of(statistic::gini(), {{1, 2, 4}}), 1e-15);
  const std::vector<double> one = {0, 0, 5, 0};
  EXPECT_THAT(influence(one, statistic::gini())[0].problem, HasSubstr("without 1 of the 4 rows"));
  const std::vector<double> equal(30, 2.5);
  for (const Statistic& statistic :
       {statistic::mad(), statistic::gini(), statistic::top_share(0.1), statistic::top_share(1)})
    EXPECT_THAT(influence(equal, statistic)[0].problem, HasSubstr("no row changes the value"))
        << statistic.name();
  const std::vector<double> skew = rows_of(statistic::gini(), 50, 0)[0];
  EXPECT_THAT(influence(skew, statistic::top_share(1))[0].problem,
              HasSubstr("no row changes the value"));
  EXPECT_THAT(influence(std::vector<double>{3}, statistic::mad())[0].problem,
              HasSubstr("only one row"));
}

// BCa of 50,000 rows needs no evaluation without groups.
TEST(OrderedDeletion, BcaSaysHow) {
  const Columns columns = rows_of(statistic::gini(), 50'000, 0);
  const Result result = bootstrap(ColumnView(columns[0]), statistic::gini(),
                                  {.replicates = 2000, .seed = 3, .influence = true});
  EXPECT_EQ(result.companions().influences[0].method, "sorted rows");
  const Interval bca = interval::bca(result);
  EXPECT_LT(bca.low, result.estimate());
  EXPECT_GT(bca.high, result.estimate());
}

}  // namespace ordered_deletion_test
}  // namespace bootfold
