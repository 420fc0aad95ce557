#include "ensemble/training/pack_trainer.h"

#include <algorithm>

#include "ensemble/training/initialize.h"

namespace bootfold::ensemble {

namespace {

/// A walk that is laid out whole takes at most so many bytes, so that it stays in the second cache.
constexpr std::size_t kMostAhead = std::size_t{512} << 10;

/// Steps between two checks whether the run was cancelled.
constexpr std::uint64_t kCheckSteps = 16;

/// All levels give the same bits, so this is a matter of speed alone.
const simd::Kernels& kernels_for(execution::Level level, std::size_t members) {
  using execution::Level;
  if (level == Level::avx512 && members <= simd::kernels(Level::avx2).lanes)
    return simd::kernels(Level::avx2);
  return simd::kernels(level);
}

}  // namespace

Pack::Pack(const Run& run, const Settings& like, std::size_t members)
    : run_(run),
      shape_(run.table.columns, like.architecture, run.outputs),
      optimizer_(like.optimizer),
      batch_rows_(batch_of(run.training, like, run.table.rows)),
      kernels_(kernels_for(run.level, members)),
      lanes_(kernels_.lanes),
      lane_(lanes_),
      parameters_(shape_.parameters * lanes_),
      gradient_(shape_.parameters * lanes_),
      first_(shape_.parameters * lanes_),
      second_(shape_.parameters * lanes_),
      scratch_(simd::scratch_size(shape_) * lanes_),
      numbers_(8 * lanes_),
      loss_(lanes_),
      index_(batch_rows_ * lanes_),
      targets_(batch_rows_ * run.table.targets_each * lanes_),
      weights_(batch_rows_ * lanes_) {
  if (run.training.stopping.patience == 0) return;
  const Table& judges = run.judges();
  const std::size_t targets = judges.rows * judges.targets_each;
  held_out_weights_.resize(judges.rows * lanes_);
  held_out_targets_.resize(targets * lanes_);
  for (std::size_t i = 0; i < targets; ++i)
    std::fill_n(&held_out_targets_[i * lanes_], lanes_, judges.targets[i]);
}

simd::Pack Pack::networks() {
  return {&shape_, run_.loss, parameters_.data(), gradient_.data(), scratch_.data()};
}

std::vector<float> Pack::parameters_of(std::size_t lane) const {
  std::vector<float> out(shape_.parameters);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = parameters_[i * lanes_ + lane];
  return out;
}

void Pack::start(std::size_t lane, const MemberId& id, const Settings& settings) {
  lane_[lane].emplace(run_, id, settings);
  std::vector<float> first(shape_.parameters);
  initialize(shape_, settings.architecture.initializer, id, first);
  for (std::size_t i = 0; i < first.size(); ++i) {
    parameters_[i * lanes_ + lane] = first[i];
    first_[i * lanes_ + lane] = 0;
    second_[i * lanes_ + lane] = 0;
  }
  if (run_.training.stopping.patience == 0) return;
  const std::vector<float> weights = lane_[lane]->held_out_weights(run_);
  for (std::size_t row = 0; row < weights.size(); ++row)
    held_out_weights_[row * lanes_ + lane] = weights[row];
}

/// Lays the walk of all lanes out where it is short and they go through it in step.
void Pack::fill_ahead() {
  const Table& table = run_.table;
  const MemberRows& any = lane_[0]->rows();
  const std::size_t rows = any.size() + batch_rows_;
  const std::size_t each = (any.in_order() ? 0 : table.columns) + table.targets_each + 1;
  ahead_ = rows * each * lanes_ * sizeof(float) <= kMostAhead && !run_.training.reshuffle;
  for (const auto& lane : lane_) ahead_ = ahead_ && (!lane || lane->rows().size() == any.size());
  if (!ahead_) return;
  ahead_targets_.resize(rows * table.targets_each * lanes_);
  ahead_weights_.resize(rows * lanes_);
  if (!any.in_order()) ahead_inputs_.resize(rows * table.columns * lanes_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l]) continue;
    lane_[l]->rows().for_each(0, rows, [&](std::size_t i, std::uint32_t row) {
      for (std::size_t t = 0; t < table.targets_each; ++t)
        ahead_targets_[(i * table.targets_each + t) * lanes_ + l] =
            table.targets[row * table.targets_each + t];
      ahead_weights_[i * lanes_ + l] = lane_[l]->weight(table, row);
      if (any.in_order()) return;
      for (std::size_t c = 0; c < table.columns; ++c)
        ahead_inputs_[(i * table.columns + c) * lanes_ + l] = table.inputs[row * table.columns + c];
    });
  }
}

