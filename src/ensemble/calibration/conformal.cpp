#include "bootfold/ensemble/conformal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "ensemble/calibration/held_out_members.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/fingerprint.h"
#include "ensemble/prediction/point_blocks.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Whether a target has a predicted mean, and not quantiles or a probability.
bool has_mean(const Head& head) { return head.loss != Loss::pinball && head.loss != Loss::binary; }

/// Whether the target has no negative values, so that limits need none either.
bool is_positive(const Head& head) {
  return head.loss == Loss::poisson ||
         (head.transform != nullptr && head.transform->kind == TargetTransform::log);
}

/// Units in which members are compared: those of the scaled target, or, where the networks predict
/// a transform of the target, units of about its deviation near its middle.
Scaling comparison_units(const Heads& heads) {
  Scaling units;
  for (const Head& head : heads.targets()) {
    double middle = head.mean;
    double scale = head.scale;
    if (head.transform != nullptr) {
      middle = head.inverse(head.mean);
      scale = (head.inverse(head.mean + head.scale) - head.inverse(head.mean - head.scale)) / 2;
    }
    units.mean.push_back(middle);
    units.scale.push_back(scale > 0 ? scale : 1);
  }
  return units;
}

void check_conformal(const Ensemble& ensemble, const Examples& examples, const DataView& inputs,
                     const ConformalOptions& options) {
  const Ensemble::Frame& frame = ensemble.frame();
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(
        text::concat("confidence is ", options.confidence, " but must be above 0 and below 1"));
  if (ensemble.classifies())
    throw InvalidArgument("the ensemble predicts classes, but these intervals are for numbers");
  const Heads heads(frame);
  if (std::ranges::none_of(heads.targets(), has_mean))
    throw InvalidArgument(text::concat(
        "the loss is ", name(frame.loss), " but jackknife+ is for predicted means; ",
        frame.loss == Loss::pinball ? "the quantiles are limits themselves, which held-out rows "
                                      "can calibrate (predict_interval() in Python)"
                                    : "probabilities have no intervals of this kind"));
  if (!leaves_rows_out(frame))
    throw InvalidArgument(
        text::concat("with resampling ", name_of_all_rows(frame.resampling),
                     " members are trained on all rows, so there are no out-of-bag residuals; "
                     "train with resampling bootstrap or subsample"));
  check_columns(frame, inputs.columns());
  check_in_memory(examples, "jackknife+");
  check_training_rows(ensemble, examples);
  const std::size_t rows = examples.inputs.rows();
  if (examples.targets.columns() != frame.classes.size() || examples.targets.rows() != rows)
    throw InvalidArgument(text::concat("there are ", examples.targets.columns(), " targets of ",
                                       examples.targets.rows(), " rows but the ensemble has ",
                                       frame.classes.size(), " targets and the inputs have ", rows,
                                       " rows; give the training examples"));
}

/// Predictions of members in comparison units.
class MemberPredictions {
 public:
  MemberPredictions(const Ensemble& ensemble, const HeldOutMembers& held_out,
                    execution::Level level)
      : ensemble_(ensemble),
        held_out_(held_out),
        kernels_(simd::kernels(level)),
        encoder_(ensemble.frame()),
        heads_(ensemble.frame()),
        units_(comparison_units(heads_)) {
    for (const Settings& settings : ensemble.frame().settings)
      shapes_.emplace_back(encoder_.columns(), settings.architecture, heads_.outputs());
  }

  [[nodiscard]] const Scaling& units() const noexcept { return units_; }
  [[nodiscard]] const Heads& heads() const noexcept { return heads_; }

