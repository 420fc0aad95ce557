#include "ensemble/calibration/temperature.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::ensemble {

void check_temperature(double temperature) {
  if (!(temperature > 0 && std::isfinite(temperature)))
    throw InvalidArgument(
        text::concat("the temperature is ", temperature, " but must be above 0 and finite"));
}

void apply_temperature(Prediction& prediction, std::size_t row, double temperature) {
  if (temperature == 1 || prediction.members[row] == 0 || std::isnan(prediction.total[row])) return;
  const std::span<double> mean(prediction.mean.data() + row * prediction.outputs,
                               prediction.outputs);
  const double most = std::log(*std::ranges::max_element(mean));
  double sum = 0;
  for (double& share : mean) {
    share = std::exp((std::log(share) - most) / temperature);  // of 0 it is 0
    sum += share;
  }
  double entropy = 0;
  for (double& share : mean) {
    share /= sum;
    if (share > 0) entropy -= share * std::log(share);
  }
  const double noise =
      prediction.total[row] > 0 ? prediction.aleatoric[row] / prediction.total[row] : 1;
  prediction.total[row] = entropy;
  prediction.aleatoric[row] = noise * entropy;
  prediction.epistemic[row] = entropy - prediction.aleatoric[row];
}

double binary_entropy(double probability) {
  if (std::isnan(probability)) return probability;
  double entropy = 0;
  for (const double share : {probability, 1 - probability})
    if (share > 0) entropy -= share * std::log(share);
  return entropy;
}

void apply_binary_temperature(Prediction& prediction, std::size_t row, std::size_t column,
                              double temperature) {
  if (temperature == 1 || prediction.members[row] == 0) return;
  const std::size_t at = row * prediction.outputs + column;
  // The odds to the power of 1 / temperature; those of 0 and 1 stay 0 and infinite.
  const double odds = std::log(prediction.mean[at]) - std::log1p(-prediction.mean[at]);
  const double lower = std::exp(-std::abs(odds / temperature));
  prediction.mean[at] = (odds < 0 ? lower : 1.0) / (1 + lower);
  const double noise =
      prediction.total[at] > 0 ? prediction.aleatoric[at] / prediction.total[at] : 1;
  prediction.total[at] = binary_entropy(prediction.mean[at]);
  prediction.aleatoric[at] = noise * prediction.total[at];
  prediction.epistemic[at] = prediction.total[at] - prediction.aleatoric[at];
}

}  // namespace bootfold::ensemble
