#include "ensemble/trainer.h"

#include <algorithm>

#include "ensemble/check.h"
#include "ensemble/fingerprint.h"
#include "ensemble/pack.h"
#include "ensemble/single.h"

namespace bootfold::ensemble {

namespace {

Ensemble::Frame frame_of(const Examples& examples, const Training& training) {
  check(examples, training);
  Ensemble::Frame frame;
  frame.loss = training.loss.value_or(examples.classes != nullptr ? Loss::cross_entropy
                                                                  : Loss::squared_error);
  for (std::size_t c = 0; c < examples.inputs.columns(); ++c)
    frame.inputs.push_back(examples.inputs.name(c));
  if (examples.classes != nullptr) {
    frame.classes = examples.classes->names;
    frame.target = examples.classes->column;
  } else {
    for (std::size_t t = 0; t < examples.targets.columns(); ++t)
      frame.classes.push_back(examples.targets.name(t));
  }
  const auto scaled = [&](const DataView& data) {
    return training.standardize ? scaling_of(data) : no_scaling(data.columns());
  };
  frame.input_scaling = scaled(examples.inputs);
  frame.target_scaling = scaled(examples.targets);
  frame.settings = training.settings;
  frame.resampling = training.resampling;
  frame.seed = training.seed;
  frame.rows = examples.inputs.rows();
  frame.fingerprint = fingerprint_of(examples.inputs);
  return frame;
}

/// The options with the memory limit and the automatic batch sizes filled in.
Training resolved(Training training, std::size_t rows) {
  constexpr std::size_t kUsual = 32;
  training.memory = execution::memory_limit(training.memory);
  for (Settings& settings : training.settings) {
    if (settings.batch_size != Settings::kAutomaticBatch) continue;
    // What is wrong with the rows or their share is reported by check().
    const bool known = rows > 0 && (training.resampling != Resampling::subsample ||
                                    (settings.subsample > 0 && settings.subsample <= 1));
    const std::size_t walk = known ? rows_of(training, settings, rows) : 0;
    settings.batch_size = walk < kUsual ? Settings::kFullBatch : kUsual;
  }
  return training;
}

std::size_t longest_batch(const Training& training) {
  std::size_t longest = 0;
  for (const Settings& settings : training.settings)
    longest = std::max(longest, settings.batch_size);
  return longest;
}

}  // namespace

Trainer::Trainer(const Examples& examples, const Training& training)
    : training_(resolved(training, examples.inputs.rows())),
      frame_(frame_of(examples, training_)),
      table_(examples, frame_.input_scaling, frame_.target_scaling, longest_batch(training_)),
      judges_(training_.validation != nullptr
                  ? std::optional(validation_table(*training_.validation, frame_))
                  : std::nullopt),
      run_{table_,
           training_,
           frame_.loss,
           outputs_of(frame_),
           training_.execution.level.value_or(execution::default_level()),
           judges_ ? &*judges_ : nullptr},
      jobs_(training_, [this](const Settings& settings) { return alone(settings); }) {
  if (judges_) validation_.emplace(run_);
}

std::optional<std::size_t> Trainer::states_in(std::size_t room, std::size_t bytes) const {
  const std::size_t usual = 4 * std::size_t{execution::thread_count(run_.training.execution)} + 1;
  const std::size_t fit = room / std::max<std::size_t>(bytes, 1);
  if (fit > usual) return 0;
  if (fit < 2) return std::nullopt;
  return fit - 1;
}

void Trainer::tell(const Member& member) const {
  if (!run_.training.finished) return;
  const std::scoped_lock lock(telling_);
  run_.training.finished(member);
}

std::optional<double> Trainer::validate(const Job& job,
                                        const std::vector<float>& parameters) const {
  if (!validation_) return std::nullopt;
  return validation_->loss(job, parameters);
}

bool Trainer::alone(const Settings& settings) const {
  return better_alone(Shape(table_.columns, settings.architecture, run_.outputs),
                      batch_of(run_.training, settings, table_.rows));
}

std::vector<Trained> Trainer::train(const std::vector<Job>& jobs,
                                    const execution::Worker& worker) const {
  std::vector<MemberId> ids;
  std::vector<const Settings*> settings;
  for (const Job& job : jobs) {
    ids.push_back(job.id);
    settings.push_back(job.settings);
  }
  if (!alone(*settings[0]))
    return Pack(run_, *settings[0], ids.size()).train(ids, settings, worker);
  Single single(run_, *settings[0]);
  std::vector<Trained> trained;
  for (std::size_t i = 0; i < ids.size(); ++i)
    trained.push_back(single.train(ids[i], *settings[i], worker));
  return trained;
}

}  // namespace bootfold::ensemble
