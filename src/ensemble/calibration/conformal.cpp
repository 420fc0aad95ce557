#include "bootfold/ensemble/conformal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "ensemble/fingerprint.h"
#include "ensemble/prediction/point_blocks.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/scaling.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_conformal(const Ensemble& ensemble, const Examples& examples, const DataView& inputs,
                     const ConformalOptions& options) {
  const Ensemble::Frame& frame = ensemble.frame();
  if (!(options.confidence > 0 && options.confidence < 1))
    throw InvalidArgument(
        text::concat("confidence is ", options.confidence, " but must be above 0 and below 1"));
  if (ensemble.classifies())
    throw InvalidArgument("the ensemble predicts classes, but these intervals are for numbers");
  if (!leaves_rows_out(frame.resampling))
    throw InvalidArgument(
        text::concat("with resampling ", name(frame.resampling),
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

/// The members that did not fail, and for each example which of them were not trained on it.
class OutOfBagMembers {
 public:
  OutOfBagMembers(const Ensemble& ensemble, std::size_t rows, execution::Level level,
                  const Execution& execution)
      : rows_(rows) {
    for (std::size_t m = 0; m < ensemble.size(); ++m)
      if (ensemble.member(m).failure.empty()) members_.push_back(m);
    if (members_.empty())
      throw InvalidArgument("all members of the ensemble failed, so it cannot predict");
    words_ = (members_.size() + 63) / 64;
    bits_.resize(rows * words_);
    counts_.resize(rows);
    const Ensemble::Frame& frame = ensemble.frame();
    // Each worker makes one word of every row.
    execution::detail::run_chunks(
        words_, 0, execution, [&](const execution::Worker& worker, std::size_t word) {
          for (std::size_t i = word * 64; i < std::min(word * 64 + 64, members_.size()); ++i) {
            const Member& member = ensemble.member(members_[i]);
            const std::vector<float> held_out =
                MemberRows({frame.seed, member.number}, frame.resampling, rows,
                           frame.settings[member.settings].subsample, false, level)
                    .held_out();
            for (std::size_t row = 0; row < rows; ++row)
              if (held_out[row] > 0) bits_[row * words_ + word] |= std::uint64_t{1} << (i % 64);
            worker.check();
          }
        });
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t w = 0; w < words_; ++w)
        counts_[row] += static_cast<std::uint32_t>(std::popcount(bits_[row * words_ + w]));
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<std::size_t>& members() const noexcept { return members_; }
  /// Number of members that were not trained on a row.
  [[nodiscard]] std::uint32_t count(std::size_t row) const { return counts_[row]; }

  /// Calls see(i) for each member members()[i] that was not trained on the row, in their order.
  template <class See>
  void for_each(std::size_t row, See&& see) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t rest = bits_[row * words_ + w]; rest != 0; rest &= rest - 1)
        see(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
  }

 private:
  std::size_t rows_;
  std::size_t words_ = 0;
  std::vector<std::size_t> members_;
  std::vector<std::uint64_t> bits_;    // [row][word]
  std::vector<std::uint32_t> counts_;  // [row]
};

/// Predictions of members in units of the scaled targets.
class MemberPredictions {
 public:
  MemberPredictions(const Ensemble& ensemble, const OutOfBagMembers& out_of_bag,
                    execution::Level level)
      : ensemble_(ensemble), out_of_bag_(out_of_bag), kernels_(simd::kernels(level)) {
    for (const Settings& settings : ensemble.frame().settings)
      shapes_.emplace_back(ensemble.frame().inputs.size(), settings.architecture,
                           outputs_of(ensemble.frame()));
  }

  /// [member][target][point] for up to kPoints rows from `first` on.
  [[nodiscard]] std::vector<double> at(const DataView& inputs, std::size_t first,
                                       std::size_t count) const {
    const Ensemble::Frame& frame = ensemble_.frame();
    std::vector<float> read(count * inputs.columns());
    read_rows(inputs, frame.input_scaling, first, count, read.data());
    const PointBlocks points(read.data(), count, inputs.columns());
    const std::size_t values = frame.classes.size() * kPoints;
    std::vector<float> out(outputs_of(frame) * kPoints);
    std::vector<float> scratch;
    std::vector<double> predicted(out_of_bag_.members().size() * values);
    for (std::size_t i = 0; i < out_of_bag_.members().size(); ++i) {
      const std::size_t m = out_of_bag_.members()[i];
      const Shape& shape = shapes_[ensemble_.member(m).settings];
      scratch.resize(std::max(scratch.size(), simd::points_scratch_size(shape)));
      kernels_.predict_points(shape, ensemble_.parameters(m).data(), points.block(0),
                              scratch.data(), out.data());
      std::copy_n(out.begin(), values, predicted.begin() + static_cast<std::ptrdiff_t>(i * values));
    }
    return predicted;
  }

 private:
  const Ensemble& ensemble_;
  const OutOfBagMembers& out_of_bag_;
  const simd::Kernels& kernels_;
  std::vector<Shape> shapes_;
};

/// Absolute out-of-bag residuals, [target][example]; NaN if all members were trained on the
/// example.
std::vector<double> residuals(const Ensemble& ensemble, const Examples& examples,
                              const OutOfBagMembers& out_of_bag,
                              const MemberPredictions& predictions, const Execution& execution) {
  const Scaling& scaling = ensemble.frame().target_scaling;
  const std::size_t targets = examples.targets.columns();
  const std::size_t rows = out_of_bag.rows();
  std::vector<double> found(targets * rows);
  execution::detail::run_chunks(
      (rows + kPoints - 1) / kPoints, 0, execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        const std::size_t first = chunk * kPoints;
        const std::size_t count = std::min(kPoints, rows - first);
        const std::vector<double> predicted = predictions.at(examples.inputs, first, count);
        for (std::size_t p = 0; p < count; ++p)
          for (std::size_t t = 0; t < targets; ++t) {
            double sum = 0;
            out_of_bag.for_each(first + p, [&](std::size_t i) {
              sum += predicted[(i * targets + t) * kPoints + p];
            });
            const double target =
                (examples.targets.column(t)[first + p] - scaling.mean[t]) / scaling.scale[t];
            found[t * rows + first + p] =
                std::abs(target - sum / static_cast<double>(out_of_bag.count(first + p)));
          }
        worker.check();
      });
  return found;
}

/// What the intervals of one target share.
struct Target {
  const double* residuals;  // [example]
  std::size_t rank;         // of the upper limit among mean + residual, from 1
};

/// The upper limit is the rank-th smallest of mean + residual; the lower limit mirrors it.
std::pair<double, double> limits(const OutOfBagMembers& out_of_bag, const Target& target,
                                 const double* means, std::vector<double>& room) {
  const std::size_t rows = out_of_bag.rows();
  if (target.rank > rows) return {-kInfinity, kInfinity};
  room.resize(rows);
  const auto select = [&](double sign) {
    for (std::size_t i = 0; i < rows; ++i)
      room[i] = out_of_bag.count(i) > 0 ? sign * means[i] + target.residuals[i] : kInfinity;
    const auto at = room.begin() + static_cast<std::ptrdiff_t>(target.rank - 1);
    std::nth_element(room.begin(), at, room.end());
    return sign * *at;
  };
  return {select(-1), select(1)};
}

/// Means over the members that were not trained on each example, at `count` points of one target,
/// to out[point][example].
void held_out_means(const OutOfBagMembers& out_of_bag, const double* predicted, std::size_t targets,
                    std::size_t from, std::size_t count, double* out) {
  double sums[kPoints];
  for (std::size_t row = 0; row < out_of_bag.rows(); ++row) {
    std::fill_n(sums, kPoints, 0.0);
    out_of_bag.for_each(row, [&](std::size_t i) {
      const double* own = predicted + i * targets * kPoints;
      for (std::size_t p = 0; p < kPoints; ++p) sums[p] += own[p];
    });
    const auto members = static_cast<double>(out_of_bag.count(row));
    for (std::size_t p = 0; p < count; ++p)
      out[p * out_of_bag.rows() + row] = sums[from + p] / members;
  }
}

/// Points whose means a worker holds at a time.
std::size_t points_at_once(const ConformalOptions& options, std::size_t rows) {
  const std::size_t threads = execution::thread_count(options.execution);
  const std::size_t room =
      execution::memory_limit(options.memory) / (threads * rows * sizeof(double));
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
  const OutOfBagMembers out_of_bag(ensemble, rows, level, quiet);
  const MemberPredictions predictions(ensemble, out_of_bag, level);
  const std::vector<double> off = residuals(ensemble, examples, out_of_bag, predictions, quiet);

  Band band{inputs.rows(), targets, options.confidence};
  band.low.resize(inputs.rows() * targets);
  band.high.resize(inputs.rows() * targets);
  for (std::size_t row = 0; row < rows; ++row)
    band.unjudged += out_of_bag.count(row) == 0 ? 1U : 0U;
  // The ceil((1 - alpha)(n + 1))-th smallest, where rounding errors do not count.
  const double place = options.confidence * (static_cast<double>(rows) + 1);
  const auto rank = static_cast<std::size_t>(std::ceil(place - 1e-9 * place));
  const Scaling& scaling = ensemble.frame().target_scaling;
  const std::size_t at_once = points_at_once(options, rows);
  execution::detail::run_chunks(
      (inputs.rows() + kPoints - 1) / kPoints, static_cast<double>(inputs.rows()),
      options.execution, [&](const execution::Worker& worker, std::size_t chunk) {
        const std::size_t first = chunk * kPoints;
        const std::size_t count = std::min(kPoints, inputs.rows() - first);
        const std::vector<double> predicted = predictions.at(inputs, first, count);
        std::vector<double> means(at_once * rows);
        std::vector<double> room;
        for (std::size_t t = 0; t < targets; ++t)
          for (std::size_t from = 0; from < count; from += at_once) {
            const std::size_t some = std::min(at_once, count - from);
            held_out_means(out_of_bag, predicted.data() + t * kPoints, targets, from, some,
                           means.data());
            for (std::size_t p = 0; p < some; ++p) {
              const auto [low, high] =
                  limits(out_of_bag, {off.data() + t * rows, std::max<std::size_t>(rank, 1)},
                         means.data() + p * rows, room);
              const std::size_t to = (first + from + p) * targets + t;
              band.low[to] = low * scaling.scale[t] + scaling.mean[t];
              band.high[to] = high * scaling.scale[t] + scaling.mean[t];
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
  if (!leaves_rows_out(resampling))
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
