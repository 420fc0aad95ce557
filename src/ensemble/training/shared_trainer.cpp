#include "ensemble/training/shared_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bootfold/random.h"
#include "ensemble/training/decay_ranges.h"
#include "ensemble/training/member_start.h"

namespace bootfold::ensemble {

namespace {

constexpr std::size_t kMemberParts = 16;

/// Calls see(layer, first r, first s) for every hidden layer.
template <class See>
void for_each_shared(const Shape& shape, See&& see) {
  std::size_t in = 0;
  std::size_t out = 0;
  for (std::size_t l = 0; l + 1 < shape.layers.size(); ++l) {
    see(shape.layers[l], in, out);
    in += shape.layers[l].in;
    out += shape.layers[l].out;
  }
}

}  // namespace

SharedTrainer::SharedTrainer(const TrainingContext& context, const Settings& settings,
                             std::span<const MemberId> ids)
    : context_(context),
      settings_(settings),
      ids_(ids.begin(), ids.end()),
      shape_(context.matrix.columns, settings.architecture, context.outputs),
      batch_rows_(batch_row_count(context.training, settings, context.matrix.rows)),
      kernels_(simd::kernels(context.level)),
      lanes_(kernels_.lanes),
      shared_(simd::padded_size(shape_.parameters)),
      shared_parts_(shape_.parameters * kMemberParts),
      shared_gradient_(simd::padded_size(shape_.parameters)),
      scratch_(simd::pack_scratch_size(shape_) * lanes_),
      losses_(lanes_),
      index_(batch_rows_ * lanes_),
      targets_(batch_rows_ * context.matrix.targets_each * lanes_),
      weights_(batch_rows_ * lanes_),
      drop_words_(3 * lanes_),
      drop_scale_(lanes_) {
  for (AlignedFloats& moments : shared_moments_)
    moments.resize(simd::padded_size(shape_.parameters));
  for_each_shared(shape_, [&](const Layer& layer, std::size_t, std::size_t) {
    scales_in_ += layer.in;
    scales_out_ += layer.out;
  });
  if (!validates(context.training)) return;
  const TrainingMatrix& rows = context.validation_matrix();
  validation_targets_.resize(rows.rows * rows.targets_each * lanes_);
  for (std::size_t i = 0; i < rows.rows * rows.targets_each; ++i)
    std::fill_n(&validation_targets_[i * lanes_], lanes_, rows.targets[i]);
}

/// W is what the first member would start from by itself, and the weights of the outputs are what
/// each member would. r of the first layer are drawn from -1 and 1, so that members differ; all
/// other scales are 1 (Gorishniy, Kotelnikov, Babenko 2024).
void SharedTrainer::start() {
  members_.reserve(ids_.size());
  for (std::size_t m = 0; m < ids_.size(); ++m) {
    if (m % lanes_ == 0) {
      Pack& made = packs_.emplace_back();
      made.first = m;
      made.count = std::min(lanes_, ids_.size() - m);
      for (AlignedFloats* list : {&made.own, &made.own_moments[0], &made.own_moments[1],
                                  &made.parameters, &made.gradient, &made.averages})
        list->resize(shape_.parameters * lanes_);
      for (AlignedFloats* list :
           {&made.inputs, &made.input_moments[0], &made.input_moments[1], &made.input_gradient})
        list->resize(scales_in_ * lanes_);
      for (AlignedFloats* list :
           {&made.outputs, &made.output_moments[0], &made.output_moments[1], &made.output_gradient})
        list->resize(scales_out_ * lanes_);
    }
    Pack& pack = packs_.back();
    const std::size_t lane = m % lanes_;
    const MemberStart begin = member_start(context_, shape_, ids_[m], settings_);
    members_.emplace_back(context_, ids_[m], settings_, begin);
    if (m == 0) std::copy(begin.parameters.begin(), begin.parameters.end(), shared_.data());
    for (std::size_t i = 0; i < shape_.parameters; ++i)
      pack.own[i * lanes_ + lane] = begin.parameters[i];
    for (std::size_t i = 0; i < scales_in_; ++i) pack.inputs[i * lanes_ + lane] = 1;
    for (std::size_t i = 0; i < scales_out_; ++i) pack.outputs[i * lanes_ + lane] = 1;
    random::Stream stream({ids_[m].seed, ids_[m].number, random::Purpose::shared_scales});
    for (std::size_t i = 0; scales_in_ > 0 && i < shape_.inputs(); ++i)
      if (random::uniform(stream) < 0.5) pack.inputs[i * lanes_ + lane] = -1;
    if (!validates(context_.training)) continue;
    const std::vector<float> weights = members_[m].validation_weights(context_);
    if (lane == 0) pack.validation.resize(weights.size() * lanes_);
    for (std::size_t row = 0; row < weights.size(); ++row)
      pack.validation[row * lanes_ + lane] = weights[row];
  }
}

void SharedTrainer::compose(Pack& pack) const {
  std::copy_n(pack.own.data(), shape_.parameters * lanes_, pack.parameters.data());
  for_each_shared(shape_, [&](const Layer& layer, std::size_t in, std::size_t out) {
    float* to = pack.parameters.data() + layer.weights * lanes_;
    for (std::size_t j = 0; j < layer.out; ++j) {
      const float* s = pack.outputs.data() + (out + j) * lanes_;
      for (std::size_t i = 0; i < layer.in; ++i, to += lanes_) {
        const float weight = shared_[layer.weights + j * layer.in + i];
        const float* r = pack.inputs.data() + (in + i) * lanes_;
        for (std::size_t lane = 0; lane < lanes_; ++lane) to[lane] = weight * (s[lane] * r[lane]);
      }
    }
  });
}

simd::PackNetworks SharedTrainer::networks(Pack& pack, AlignedFloats& parameters) {
  return {&shape_, context_.loss, parameters.data(), pack.gradient.data(), scratch_.data()};
}

AlignedFloats& SharedTrainer::kept(Pack& pack) const {
  return settings_.average > 0 ? pack.averages : pack.parameters;
}

std::vector<float> SharedTrainer::lane_of(const AlignedFloats& values, std::size_t lane) const {
  std::vector<float> out(shape_.parameters);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i * lanes_ + lane];
  return out;
}