simd::Batch Pack::next_batch() {
  const Table& table = run_.table;
  simd::Batch batch;
  batch.rows = batch_rows_;
  if (ahead_) {
    const Course& any = **std::find_if(lane_.begin(), lane_.end(),
                                       [](const auto& lane) { return lane.has_value(); });
    const std::size_t place = any.place() % any.rows().size();
    batch.targets = ahead_targets_.data() + place * table.targets_each * lanes_;
    batch.weights = ahead_weights_.data() + place * lanes_;
    if (any.rows().in_order()) {
      batch.shared = table.inputs.data() + place * table.columns;
    } else {
      batch.laned = ahead_inputs_.data() + place * table.columns * lanes_;
    }
    return batch;
  }
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l]) continue;
    lane_[l]->rows().for_each(lane_[l]->place(), batch_rows_,
                              [&](std::size_t i, std::uint32_t row) {
                                index_[i * lanes_ + l] = row;
                                for (std::size_t t = 0; t < table.targets_each; ++t)
                                  targets_[(i * table.targets_each + t) * lanes_ + l] =
                                      table.targets[row * table.targets_each + t];
                                weights_[i * lanes_ + l] = lane_[l]->weight(table, row);
                              });
  }
  batch.data = table.inputs.data();
  batch.index = index_.data();
  batch.targets = targets_.data();
  batch.weights = weights_.data();
  return batch;
}

void Pack::step() {
  kernels_.gradient(networks(), next_batch(), loss_.data());
  float* const rate = numbers_.data();
  float* const correction = rate + lanes_;
  float* const decay = correction + lanes_;
  float* const scale = decay + lanes_;
  float* const beta1 = scale + lanes_;
  float* const beta2 = beta1 + lanes_;
  float* const epsilon = beta2 + lanes_;
  float* const live = epsilon + lanes_;
  bool clips = false;
  for (std::size_t l = 0; l < lanes_; ++l) {
    live[l] = 0;
    scale[l] = 1;
    if (!lane_[l]) continue;
    const Course::Numbers numbers = lane_[l]->advance(loss_[l]);
    live[l] = lane_[l]->failed() ? 0.0F : 1.0F;
    rate[l] = numbers.rate;
    correction[l] = numbers.correction;
    decay[l] = numbers.decay;
    beta1[l] = numbers.beta1;
    beta2[l] = numbers.beta2;
    epsilon[l] = numbers.epsilon;
    clips = clips || lane_[l]->settings().clip > 0;
  }
  if (clips) {
    kernels_.squares(gradient_.data(), shape_.parameters, loss_.data());
    for (std::size_t l = 0; l < lanes_; ++l)
      if (lane_[l]) scale[l] = lane_[l]->clipped(loss_[l]);
  }
  kernels_.update(
      optimizer_,
      {rate, correction, decay, scale, beta1, beta2, epsilon, live, first_.data(), second_.data()},
      gradient_.data(), shape_.parameters, parameters_.data());
}

/// How lanes whose time has come do on the rows they do not see.
void Pack::look() {
  const auto due = [](const auto& lane) { return lane && lane->look_due(); };
  if (std::none_of(lane_.begin(), lane_.end(), due)) return;
  simd::Batch all;
  all.rows = run_.judges().rows;
  all.shared = run_.judges().inputs.data();
  all.targets = held_out_targets_.data();
  all.weights = held_out_weights_.data();
  kernels_.loss(networks(), all, loss_.data());
  for (std::size_t l = 0; l < lanes_; ++l)
    if (due(lane_[l])) lane_[l]->look(loss_[l], [&] { return parameters_of(l); });
}

std::vector<Trained> Pack::train(std::span<const MemberId> ids,
                                 std::span<const Settings* const> settings,
                                 const execution::Worker& worker) {
  std::vector<Trained> trained(ids.size());
  std::vector<std::size_t> job(lanes_);
  std::size_t next = 0;
  const auto busy = [](const auto& lane) { return lane.has_value(); };
  const auto fill = [&] {
    const bool together = std::none_of(lane_.begin(), lane_.end(), busy);
    if (next == ids.size()) return;
    for (std::size_t l = 0; l < lanes_ && next < ids.size(); ++l)
      if (!lane_[l]) {
        job[l] = next;
        start(l, ids[next], *settings[next]);
        ++next;
      }
    // Lanes walk in step only when all of them begin together.
    ahead_ = false;
    if (together) fill_ahead();
  };
  fill();
  for (std::uint64_t round = 0; std::any_of(lane_.begin(), lane_.end(), busy); ++round) {
    if (round % kCheckSteps == 0) worker.check();
    step();
    look();
    bool left = false;
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (!lane_[l] || !lane_[l]->done()) continue;
      trained[job[l]] = lane_[l]->finish([&] { return parameters_of(l); });
      lane_[l].reset();
      worker.advance(1);
      left = true;
    }
    if (left) fill();
  }
  return trained;
}

}  // namespace bootfold::ensemble
