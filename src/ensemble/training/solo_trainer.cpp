#include "ensemble/training/solo_trainer.h"

#include <algorithm>
#include <cmath>

#include "ensemble/training/initialize.h"

namespace bootfold::ensemble {

namespace {

/// Networks of up to so many parameters go faster in packs. Measured on one thread (engine_bench
/// --workload train:30-100-3:32:64 and the like): both ways are equal from 1,000 to 3,400 parameters
/// with one hidden layer, packs lead with two; at 4,800 (64-64-10) single networks do.
constexpr std::size_t kMostInPack = 3500;

/// With batches of so many rows what a single network keeps of each leaves the second cache, and packs
/// lead for longer: 64-64-10 on 1,797 rows takes them 0.75 of the time, 30-100-100-3 1.1.
constexpr std::size_t kLongBatch = 1024;
constexpr std::size_t kMostInPackOfLong = 10'000;

/// Rows that a look at held-out rows takes at a time.
constexpr std::size_t kLookRows = 256;

}  // namespace

bool better_alone(const Shape& shape, std::size_t batch_rows) {
  const std::size_t most = batch_rows < kLongBatch ? kMostInPack : kMostInPackOfLong;
  return shape.parameters > most && batch_rows >= simd::kPadding;
}

Single::Single(const Run& run, const Settings& like)
    : run_(run),
      shape_(run.table.columns, like.architecture, run.outputs),
      batch_rows_(batch_of(run.training, like, run.table.rows)),
      kernels_(simd::kernels(run.level)),
      size_(simd::padded_parameters(shape_)),
      parameters_(size_),
      gradient_(size_),
      first_(size_),
      second_(size_),
      numbers_(8 * simd::kPadding) {
  const std::size_t most =
      run.training.stopping.patience > 0 ? std::max(batch_rows_, kLookRows) : batch_rows_;
  const std::size_t padded = simd::padded_size(most);
  scratch_.resize(simd::single_scratch_size(shape_, most));
  inputs_.resize(padded * simd::row_stride(shape_.inputs()));
  targets_.resize(padded * run.table.targets_each);
  weights_.resize(padded);
}

simd::Single Single::network() { return {&shape_, run_.loss, parameters_.data(), scratch_.data()}; }

std::vector<float> Single::parameters() const {
  std::vector<float> out(shape_.parameters);
  for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
    const Layer& layer = shape_.layers[l];
    const simd::PaddedLayer at = simd::padded_layer(shape_, l);
    for (std::size_t j = 0; j < layer.out; ++j) {
      std::copy_n(&parameters_.data()[at.weights + j * at.stride], layer.in,
                  out.begin() + static_cast<std::ptrdiff_t>(layer.weights + j * layer.in));
      out[layer.bias + j] = parameters_[at.bias + j];
    }
  }
  return out;
}

void Single::start(const MemberId& id, const Settings& settings) {
  std::vector<float> first(shape_.parameters);
  initialize(shape_, settings.architecture.initializer, id, first);
  for (Floats* list : {&parameters_, &gradient_, &first_, &second_})
    std::fill_n(list->data(), size_, 0.0F);
  for (std::size_t l = 0; l < shape_.layers.size(); ++l) {
    const Layer& layer = shape_.layers[l];
    const simd::PaddedLayer at = simd::padded_layer(shape_, l);
    for (std::size_t j = 0; j < layer.out; ++j) {
      std::copy_n(first.begin() + static_cast<std::ptrdiff_t>(layer.weights + j * layer.in),
                  layer.in, &parameters_[at.weights + j * at.stride]);
      parameters_[at.bias + j] = first[layer.bias + j];
    }
  }
}

simd::SingleBatch Single::next_batch(const Course& course) {
  const Table& table = run_.table;
  const std::size_t stride = simd::row_stride(table.columns);
  const std::size_t padded = simd::padded_size(batch_rows_);
  std::fill_n(weights_.data(), padded, 0.0F);
  course.rows().for_each(course.place(), batch_rows_, [&](std::size_t i, std::uint32_t row) {
    std::copy_n(&table.inputs[row * table.columns], table.columns, &inputs_[i * stride]);
    for (std::size_t t = 0; t < table.targets_each; ++t)
      targets_[t * padded + i] = table.targets[row * table.targets_each + t];
    weights_[i] = course.weight(table, row);
  });
  return {batch_rows_, inputs_.data(), targets_.data(), weights_.data()};
}

/// In the order and the parts of a pack's sum.
float Single::squares() const {
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
  }
  for (std::size_t step = kParts / 2; step > 0; step /= 2)
    for (std::size_t k = 0; k < step; ++k) parts[k] += parts[k + step];
  return parts[0];
}

void Single::step(Course& course) {
  float loss = 0;
  const simd::SingleBatch batch = next_batch(course);
  kernels_.single_loss(network(), batch, &loss);
  const Course::Numbers numbers = course.advance(loss);
  if (course.failed()) return;
  const bool clips = course.settings().clip > 0;
  if (clips) kernels_.single_gradient(network(), batch, gradient_.data());
  const float scale = clips ? course.clipped(squares()) : 1.0F;
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
  const Optimizer rule = course.settings().optimizer;
  if (clips)
    kernels_.update(rule, update, gradient_.data(), size_ / kernels_.lanes, parameters_.data());
  else
    kernels_.single_step(network(), batch, rule, update);
}

void Single::look(Course& course) {
  if (!course.look_due()) return;
  const Table& table = run_.judges();
  const std::size_t stride = simd::row_stride(table.columns);
  // One float after another, as the lane of a pack adds them up.
  float total = 0;
  for (std::size_t first = 0; first < table.rows; first += kLookRows) {
    const std::size_t rows = std::min(kLookRows, table.rows - first);
    const std::size_t padded = simd::padded_size(rows);
    std::fill_n(weights_.data(), padded, 0.0F);
    for (std::size_t i = 0; i < rows; ++i) {
      std::copy_n(&table.inputs[(first + i) * table.columns], table.columns, &inputs_[i * stride]);
      for (std::size_t t = 0; t < table.targets_each; ++t)
        targets_[t * padded + i] = table.targets[(first + i) * table.targets_each + t];
      weights_[i] = held_out_[first + i];
    }
    kernels_.single_loss(network(), {rows, inputs_.data(), targets_.data(), weights_.data()},
                         &total);
  }
  course.look(total, [&] { return parameters(); });
}

Trained Single::train(const MemberId& id, const Settings& settings,
                      const execution::Worker& worker) {
  Course course(run_, id, settings);
  start(id, settings);
  if (run_.training.stopping.patience > 0) held_out_ = course.held_out_weights(run_);
  while (!course.done()) {
    worker.check();
    step(course);
    look(course);
  }
  worker.advance(1);
  return course.finish([&] { return parameters(); });
}

}  // namespace bootfold::ensemble
