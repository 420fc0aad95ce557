#include "planning/cost.h"

#include <algorithm>
#include <cmath>

#include "resample/poisson.h"
#include "resample/rows.h"

namespace bootfold::planning {

double stream_cost(const Size& size) noexcept {
  const double top_up = resample::kMargin * std::sqrt(size.draws);
  const double row = 0.135 + 0.008 * size.planes;
  const double drawn = size.rows <= 65536 ? 2 + 1.5 * size.features : 8 + 4 * size.columns;
  return 250 + size.rows * row + top_up * drawn;
}

double gather_cost(const Size& size) noexcept {
  const double row = size.rows <= 16 && size.features == 1 ? 0.3 : 0.2 + size.features;
  const bool is_short = size.rows <= static_cast<double>(resample::kShortRows);
  return (is_short ? 20 : 120) + size.draws * row;
}

double distinct_cost(const Size& size) noexcept { return 60 + 75 * (size.distinct - 1); }

double order_cost(double quantiles) noexcept { return 60 + 200 * quantiles; }

double selection_cost(const Size& size, double quantiles) noexcept {
  return size.rows * std::min(14 * quantiles, 100.0);
}

double resample_cost(const Size& size) noexcept {
  const double row = size.rows <= 1e5 ? 1.0 : size.rows <= 4e6 ? 2.5 : 6.0;
  return 200 + size.draws * row * size.columns;
}

double level_factor(int level) noexcept { return level == 2 ? 1 : level == 1 ? 2 : 6; }

}  // namespace bootfold::planning
