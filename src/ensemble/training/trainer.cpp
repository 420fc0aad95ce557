#include "ensemble/training/trainer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ensemble/encoding/input_encoder.h"
#include "ensemble/fingerprint.h"
#include "ensemble/input_rows.h"
#include "ensemble/prediction/range.h"
#include "ensemble/scaling.h"
#include "ensemble/training/defaults.h"
#include "ensemble/training/member_start.h"
#include "ensemble/training/pack_trainer.h"
#include "ensemble/training/row_checks.h"
#include "ensemble/training/shared_trainer.h"
#include "ensemble/training/solo_trainer.h"
#include "ensemble/transform.h"
#include "ensemble/validate_arguments.h"

namespace bootfold::ensemble {

namespace {

/// Whether NumberInputs has all that a training needs of the inputs.
bool are_plain_numbers(const Examples& examples, const Training& training) {
  return examples.source == nullptr && training.standardize && training.start == nullptr &&
         !examples.weights && (!examples.encoding || examples.encoding->empty());
}

/// Sets scaling and range of the inputs, in as few passes over a source as there can be.
void look_at_inputs(const Examples& examples, const Training& training, Ensemble::Frame& frame,
                    std::uint64_t& fingerprint) {
  const bool standardize = training.standardize;
  const Execution& execution = training.execution;
  const bool plain = !examples.weights && (!examples.encoding || examples.encoding->empty());
  Means means(examples.rows(), examples.columns(), examples.encoding);
  Fingerprint sum;
  frame.input_range = empty_range(examples.columns());
  for_each_chunk(examples, [&](std::size_t first, const DataView& rows) {
    if (standardize && plain) {
      static_assert(Means::kTogether == RowChecksum::kTogether);
      RowChecksum own(rows.columns(), execution.level.value_or(execution::default_level()));
      means.add(rows, execution,
                [&](std::size_t begin, std::size_t end, const std::span<double>* tile) {
                  for (std::size_t c = begin; c < end; ++c)
                    widen(frame.input_range, c, tile[c - begin]);
                  own.add(begin, end, tile);
                });
      sum.add(own, rows.rows());
      return;
    }
    if (standardize) means.add(rows, execution);
    widen(frame.input_range, examples, first, rows, execution);
    sum.add(rows, execution);
  });
  close_empty(frame.input_range);
  fingerprint = sum.value();
  frame.input_scaling = no_scaling(examples.columns());
  if (!standardize) return;
  Deviations deviations(examples.rows(), means.mean(), examples.encoding);
  for_each_chunk(examples,
                 [&](std::size_t, const DataView& rows) { deviations.add(rows, execution); });
  frame.input_scaling = deviations.scaling();
}

/// Sets the transforms and the scaling of the targets.
void look_at_targets(const Examples& examples, const Training& training, Ensemble::Frame& frame) {
  const std::size_t count = examples.targets.columns();
  if (training.start != nullptr) {  // continue_frame() compares the targets
    if (training.start->frame().transforms.size() == count)
      frame.transforms = training.start->frame().transforms;
  } else {
    const std::vector<TargetTransform> kinds = transforms_of_training(examples, training, frame);
    const auto transforms = [](TargetTransform kind) { return kind != TargetTransform::none; };
    const bool some = std::ranges::any_of(kinds, transforms);
    if (some) check_inputs({}, examples.targets, 0, training.execution);
    if (some)
      for (std::size_t t = 0; t < count; ++t) {
        std::vector<double> values(examples.rows());
        examples.targets.column(t).read(0, values);
        frame.transforms.push_back(fit_transform(kinds[t], values));
      }
  }
  frame.target_scaling = no_scaling(count);
  if (!training.standardize || count == 0) return;
  if (frame.transforms.empty()) {
    frame.target_scaling = scaling_of(examples.targets);
  } else {
    const std::vector<std::vector<double>> columns =
        transformed_targets(examples.targets, frame.transforms);
    std::vector<ColumnView> views(columns.begin(), columns.end());
    frame.target_scaling = scaling_of(DataView(std::move(views)));
  }
  for (std::size_t t = 0; t < count; ++t) {
    const Loss loss = loss_of_target(frame, t);
    // Counts are divided by their mean, so that the rates of new networks are right on average.
    if (loss == Loss::poisson) frame.target_scaling.scale[t] = frame.target_scaling.mean[t];
    if (loss == Loss::binary) frame.target_scaling.scale[t] = 1;
    if (loss == Loss::poisson || loss == Loss::binary) frame.target_scaling.mean[t] = 0;
  }
}

std::size_t longest_batch(const Training& training) {
  std::size_t longest = 0;
  for (const Settings& settings : training.settings)
    longest = std::max(longest, settings.batch_size);
  return longest;
}

/// `numbers` is set where the inputs are plain numbers.
Ensemble::Frame frame_of(const Examples& examples, const Training& training, std::size_t memory,
                         std::uint64_t& fingerprint, std::optional<NumberInputs>& numbers) {
  check_training(examples, training);
  check_row_memory(examples, memory);
  Ensemble::Frame frame;
  set_targets(examples, training, frame);
  for (std::size_t c = 0; c < examples.columns(); ++c) frame.inputs.push_back(examples.name(c));
  if (examples.encoding != nullptr) frame.encoding = *examples.encoding;
  if (are_plain_numbers(examples, training)) {
    numbers.emplace(examples.inputs, longest_batch(training), training.execution);
    frame.input_scaling = numbers->scaling;
    frame.input_range = numbers->range;
    fingerprint = numbers->fingerprint;
  } else {
    look_at_inputs(examples, training, frame, fingerprint);
  }
  look_at_targets(examples, training, frame);
  if (training.start == nullptr) check_sizes(examples, frame);
  frame.settings = training.settings;
  frame.resampling = training.resampling;
  frame.share = training.share;
  frame.seed = training.seed;
  frame.rows = examples.rows();
  if (training.start != nullptr) continue_frame(training, frame);
  return frame;
}

/// The options with the memory limit and automatic values filled in. Callbacks never overlap.
Training resolved(const Training& given, std::size_t rows) {
  Training training = with_defaults(given, rows);
  training.memory = execution::memory_limit(training.memory);
  if (training.epoch_done)
    training.epoch_done =
        [told = std::move(training.epoch_done),
         one = std::make_shared<std::mutex>()](std::span<const MemberEpoch> epochs) {
          const std::scoped_lock lock(*one);
          return told(epochs);
        };
  return training;
}

}  // namespace

Trainer::Trainer(const Examples& examples, const Training& training)
    : training_(resolved(training, examples.rows())),
      frame_(frame_of(examples, training_, training.memory, fingerprint_, numbers_)),
      heads_(frame_),
      matrix_(examples, frame_, longest_batch(training_), training_.execution,
              numbers_ ? &*numbers_ : nullptr),
      validation_rows_(training_.validation != nullptr
                           ? std::optional(validation_matrix(*training_.validation, frame_))
                           : std::nullopt),
      context_{matrix_,
               training_,
               heads_,
               heads_.outputs(),
               training_.execution.level.value_or(execution::default_level()),
               validation_rows_ ? &*validation_rows_ : nullptr},
      schedule_(training_, [this](const Settings& settings) { return solo(settings); }) {
  // Members that are fewer than the threads get several of them each.
  const unsigned threads = execution::thread_count(training_.execution);
  context_.team =
      threads / static_cast<unsigned>(std::clamp<std::size_t>(schedule_.chunks(), 1, threads));
  if (validation_rows_) validation_.emplace(context_);
  note_copies(matrix_, training_, frame_);
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

std::optional<double> Trainer::validate(const Job& job, const std::vector<float>& parameters,
                                        HeldOutRecorder* recorder) const {
  if (!validation_) return std::nullopt;
  return validation_->loss(job, parameters, recorder);
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
  if (training_.share > 0) return SharedTrainer(context_, *settings[0], ids).train(worker);
  if (!solo(*settings[0]))
    return PackTrainer(context_, *settings[0], ids.size()).train(ids, settings, worker);
  const Shape shape(matrix_.columns, settings[0]->architecture, context_.outputs);
  SoloTrainer trainer(
      context_, *settings[0],
      useful_threads(shape, batch_row_count(context_.training, *settings[0], matrix_.rows),
                     context_.team));
  std::vector<TrainedMember> trained;
  for (std::size_t i = 0; i < ids.size(); ++i)
    trained.push_back(trainer.train(ids[i], *settings[i], worker));
  return trained;
}

}  // namespace bootfold::ensemble
