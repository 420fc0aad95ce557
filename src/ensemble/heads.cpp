#include "ensemble/heads.h"

#include <algorithm>
#include <cmath>

#include "ensemble/validate_arguments.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::ensemble {

double Head::value(double network_output) const noexcept {
  if (loss == Loss::poisson) return std::exp(network_output) * scale;
  return inverse(network_output * scale + mean);
}

Loss loss_of_target(const Ensemble::Frame& frame, std::size_t target) noexcept {
  const Loss loss = frame.losses.empty() ? frame.loss : frame.losses[target];
  return loss == Loss::multi_label ? Loss::binary : loss;
}

Heads::Heads(const Ensemble::Frame& frame)
    : classifies_(has_classes(frame.loss)),
      kernel_loss_(frame.loss),
      quantiles_(frame.quantiles),
      kernel_quantiles_(quantiles_.begin(), quantiles_.end()),
      transforms_(frame.transforms) {
  if (frame.loss == Loss::cross_entropy) {
    outputs_ = frame.classes.size();
    answers_ = outputs_;
    return;
  }
  if (frame.loss != Loss::squared_error && frame.loss != Loss::gaussian) kernel_loss_ = Loss::mixed;
  const auto weight = [&](std::size_t target) {
    return frame.pos_weight.empty() ? 1.0F : static_cast<float>(frame.pos_weight[target]);
  };
  if (classifies_) {  // binary: one output for two classes
    outputs_ = 1;
    answers_ = 2;
    losses_.push_back({Loss::binary, 0, weight(0), {}});
    return;
  }
  const std::size_t count = frame.classes.size();
  for (std::size_t t = 0; t < count; ++t) {
    Head head{loss_of_target(frame, t),
              outputs_,
              outputs_ + 1,
              answers_,
              1,
              frame.target_scaling.mean[t],
              frame.target_scaling.scale[t],
              nullptr};
    if (!transforms_.empty() && transforms_[t].kind != TargetTransform::none)
      head.transform = &transforms_[t];
    simd::HeadLoss loss{head.loss, outputs_, 0, {}};
    if (head.loss == Loss::pinball) {
      head.answers = quantiles_.size();
      loss.quantiles = kernel_quantiles_;
    }
    if (head.loss == Loss::huber) loss.parameter = static_cast<float>(frame.huber_delta);
    if (head.loss == Loss::binary) loss.parameter = weight(t);
    if (frame.loss == Loss::gaussian) {  // all means, then all variances
      head.output = t;
      head.spread = count + t;
    }
    outputs_ += head.loss == Loss::gaussian ? 2 : head.answers;
    answers_ += head.answers;
    targets_.push_back(head);
    losses_.push_back(loss);
  }
}

void set_targets(const Examples& examples, const Training& training, Ensemble::Frame& frame) {
  if (examples.classes != nullptr) {
    frame.classes = examples.classes->names;
    frame.target = examples.classes->column;
  }
  for (std::size_t t = 0; t < examples.targets.columns(); ++t)
    frame.classes.push_back(examples.targets.name(t));
  frame.loss = loss_of_training(examples, training);
  if (frame.loss == Loss::mixed) frame.losses = training.losses;
  const auto uses = [&](Loss loss) {
    return frame.loss == loss || std::ranges::find(frame.losses, loss) != frame.losses.end();
  };
  if (uses(Loss::pinball)) frame.quantiles = training.quantiles;
  if (uses(Loss::huber)) frame.huber_delta = training.huber_delta;
  if (!training.pos_weight.empty() && (uses(Loss::binary) || uses(Loss::multi_label))) {
    frame.pos_weight = training.pos_weight;
    frame.pos_weight.resize(std::max<std::size_t>(1, examples.targets.columns()),
                            training.pos_weight[0]);
  }
}

std::vector<TargetColumns> target_columns(const Ensemble::Frame& frame) {
  std::vector<TargetColumns> columns;
  const Heads heads(frame);
  for (const Head& head : heads.targets())
    columns.push_back({head.loss, head.answer, head.answers});
  return columns;
}

std::size_t network_outputs(const Ensemble::Frame& frame) { return Heads(frame).outputs(); }

std::string quantile_name(double quantile) { return "q" + text::shortest(quantile); }

std::vector<std::string> prediction_names(const Ensemble::Frame& frame) {
  if (has_classes(frame.loss)) return frame.classes;
  std::vector<std::string> names;
  for (std::size_t t = 0; t < frame.classes.size(); ++t) {
    if (loss_of_target(frame, t) != Loss::pinball) {
      names.push_back(frame.classes[t]);
      continue;
    }
    for (const double quantile : frame.quantiles)
      names.push_back(text::concat(frame.classes[t], " ", quantile_name(quantile)));
  }
  return names;
}

}  // namespace bootfold::ensemble
