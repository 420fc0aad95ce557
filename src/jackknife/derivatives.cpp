// Derivatives of functions of sums as weight moves to a row: the infinitesimal jackknife and ABC.
//
// Moving a share h of all weight to row i moves the means to m + h (f_i - m). First and second
// derivatives by h are differences of three values; the algorithm of DiCiccio and Efron needs the
// sums of their powers, and the direction in which the value changes most, which is a sum too.
#include <algorithm>
#include <cmath>

#include "jackknife/curve.h"
#include "jackknife/sums.h"

namespace bootfold::jackknife {

namespace {

using study::Part;

constexpr double kStep = 0x1p-14;  // its square, and 2^-52 over it, are small alike

}  // namespace

void Derivatives::merge(const Derivatives& part) {
  first.merge(part.first);
  second += part.second;
  for (std::size_t f = 0; f < direction.size(); ++f) direction[f] += part.direction[f];
}

Differentiation::Differentiation(const Task& task)
    : task_(task),
      rows_(static_cast<double>(task.study.rows())),
      whole_(at_means(task, rows_)),
      near_(at_means(task, rows_, true)) {}

std::vector<Derivatives> Differentiation::nothing() const {
  std::vector<Derivatives> init(task_.outputs);
  for_each_part(task_, [&](const Part& part) {
    for (std::size_t k = 0; k < part.outputs(); ++k)
      init[part.first_output + k].direction.resize(part.features.size());
  });
  return init;
}

void Differentiation::see(const FeatureTile& tile, std::vector<Derivatives>& found) const {
  ShiftedMeans shifted(task_, rows_, true);
  const Measure& measure = task_.measure;
  const std::size_t rows = tile.rows;
  std::vector<double> near;
  std::vector<double> away;
  std::vector<double> firsts;  // [output][row]
  for_each_part(task_, [&](const Part& part) {
    near.resize(part.outputs());
    away.resize(part.outputs());
    firsts.resize(part.outputs() * rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* centre = measure.centre(tile.first + i);
      const double weight = measure.weight(tile.first + i);
      shifted.at(part, tile.values + i, tile.stride, centre, kStep, near);
      shifted.at(part, tile.values + i, tile.stride, centre, -kStep, away);
      for (std::size_t k = 0; k < near.size(); ++k) {
        const double at = near_[part.first_output + k];
        firsts[k * rows + i] = (near[k] - away[k]) / (2 * kStep);
        found[part.first_output + k].second +=
            weight * (((near[k] - at) - (at - away[k])) / (kStep * kStep));
      }
    }
    for (std::size_t k = 0; k < near.size(); ++k) {
      Derivatives& own = found[part.first_output + k];
      const std::span<double> first{firsts.data() + k * rows, rows};
      if (!measure.weighted()) own.first.add(first);
      for (std::size_t i = 0; i < rows && measure.weighted(); ++i) {
        const double weight = measure.weight(tile.first + i);
        if (weight > 0) own.first.add(first[i], std::isfinite(first[i]) ? weight : 1);
        first[i] *= weight;
      }
      for (std::size_t f = 0; f < part.features.size(); ++f) {
        const double* feature = tile.values + part.features[f] * tile.stride;
        double sum = 0;
        for (std::size_t i = 0; i < rows; ++i)
          sum += first[i] *
                 shifted.distance(part.features[f], feature[i], measure.centre(tile.first + i));
        own.direction[f] += sum;
      }
    }
  });
}

void Differentiation::conclude(std::span<const Derivatives> all, double draws,
                               std::span<Influence> influences, std::span<AbcCurve> curves) const {
  const double n = rows_;
  const double scale = n / draws;  // of the variance of a mean
  ShiftedMeans absolute(task_, n);
  ShiftedMeans relative(task_, n, true);
  for_each_part(task_, [&](const Part& part) {
    std::vector<double> values(part.outputs());
    const auto along = [&](ShiftedMeans& means, std::size_t k, std::span<const double> direction,
                           double step) {
      means.along(part, direction, step, values);
      return values[k];
    };
    for (std::size_t k = 0; k < part.outputs(); ++k) {
      const std::size_t output = part.first_output + k;
      Influence& found = influences[output];
      found.method = "derivatives of sums";
      found.deleted = false;
      found.rows = n;
      found.estimate = found.mean = whole_[output];
      jackknife::conclude(Spread(all[output].first), found);
      found.second *= scale;
      found.third *= scale * scale;
      if (curves.empty()) continue;

      AbcCurve& curve = curves[output];
      curve.problem = found.problem;
      if (!found.usable()) continue;
      curve.estimate = whole_[output];
      curve.deviation = found.standard_error();
      curve.acceleration = found.acceleration();
      std::vector<double> direction = all[output].direction;
      for (double& value : direction) value = value * scale / (n * n * curve.deviation);
      constexpr double kShort = 0x1p-10;  // in standard errors
      const double curvature = ((along(relative, k, direction, kShort) - near_[output]) -
                                (near_[output] - along(relative, k, direction, -kShort))) /
                               (2 * curve.deviation * kShort * kShort);
      curve.curvature = scale * all[output].second / (2 * n * n) / curve.deviation - curvature;
      sample(curve, [&](double place) { return along(absolute, k, direction, place); });
    }
  });
}

}  // namespace bootfold::jackknife