  /// [member][target][point] for up to kPoints rows from `first` on.
  [[nodiscard]] std::vector<float> at(const DataView& inputs, std::size_t first,
                                      std::size_t count) const {
    const Ensemble::Frame& frame = ensemble_.frame();
    std::vector<float> read(count * encoder_.columns());
    encoder_.encode(inputs, first, count, read.data());
    if (InputEncoder::has_far(read)) encoder_.check_reach(inputs, first, count, 0);
    const PointBlocks points(read.data(), count, encoder_.columns());
    const std::size_t values = frame.classes.size() * kPoints;
    std::vector<float> out(heads_.outputs() * kPoints);
    std::vector<float> scratch;
    std::vector<float> predicted(held_out_.members().size() * values);
    for (std::size_t i = 0; i < held_out_.members().size(); ++i) {
      const std::size_t m = held_out_.members()[i];
      const Shape& shape = shapes_[ensemble_.member(m).settings];
      scratch.resize(std::max(scratch.size(), simd::points_scratch_size(shape)));
      kernels_.predict_points(shape, heads_.kernel_loss(), ensemble_.parameters(m).data(),
                              points.block(0), scratch.data(), out.data());
      for (std::size_t t = 0; t < heads_.targets().size(); ++t)
        take(t, out.data(), predicted.data() + i * values + t * kPoints);
    }
    return predicted;
  }

 private:
  /// Of one target, in comparison units.
  void take(std::size_t target, const float* outputs, float* to) const {
    const Head& head = heads_.targets()[target];
    const float* const from = outputs + head.output * kPoints;
    if (!head.in_units()) {
      std::copy_n(from, kPoints, to);
      return;
    }
    for (std::size_t p = 0; p < kPoints; ++p)
      to[p] =
          static_cast<float>((head.value(from[p]) - units_.mean[target]) / units_.scale[target]);
  }

  const Ensemble& ensemble_;
  const HeldOutMembers& held_out_;
  const simd::Kernels& kernels_;
  InputEncoder encoder_;
  Heads heads_;
  Scaling units_;
  std::vector<Shape> shapes_;
};

/// Absolute out-of-bag residuals, [target][example]; NaN if all members were trained on the
/// example.
std::vector<double> residuals(const Examples& examples, const HeldOutMembers& held_out,
                              const MemberPredictions& predictions, const Execution& execution) {
  const Scaling& scaling = predictions.units();
  const std::size_t targets = examples.targets.columns();
  const std::size_t rows = held_out.rows();
  std::vector<double> found(targets * rows);
  execution::detail::run_chunks(
      (rows + kPoints - 1) / kPoints, 0, execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        const std::size_t first = chunk * kPoints;
        const std::size_t count = std::min(kPoints, rows - first);
        const std::vector<float> predicted = predictions.at(examples.inputs, first, count);
        for (std::size_t p = 0; p < count; ++p)
          for (std::size_t t = 0; t < targets; ++t) {
            double sum = 0;
            held_out.for_each(first + p, [&](std::size_t i) {
              sum += predicted[(i * targets + t) * kPoints + p];
            });
            const double target =
                (examples.targets.column(t)[first + p] - scaling.mean[t]) / scaling.scale[t];
            found[t * rows + first + p] =
                std::abs(target - sum / static_cast<double>(held_out.count(first + p)));
          }
        worker.check();
      });
  return found;
}

/// The limits of one target. The upper limit at a point is the rank-th smallest of mean + residual,
/// where the mean is over the members that were not trained on an example; the lower limit mirrors
/// it. Means of many members differ little, so only examples whose residual is close to the
/// rank-th smallest residual can decide, and only theirs are computed.
class TargetLimits {
 public:
  /// `residuals`: [example], NaN if all members were trained on the example.
  TargetLimits(const HeldOutMembers& held_out, const double* residuals, std::size_t rank,
               const simd::Kernels& kernels)
      : held_out_(held_out),
        rank_(rank),
        kernels_(kernels),
        order_(held_out.rows()),
        sorted_(held_out.rows()) {
    const auto size = [&](std::uint32_t row) {
      return held_out.count(row) > 0 ? residuals[row] : kInfinity;
    };
    std::iota(order_.begin(), order_.end(), 0U);
    std::ranges::stable_sort(order_, {}, size);
    std::ranges::transform(order_, sorted_.begin(), size);
    for (std::size_t row = 0; row < held_out.rows(); ++row)
      if (held_out.count(row) > 0) fewest_ = std::min(fewest_, held_out.count(row));
  }

