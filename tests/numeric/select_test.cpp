// Order statistics without sorting are those of sorting.
#include "numeric/select.h"

#include <gtest/gtest.h>

#include <cstring>

#include "numeric/quantile.h"
#include "statistic/reference.h"

namespace bootfold {
namespace select_test {

/// Compares all ranges of ranks of a list, in pieces of 1, 3 and all values.
void expect_sorted(const std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (!std::isnan(value)) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  std::size_t piece = 1;
  for (const auto& [first, last] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1},
                                                        {n, n},
                                                        {1, n},
                                                        {(n + 1) / 2, (n + 1) / 2},
                                                        {n / 3 + 1, 2 * n / 3 + 1},
                                                        {2, std::min<std::size_t>(n, 5)}}) {
    if (first > last || last > n) continue;
    piece = piece == 1 ? 3 : piece == 3 ? values.size() : 1;
    const auto found = numeric::order_statistics(
        [&](const std::function<void(std::span<const double>)>& see) {
          for (std::size_t i = 0; i < values.size(); i += piece)
            see(std::span(values).subspan(i, std::min(piece, values.size() - i)));
        },
        first, last);
    ASSERT_EQ(found.size(), last - first + 1);
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], sorted[first - 1 + i]) << "number " << first + i << " of " << n;
  }
}

/// The same beside so many NaN, which are not seen, that the values are not copied.
void expect_sorted_without_copy(std::vector<double> values) {
  values.resize(values.size() + (std::size_t{1} << 17), reference::kNan);
  expect_sorted(values);
}

TEST(Select, RandomValues) {
  for (const std::size_t n : {1, 2, 3, 10, 1000, 20'000}) {
    expect_sorted(reference::normals(n, n));
    expect_sorted_without_copy(reference::normals(n, n));
  }
}

TEST(Select, Ties) {
  for (const std::size_t n : {2, 10, 1000}) {
    expect_sorted(std::vector<double>(n, -2.5));
    std::vector<double> few(n);
    for (std::size_t i = 0; i < n; ++i) few[i] = static_cast<double>(i * i % 3) - 1;
    expect_sorted(few);
    few[n / 2] = 1e300;
    expect_sorted(few);
    expect_sorted_without_copy(few);
  }
}

TEST(Select, SignsZerosDenormalsAndInfinities) {
  const double least = std::numeric_limits<double>::denorm_min();
  const double most = std::numeric_limits<double>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values : std::vector<std::vector<double>>{
           {0.0, -0.0, 1, -1, -0.0, 0.0},
           {least, -least, 0.0, -0.0, 2 * least, -2 * least, 3 * least},
           {most, -most, infinity, -infinity, 0, 1e-300, -1e-300, 1}}) {
    expect_sorted(values);
    expect_sorted_without_copy(values);
  }
  std::vector<double> negative = reference::uniforms(500, 1);
  for (double& value : negative) value = -std::exp(500 * value);
  expect_sorted(negative);
  expect_sorted_without_copy(negative);
}

// Of more than 131,072 values a sample tells where to look. Where it misleads (values that depend
// on whether their number is even, many ties, NaN) the answer is the same.
TEST(Select, ManyValues) {
  constexpr std::size_t kMany = 300'000;
  const std::vector<double> normal = reference::normals(kMany, 3);
  expect_sorted(normal);
  std::vector<double> sorted = normal;
  std::sort(sorted.begin(), sorted.end());
  expect_sorted(sorted);
  std::vector<double> misleading = normal;
  std::vector<double> ratings = normal;
  std::vector<double> missing = normal;
  for (std::size_t i = 0; i < kMany; ++i) {
    if (i % 2 == 1) misleading[i] += 1000;
    ratings[i] = std::round(normal[i]);
    if (i % 1001 == 5) missing[i] = reference::kNan;
  }
  expect_sorted(misleading);
  expect_sorted(ratings);
  expect_sorted(missing);
}

TEST(Select, NanAreNotSeen) {
  std::vector<double> values = reference::normals(300, 2);
  for (std::size_t i = 0; i < 300; i += 7) values[i] = reference::kNan;
  values[1] = -reference::kNan;
  expect_sorted(values);
}

// Values that agree in all but the last bits: every pass has to narrow.
TEST(Select, NeighbouringDoubles) {
  std::vector<double> values;
  double value = 1;
  for (int i = 0; i < 70'000; ++i) values.push_back(value = std::nextafter(value, 2));
  std::reverse(values.begin() + 100, values.end() - 17);
  expect_sorted(values);
  expect_sorted_without_copy(values);
}

// Against a sorted list with running sums. Weights are whole, so that sums are exact.
TEST(Select, WeightedWindows) {
  std::vector<double> values;
  std::vector<double> weights;
  for (std::size_t i = 0; i < 5000; ++i) {
    values.push_back(static_cast<double>(i * 7919 % 1009) * (i % 3 == 0 ? -1e-3 : 1e3));
    weights.push_back(static_cast<double>(i * 31 % 5));
  }
  std::vector<std::pair<double, double>> sorted;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) sorted.emplace_back(values[i], weights[i]);
    total += weights[i];
  }
  std::sort(sorted.begin(), sorted.end());
  const auto reached_at = [&](double target) {
    double seen = 0;
    for (const auto& [value, weight] : sorted)
      if ((seen += weight) >= target) return value;
    return sorted.back().first;
  };
  const numeric::WeightedScan scan = numeric::weighted_scan(
      [&](const std::function<void(std::span<const double>)>& see) {
        for (std::size_t row = 0; row < values.size(); row += 64)
          see(std::span(values).subspan(row, std::min<std::size_t>(64, values.size() - row)));
      },
      weights);
  for (const double first : {0.0, 1.0, 0.3 * total, 0.5 * total, total})
    for (const double last : {first, std::min(total, first + 700)}) {
      const numeric::WeightedWindow window = numeric::weighted_window(scan, first, last);
      EXPECT_EQ(window.values.front(), reached_at(first));
      EXPECT_EQ(window.values.back(), reached_at(last));
      for (double target = first; target <= last; target += 13)
        if (target > 0) {
          EXPECT_EQ(window.value_at(target), reached_at(target));
        }
      EXPECT_EQ(window.value_at(window.reached.back() + 1), std::nullopt);
      if (window.below > 0) {
        EXPECT_EQ(window.value_at(window.below), std::nullopt);
      }
    }
}

TEST(Select, QuantileOfAListIsTypeSeven) {
  for (const std::size_t n : {1, 2, 5, 100})
    for (const double q : {0.0, 0.3, 0.5, 0.99, 1.0}) {
      std::vector<double> values = reference::normals(n, 3 * n);
      const double truth = reference::quantile(values, q);
      EXPECT_NEAR(numeric::select_quantile(values, q), truth, 1e-14);
    }
}

}  // namespace select_test
}  // namespace bootfold
