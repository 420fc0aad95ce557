#include "resample/cumulants.h"

namespace bootfold::resample {

Cumulants cumulants_of_draws(std::span<const double> changes, std::span<const double> weights,
                             double draws) {
  const auto n = static_cast<double>(changes.size());
  numeric::Compensated total;
  numeric::Compensated mean;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    total.add(weight);
    mean.add(weight * changes[i]);
  }
  const double centre = mean.value() / total.value();
  Cumulants sums;  // draws * sum p U^2, for n times the mean of the draws
  for (std::size_t i = 0; i < changes.size(); ++i)
    sums.add((changes[i] - centre) * (n / draws),
             draws * ((weights.empty() ? 1 : weights[i]) / total.value()));
  return sums;
}

}  // namespace bootfold::resample
