#include "bootfold/covariate.h"

#include <cmath>

#include "bootfold/error.h"
#include "comparison/rows.h"
#include "numeric/compensated.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

std::vector<double> numbers_of(const ColumnView& column, const char* what) {
  std::vector<double> numbers(column.rows());
  column.read(0, numbers);
  for (std::size_t row = 0; row < numbers.size(); ++row)
    if (!std::isfinite(numbers[row]))
      throw InvalidArgument(text::concat("row ", row + 1, " (counted from 1) of the ", what,
                                         " is not a finite number; omit such rows"));
  return numbers;
}

/// Deviations from the means of the groups.
std::vector<double> within_groups(const std::vector<double>& numbers, const data::Labels& groups) {
  std::vector<numeric::Compensated> sums(groups.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) sums[groups.codes[row]].add(numbers[row]);
  const std::vector<std::uint64_t> counts = groups.counts();
  std::vector<double> deviations = numbers;
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    const std::uint32_t group = groups.codes[row];
    deviations[row] -= sums[group].value() / static_cast<double>(counts[group]);
  }
  return deviations;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  numeric::Compensated sum;
  for (std::size_t row = 0; row < a.size(); ++row) sum.add(a[row] * b[row]);
  return sum.value();
}

}  // namespace

Adjusted adjust(const ColumnView& values, const ColumnView& covariate, const data::Labels& groups) {
  if (covariate.rows() != values.rows())
    throw InvalidArgument(text::concat("the covariate has ", text::grouped(covariate.rows()),
                                       " rows but the values have ", text::grouped(values.rows()),
                                       "; every row needs both"));
  comparison::check_labels(groups, values.rows());
  const std::vector<double> x = numbers_of(covariate, "covariate");
  Adjusted found{.values = numbers_of(values, "values")};
  if (x == found.values)
    throw InvalidArgument(
        "the covariate has the numbers of the values, so nothing is left to compare; it must be "
        "another column, which was known before the experiment");
  const std::vector<double> x_within = within_groups(x, groups);
  const std::vector<double> y_within = within_groups(found.values, groups);
  const double xx = product(x_within, x_within);
  const double xy = product(x_within, y_within);
  const double yy = product(y_within, y_within);
  double largest = 0;
  for (const double each : x) largest = std::max(largest, std::abs(each));
  if (!(xx > static_cast<double>(x.size()) * std::pow(1e-12 * largest, 2)))
    throw InvalidArgument(
        "the covariate is constant within every group, so it explains nothing; omit it, or choose "
        "another column");
  found.theta = xy / xx;
  found.explained = yy > 0 ? xy * xy / (xx * yy) : 0;
  numeric::Compensated sum;
  for (const double each : x) sum.add(each);
  const double mean = sum.value() / static_cast<double>(x.size());
  for (std::size_t row = 0; row < x.size(); ++row)
    found.values[row] -= found.theta * (x[row] - mean);
  return found;
}

}  // namespace bootfold