simd::PackBatch SharedTrainer::next_batch(const Pack& pack) {
  const TrainingMatrix& matrix = context_.matrix;
  std::fill_n(weights_.data(), batch_rows_ * lanes_, 0.0F);
  for (std::size_t lane = 0; lane < pack.count; ++lane) {
    const MemberTraining& member = members_[pack.first + lane];
    member.rows().for_each(member.position(), batch_rows_, [&](std::size_t i, std::uint32_t row) {
      index_[i * lanes_ + lane] = row;
      for (std::size_t t = 0; t < matrix.targets_each; ++t)
        targets_[(i * matrix.targets_each + t) * lanes_ + lane] =
            matrix.targets[row * matrix.targets_each + t];
      // A member that has stopped has no part in the loss.
      if (busy_[pack.first + lane]) weights_[i * lanes_ + lane] = member.weight(matrix, row);
    });
  }
  simd::PackBatch batch;
  batch.rows = batch_rows_;
  batch.data = matrix.inputs.data();
  batch.index = index_.data();
  batch.targets = targets_.data();
  batch.weights = weights_.data();
  return batch;
}

void SharedTrainer::differentiate(Pack& pack) {
  compose(pack);
  simd::PackNetworks networks = this->networks(pack, pack.parameters);
  simd::Dropout masks{};
  if (settings_.dropout > 0) {
    std::uint32_t* const words = drop_words_.data();
    for (std::size_t lane = 0; lane < pack.count; ++lane) {
      const DropoutKey key = members_[pack.first + lane].dropout_key();
      words[lane] = key.add;
      words[lanes_ + lane] = key.mix;
      words[2 * lanes_ + lane] = dropout_threshold(settings_.dropout);
      drop_scale_[lane] = dropout_scale(settings_.dropout);
    }
    masks = {words, words + lanes_, words + 2 * lanes_, drop_scale_.data()};
    networks.dropout = &masks;
  }
  kernels_.gradient(networks, next_batch(pack), losses_.data());
  std::fill_n(pack.input_gradient.data(), scales_in_ * lanes_, 0.0F);
  std::fill_n(pack.output_gradient.data(), scales_out_ * lanes_, 0.0F);
  const std::size_t part = pack.first % kMemberParts;
  for_each_shared(shape_, [&](const Layer& layer, std::size_t in, std::size_t out) {
    float* gradient = pack.gradient.data() + layer.weights * lanes_;
    for (std::size_t j = 0; j < layer.out; ++j) {
      const float* s = pack.outputs.data() + (out + j) * lanes_;
      float* by_s = pack.output_gradient.data() + (out + j) * lanes_;
      for (std::size_t i = 0; i < layer.in; ++i, gradient += lanes_) {
        const std::size_t place = layer.weights + j * layer.in + i;
        const float weight = shared_[place];
        const float* r = pack.inputs.data() + (in + i) * lanes_;
        float* by_r = pack.input_gradient.data() + (in + i) * lanes_;
        float* sums = &shared_parts_[place * kMemberParts + part];
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
          const float weighted = gradient[lane] * weight;
          by_r[lane] += weighted * s[lane];
          by_s[lane] += weighted * r[lane];
          sums[lane] += gradient[lane] * (s[lane] * r[lane]);
          gradient[lane] = 0;  // it is not the member's own
        }
      }
    }
  });
}

