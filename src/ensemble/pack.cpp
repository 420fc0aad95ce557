#include "ensemble/pack.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <numbers>

#include "bootfold/error.h"
#include "ensemble/initialize.h"

namespace bootfold::ensemble {

namespace {

/// A walk that is laid out whole takes at most so many bytes, so that it stays in the second cache.
constexpr std::size_t kMostAhead = std::size_t{512} << 10;

/// Steps between looks at the clock of the run.
constexpr std::uint64_t kCheckSteps = 16;

std::size_t batch_of(const Training& training, const Settings& settings, std::size_t rows) {
  const std::size_t all = rows_of(training, settings, rows);
  return settings.batch_size == 0 ? all : settings.batch_size;
}

double rate_at(const Settings& settings, std::uint64_t step, std::uint64_t steps) {
  if (settings.schedule == Schedule::constant) return settings.learning_rate;
  const double share = static_cast<double>(step) / static_cast<double>(steps);
  return settings.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * share));
}

}  // namespace

void Floats::resize(std::size_t size) {
  constexpr std::size_t kAlign = 64;
  const std::size_t bytes = (size * sizeof(float) + kAlign) / kAlign * kAlign;
  auto* data = static_cast<float*>(std::aligned_alloc(kAlign, bytes));
  if (data == nullptr) throw std::bad_alloc();
  std::fill_n(data, bytes / sizeof(float), 0.0F);
  data_.reset(data);
}

void Floats::Free::operator()(float* data) const noexcept { std::free(data); }  // NOLINT

std::size_t rows_of(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.resampling != Resampling::subsample) return rows;
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::llround(settings.subsample * static_cast<double>(rows))), 1,
      rows);
}

std::uint64_t steps_of(const Training& training, const Settings& settings, std::size_t rows) {
  if (training.steps > 0) return training.steps;
  const auto walk = static_cast<double>(rows_of(training, settings, rows));
  const auto batch = static_cast<double>(batch_of(training, settings, rows));
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::ceil(training.epochs * walk / batch)));
}

Pack::Pack(const Run& run, const Settings& like)
    : run_(run),
      shape_(run.table.columns, like.architecture, run.outputs),
      optimizer_(like.optimizer),
      batch_rows_(batch_of(run.training, like, run.table.rows)),
      kernels_(simd::kernels(run.level)),
      lanes_(kernels_.lanes),
      lane_(lanes_),
      parameters_(shape_.parameters * lanes_),
      gradient_(shape_.parameters * lanes_),
      first_(shape_.parameters * lanes_),
      second_(shape_.parameters * lanes_),
      scratch_(simd::scratch_size(shape_) * lanes_),
      numbers_(8 * lanes_),
      index_(batch_rows_ * lanes_),
      targets_(batch_rows_ * run.table.targets_each * lanes_),
      weights_(batch_rows_ * lanes_) {
  if (run.training.stopping.patience > 0) {
    held_out_.resize(run.table.rows * lanes_);
    held_targets_.resize(run.table.rows * run.table.targets_each * lanes_);
    for (std::size_t i = 0; i < run.table.rows * run.table.targets_each; ++i)
      std::fill_n(&held_targets_[i * lanes_], lanes_, run.table.targets[i]);
  }
}

void Pack::start(std::size_t lane, std::size_t job, const MemberId& id, const Settings& settings) {
  Lane& own = lane_[lane];
  own = {};
  own.job = job;
  own.settings = &settings;
  own.busy = true;
  own.rows.emplace(id, run_.training.resampling, run_.table.rows, settings.subsample,
                   run_.training.reshuffle, execution::simd::kernels(run_.level));
  own.last_step = steps_of(run_.training, settings, run_.table.rows);
  std::vector<float> first(shape_.parameters);
  initialize(shape_, settings.architecture.initializer, id, first);
  for (std::size_t i = 0; i < first.size(); ++i) {
    parameters_[i * lanes_ + lane] = first[i];
    first_[i * lanes_ + lane] = 0;
    second_[i * lanes_ + lane] = 0;
  }
  if (run_.training.stopping.patience == 0) return;
  own.look_at = look_after(own, 1);
  const std::vector<float> held_out = own.rows->held_out();
  double total = 0;
  for (std::size_t row = 0; row < held_out.size(); ++row)
    total += held_out[row] * (run_.table.weights.empty() ? 1.0F : run_.table.weights[row]);
  for (std::size_t row = 0; row < held_out.size(); ++row) {
    const float weight = run_.table.weights.empty() ? 1.0F : run_.table.weights[row];
    held_out_[row * lanes_ + lane] =
        total > 0 ? held_out[row] * weight / static_cast<float>(total) : 0.0F;
  }
}

