#include "bootfold/ensemble/ensemble.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "bootfold/error.h"
#include "ensemble/calibration/score_rows.h"
#include "ensemble/calibration/temperature.h"
#include "ensemble/encoding/input_encoder.h"
#include "ensemble/heads.h"
#include "ensemble/prediction/point_blocks.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/prediction/range.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// Blocks of points that a worker predicts at a time.
constexpr std::size_t kBlocksAtOnce = 16;

}  // namespace

std::size_t Prediction::predicted_class(std::size_t row) const {
  const auto first = mean.begin() + static_cast<std::ptrdiff_t>(row * outputs);
  return static_cast<std::size_t>(
      std::max_element(first, first + static_cast<std::ptrdiff_t>(outputs)) - first);
}

Ensemble::Ensemble(Frame frame, std::vector<Member> members,
                   std::vector<std::vector<float>> parameters, std::uint64_t fingerprint)
    : frame_(std::move(frame)),
      members_(std::move(members)),
      parameters_(std::move(parameters)),
      fingerprint_(fingerprint) {
  const std::size_t group = std::max<std::size_t>(1, frame_.share);
  std::set<std::pair<std::size_t, std::uint64_t>> trainings;  // settings, number
  for (const Member& member : members_)
    if (member.failure.empty()) trainings.emplace(member.settings, member.number / group);
  frame_.trainings = trainings.size();
}

Prediction Ensemble::predict(const DataView& inputs, const Execution& execution) const {
  check_columns(frame_, inputs.columns());
  const std::size_t rows = inputs.rows();
  const InputEncoder encoder(frame_);
  const std::size_t columns = encoder.columns();
  const Heads heads(frame_);
  const std::size_t outputs = heads.outputs();
  const simd::Kernels& kernels =
      simd::kernels(execution.level.value_or(execution::default_level()));
  std::vector<Shape> shapes;
  for (const Settings& settings : frame_.settings)
    shapes.emplace_back(columns, settings.architecture, outputs);
  if (std::ranges::all_of(members_, [](const Member& m) { return !m.failure.empty(); }))
    throw InvalidArgument("all members of the ensemble failed, so it cannot predict");

  Prediction prediction = empty_prediction(heads, rows);
  prediction.outside.resize(rows);
  const std::vector<float> all(kPoints, 1.0F);
  const std::size_t chunk_rows = kPoints * kBlocksAtOnce;
  execution::detail::run_chunks(
      (rows + chunk_rows - 1) / chunk_rows, static_cast<double>(rows), execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        const std::size_t first = chunk * chunk_rows;
        const std::size_t count = std::min(chunk_rows, rows - first);
        std::vector<float> read(count * columns);
        encoder.encode(inputs, first, count, read.data());
        if (InputEncoder::has_far(read)) encoder.check_reach(inputs, first, count, 0);
        count_outside(encoder, frame_.input_range, inputs, first, count,
                      prediction.outside.data() + first);
        std::vector<float> points(chunk_rows * columns);
        transpose_points(read.data(), count, columns, points.data());
        std::vector<BlockSums> sums((count + kPoints - 1) / kPoints, BlockSums(heads));
        std::vector<float> scratch;
        for (std::size_t m = 0; m < members_.size(); ++m) {
          if (!members_[m].failure.empty()) continue;
          for (std::size_t b = 0; b < sums.size(); ++b)
            sums[b].add(kernels, shapes[members_[m].settings], parameters_[m].data(),
                        points.data() + b * kPoints * columns, all.data(), scratch);
          if (m % 64 == 0) worker.check();
        }
        for (std::size_t b = 0; b < sums.size(); ++b)
          sums[b].finish(frame_, first + b * kPoints, std::min(kPoints, count - b * kPoints),
                         prediction);
        worker.advance(static_cast<double>(count));
      });
  return prediction;
}

void Ensemble::set_temperature(double temperature) {
  if (!classifies())
    throw InvalidArgument(
        "the ensemble predicts numbers, but this temperature is for classes; set_temperatures() "
        "is for targets of 0 and 1");
  check_temperature(temperature);
  frame_.temperature = temperature;
  frame_.conformal = {};
  out_of_bag_ = {};
}

void Ensemble::set_temperatures(std::vector<double> temperatures) {
  const std::size_t targets = classifies() ? 0 : frame_.classes.size();
  if (!temperatures.empty() && temperatures.size() != targets)
    throw InvalidArgument(text::concat("there are ", temperatures.size(), " temperatures but ",
                                       targets, " targets; classes have set_temperature()"));
  for (std::size_t t = 0; t < temperatures.size(); ++t) {
    check_temperature(temperatures[t]);
    if (temperatures[t] != 1 && loss_of_target(frame_, t) != Loss::binary)
      throw InvalidArgument(text::concat("the temperature of target ", frame_.classes[t], " is ",
                                         temperatures[t],
                                         " but temperatures are for targets of 0 and 1"));
  }
  if (std::ranges::all_of(temperatures, [](double each) { return each == 1; }))
    temperatures.clear();
  frame_.temperatures = std::move(temperatures);
  frame_.conformal = {};
  out_of_bag_ = {};
}

void Ensemble::set_conformal(ConformalScores scores) {
  if (scores.rows == ScoreRows::none) scores = {};
  if (scores.rows != ScoreRows::none) check_scores(frame_, scores);
  frame_.conformal = std::move(scores);
}

Ensemble Ensemble::subset(std::span<const std::size_t> members) const {
  std::vector<Member> chosen;
  std::vector<std::vector<float>> parameters;
  std::vector<bool> taken(size());
  for (const std::size_t index : members) {
    if (index >= size())
      throw InvalidArgument(text::concat("member ", index, " does not exist; the ensemble has ",
                                         size(), " members, numbered from 0"));
    if (taken[index])
      throw InvalidArgument(
          text::concat("member ", index, " is listed twice but can be selected only once"));
    taken[index] = true;
    chosen.push_back(members_[index]);
    parameters.push_back(parameters_[index]);
  }
  Frame frame = frame_;
  frame.temperature = 1;  // temperatures and scores are of all members
  frame.temperatures.clear();
  frame.conformal = {};
  return {std::move(frame), std::move(chosen), std::move(parameters), fingerprint_};
}

}  // namespace bootfold::ensemble