double SharedTrainer::squares() const {
  double sum = 0;
  const auto add = [&](const AlignedFloats& list, std::size_t count, std::size_t lane,
                       std::size_t step) {
    for (std::size_t i = 0; i < count; ++i) {
      const double g = list[i * step + lane];
      sum += g * g;
    }
  };
  add(shared_gradient_, shape_.parameters, 0, 1);
  for (const Pack& pack : packs_)
    for (std::size_t lane = 0; lane < pack.count; ++lane) {
      add(pack.gradient, shape_.parameters, lane, lanes_);
      add(pack.input_gradient, scales_in_, lane, lanes_);
      add(pack.output_gradient, scales_out_, lane, lanes_);
    }
  return sum;
}

void SharedTrainer::step() {
  std::fill_n(shared_parts_.data(), shape_.parameters * kMemberParts, 0.0F);
  std::vector<float> losses(members_.size());
  for (Pack& pack : packs_) {
    differentiate(pack);
    for (std::size_t lane = 0; lane < pack.count; ++lane) losses[pack.first + lane] = losses_[lane];
  }
  bool finite = true;
  for (std::size_t m = 0; m < members_.size(); ++m)
    finite = finite && (!busy_[m] || std::isfinite(losses[m]));
  MemberTraining::StepValues values{};
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (busy_[m])
      values = members_[m].advance(finite ? losses[m] : std::numeric_limits<float>::quiet_NaN());
  if (!finite) return;  // all of them have failed
  for (std::size_t i = 0; i < shape_.parameters; ++i) {
    float* parts = &shared_parts_[i * kMemberParts];
    for (std::size_t half = kMemberParts / 2; half > 0; half /= 2)
      for (std::size_t p = 0; p < half; ++p) parts[p] += parts[p + half];
    shared_gradient_[i] = parts[0];
  }
  // The loss is the mean over the members.
  const auto share = 1 / static_cast<float>(members_.size());
  const float factor = settings_.clip > 0
                           ? members_[0].clip_factor(static_cast<float>(squares()) * share * share)
                           : 1.0F;
  update(values, share * factor);
  if (settings_.average == 0) return;
  const std::vector<float> rate(lanes_, values.average);
  for (Pack& pack : packs_) {
    compose(pack);
    kernels_.average(rate.data(), pack.parameters.data(), shape_.parameters, pack.averages.data());
  }
}

