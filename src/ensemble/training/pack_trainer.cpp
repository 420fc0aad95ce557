#include "ensemble/training/pack_trainer.h"

#include <algorithm>

#include "ensemble/training/decay_ranges.h"
#include "ensemble/training/member_start.h"

namespace bootfold::ensemble {

namespace {

/// Largest size of a stored epoch in bytes: it stays in the second-level cache.
constexpr std::size_t kMostEpochBytes = std::size_t{512} << 10;

/// Steps between two checks for cancellation.
constexpr std::uint64_t kCheckSteps = 16;

}  // namespace

PackTrainer::PackTrainer(const TrainingContext& context, const Settings& like, std::size_t members)
    : context_(context),
      shape_(context.matrix.columns, like.architecture, context.outputs),
      optimizer_(like.optimizer),
      batch_rows_(batch_row_count(context.training, like, context.matrix.rows)),
      kernels_(simd::kernels(context.level, members)),
      lanes_(kernels_.lanes),
      lane_(lanes_),
      parameters_(shape_.parameters * lanes_),
      gradient_(shape_.parameters * lanes_),
      first_(shape_.parameters * lanes_),
      second_(shape_.parameters * lanes_),
      scratch_(simd::pack_scratch_size(shape_) * lanes_),
      numbers_(9 * lanes_),
      loss_(lanes_),
      drops_(like.dropout > 0),
      drop_words_(3 * lanes_),
      drop_scale_(lanes_),
      index_(batch_rows_ * lanes_),
      targets_(batch_rows_ * context.matrix.targets_each * lanes_),
      weights_(batch_rows_ * lanes_) {
  if (!validates(context.training)) return;
  const TrainingMatrix& validation = context.validation_matrix();
  const std::size_t targets = validation.rows * validation.targets_each;
  validation_weights_.resize(validation.rows * lanes_);
  validation_targets_.resize(targets * lanes_);
  for (std::size_t i = 0; i < targets; ++i)
    std::fill_n(&validation_targets_[i * lanes_], lanes_, validation.targets[i]);
}

simd::PackNetworks PackTrainer::networks() {
  return {&shape_,         context_.heads.kernel_loss(), parameters_.data(), gradient_.data(),
          scratch_.data(), context_.heads.losses()};
}

const simd::Dropout* PackTrainer::next_masks() {
  if (!drops_) return nullptr;
  std::uint32_t* const add = drop_words_.data();
  std::uint32_t* const mix = add + lanes_;
  std::uint32_t* const threshold = mix + lanes_;
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l]) continue;
    const DropoutKey key = lane_[l]->dropout_key();
    add[l] = key.add;
    mix[l] = key.mix;
    threshold[l] = dropout_threshold(lane_[l]->settings().dropout);
    drop_scale_[l] = dropout_scale(lane_[l]->settings().dropout);
  }
  masks_ = {add, mix, threshold, drop_scale_.data()};
  return &masks_;
}

std::vector<float> PackTrainer::lane_of(const AlignedFloats& values, std::size_t lane) const {
  std::vector<float> out(shape_.parameters);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i * lanes_ + lane];
  return out;
}

void PackTrainer::start(std::size_t lane, const MemberId& id, const Settings& settings) {
  const MemberStart start = member_start(context_, shape_, id, settings);
  lane_[lane].emplace(context_, id, settings, start);
  for (std::size_t i = 0; i < shape_.parameters; ++i) {
    parameters_[i * lanes_ + lane] = start.parameters[i];
    first_[i * lanes_ + lane] = start.optimizer.first[i];
    second_[i * lanes_ + lane] = start.optimizer.second[i];
  }
  if (averaging_) {
    const std::vector<float>& from = start.averages.empty() ? start.parameters : start.averages;
    for (std::size_t i = 0; i < from.size(); ++i) averages_[i * lanes_ + lane] = from[i];
  }
  if (!validates(context_.training)) return;
  const std::vector<float> weights = lane_[lane]->validation_weights(context_);
  for (std::size_t row = 0; row < weights.size(); ++row)
    validation_weights_[row * lanes_ + lane] = weights[row];
}