  /// What a worker needs.
  struct Room {
    std::vector<float> means = {};  // [point][example]
    std::vector<float> more = {};   // [example], of a point that needs more of them
    std::vector<float> column = {};
    std::vector<double> sums = {};
    std::vector<double> near = {};  // those close to the limit
  };

  /// Limits at points from .. from + count - 1 of a block, of predictions[member][point] that are
  /// `stride` apart: see(point, low, high).
  template <class See>
  void at(const float* predicted, std::size_t stride, std::size_t from, std::size_t count,
          Room& room, See&& see) const {
    if (rank_ > sorted_.size() || sorted_[rank_ - 1] == kInfinity) {
      for (std::size_t p = from; p < from + count; ++p) see(p, -kInfinity, kInfinity);
      return;
    }
    Means bounds[kPoints];
    Deciding deciding[kPoints];
    Deciding all{sorted_.size(), 0};
    for (std::size_t p = from; p < from + count; ++p) {
      bounds[p] = means_at(predicted + p, stride, room.column);
      deciding[p] = around(bounds[p].likely());
      all = {std::min(all.first, deciding[p].first), std::max(all.last, deciding[p].last)};
    }
    compute_means(predicted, stride, all, from, count, room.means);
    for (std::size_t p = from; p < from + count; ++p) {
      const float* means = &room.means[(p - from) * (all.last - all.first)];
      means += deciding[p].first - all.first;
      const Means& own = bounds[p];
      double high = select(deciding[p], means, 1, own, room);
      double low = select(deciding[p], means, -1, own, room);
      if (!decides(deciding[p], own.least, own.most, high) ||
          !decides(deciding[p], -own.most, -own.least, low)) {
        const Deciding certain = around(own.most - own.least);
        compute_means(predicted, stride, certain, p, 1, room.more);
        high = select(certain, room.more.data(), 1, own, room);
        low = select(certain, room.more.data(), -1, own, room);
      }
      see(p, -low, high);
    }
  }

 private:
  /// Examples, in the order of their residuals, that can have the rank-th smallest sum.
  struct Deciding {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// What is known of the means of examples at a point before they are computed.
  struct Means {
    double least = 0;
    double most = 0;
    double middle = 0;  // the mean of all members

    /// The limits are nearly those of the mean of all members, so that examples whose residual is
    /// so far from the rank-th smallest do not decide. A tenth is for "nearly".
    [[nodiscard]] double likely() const {
      return std::max(most - middle, middle - least) + 0.1 * (most - least);
    }
  };

  /// A mean of `fewest_` or more members lies between that of the least and that of the greatest
  /// `fewest_` predictions.
  Means means_at(const float* predicted, std::size_t stride, std::vector<float>& column) const {
    const std::size_t members = held_out_.members().size();
    column.resize(members);
    double largest = 0;
    Means found;
    for (std::size_t i = 0; i < members; ++i) {
      column[i] = predicted[i * stride];
      largest = std::max<double>(largest, std::abs(column[i]));
      found.middle += column[i];
    }
    found.middle /= static_cast<double>(members);
    std::ranges::sort(column);
    for (std::size_t i = 0; i < fewest_; ++i) {
      found.least += column[i];
      found.most += column[members - 1 - i];
    }
    const double rounding = 2e-7 * static_cast<double>(members) * largest;  // sums have 24 bits
    found.least = found.least / fewest_ - rounding;
    found.most = found.most / fewest_ + rounding;
    return found;
  }