void SharedTrainer::update(const MemberTraining::StepValues& values, float scale) {
  float each[8][simd::kPadding];
  const float numbers[8] = {values.rate,  values.correction, values.decay,   scale,
                            values.beta1, values.beta2,      values.epsilon, 1.0F};
  for (std::size_t i = 0; i < 8; ++i) std::fill_n(each[i], simd::kPadding, numbers[i]);
  const auto move = [&](AlignedFloats& list, const AlignedFloats& gradient, AlignedFloats* moments,
                        std::size_t first, std::size_t vectors, bool decays) {
    const std::size_t at = first * lanes_;
    kernels_.update(settings_.optimizer,
                    {each[0], each[1], decays ? each[2] : kNoDecay, each[3], each[4], each[5],
                     each[6], each[7], moments[0].data() + at, moments[1].data() + at},
                    gradient.data() + at, vectors, list.data() + at);
  };
  move(shared_, shared_gradient_, shared_moments_, 0, simd::padded_size(shape_.parameters) / lanes_,
       true);
  for (Pack& pack : packs_) {
    for_each_decay_range(shape_, [&](std::size_t first, std::size_t count, bool decays) {
      move(pack.own, pack.gradient, pack.own_moments, first, count, decays);
    });
    move(pack.inputs, pack.input_gradient, pack.input_moments, 0, scales_in_, false);
    move(pack.outputs, pack.output_gradient, pack.output_moments, 0, scales_out_, false);
  }
}

void SharedTrainer::validate() {
  const TrainingMatrix& rows = context_.validation_matrix();
  for (Pack& pack : packs_) {
    const auto due = [&](std::size_t lane) {
      const std::size_t m = pack.first + lane;
      return busy_[m] && members_[m].validation_due();
    };
    bool any = false;
    for (std::size_t lane = 0; lane < pack.count; ++lane) any = any || due(lane);
    if (!any) continue;
    if (settings_.average == 0) compose(pack);
    simd::PackBatch all;
    all.rows = rows.rows;
    all.shared = rows.inputs.data();
    all.targets = validation_targets_.data();
    all.weights = pack.validation.data();
    kernels_.loss(networks(pack, kept(pack)), all, losses_.data());
    for (std::size_t lane = 0; lane < pack.count; ++lane)
      if (due(lane))
        members_[pack.first + lane].validate(losses_[lane],
                                             [&] { return lane_of(kept(pack), lane); });
  }
}

void SharedTrainer::report() {
  if (!context_.training.epoch_done) return;
  std::vector<MemberTraining*> told;
  std::vector<MemberEpoch> epochs;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    if (!busy_[m] || !members_[m].epoch_due()) continue;
    told.push_back(&members_[m]);
    epochs.push_back(members_[m].end_epoch());
  }
  if (epochs.empty() || context_.training.epoch_done(epochs)) return;
  for (MemberTraining* member : told) member->stop();
}

void SharedTrainer::collect(std::vector<TrainedMember>& trained) {
  for (Pack& pack : packs_) {
    bool composed = settings_.average > 0;
    for (std::size_t lane = 0; lane < pack.count; ++lane) {
      const std::size_t m = pack.first + lane;
      if (!busy_[m] || !members_[m].done()) continue;
      if (!composed) compose(pack);
      composed = true;
      trained[m] = members_[m].finish([&] { return lane_of(kept(pack), lane); });
      busy_[m] = false;
    }
  }
}

std::vector<TrainedMember> SharedTrainer::train(const execution::Worker& worker) {
  start();
  busy_.assign(members_.size(), true);
  std::vector<TrainedMember> trained(members_.size());
  while (std::ranges::find(busy_, true) != busy_.end()) {
    worker.check();
    step();
    if (validates(context_.training)) validate();
    report();
    collect(trained);
  }
  worker.advance(static_cast<double>(ids_.size()));
  return trained;
}

}  // namespace bootfold::ensemble
