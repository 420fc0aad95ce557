// Derivatives of functions of sums as weight moves to a row: the infinitesimal jackknife and ABC.
//
// Moving a share h of all weight to row i moves the means to m + h (f_i - m). First and second
// derivatives by h are differences of three values; the algorithm of DiCiccio and Efron needs the
// sums of their powers, and the direction in which the value changes most, which is a sum too.
#include <algorithm>
#include <cmath>

#include "jackknife/influence.h"
#include "jackknife/shifted_means.h"
#include "numeric/moments.h"

namespace bootfold::jackknife {

namespace {

using study::Part;

constexpr double kStep = 0x1p-14;  // its square, and 2^-52 over it, are small alike

/// What a pass finds for one output.
struct Derivatives {
  numeric::Moments first;
  double second = 0;              // sum of second derivatives
  std::vector<double> direction;  // sum of first derivative times (f_i - m), for each feature
};

std::vector<Derivatives> derivatives(const Task& task, std::span<const double> whole) {
  const auto n = static_cast<double>(task.problem.data.rows());
  std::vector<Derivatives> init(task.outputs);
  for_each_part(task, [&](const Part& part) {
    for (std::size_t k = 0; k < part.outputs(); ++k)
      init[part.first_output + k].direction.resize(part.features.size());
  });
  return over_tiles(
      task, n, init,
      [&](std::vector<Derivatives>& found, Mover& mover, const FeatureTile& tile) {
        const std::size_t rows = tile.rows;
        std::vector<double> near;
        std::vector<double> away;
        std::vector<double> firsts;  // [output][row]
        for_each_part(task, [&](const Part& part) {
          near.resize(part.outputs());
          away.resize(part.outputs());
          firsts.resize(part.outputs() * rows);
          for (std::size_t i = 0; i < rows; ++i) {
            const double* centre = task.measure.centre(tile.first + i);
            const double weight = task.measure.weight(tile.first + i);
            mover.at(part, tile.values + i, tile.stride, centre, kStep, near);
            mover.at(part, tile.values + i, tile.stride, centre, -kStep, away);
            for (std::size_t k = 0; k < near.size(); ++k) {
              const double at = whole[part.first_output + k];
              firsts[k * rows + i] = (near[k] - away[k]) / (2 * kStep);
              found[part.first_output + k].second +=
                  weight * (((near[k] - at) - (at - away[k])) / (kStep * kStep));
            }
          }
          for (std::size_t k = 0; k < near.size(); ++k) {
            Derivatives& own = found[part.first_output + k];
            const std::span<double> first{firsts.data() + k * rows, rows};
            if (!task.measure.weighted()) own.first.add(first);
            for (std::size_t i = 0; i < rows && task.measure.weighted(); ++i) {
              const double weight = task.measure.weight(tile.first + i);
              if (weight > 0) own.first.add(first[i], std::isfinite(first[i]) ? weight : 1);
              first[i] *= weight;
            }
            for (std::size_t f = 0; f < part.features.size(); ++f) {
              const double* feature = tile.values + part.features[f] * tile.stride;
              double sum = 0;
              for (std::size_t i = 0; i < rows; ++i)
                sum += first[i] * mover.distance(part.features[f], feature[i],
                                                 task.measure.centre(tile.first + i));
              own.direction[f] += sum;
            }
          }
        });
      },
      [](std::vector<Derivatives>& all, std::vector<Derivatives>&& part) {
        for (std::size_t k = 0; k < all.size(); ++k) {
          all[k].first.merge(part[k].first);
          all[k].second += part[k].second;
          for (std::size_t f = 0; f < all[k].direction.size(); ++f)
            all[k].direction[f] += part[k].direction[f];
        }
      });
}

}  // namespace

void differentiate_sums(const Task& task, double draws, std::span<Influence> influences,
                        std::span<AbcCurve> abc) {
  const auto n = static_cast<double>(task.problem.data.rows());
  const double scale = n / draws;  // of the variance of a mean
  const std::vector<double> whole = at_means(task, n);
  const std::vector<Derivatives> all = derivatives(task, whole);
  Mover mover(task, n);
  for_each_part(task, [&](const Part& part) {
    std::vector<double> values(part.outputs());
    const auto along = [&](std::size_t k, std::span<const double> direction, double step) {
      mover.along(part, direction, step, values);
      return values[k];
    };
    for (std::size_t k = 0; k < part.outputs(); ++k) {
      const std::size_t output = part.first_output + k;
      Influence& found = influences[output];
      found.method = "derivatives of sums";
      found.deleted = false;
      found.rows = n;
      found.estimate = found.mean = whole[output];
      conclude(Spread(all[output].first), found);
      found.second *= scale;
      found.third *= scale * scale;
      if (abc.empty()) continue;

      AbcCurve& curve = abc[output];
      curve.problem = found.problem;
      if (!found.usable()) continue;
      curve.estimate = whole[output];
      curve.deviation = found.standard_error();
      curve.acceleration = found.acceleration();
      std::vector<double> direction = all[output].direction;
      for (double& value : direction) value = value * scale / (n * n * curve.deviation);
      constexpr double kShort = 0x1p-10;  // in standard errors
      const double curvature = ((along(k, direction, kShort) - curve.estimate) -
                                (curve.estimate - along(k, direction, -kShort))) /
                               (2 * curve.deviation * kShort * kShort);
      curve.curvature = scale * all[output].second / (2 * n * n) / curve.deviation - curvature;
      for (int i = -AbcCurve::kReach; i <= AbcCurve::kReach; ++i)
        curve.values.push_back(along(k, direction, i / AbcCurve::kPerUnit));
    }
  });
}

}  // namespace bootfold::jackknife
