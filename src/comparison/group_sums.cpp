#include "comparison/group_sums.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "study/study.h"

namespace bootfold::comparison {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double difference_of(double group, double control, Difference kind) {
  const double plain = group - control;
  const double value = kind == Difference::absolute ? plain : plain / std::abs(control);
  return std::isfinite(value) ? value : kNaN;
}

void add_differences(std::span<double> values, std::size_t groups, Difference kind) {
  for (std::size_t g = 1; g < groups; ++g)
    values[groups + g - 1] = difference_of(values[g], values[0], kind);
}

std::vector<statistic::Scale> scales_of(const DataView& rows, const Statistic& statistic,
                                        const Execution& execution) {
  study::Study study(rows, {&statistic, 1});
  study.look_at_columns({}, execution);
  std::vector<statistic::Scale> scales;
  for (const study::ColumnSummary& column : study.problem().columns) scales.push_back(column.scale);
  return scales;
}

std::vector<double> GroupSums::fill(const statistic::Tile& tile) const {
  std::vector<double> filled(inner_.filled * tile.rows);
  if (filled.empty()) return filled;
  std::vector<double*> out;
  for (std::size_t f = 0; f < inner_.filled; ++f) out.push_back(filled.data() + f * tile.rows);
  inner_.fill(tile, out);
  return filled;
}

double GroupSums::product(std::size_t number, std::size_t group, const statistic::Tile& tile,
                          std::size_t row) const {
  double value = 1;
  for (const std::uint32_t c : inner_.products[number]) {
    const statistic::Scale& scale = scales_[group][c];
    value *= std::ldexp(tile.columns[c][row] - scale.centre, -scale.exponent);
  }
  return value;
}

void GroupSums::finish(std::span<const double> means, double rows, std::span<const double> errors,
                       bool relative, std::span<double> values) const {
  std::vector<double> own(width() - 1);
  for (std::size_t g = 0; g < groups(); ++g) {
    const std::span<const double> found = means.subspan(g * width(), width());
    const double share = found[0];
    values[g] = kNaN;
    if (!(share > 0)) continue;
    for (std::size_t f = 0; f < own.size(); ++f) own[f] = found[1 + f] / share;
    // A lift needs the values themselves.
    inner_.finish({own, share * rows, scales_[g], errors[g] / share,
                   relative && kind_ == Difference::absolute},
                  values.subspan(g, 1));
  }
  add_differences(values, groups(), kind_);
}

}  // namespace bootfold::comparison
