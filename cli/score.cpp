#include "score.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace bootfold::cli {

Score score(const ensemble::Prediction& said, const data::Labels& truth) {
  constexpr std::size_t kBins = 15;
  std::array<double, kBins> gaps{};  // confidence less hits
  Score sums;
  double rows = 0;
  for (std::size_t row = 0; row < said.rows; ++row) {
    if (said.members[row] == 0) continue;
    rows += 1;
    const std::size_t code = truth.codes[row];
    const std::size_t chosen = said.chosen(row);
    const double confidence = said.probability(row, chosen);
    const double hit = chosen == code ? 1 : 0;
    sums.accuracy += hit;
    sums.negative_log_likelihood -= std::log(std::max(said.probability(row, code), 1e-38));
    for (std::size_t c = 0; c < said.outputs; ++c) {
      const double error = said.probability(row, c) - (c == code ? 1 : 0);
      sums.brier_score += error * error;
    }
    const auto bin = static_cast<std::size_t>(std::ceil(confidence * kBins)) - 1;  // above 0
    gaps[std::min(bin, kBins - 1)] += confidence - hit;
  }
  for (const double gap : gaps) sums.calibration_error += std::abs(gap);
  return {sums.accuracy / rows, sums.negative_log_likelihood / rows, sums.brier_score / rows,
          sums.calibration_error / rows};
}

}  // namespace bootfold::cli
