#include "ensemble/training/solo_trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "ensemble/training/decay_ranges.h"
#include "ensemble/training/member_start.h"

namespace bootfold::ensemble {

namespace {

/// Most parameters of a network that is trained faster in packs. Measured on one thread
/// (engine_bench
/// --workload train:30-100-3:32:64 and the like): both ways are equal from 1,000 to 3,400
/// parameters with one hidden layer, and packs are faster with two; at 4,800 (64-64-10) they are
/// slower.
constexpr std::size_t kMostInPack = 3500;

/// From this batch size on, the values of a single network do not fit in the second-level cache,
/// and packs are faster up to more parameters: on 1,797 rows 64-64-10 takes them 0.75 of the time,
/// 30-100-100-3 1.1.
constexpr std::size_t kLongBatch = 1024;
constexpr std::size_t kMostInPackOfLong = 10'000;

/// Rows of a validation that are handled at a time.
constexpr std::size_t kValidationRows = 256;

/// Copies rows of a matrix to rows `stride` apart. Rows are anywhere in memory, so those that come
/// next are fetched in time.
void gather(const float* data, std::size_t columns, std::span<const std::uint32_t> rows,
            std::size_t stride, float* out) {
  constexpr std::size_t kLine = 16;
  const std::size_t ahead = columns < 8 * kLine ? 8 : 2;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + ahead < rows.size()) {
      const float* next = data + rows[i + ahead] * columns;
      for (std::size_t c = 0; c < columns; c += kLine) __builtin_prefetch(next + c);
    }
    std::copy_n(data + rows[i] * columns, columns, out + i * stride);
  }
}

}  // namespace

bool trains_faster_alone(const Shape& shape, std::size_t batch_rows) {
  const std::size_t most = batch_rows < kLongBatch ? kMostInPack : kMostInPackOfLong;
  return shape.parameters > most && batch_rows >= simd::kPadding;
}

std::size_t useful_threads(const Shape& shape, std::size_t batch_rows, std::size_t threads) {
  // The share of a thread in a step takes ten times as long as the threads wait for each other.
  constexpr std::size_t kMultiplications = 1'000'000;
  const std::size_t all = 3 * batch_rows * shape.parameters;
  return std::clamp<std::size_t>(all / kMultiplications, 1, threads);
}

SoloTrainer::SoloTrainer(const TrainingContext& context, const Settings& like, std::size_t threads)
    : context_(context),
      shape_(context.matrix.columns, like.architecture, context.outputs),
      batch_rows_(batch_row_count(context.training, like, context.matrix.rows)),
      kernels_(simd::kernels(context.level)),
      size_(simd::padded_parameters(shape_)),
      team_(simd::is_extended(shape_, nullptr) || like.dropout > 0 ? 1 : threads),
      parameters_(size_),
      gradient_(size_),
      first_(size_),
      second_(size_),
      numbers_(8 * simd::kPadding) {
  const std::size_t most =
      validates(context.training) ? std::max(batch_rows_, kValidationRows) : batch_rows_;
  const std::size_t padded = simd::padded_size(most);
  scratch_.resize(simd::solo_scratch_size(shape_, most, team_.threads()));
  inputs_.resize(padded * simd::row_stride(shape_.inputs()));
  targets_.resize(padded * context.matrix.targets_each);
  weights_.resize(padded);
  index_.resize(most);
}

simd::SoloNetwork SoloTrainer::network() {
  return {&shape_, context_.heads.kernel_loss(), parameters_.data(), scratch_.data(),
          context_.heads.losses()};
}

std::vector<float> SoloTrainer::unpadded(const AlignedFloats& values) const {
  std::vector<float> out(shape_.parameters);
  for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
    const Layer& layer = shape_.layers[l];
    const simd::PaddedLayer at = simd::padded_layer(shape_, l);
    for (std::size_t j = 0; j < layer.out; ++j) {
      std::copy_n(&values.data()[at.weights + j * at.stride], layer.in,
                  out.begin() + static_cast<std::ptrdiff_t>(layer.weights + j * layer.in));
      out[layer.bias + j] = values[at.bias + j];
      if (!layer.normalized) continue;
      out[layer.gain + j] = values[at.gain + j];
      out[layer.offset + j] = values[at.offset + j];
    }
  }
  return out;
}