void PackTrainer::store_epoch() {
  const TrainingMatrix& matrix = context_.matrix;
  const MemberRows& any = lane_[0]->rows();
  const std::size_t rows = any.size() + batch_rows_;
  const std::size_t each = (any.in_order() ? 0 : matrix.columns) + matrix.targets_each + 1;
  epoch_stored_ =
      rows * each * lanes_ * sizeof(float) <= kMostEpochBytes && !context_.training.reshuffle;
  for (const auto& lane : lane_)
    epoch_stored_ = epoch_stored_ && (!lane || lane->rows().size() == any.size());
  if (!epoch_stored_) return;
  epoch_targets_.resize(rows * matrix.targets_each * lanes_);
  epoch_weights_.resize(rows * lanes_);
  if (!any.in_order()) epoch_inputs_.resize(rows * matrix.columns * lanes_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l]) continue;
    lane_[l]->rows().for_each(0, rows, [&](std::size_t i, std::uint32_t row) {
      for (std::size_t t = 0; t < matrix.targets_each; ++t)
        epoch_targets_[(i * matrix.targets_each + t) * lanes_ + l] =
            matrix.targets[row * matrix.targets_each + t];
      epoch_weights_[i * lanes_ + l] = lane_[l]->weight(matrix, row);
      if (any.in_order()) return;
      for (std::size_t c = 0; c < matrix.columns; ++c)
        epoch_inputs_[(i * matrix.columns + c) * lanes_ + l] =
            matrix.inputs[row * matrix.columns + c];
    });
  }
}

simd::PackBatch PackTrainer::next_batch() {
  const TrainingMatrix& matrix = context_.matrix;
  simd::PackBatch batch;
  batch.rows = batch_rows_;
  if (epoch_stored_) {
    const MemberTraining& any = **std::find_if(lane_.begin(), lane_.end(),
                                               [](const auto& lane) { return lane.has_value(); });
    const std::size_t position = any.position() % any.rows().size();
    batch.targets = epoch_targets_.data() + position * matrix.targets_each * lanes_;
    batch.weights = epoch_weights_.data() + position * lanes_;
    if (any.rows().in_order()) {
      batch.shared = matrix.inputs.data() + position * matrix.columns;
    } else {
      batch.laned = epoch_inputs_.data() + position * matrix.columns * lanes_;
    }
    return batch;
  }
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l]) continue;
    lane_[l]->rows().for_each(lane_[l]->position(), batch_rows_,
                              [&](std::size_t i, std::uint32_t row) {
                                index_[i * lanes_ + l] = row;
                                for (std::size_t t = 0; t < matrix.targets_each; ++t)
                                  targets_[(i * matrix.targets_each + t) * lanes_ + l] =
                                      matrix.targets[row * matrix.targets_each + t];
                                weights_[i * lanes_ + l] = lane_[l]->weight(matrix, row);
                              });
  }
  batch.data = matrix.inputs.data();
  batch.index = index_.data();
  batch.targets = targets_.data();
  batch.weights = weights_.data();
  return batch;
}

void PackTrainer::step() {
  simd::PackNetworks pack = networks();
  pack.dropout = next_masks();
  kernels_.gradient(pack, next_batch(), loss_.data());
  float* const rate = numbers_.data();
  float* const correction = rate + lanes_;
  float* const decay = correction + lanes_;
  float* const scale = decay + lanes_;
  float* const beta1 = scale + lanes_;
  float* const beta2 = beta1 + lanes_;
  float* const epsilon = beta2 + lanes_;
  float* const live = epsilon + lanes_;
  float* const average = live + lanes_;
  bool clips = false;
  const MemberTraining* beside = nullptr;  // the lane before; most lanes are in step
  MemberTraining::StepValues numbers{};
  for (std::size_t l = 0; l < lanes_; ++l) {
    live[l] = 0;
    scale[l] = 1;
    average[l] = 0;
    if (!lane_[l]) continue;
    numbers = beside == nullptr ? lane_[l]->advance(loss_[l])
                                : lane_[l]->advance(loss_[l], *beside, numbers);
    beside = &*lane_[l];
    live[l] = lane_[l]->failed() ? 0.0F : 1.0F;
    rate[l] = numbers.rate;
    correction[l] = numbers.correction;
    decay[l] = numbers.decay;
    beta1[l] = numbers.beta1;
    beta2[l] = numbers.beta2;
    epsilon[l] = numbers.epsilon;
    if (!lane_[l]->failed()) average[l] = numbers.average;
    clips = clips || lane_[l]->settings().clip > 0;
  }
  if (clips) {
    kernels_.squares(gradient_.data(), shape_.parameters, loss_.data());
    for (std::size_t l = 0; l < lanes_; ++l)
      if (lane_[l]) scale[l] = lane_[l]->clip_factor(loss_[l]);
  }
  update(
      {rate, correction, decay, scale, beta1, beta2, epsilon, live, first_.data(), second_.data()});
  if (averaging_)
    kernels_.average(average, parameters_.data(), shape_.parameters, averages_.data());
}

