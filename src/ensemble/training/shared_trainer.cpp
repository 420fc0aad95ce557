#include "ensemble/training/shared_trainer.h"

#include <algorithm>
#include <cmath>

#include "bootfold/random.h"
#include "ensemble/training/decay_ranges.h"

namespace bootfold::ensemble {

namespace {

/// Steps between two checks for cancellation.
constexpr std::uint64_t kGroupCheckSteps = 16;

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

/// Calls see(first, count, decays) for the parameters that are a member's own.
template <class See>
void for_each_own(const Shape& shape, See&& see) {
  for (const Layer& layer : shape.layers) {
    const bool shared = &layer != &shape.layers.back();
    const std::size_t first = shared ? layer.bias : layer.weights;
    see(first, layer.bias + layer.out - first, true);
    if (layer.normalized) see(layer.gain, 2 * layer.out, false);
  }
}

}  // namespace

void SharedTrainer::Trained::resize(std::size_t size) {
  for (AlignedFloats* list : {&values, &first, &second, &gradient}) list->resize(size);
}

SharedTrainer::SharedTrainer(const TrainingContext& context, const Settings& settings,
                             std::span<const MemberId> ids)
    : context_(context),
      settings_(settings),
      ids_(ids.begin(), ids.end()),
      shape_(context.matrix.columns, settings.architecture, context.outputs),
      batch_rows_(batch_row_count(context.training, settings, context.matrix.rows)),
      kernels_(simd::kernels(context.level, ids.size())),
      lanes_(kernels_.lanes),
      parts_(simd::padded_size(shape_.widest) * simd::kSharedParts),
      scratch_(simd::pack_scratch_size(shape_) * lanes_),
      losses_(simd::padded_size(ids.size())),
      index_(batch_rows_ * lanes_),
      targets_(batch_rows_ * context.matrix.targets_each * lanes_),
      weights_(batch_rows_ * lanes_),
      drop_words_(3 * lanes_),
      drop_scale_(lanes_) {
  shared_.resize(simd::padded_size(shape_.parameters));
  for_each_shared(shape_, [&](const Layer& layer, std::size_t, std::size_t) {
    inputs_ += layer.in;
    outputs_ += layer.out;
  });
  for_each_own(shape_, [&](std::size_t, std::size_t count, bool) { own_ += count; });
}

/// W is what the first member would start from by itself; biases and outputs are those of each. r
/// of the first layer are drawn from -1 and 1, so that members differ; all other scales are 1
/// (Gorishniy, Kotelnikov, Babenko 2024).
void SharedTrainer::start() {
  members_.reserve(ids_.size());
  for (std::size_t m = 0; m < ids_.size(); ++m) {
    if (m % lanes_ == 0) {
      Pack& made = packs_.emplace_back();
      made.begin = m;
      made.count = std::min(lanes_, ids_.size() - m);
      made.parameters.resize(shape_.parameters * lanes_);
      made.gradient.resize(shape_.parameters * lanes_);
      if (settings_.average > 0) made.averages.resize(shape_.parameters * lanes_);
      made.first.resize(own_ * lanes_);
      made.second.resize(own_ * lanes_);
      made.r.resize(inputs_ * lanes_);
      made.s.resize(outputs_ * lanes_);
    }
    const MemberStart begin = member_start(context_, shape_, ids_[m], settings_);
    members_.emplace_back(context_, ids_[m], settings_, begin);
    if (m == 0) std::ranges::copy(begin.parameters, shared_.values.data());
    start(begin, packs_.back(), m % lanes_, ids_[m]);
    if (!validates(context_.training)) continue;
    const std::vector<float> weights = members_[m].validation_weights(context_);
    if (m == 0) keep_validation_rows(weights);
  }
}

void SharedTrainer::start(const MemberStart& start, Pack& pack, std::size_t lane,
                          const MemberId& id) {
  for_each_own(shape_, [&](std::size_t first, std::size_t count, bool) {
    for (std::size_t i = first; i < first + count; ++i)
      pack.parameters[i * lanes_ + lane] = start.parameters[i];
  });
  for (std::size_t i = 0; i < inputs_; ++i) pack.r.values[i * lanes_ + lane] = 1;
  for (std::size_t i = 0; i < outputs_; ++i) pack.s.values[i * lanes_ + lane] = 1;
  random::Stream stream({id.seed, id.number, random::Purpose::shared_scales});
  for (std::size_t i = 0; i < shape_.inputs(); ++i)
    if (random::uniform(stream) < 0.5) pack.r.values[i * lanes_ + lane] = -1;
}

void SharedTrainer::keep_validation_rows(const std::vector<float>& weights) {
  const TrainingMatrix& rows = context_.validation_matrix();
  validation_rows_ = static_cast<std::size_t>(
      std::ranges::count_if(weights, [](float weight) { return weight != 0; }));
  validation_inputs_.reserve(validation_rows_ * rows.columns);
  validation_targets_.resize(validation_rows_ * rows.targets_each * lanes_);
  validation_weights_.resize(validation_rows_ * lanes_);
  std::size_t kept = 0;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    if (weights[row] == 0) continue;
    const float* const inputs = rows.inputs.data() + row * rows.columns;
    validation_inputs_.insert(validation_inputs_.end(), inputs, inputs + rows.columns);
    for (std::size_t t = 0; t < rows.targets_each; ++t)
      std::fill_n(&validation_targets_[(kept * rows.targets_each + t) * lanes_], lanes_,
                  rows.targets[row * rows.targets_each + t]);
    std::fill_n(&validation_weights_[kept * lanes_], lanes_, weights[row]);
    ++kept;
  }
}