void SoloTrainer::pad(const std::vector<float>& values, AlignedFloats& list) const {
  std::fill_n(list.data(), size_, 0.0F);
  for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
    const Layer& layer = shape_.layers[l];
    const simd::PaddedLayer at = simd::padded_layer(shape_, l);
    for (std::size_t j = 0; j < layer.out; ++j) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(layer.weights + j * layer.in),
                  layer.in, &list[at.weights + j * at.stride]);
      list[at.bias + j] = values[layer.bias + j];
      if (!layer.normalized) continue;
      list[at.gain + j] = values[layer.gain + j];
      list[at.offset + j] = values[layer.offset + j];
    }
  }
}

void SoloTrainer::start(const MemberStart& start) {
  pad(start.parameters, parameters_);
  pad(start.optimizer.first, first_);
  pad(start.optimizer.second, second_);
  std::fill_n(gradient_.data(), size_, 0.0F);
}

simd::SoloBatch SoloTrainer::next_batch(const MemberTraining& member) {
  const TrainingMatrix& matrix = context_.matrix;
  const std::size_t padded = simd::padded_size(batch_rows_);
  std::fill_n(weights_.data(), padded, 0.0F);
  member.rows().for_each(member.position(), batch_rows_, [&](std::size_t i, std::uint32_t row) {
    index_[i] = row;
    for (std::size_t t = 0; t < matrix.targets_each; ++t)
      targets_[t * padded + i] = matrix.targets[row * matrix.targets_each + t];
    weights_[i] = member.weight(matrix, row);
  });
  return {batch_rows_, inputs_.data(), targets_.data(), weights_.data()};
}

template <class Body>
void SoloTrainer::run(const simd::SoloNetwork& solo, Body&& body) {
  const bool together = choice_.together() && !simd::is_extended(shape_, solo.dropout);
  team_.run(together, [&](const simd::Share& share) {
    simd::SoloNetwork own = solo;
    own.share = share;
    body(own);
  });
}

void SoloTrainer::add_loss(const TrainingMatrix& matrix, const simd::SoloNetwork& solo,
                           const simd::SoloBatch& batch, float& loss) {
  const std::size_t stride = simd::row_stride(matrix.columns);
  run(solo, [&](const simd::SoloNetwork& own) {
    const simd::Part rows = simd::rows_of(own.share, batch.rows);
    gather(matrix.inputs.data(), matrix.columns,
           {index_.data() + rows.first, rows.last - rows.first}, stride,
           inputs_.data() + rows.first * stride);
    kernels_.solo_loss(own, batch, &loss);
  });
}

/// Sum of squares of the gradient, in the order and the parts of a pack's sum.
float SoloTrainer::squares() const {
  constexpr std::size_t kParts = 16;
  float parts[kParts] = {};
  std::size_t i = 0;
  const auto add = [&](float g) {
    float& part = parts[i++ % kParts];
    part = std::fma(g, g, part);
  };
  for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
    const Layer& layer = shape_.layers[l];
    const simd::PaddedLayer at = simd::padded_layer(shape_, l);
    for (std::size_t j = 0; j < layer.out; ++j)
      for (std::size_t k = 0; k < layer.in; ++k) add(gradient_[at.weights + j * at.stride + k]);
    for (std::size_t j = 0; j < layer.out; ++j) add(gradient_[at.bias + j]);
    if (!layer.normalized) continue;
    for (std::size_t j = 0; j < layer.out; ++j) add(gradient_[at.gain + j]);
    for (std::size_t j = 0; j < layer.out; ++j) add(gradient_[at.offset + j]);
  }
  for (std::size_t step = kParts / 2; step > 0; step /= 2)
    for (std::size_t k = 0; k < step; ++k) parts[k] += parts[k + step];
  return parts[0];
}

void SoloTrainer::update(Optimizer rule, const simd::Update& update) {
  const auto some = [&](std::size_t first, std::size_t last, bool decays) {
    simd::Update own = update;
    own.first += first;
    own.second += first;
    if (!decays) own.decay = kNoDecay;
    kernels_.update(rule, own, gradient_.data() + first, (last - first) / kernels_.lanes,
                    parameters_.data() + first);
  };
  std::size_t first = 0;
  for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
    if (!shape_.layers[l].normalized) continue;
    const simd::PaddedLayer at = simd::padded_layer(shape_, l);
    some(first, at.gain, true);
    some(at.gain, at.end, false);
    first = at.end;
  }
  some(first, size_, true);
}

