#include "bootstrap/balance.h"

namespace bootfold {

Balance::Balance(const Result& result, std::size_t output) {
  const std::vector<double>& all = result.companions().linear_parts;
  if (all.empty()) return;
  const std::size_t outputs = result.outputs();
  parts_.resize(all.size() / outputs);
  double sum = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (std::isnan(result.replicate(i, output))) continue;
    parts_[i] = all[i * outputs + output];
    sum += parts_[i];
    ++defined_;
  }
  // The mean is that of the replicates that are defined, which need not be 0.
  double squares = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (std::isnan(result.replicate(i, output))) continue;
    parts_[i] -= sum / defined_;
    squares += parts_[i] * parts_[i];
  }
  const double deviation = std::sqrt(squares / defined_);
  if (!(deviation > 0) || !std::isfinite(deviation)) {
    parts_.clear();
    return;
  }
  for (double& part : parts_) part /= deviation;
}

}  // namespace bootfold
