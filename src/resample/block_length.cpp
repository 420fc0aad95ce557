// How long blocks should be: Politis and White (2004) with the correction of Patton, Politis and
// White (2009), with the lag m of the authors' program (bootfold/scheme.h). Too short and they
// break the correlation of neighbours, too long and there are few.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bootfold/scheme.h"
#include "numeric/compensated.h"
#include "numeric/elementary.h"

namespace bootfold {

namespace {

/// Autocovariances, made when they are asked for.
class Autocovariances {
 public:
  explicit Autocovariances(std::vector<double> series) : centred_(std::move(series)) {
    numeric::Compensated sum;
    for (const double x : centred_) sum.add(x);
    const double mean = sum.value() / static_cast<double>(centred_.size());
    double largest = 0;
    for (double& x : centred_) {
      x -= mean;
      largest = std::max(largest, std::abs(x));
    }
    if (largest > 0)
      for (double& x : centred_) x /= largest;  // the scale does not matter, so nothing overflows
  }

  [[nodiscard]] double operator[](std::size_t lag) {
    while (known_.size() <= lag) {
      numeric::Compensated sum;
      for (std::size_t i = known_.size(); i < centred_.size(); ++i)
        sum.add(centred_[i] * centred_[i - known_.size()]);
      known_.push_back(sum.value() / static_cast<double>(centred_.size()));
    }
    return known_[lag];
  }

 private:
  std::vector<double> centred_;
  std::vector<double> known_;
};

}  // namespace

BlockLengths block_lengths(const ColumnView& series) {
  const auto rows = series.rows();
  const auto n = static_cast<double>(rows);
  if (rows < 4) return {1, 1};
  std::vector<double> values(rows);
  series.read(0, values);
  Autocovariances covariance(std::move(values));
  if (!(covariance[0] > 0)) return {1, 1};  // a constant series

  // The first lag of several autocorrelations in a row that are no larger than chance.
  constexpr double kLog10 = 0x1.26bb1bbb55516p+1;
  const double magnitude = numeric::log(n) / kLog10;
  const auto in_a_row = static_cast<std::size_t>(std::max(5.0, magnitude));
  const std::size_t most =
      std::min(static_cast<std::size_t>(std::ceil(std::sqrt(n))) + in_a_row, rows - 1);
  const double chance = 2 * std::sqrt(magnitude / n);
  const auto small = [&](std::size_t lag) {
    return std::abs(covariance[lag]) < chance * covariance[0];
  };
  std::size_t last_large = 0;
  for (std::size_t lag = 1; lag <= most && lag <= last_large + in_a_row; ++lag)
    if (!small(lag)) last_large = lag;
  const std::size_t reach = std::min(2 * (last_large + 1), most);

  // The spectral density at 0 and what bends it, through a flat-top window.
  double density = covariance[0];
  double bend = 0;
  for (std::size_t lag = 1; lag <= reach; ++lag) {
    const double share = static_cast<double>(lag) / static_cast<double>(reach);
    const double window = share <= 0.5 ? 1 : 2 * (1 - share);
    density += 2 * window * covariance[lag];
    bend += 2 * window * static_cast<double>(lag) * covariance[lag];
  }
  const double longest = std::ceil(std::min(3 * std::sqrt(n), n / 3));
  const auto length = [&](double factor) {
    const double square = factor * bend * bend / (density * density);
    return std::isfinite(square) ? std::clamp(std::cbrt(square * n), 1.0, longest) : longest;
  };
  return {length(1), length(1.5)};
}

}  // namespace bootfold
