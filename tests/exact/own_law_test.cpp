// A statistic of a user's own has its own law, whatever its name is.
#include <gtest/gtest.h>

#include "bootfold/exact.h"
#include "exact/laws.h"

namespace bootfold::exact {
namespace own_law_test {

const std::vector<double> kFive = {-2, 0, 1, 3, 7};

/// Ten times the mean of the squares, under any name.
Statistic squares(const std::string& name) {
  return statistic::sums(
      1,
      [](std::span<const double> row, std::span<double> features) {
        features[0] = row[0] * row[0];
      },
      [](const statistic::Folded& folded) { return 10 * folded.mean(0); }, name);
}

double squares_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return 10 * sum / static_cast<double>(values.size());
}

/// The square of the mean, as a function of the same products as the mean.
Statistic square_of_mean(const std::string& name) {
  return Statistic(name, 1, 1, [name](std::size_t) {
    statistic::Sums sums;
    sums.products = {{0}};
    sums.finish = [](const statistic::Folded& folded, std::span<double> values) {
      values[0] = folded.column_mean(0, 0) * folded.column_mean(0, 0);
    };
    return statistic::Bound{{name}, std::move(sums)};
  });
}

TEST(OwnLaw, OfSumsNamedLikeABuiltInStatistic) {
  const auto expected = brute_force(kFive, squares_of);
  for (const char* name : {"mine", "proportion", "mean", "sum"}) {
    SCOPED_TRACE(name);
    const Distribution law = distribution(kFive, squares(name));
    EXPECT_EQ(law.method(), Method::enumeration);
    expect_law(law, expected);
  }
}

TEST(OwnLaw, OfProductsNamedLikeABuiltInStatistic) {
  const auto expected =
      brute_force(kFive, [](const std::vector<double>& x) { return mean_of(x) * mean_of(x); });
  for (const char* name : {"mine", "mean", "sum", "proportion"}) {
    SCOPED_TRACE(name);
    const Distribution law = distribution(kFive, square_of_mean(name));
    EXPECT_EQ(law.method(), Method::enumeration);
    expect_law(law, expected);
  }
}

TEST(OwnLaw, OfManyRowsIsRefusedWhateverTheName) {
  for (const char* name : {"proportion", "mean", "sum"}) {
    EXPECT_NE(message_of<InvalidArgument>([&] {
                static_cast<void>(distribution(normals(100, 1), squares(name)));
              }).find("the exact law is not available"),
              std::string::npos)
        << name;
    EXPECT_NE(message_of<InvalidArgument>([&] {
                static_cast<void>(distribution(normals(100, 1), square_of_mean(name)));
              }).find("the exact law is not available"),
              std::string::npos)
        << name;
  }
}

TEST(OwnLaw, OfBuiltInStatisticsIsStillKnownForManyRows) {
  std::vector<double> data;
  for (int i = 0; i < 500; ++i) data.push_back(i % 3);
  EXPECT_EQ(outline(data, statistic::proportion(1)).method, Method::binomial);
  EXPECT_EQ(outline(data, statistic::mean()).method, Method::lattice);
  EXPECT_EQ(outline(data, statistic::sum()).method, Method::lattice);
  EXPECT_EQ(outline(data, statistic::parse("mean")).method, Method::lattice);
}

}  // namespace own_law_test
}  // namespace bootfold::exact
