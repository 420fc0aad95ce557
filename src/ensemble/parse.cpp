// Choices from their names.
#include <array>

#include "bootfold/ensemble/training.h"
#include "text/choice.h"

namespace bootfold::ensemble {

Activation parse_activation(std::string_view name) {
  return text::choose(
      "activation", name,
      std::array{Activation::relu, Activation::tanh, Activation::gelu, Activation::silu});
}

Initializer parse_initializer(std::string_view name) {
  return text::choose("initializer", name,
                      std::array{Initializer::lecun, Initializer::glorot, Initializer::he});
}

Optimizer parse_optimizer(std::string_view name) {
  return text::choose("optimizer", name,
                      std::array{Optimizer::adam, Optimizer::adamw, Optimizer::sgd});
}

Schedule parse_schedule(std::string_view name) {
  return text::choose("schedule", name,
                      std::array{Schedule::automatic, Schedule::constant, Schedule::cosine});
}

Resampling parse_resampling(std::string_view name) {
  return text::choose("resampling", name,
                      std::array{Resampling::bootstrap, Resampling::none, Resampling::subsample,
                                 Resampling::bayesian});
}

Loss parse_loss(std::string_view name) {
  return text::choose(
      "loss", name,
      std::array{Loss::cross_entropy, Loss::squared_error, Loss::gaussian, Loss::huber,
                 Loss::pinball, Loss::poisson, Loss::binary, Loss::multi_label, Loss::mixed});
}

}  // namespace bootfold::ensemble
