#include "ensemble/training/trainer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ensemble/fingerprint.h"
#include "ensemble/input_rows.h"
#include "ensemble/prediction/range.h"
#include "ensemble/scaling.h"
#include "ensemble/training/member_start.h"
#include "ensemble/training/pack_trainer.h"
#include "ensemble/training/shared_trainer.h"
#include "ensemble/training/solo_trainer.h"
#include "ensemble/validate_arguments.h"

namespace bootfold::ensemble {

namespace {

/// Sets scaling and range of the inputs, in as few passes over a source as there can be.
void look_at_inputs(const Examples& examples, bool standardize, Ensemble::Frame& frame,
                    std::uint64_t& fingerprint) {
  Means means(examples.rows(), examples.columns(), examples.encoding);
  Fingerprint sum;
  frame.input_range = empty_range(examples.columns());
  for_each_chunk(examples, [&](std::size_t first, const DataView& rows) {
    if (standardize) means.add(rows);
    widen(frame.input_range, examples, first, rows);
    sum.add(rows);
  });
  close_empty(frame.input_range);
  fingerprint = sum.value();
  frame.input_scaling = no_scaling(examples.columns());
  if (!standardize) return;
  Deviations deviations(examples.rows(), means.mean(), examples.encoding);
  for_each_chunk(examples, [&](std::size_t, const DataView& rows) { deviations.add(rows); });
  frame.input_scaling = deviations.scaling();
}

Ensemble::Frame frame_of(const Examples& examples, const Training& training, std::size_t memory,
                         std::uint64_t& fingerprint) {
  check_training(examples, training);
  check_row_memory(examples, memory);
  Ensemble::Frame frame;
  frame.loss = training.loss.value_or(examples.classes != nullptr ? Loss::cross_entropy
                                                                  : Loss::squared_error);
  for (std::size_t c = 0; c < examples.columns(); ++c) frame.inputs.push_back(examples.name(c));
  if (examples.classes != nullptr) {
    frame.classes = examples.classes->names;
    frame.target = examples.classes->column;
  } else {
    for (std::size_t t = 0; t < examples.targets.columns(); ++t)
      frame.classes.push_back(examples.targets.name(t));
  }
  if (examples.encoding != nullptr) frame.encoding = *examples.encoding;
  look_at_inputs(examples, training.standardize, frame, fingerprint);
  frame.target_scaling =
      training.standardize ? scaling_of(examples.targets) : no_scaling(examples.targets.columns());
  frame.settings = training.settings;
  frame.resampling = training.resampling;
  frame.seed = training.seed;
  frame.rows = examples.rows();
  if (training.start != nullptr) continue_frame(training, frame);
  return frame;
}

/// The options with the memory limit and the automatic batch sizes filled in.
Training resolved(Training training, std::size_t rows) {
  constexpr std::size_t kUsual = 32;
  training.memory = execution::memory_limit(training.memory);
  if (training.epoch_done)
    training.epoch_done =
        [told = std::move(training.epoch_done),
         one = std::make_shared<std::mutex>()](std::span<const MemberEpoch> epochs) {
          const std::scoped_lock lock(*one);
          return told(epochs);
        };
  for (Settings& settings : training.settings) {
    if (settings.batch_size != Settings::kAutomaticBatch) continue;
    // What is wrong with the rows or their share is reported by check().
    const bool known = rows > 0 && (training.resampling != Resampling::subsample ||
                                    (settings.subsample > 0 && settings.subsample <= 1));
    const std::size_t walk = known ? member_row_count(training, settings, rows) : 0;
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
    : training_(resolved(training, examples.rows())),
      frame_(frame_of(examples, training_, training.memory, fingerprint_)),
      matrix_(examples, frame_, longest_batch(training_)),
      validation_rows_(training_.validation != nullptr
                           ? std::optional(validation_matrix(*training_.validation, frame_))
                           : std::nullopt),
      context_{matrix_,
               training_,
               frame_.loss,
               outputs_of(frame_),
               training_.execution.level.value_or(execution::default_level()),
               validation_rows_ ? &*validation_rows_ : nullptr},
      schedule_(training_, [this](const Settings& settings) { return solo(settings); }) {
  if (validation_rows_) validation_.emplace(context_);
  if (!training_.checkpoint.empty())
    checkpoint_.emplace(context_, training_facts(examples, context_, fingerprint_));
}

std::optional<std::size_t> Trainer::states_in(std::size_t room, std::size_t bytes) const {
  const std::size_t usual =
      4 * std::size_t{execution::thread_count(context_.training.execution)} + 1;
  const std::size_t fit = room / std::max<std::size_t>(bytes, 1);
  if (fit > usual) return 0;
  if (fit < 2) return std::nullopt;
  return fit - 1;
}

void Trainer::report_finished(const Member& member) const {
  if (!context_.training.finished) return;
  const std::scoped_lock lock(reporting_);
  context_.training.finished(member);
}

std::optional<double> Trainer::validate(const Job& job,
                                        const std::vector<float>& parameters) const {
  if (!validation_) return std::nullopt;
  return validation_->loss(job, parameters);
}

bool Trainer::solo(const Settings& settings) const {
  return trains_faster_alone(Shape(matrix_.columns, settings.architecture, context_.outputs),
                             batch_row_count(context_.training, settings, matrix_.rows));
}

std::vector<TrainedMember> Trainer::train_or_restore(const std::vector<Job>& jobs,
                                                     const execution::Worker& worker) const {
  if (!checkpoint_) return train(jobs, worker);
  if (auto stored = checkpoint_->find(jobs)) {
    worker.advance(static_cast<double>(jobs.size()));
    return std::move(*stored);
  }
  std::vector<TrainedMember> trained = train(jobs, worker);
  checkpoint_->add(jobs, trained);
  return trained;
}

std::vector<TrainedMember> Trainer::train(const std::vector<Job>& jobs,
                                          const execution::Worker& worker) const {
  std::vector<MemberId> ids;
  std::vector<const Settings*> settings;
  for (const Job& job : jobs) {
    ids.push_back(job.id);
    settings.push_back(job.settings);
  }
  if (context_.training.share) return SharedTrainer(context_, *settings[0], ids).train(worker);
  if (!solo(*settings[0]))
    return PackTrainer(context_, *settings[0], ids.size()).train(ids, settings, worker);
  SoloTrainer trainer(context_, *settings[0]);
  std::vector<TrainedMember> trained;
  for (std::size_t i = 0; i < ids.size(); ++i)
    trained.push_back(trainer.train(ids[i], *settings[i], worker));
  return trained;
}

}  // namespace bootfold::ensemble