void SharedTrainer::compose(Pack& pack) const {
  for_each_shared(shape_, [&](const Layer& layer, std::size_t in, std::size_t out) {
    for (std::size_t j = 0; j < layer.out; ++j) {
      const std::size_t row = layer.weights + j * layer.in;
      kernels_.shared_weights(
          {layer.in, shared_.values.data() + row, pack.r.values.data() + in * lanes_,
           pack.s.values.data() + (out + j) * lanes_},
          pack.parameters.data() + row * lanes_);
    }
  });
}

simd::PackNetworks SharedTrainer::networks(Pack& pack, AlignedFloats& parameters) {
  return {&shape_,         context_.heads.kernel_loss(), parameters.data(), pack.gradient.data(),
          scratch_.data(), context_.heads.losses()};
}

const AlignedFloats& SharedTrainer::kept(const Pack& pack) const {
  return settings_.average > 0 ? pack.averages : pack.parameters;
}

std::vector<float> SharedTrainer::parameters_of(std::size_t number) const {
  const AlignedFloats& from = kept(packs_[number / lanes_]);
  std::vector<float> out(shape_.parameters);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = from[i * lanes_ + number % lanes_];
  return out;
}

simd::PackBatch SharedTrainer::next_batch(const Pack& pack) {
  const TrainingMatrix& matrix = context_.matrix;
  std::fill_n(weights_.data(), batch_rows_ * lanes_, 0.0F);
  for (std::size_t lane = 0; lane < pack.count; ++lane) {
    const MemberTraining& member = members_[pack.begin + lane];
    member.rows().for_each(member.position(), batch_rows_, [&](std::size_t i, std::uint32_t row) {
      index_[i * lanes_ + lane] = row;
      for (std::size_t t = 0; t < matrix.targets_each; ++t)
        targets_[(i * matrix.targets_each + t) * lanes_ + lane] =
            matrix.targets[row * matrix.targets_each + t];
      weights_[i * lanes_ + lane] = member.weight(matrix, row);
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

void SharedTrainer::differentiate(Pack& pack, float* losses) {
  simd::PackNetworks networks = this->networks(pack, pack.parameters);
  if (settings_.dropout > 0) {
    std::uint32_t* const words = drop_words_.data();
    for (std::size_t lane = 0; lane < pack.count; ++lane) {
      const DropoutKey key = members_[pack.begin + lane].dropout_key();
      words[lane] = key.add;
      words[lanes_ + lane] = key.mix;
      words[2 * lanes_ + lane] = dropout_threshold(settings_.dropout);
      drop_scale_[lane] = dropout_scale(settings_.dropout);
    }
    masks_ = {words, words + lanes_, words + 2 * lanes_, drop_scale_.data()};
    networks.dropout = &masks_;
  }
  kernels_.gradient(networks, next_batch(pack), losses);
}

void SharedTrainer::apply_chain_rule() {
  for (Pack& pack : packs_) std::fill_n(pack.r.gradient.data(), inputs_ * lanes_, 0.0F);
  for_each_shared(shape_, [&](const Layer& layer, std::size_t in, std::size_t out) {
    for (std::size_t j = 0; j < layer.out; ++j) {
      const std::size_t row = layer.weights + j * layer.in;
      std::fill_n(parts_.data(), layer.in * simd::kSharedParts, 0.0F);
      for (Pack& pack : packs_) {
        const std::size_t at = (out + j) * lanes_;
        kernels_.shared_gradient(
            {layer.in, shared_.values.data() + row, pack.r.values.data() + in * lanes_,
             pack.s.values.data() + at},
            {pack.gradient.data() + row * lanes_, pack.r.gradient.data() + in * lanes_,
             pack.s.gradient.data() + at, parts_.data() + pack.begin % simd::kSharedParts});
      }
      kernels_.add_shared_parts(parts_.data(), layer.in, shared_.gradient.data() + row);
    }
  });
}

double SharedTrainer::squares() const {
  double sum = 0;
  const auto add = [&](const AlignedFloats& list, std::size_t first, std::size_t count,
                       std::size_t lane, std::size_t step) {
    for (std::size_t i = first; i < first + count; ++i) {
      const double g = list[i * step + lane];
      sum += g * g;
    }
  };
  add(shared_.gradient, 0, shape_.parameters, 0, 1);
  for (const Pack& pack : packs_)
    for (std::size_t lane = 0; lane < pack.count; ++lane) {
      for_each_own(shape_, [&](std::size_t first, std::size_t count, bool) {
        add(pack.gradient, first, count, lane, lanes_);
      });
      add(pack.r.gradient, 0, inputs_, lane, lanes_);
      add(pack.s.gradient, 0, outputs_, lane, lanes_);
    }
  return sum;
}

void SharedTrainer::step() {
  for (Pack& pack : packs_) {
    compose(pack);
    differentiate(pack, losses_.data() + pack.begin);
  }
  // If the loss of one is not finite, the group has failed.
  const std::span<const float> losses(losses_.data(), members_.size());
  const auto bad = std::ranges::find_if(losses, [](float loss) { return !std::isfinite(loss); });
  MemberTraining::StepValues values{};
  for (std::size_t m = 0; m < members_.size(); ++m)
    values = members_[m].advance(bad == losses.end() ? losses[m] : *bad);
  if (bad != losses.end()) return;
  apply_chain_rule();
  // The loss is the mean over the members.
  const float share = 1 / static_cast<float>(members_.size());
  const float clip = settings_.clip > 0
                         ? members_[0].clip_factor(static_cast<float>(squares() * share * share))
                         : 1.0F;
  update(values, share * clip);
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
  const auto move = [&](float* list, const float* gradient, float* first, float* second,
                        std::size_t vectors, bool decays) {
    kernels_.update(settings_.optimizer,
                    {each[0], each[1], decays ? each[2] : kNoDecay, each[3], each[4], each[5],
                     each[6], each[7], first, second},
                    gradient, vectors, list);
  };
  const auto move_all = [&](Trained& list, std::size_t vectors, bool decays) {
    move(list.values.data(), list.gradient.data(), list.first.data(), list.second.data(), vectors,
         decays);
  };
  move_all(shared_, simd::padded_size(shape_.parameters) / lanes_, true);
  for (Pack& pack : packs_) {
    std::size_t moments = 0;
    for_each_own(shape_, [&](std::size_t first, std::size_t count, bool decays) {
      move(pack.parameters.data() + first * lanes_, pack.gradient.data() + first * lanes_,
           pack.first.data() + moments, pack.second.data() + moments, count, decays);
      moments += count * lanes_;
    });
    move_all(pack.r, inputs_, false);
    move_all(pack.s, outputs_, false);
  }
}

/// Members stop together, by the mean of their losses.
void SharedTrainer::validate() {
  if (!members_[0].validation_due()) return;
  double sum = 0;
  for (Pack& pack : packs_) {
    AlignedFloats& parameters = settings_.average > 0 ? pack.averages : pack.parameters;
    if (settings_.average == 0) compose(pack);
    simd::PackBatch all;
    all.rows = validation_rows_;
    all.shared = validation_inputs_.data();
    all.targets = validation_targets_.data();
    all.weights = validation_weights_.data();
    kernels_.loss(networks(pack, parameters), all, losses_.data() + pack.begin);
  }
  for (std::size_t m = 0; m < members_.size(); ++m) sum += losses_[m];
  const double mean = sum / static_cast<double>(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m)
    members_[m].validate(losses_[m], mean, [&] { return parameters_of(m); });
}

void SharedTrainer::report() {
  if (!members_[0].epoch_due()) return;
  std::vector<MemberEpoch> epochs;
  for (MemberTraining& member : members_) epochs.push_back(member.end_epoch());
  if (context_.training.epoch_done(epochs)) return;
  for (MemberTraining& member : members_) member.stop();
}

std::vector<TrainedMember> SharedTrainer::train(const execution::Worker& worker) {
  start();
  for (std::uint64_t steps = 0; !done(); ++steps) {
    if (steps % kGroupCheckSteps == 0) {
      worker.check();
      for (MemberTraining& member : members_) worker.advance(member.new_progress());
    }
    step();
    if (validates(context_.training)) validate();
    report();
  }
  if (settings_.average == 0)
    for (Pack& pack : packs_) compose(pack);
  std::vector<TrainedMember> trained;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    trained.push_back(members_[m].finish([&] { return parameters_of(m); }));
    worker.advance(members_[m].new_progress());
  }
  return trained;
}

}  // namespace bootfold::ensemble