  /// Examples whose residual is at most so far from the rank-th smallest. As far as means can
  /// differ there are all that can decide.
  Deciding around(double range) const {
    if (std::isnan(range)) return {0, sorted_.size()};
    const double middle = sorted_[rank_ - 1];
    const auto first = std::ranges::lower_bound(sorted_, middle - range);
    const auto last = std::ranges::upper_bound(sorted_, middle + range);
    return {static_cast<std::size_t>(first - sorted_.begin()),
            static_cast<std::size_t>(last - sorted_.begin())};
  }

  /// Whether the rank-th smallest sum of these examples is that of all: no example before them can
  /// have a greater sum, and none after them a smaller one.
  [[nodiscard]] bool decides(const Deciding& deciding, double least, double most,
                             double limit) const {
    return (deciding.first == 0 || sorted_[deciding.first - 1] + most <= limit) &&
           (deciding.last == sorted_.size() || sorted_[deciding.last] + least >= limit);
  }

  /// means[point][example].
  void compute_means(const float* predicted, std::size_t stride, const Deciding& all,
                     std::size_t from, std::size_t count, std::vector<float>& means) const {
    constexpr std::size_t kTogether = 16;  // a line of the cache
    float sums[kTogether][kPoints];
    const std::size_t examples = all.last - all.first;
    means.resize(count * examples);
    for (std::size_t e = 0; e < examples; e += kTogether) {
      const std::size_t some = std::min(kTogether, examples - e);
      for (std::size_t i = 0; i < some; ++i) {
        const std::size_t row = order_[all.first + e + i];
        kernels_.sum_members(predicted, stride, held_out_.bits(row), held_out_.words(), sums[i]);
        const float share = 1.0F / static_cast<float>(held_out_.count(row));
        for (float& sum : sums[i]) sum *= share;
      }
      for (std::size_t p = 0; p < count; ++p)
        for (std::size_t i = 0; i < some; ++i) means[p * examples + e + i] = sums[i][from + p];
    }
  }

  /// The rank-th smallest of sign * mean + residual. It is nearly that of the mean of all members,
  /// so most sums are compared with two numbers only.
  double select(const Deciding& deciding, const float* means, double sign, const Means& of_point,
                Room& room) const {
    const std::size_t count = deciding.last - deciding.first;
    const std::size_t rank = rank_ - 1 - deciding.first;
    room.sums.resize(count);
    room.near.resize(count + 1);
    const double guess = sign * of_point.middle + sorted_[rank_ - 1];
    const double width = 0.03 * (of_point.most - of_point.least);
    const simd::SumsNear near =
        kernels_.sums_near(means, &sorted_[deciding.first], count, sign, guess - width,
                           guess + width, room.sums.data(), room.near.data());
    const bool found = near.below <= rank && rank < near.below + near.within;
    const auto begin = (found ? room.near : room.sums).begin();
    const auto at = begin + static_cast<std::ptrdiff_t>(found ? rank - near.below : rank);
    std::nth_element(begin, at, begin + static_cast<std::ptrdiff_t>(found ? near.within : count));
    return *at;
  }

  const HeldOutMembers& held_out_;
  std::size_t rank_;
  const simd::Kernels& kernels_;
  std::vector<std::uint32_t> order_;  // examples by residual
  std::vector<double> sorted_;        // residuals, infinite if there is none
  std::uint32_t fewest_ = std::numeric_limits<std::uint32_t>::max();
};

/// Points whose means a worker holds at a time.
std::size_t points_at_once(const ConformalOptions& options, std::size_t rows) {
  const std::size_t threads = execution::thread_count(options.execution);
  const std::size_t room =
      execution::memory_limit(options.memory) / (threads * rows * sizeof(float));
  return std::clamp<std::size_t>(room > 1 ? room - 1 : 1, 1, kPoints);
}

}  // namespace

