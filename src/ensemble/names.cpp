// The names of choices, as the command line and files spell them.
#include "bootfold/ensemble/training.h"

namespace bootfold::ensemble {

std::string_view name(Activation activation) noexcept {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    case Activation::gelu:
      return "gelu";
    case Activation::silu:
      return "silu";
  }
  return "";
}

std::string_view name(Initializer initializer) noexcept {
  switch (initializer) {
    case Initializer::lecun:
      return "lecun";
    case Initializer::glorot:
      return "glorot";
    case Initializer::he:
      return "he";
  }
  return "";
}

std::string_view name(Optimizer optimizer) noexcept {
  switch (optimizer) {
    case Optimizer::adam:
      return "adam";
    case Optimizer::adamw:
      return "adamw";
    case Optimizer::sgd:
      return "sgd";
  }
  return "";
}

std::string_view name(Schedule schedule) noexcept {
  switch (schedule) {
    case Schedule::constant:
      return "constant";
    case Schedule::cosine:
      return "cosine";
    case Schedule::automatic:
      return "auto";
  }
  return "";
}

std::string_view name(Resampling resampling) noexcept {
  switch (resampling) {
    case Resampling::bootstrap:
      return "bootstrap";
    case Resampling::none:
      return "none";
    case Resampling::subsample:
      return "subsample";
    case Resampling::bayesian:
      return "bayesian";
  }
  return "";
}

std::string_view name(Loss loss) noexcept {
  switch (loss) {
    case Loss::cross_entropy:
      return "cross_entropy";
    case Loss::squared_error:
      return "squared_error";
    case Loss::gaussian:
      return "gaussian";
    case Loss::huber:
      return "huber";
    case Loss::pinball:
      return "pinball";
    case Loss::poisson:
      return "poisson";
    case Loss::binary:
      return "binary";
    case Loss::multi_label:
      return "multi_label";
    case Loss::mixed:
      return "mixed";
  }
  return "";
}

}  // namespace bootfold::ensemble