void PackTrainer::update(const simd::Update& update) {
  for_each_decay_range(shape_, [&](std::size_t first, std::size_t count, bool decays) {
    simd::Update own = update;
    own.first += first * lanes_;
    own.second += first * lanes_;
    if (!decays) own.decay = kNoDecay;
    kernels_.update(optimizer_, own, gradient_.data() + first * lanes_, count,
                    parameters_.data() + first * lanes_);
  });
}

/// Validates the lanes that are due.
void PackTrainer::validate() {
  const auto due = [](const auto& lane) { return lane && lane->validation_due(); };
  if (std::none_of(lane_.begin(), lane_.end(), due)) return;
  simd::PackBatch all;
  all.rows = context_.validation_matrix().rows;
  all.shared = context_.validation_matrix().inputs.data();
  all.targets = validation_targets_.data();
  all.weights = validation_weights_.data();
  simd::PackNetworks pack = networks();
  pack.parameters = kept().data();
  kernels_.loss(pack, all, loss_.data());
  for (std::size_t l = 0; l < lanes_; ++l)
    if (due(lane_[l])) lane_[l]->validate(loss_[l], [&] { return lane_of(kept(), l); });
}

void PackTrainer::report() {
  const auto due = [](const auto& lane) { return lane && lane->epoch_due(); };
  if (!context_.training.epoch_done) return;
  // Lanes are in step, unless some of them took the next member.
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!due(lane_[l])) continue;
    const std::uint64_t step = lane_[l]->step();
    std::vector<std::size_t> told;
    std::vector<MemberEpoch> epochs;
    for (std::size_t k = l; k < lanes_; ++k) {
      if (!due(lane_[k]) || lane_[k]->step() != step) continue;
      told.push_back(k);
      epochs.push_back(lane_[k]->end_epoch());
    }
    if (context_.training.epoch_done(epochs)) continue;
    for (const std::size_t k : told) lane_[k]->stop();
  }
}

std::vector<TrainedMember> PackTrainer::train(std::span<const MemberId> ids,
                                              std::span<const Settings* const> settings,
                                              const execution::Worker& worker) {
  averaging_ =
      std::ranges::any_of(settings, [](const Settings* each) { return each->average > 0; });
  if (averaging_) averages_.resize(shape_.parameters * lanes_);
  std::vector<TrainedMember> trained(ids.size());
  std::vector<std::size_t> job(lanes_);
  std::size_t next = 0;
  const auto busy = [](const auto& lane) { return lane.has_value(); };
  const auto fill = [&] {
    const bool all_idle = std::none_of(lane_.begin(), lane_.end(), busy);
    if (next == ids.size()) return;
    for (std::size_t l = 0; l < lanes_ && next < ids.size(); ++l)
      if (!lane_[l]) {
        job[l] = next;
        start(l, ids[next], *settings[next]);
        ++next;
      }
    // Lanes are in step only if all of them start together.
    epoch_stored_ = false;
    if (all_idle) store_epoch();
  };
  fill();
  for (std::uint64_t steps = 0; std::any_of(lane_.begin(), lane_.end(), busy); ++steps) {
    if (steps % kCheckSteps == 0) {
      worker.check();
      for (auto& lane : lane_)
        if (lane) worker.advance(lane->new_progress());
    }
    step();
    validate();
    report();
    bool left = false;
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (!lane_[l] || !lane_[l]->done()) continue;
      trained[job[l]] = lane_[l]->finish([&] { return lane_of(kept(), l); });
      lane_[l]->keep_optimizer(
          trained[job[l]], [&] { return lane_of(first_, l); }, [&] { return lane_of(second_, l); },
          [&] { return lane_of(parameters_, l); });
      worker.advance(lane_[l]->new_progress());
      lane_[l].reset();
      left = true;
    }
    if (left) fill();
  }
  return trained;
}

}  // namespace bootfold::ensemble