Band jackknife_plus(const Ensemble& ensemble, const Examples& examples, const DataView& inputs,
                    const ConformalOptions& options) {
  check_conformal(ensemble, examples, inputs, options);
  const execution::Level level = options.execution.level.value_or(execution::default_level());
  const std::size_t rows = examples.inputs.rows();
  const std::size_t targets = examples.targets.columns();
  Execution quiet = options.execution;
  quiet.progress = {};
  const HeldOutMembers held_out(ensemble, rows, level, quiet);
  const MemberPredictions predictions(ensemble, held_out, level);
  const std::vector<double> off = residuals(examples, held_out, predictions, quiet);

  Band band{inputs.rows(), targets, options.confidence};
  band.low.resize(inputs.rows() * targets);
  band.high.resize(inputs.rows() * targets);
  for (std::size_t row = 0; row < rows; ++row) band.unjudged += held_out.count(row) == 0 ? 1U : 0U;
  // The ceil((1 - alpha)(n + 1))-th smallest, where rounding errors do not count.
  const double place = options.confidence * (static_cast<double>(rows) + 1);
  const auto rank = static_cast<std::size_t>(std::ceil(place - 1e-9 * place));
  const Scaling& scaling = predictions.units();
  const std::size_t at_once = points_at_once(options, rows);
  std::vector<TargetLimits> limits;
  for (std::size_t t = 0; t < targets; ++t)
    limits.emplace_back(held_out, &off[t * rows], std::max<std::size_t>(rank, 1),
                        simd::kernels(level));
  execution::detail::run_chunks(
      (inputs.rows() + kPoints - 1) / kPoints, static_cast<double>(inputs.rows()),
      options.execution, [&](const execution::Worker& worker, std::size_t chunk) {
        const std::size_t first = chunk * kPoints;
        const std::size_t count = std::min(kPoints, inputs.rows() - first);
        const std::vector<float> predicted = predictions.at(inputs, first, count);
        for (std::size_t t = 0; t < targets; ++t) {
          TargetLimits::Room room;
          for (std::size_t from = 0; from < count; from += at_once) {
            limits[t].at(predicted.data() + t * kPoints, targets * kPoints, from,
                         std::min(at_once, count - from), room,
                         [&](std::size_t p, double low, double high) {
                           const std::size_t to = (first + p) * targets + t;
                           const Head& head = predictions.heads().targets()[t];
                           const double shift = has_mean(head) ? scaling.mean[t] : Member::kUnknown;
                           band.low[to] = low * scaling.scale[t] + shift;
                           band.high[to] = high * scaling.scale[t] + shift;
                           if (is_positive(head)) band.low[to] = std::max(band.low[to], 0.0);
                         });
            worker.check();
          }
        }
        worker.advance(static_cast<double>(count));
      });
  return band;
}

std::size_t random_member_count(std::size_t members, std::size_t rows, Resampling resampling,
                                std::uint64_t seed, double subsample) {
  if (members == 0) throw InvalidArgument("members is 0 but must be at least 1");
  if (resampling == Resampling::none || resampling == Resampling::bayesian)
    throw InvalidArgument(text::concat(
        "with resampling ", name(resampling),
        " members are trained on all rows; the guarantee needs resampling bootstrap or subsample"));
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1");
  if (resampling == Resampling::subsample && !(subsample > 0 && subsample <= 1))
    throw InvalidArgument(
        text::concat("subsample is ", subsample, " but must be above 0 and at most 1"));
  const auto n = static_cast<double>(rows);
  const double share = resampling == Resampling::bootstrap
                           ? std::pow(1 - 1 / (n + 1), n)
                           : 1 - std::clamp(std::round(subsample * n), 1.0, n) / (n + 1);
  random::Stream stream({.seed = seed, .purpose = random::Purpose::members});
  const auto trials =
      static_cast<std::uint64_t>(std::llround(static_cast<double>(members) / share));
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < trials; ++i) found += random::uniform(stream) < share ? 1U : 0U;
  return std::max<std::size_t>(found, 1);
}

}  // namespace bootfold::ensemble
