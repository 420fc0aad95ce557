// Choices from their names.
#include <array>

#include "bootfold/ensemble/training.h"
#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

namespace {

template <class Choice, std::size_t kCount>
Choice parse(const char* what, std::string_view word, const std::array<Choice, kCount>& all) {
  std::string names;
  for (const Choice choice : all) {
    if (name(choice) == word) return choice;
    names += (names.empty() ? "" : ", ") + std::string(name(choice));
  }
  throw InvalidArgument(
      text::concat(what, " is ", text::quoted(word), " but must be one of ", names));
}

}  // namespace

Activation parse_activation(std::string_view name) {
  return parse("activation", name,
               std::array{Activation::relu, Activation::tanh, Activation::gelu});
}

Initializer parse_initializer(std::string_view name) {
  return parse("initializer", name,
               std::array{Initializer::lecun, Initializer::glorot, Initializer::he});
}

Optimizer parse_optimizer(std::string_view name) {
  return parse("optimizer", name, std::array{Optimizer::adam, Optimizer::adamw, Optimizer::sgd});
}

Schedule parse_schedule(std::string_view name) {
  return parse("schedule", name, std::array{Schedule::constant, Schedule::cosine});
}

Resampling parse_resampling(std::string_view name) {
  return parse("resample", name,
               std::array{Resampling::bootstrap, Resampling::none, Resampling::subsample,
                          Resampling::bayesian});
}

Loss parse_loss(std::string_view name) {
  return parse("loss", name, std::array{Loss::cross_entropy, Loss::squared_error, Loss::gaussian});
}

}  // namespace bootfold::ensemble