/// Lays the walk of all lanes out where it is short and they go through it in step.
void Pack::fill_ahead() {
  const Table& table = run_.table;
  const std::size_t size = lane_[0].rows->size();
  const bool in_order = lane_[0].rows->in_order();
  const std::size_t rows = size + batch_rows_;
  const std::size_t each = (in_order ? 0 : table.columns) + table.targets_each + 1;
  ahead_ = rows * each * lanes_ * sizeof(float) <= kMostAhead && !run_.training.reshuffle;
  for (const Lane& lane : lane_)
    ahead_ = ahead_ && (!lane.busy || (lane.step == 0 && lane.rows->size() == size));
  if (!ahead_) return;
  ahead_targets_.resize(rows * table.targets_each * lanes_);
  ahead_weights_.resize(rows * lanes_);
  if (!in_order) ahead_inputs_.resize(rows * table.columns * lanes_);
  const float share = 1.0F / static_cast<float>(batch_rows_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l].busy) continue;
    const std::vector<float>& own = lane_[l].rows->weights();
    lane_[l].rows->for_each(0, rows, [&](std::size_t i, std::uint32_t row) {
      for (std::size_t t = 0; t < table.targets_each; ++t)
        ahead_targets_[(i * table.targets_each + t) * lanes_ + l] =
            table.targets[row * table.targets_each + t];
      ahead_weights_[i * lanes_ + l] = share * (own.empty() ? 1.0F : own[row]) *
                                       (table.weights.empty() ? 1.0F : table.weights[row]);
      if (in_order) return;
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
    const Lane& any =
        *std::find_if(lane_.begin(), lane_.end(), [](const Lane& lane) { return lane.busy; });
    const std::size_t place = any.step * batch_rows_ % any.rows->size();
    batch.targets = ahead_targets_.data() + place * table.targets_each * lanes_;
    batch.weights = ahead_weights_.data() + place * lanes_;
    if (any.rows->in_order()) {
      batch.shared = table.inputs.data() + place * table.columns;
    } else {
      batch.laned = ahead_inputs_.data() + place * table.columns * lanes_;
    }
    return batch;
  }
  const float share = 1.0F / static_cast<float>(batch_rows_);
  for (std::size_t l = 0; l < lanes_; ++l) {
    if (!lane_[l].busy) continue;
    const std::vector<float>& own = lane_[l].rows->weights();
    lane_[l].rows->for_each(
        lane_[l].step * batch_rows_, batch_rows_, [&](std::size_t i, std::uint32_t row) {
          index_[i * lanes_ + l] = row;
          for (std::size_t t = 0; t < table.targets_each; ++t)
            targets_[(i * table.targets_each + t) * lanes_ + l] =
                table.targets[row * table.targets_each + t];
          weights_[i * lanes_ + l] = share * (own.empty() ? 1.0F : own[row]) *
                                     (table.weights.empty() ? 1.0F : table.weights[row]);
        });
  }
  batch.data = table.inputs.data();
  batch.index = index_.data();
  batch.targets = targets_.data();
  batch.weights = weights_.data();
  return batch;
}

void Pack::step() {
  std::vector<float> loss(lanes_);
  kernels_.gradient({&shape_, run_.loss, parameters_.data(), gradient_.data(), scratch_.data()},
                    next_batch(), loss.data());
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
    Lane& lane = lane_[l];
    live[l] = 0;
    scale[l] = 1;
    if (!lane.busy) continue;
    lane.loss = loss[l];
    if (!std::isfinite(lane.loss)) {
      lane.best.failure =
          concat("the loss is ", lane.loss, " at step ", lane.step + 1, " with learning rate ",
                 lane.settings->learning_rate, "; a lower one or clipping may help");
      continue;
    }
    live[l] = 1;
    const Settings& settings = *lane.settings;
    const double plain = rate_at(settings, lane.step, lane.last_step);
    beta1[l] = static_cast<float>(settings.momentum);
    beta2[l] = static_cast<float>(settings.beta2);
    // Of the 32-bit numbers that the kernels see: 1 - 0.999 differs by 1.3e-5 of itself there, and
    // so would the first steps.
    lane.power1 *= beta1[l];
    lane.power2 *= beta2[l];
    const bool adam = optimizer_ != Optimizer::sgd;
    rate[l] = static_cast<float>(adam ? plain / (1 - lane.power1) : plain);
    correction[l] = static_cast<float>(1 / std::sqrt(1 - lane.power2));
    decay[l] =
        static_cast<float>(settings.weight_decay * (optimizer_ == Optimizer::adamw ? plain : 1.0));
    epsilon[l] = static_cast<float>(settings.epsilon);
    clips = clips || settings.clip > 0;
  }
  if (clips) {
    std::vector<float> squares(lanes_);
    kernels_.squares(gradient_.data(), shape_.parameters, squares.data());
    for (std::size_t l = 0; l < lanes_; ++l)
      if (live[l] > 0 && lane_[l].settings->clip > 0) {
        const auto most = static_cast<float>(lane_[l].settings->clip);
        const float norm = std::sqrt(squares[l]);
        if (norm > most) scale[l] = most / norm;
      }
  }
  kernels_.update(
      optimizer_,
      {rate, correction, decay, scale, beta1, beta2, epsilon, live, first_.data(), second_.data()},
      gradient_.data(), shape_.parameters, parameters_.data());
  for (Lane& lane : lane_)
    if (lane.busy) ++lane.step;
}