void SoloTrainer::step(MemberTraining& member) {
  float loss = 0;
  const simd::SoloBatch batch = next_batch(member);
  simd::SoloNetwork solo = network();
  // The masks of both ways are those of the step that begins.
  const DropoutKey key = member.dropout_key();
  const std::uint32_t threshold = dropout_threshold(member.settings().dropout);
  const float drop_scale = dropout_scale(member.settings().dropout);
  const simd::Dropout masks{&key.add, &key.mix, &threshold, &drop_scale};
  if (member.settings().dropout > 0) solo.dropout = &masks;
  add_loss(context_.matrix, solo, batch, loss);
  const MemberTraining::StepValues numbers = member.advance(loss);
  if (member.failed()) return;
  const bool clips = member.settings().clip > 0;
  if (clips)
    run(solo, [&](const simd::SoloNetwork& own) {
      kernels_.solo_gradient(own, batch, gradient_.data());
    });
  const float scale = clips ? member.clip_factor(squares()) : 1.0F;
  float* at = numbers_.data();
  const float* each[8];
  const float values[8] = {numbers.rate,  numbers.correction, numbers.decay,   scale,
                           numbers.beta1, numbers.beta2,      numbers.epsilon, 1.0F};
  for (std::size_t i = 0; i < 8; ++i, at += simd::kPadding) {
    std::fill_n(at, simd::kPadding, values[i]);
    each[i] = at;
  }
  const simd::Update update{each[0], each[1], each[2], each[3],       each[4],
                            each[5], each[6], each[7], first_.data(), second_.data()};
  const Optimizer rule = member.settings().optimizer;
  if (clips)
    this->update(rule, update);
  else
    run(solo, [&](const simd::SoloNetwork& own) { kernels_.solo_step(own, batch, rule, update); });
  if (!member.averages()) return;
  std::fill_n(numbers_.data(), simd::kPadding, numbers.average);
  kernels_.average(numbers_.data(), parameters_.data(), size_ / kernels_.lanes, averages_.data());
}

void SoloTrainer::validate(MemberTraining& member) {
  if (!member.validation_due()) return;
  const TrainingMatrix& matrix = context_.validation_matrix();
  // Row by row in 32 bits, as the lane of a pack adds the losses.
  float total = 0;
  for (std::size_t first = 0; first < matrix.rows; first += kValidationRows) {
    const std::size_t rows = std::min(kValidationRows, matrix.rows - first);
    const std::size_t padded = simd::padded_size(rows);
    std::fill_n(weights_.data(), padded, 0.0F);
    for (std::size_t i = 0; i < rows; ++i) {
      index_[i] = static_cast<std::uint32_t>(first + i);
      for (std::size_t t = 0; t < matrix.targets_each; ++t)
        targets_[t * padded + i] = matrix.targets[(first + i) * matrix.targets_each + t];
      weights_[i] = validation_weights_[first + i];
    }
    simd::SoloNetwork solo = network();
    solo.parameters = kept(member).data();
    add_loss(matrix, solo, {rows, inputs_.data(), targets_.data(), weights_.data()}, total);
  }
  member.validate(total, [&] { return unpadded(kept(member)); });
}

void SoloTrainer::report(MemberTraining& member) {
  if (!member.epoch_due()) return;
  const MemberEpoch epoch = member.end_epoch();
  if (!context_.training.epoch_done({&epoch, 1})) member.stop();
}

TrainedMember SoloTrainer::train(const MemberId& id, const Settings& settings,
                                 const execution::Worker& worker) {
  const MemberStart begin = member_start(context_, shape_, id, settings);
  MemberTraining member(context_, id, settings, begin);
  start(begin);
  if (member.averages()) {
    averages_.resize(size_);
    pad(begin.averages.empty() ? begin.parameters : begin.averages, averages_);
  }
  if (validates(context_.training)) validation_weights_ = member.validation_weights(context_);
  while (!member.done()) {
    worker.check();
    const auto begun = std::chrono::steady_clock::now();
    step(member);
    choice_.took(std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
    validate(member);
    report(member);
    worker.advance(member.new_progress());
  }
  TrainedMember trained = member.finish([&] { return unpadded(kept(member)); });
  member.keep_optimizer(
      trained, [&] { return unpadded(first_); }, [&] { return unpadded(second_); },
      [&] { return unpadded(parameters_); });
  return trained;
}

}  // namespace bootfold::ensemble