std::vector<float> Pack::parameters_of(std::size_t lane) const {
  std::vector<float> out(shape_.parameters);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = parameters_[i * lanes_ + lane];
  return out;
}

std::uint64_t Pack::look_after(const Lane& lane, std::uint64_t looks) const {
  const double epoch = static_cast<double>(lane.rows->size()) / static_cast<double>(batch_rows_);
  return std::max(lane.step + 1,
                  static_cast<std::uint64_t>(std::llround(static_cast<double>(looks) *
                                                          run_.training.stopping.every * epoch)));
}

/// How lanes whose time has come do on the rows they do not see.
void Pack::look() {
  const auto due = [](const Lane& lane) {
    return lane.busy && (lane.step == lane.look_at || lane.step == lane.last_step);
  };
  if (std::none_of(lane_.begin(), lane_.end(), due)) return;
  simd::Batch all;
  all.rows = run_.table.rows;
  all.shared = run_.table.inputs.data();
  all.targets = held_targets_.data();
  all.weights = held_out_.data();
  std::vector<float> loss(lanes_);
  kernels_.loss({&shape_, run_.loss, parameters_.data(), gradient_.data(), scratch_.data()}, all,
                loss.data());
  for (std::size_t l = 0; l < lanes_; ++l) {
    Lane& lane = lane_[l];
    if (!due(lane)) continue;
    if (lane.step == lane.look_at) lane.look_at = look_after(lane, ++lane.looks + 1);
    if (loss[l] < lane.best.held_out_loss || std::isnan(lane.best.held_out_loss)) {
      lane.patience = 0;
      lane.best.held_out_loss = loss[l];
      lane.best.steps = lane.step;
      lane.best.loss = lane.loss;
      lane.best.parameters = parameters_of(l);
    } else if (++lane.patience >= run_.training.stopping.patience) {
      lane.last_step = lane.step;
    }
  }
}

Trained Pack::take(Lane& lane, std::size_t number) {
  lane.busy = false;
  if (!lane.best.parameters.empty()) {  // a look found it good, whatever came later
    lane.best.failure.clear();
    return std::move(lane.best);
  }
  lane.best.steps = lane.step;
  lane.best.loss = lane.loss;
  lane.best.parameters = parameters_of(number);
  return std::move(lane.best);
}

std::vector<Trained> Pack::train(std::span<const MemberId> ids,
                                 std::span<const Settings* const> settings,
                                 const execution::Worker& worker) {
  std::vector<Trained> trained(ids.size());
  std::size_t next = 0;
  const auto fill = [&] {
    bool idle = true;
    for (const Lane& lane : lane_) idle = idle && !lane.busy;
    bool started = false;
    for (std::size_t l = 0; l < lanes_ && next < ids.size(); ++l)
      if (!lane_[l].busy) {
        start(l, next, ids[next], *settings[next]);
        ++next;
        started = true;
      }
    // Lanes walk in step only when all of them begin together.
    if (!started) return;
    ahead_ = false;
    if (idle) fill_ahead();
  };
  fill();
  for (std::uint64_t round = 0;; ++round) {
    if (std::none_of(lane_.begin(), lane_.end(), [](const Lane& lane) { return lane.busy; })) break;
    if (round % kCheckSteps == 0) worker.check();
    step();
    if (run_.training.stopping.patience > 0) look();
    bool left = false;
    for (std::size_t l = 0; l < lanes_; ++l) {
      Lane& lane = lane_[l];
      if (!lane.busy || (lane.step < lane.last_step && lane.best.failure.empty())) continue;
      trained[lane.job] = take(lane, l);
      worker.advance(1);
      left = true;
    }
    if (left) fill();
  }
  return trained;
}

}  // namespace bootfold::ensemble
