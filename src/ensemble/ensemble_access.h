// How the library makes ensembles and reads what users do not see of them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// What members predict of the rows that selected them, each row by the members that the rows of
/// other folds select, at temperature 1.
struct JudgedRows {
  bool validation = false;        // which rows
  std::uint64_t fingerprint = 0;  // of the validation rows and their answers
  Prediction prediction = {};
};

struct EnsembleAccess {
  /// `fingerprint` is that of the inputs of the training rows (fingerprint.h).
  [[nodiscard]] static Ensemble make(Ensemble::Frame frame, std::vector<Member> members,
                                     std::vector<std::vector<float>> parameters,
                                     std::uint64_t fingerprint, Prediction out_of_bag = {}) {
    Ensemble ensemble(std::move(frame), std::move(members), std::move(parameters), fingerprint);
    ensemble.out_of_bag_ = std::move(out_of_bag);
    return ensemble;
  }
  [[nodiscard]] static std::uint64_t fingerprint(const Ensemble& ensemble) noexcept {
    return ensemble.fingerprint_;
  }
  /// Empty unless Training::keep_optimizer.
  [[nodiscard]] static OptimizerState optimizer(const Ensemble& ensemble, std::size_t member) {
    return ensemble.optimizer_.empty() ? OptimizerState() : ensemble.optimizer_.at(member);
  }
  [[nodiscard]] static Ensemble with_noise(Ensemble ensemble, std::vector<double> noise) {
    ensemble.frame_.noise = std::move(noise);
    return ensemble;
  }
  static void set_optimizer(Ensemble& ensemble, std::vector<OptimizerState> states) {
    ensemble.optimizer_ = std::move(states);
  }
  /// Null unless Training::keep_held_out.
  [[nodiscard]] static const std::shared_ptr<const HeldOutRecord>& record(
      const Ensemble& ensemble) noexcept {
    return ensemble.record_;
  }
  static void set_record(Ensemble& ensemble, std::shared_ptr<const HeldOutRecord> record) {
    ensemble.record_ = std::move(record);
  }
  /// Null unless members were selected.
  [[nodiscard]] static const std::shared_ptr<const JudgedRows>& judged(
      const Ensemble& ensemble) noexcept {
    return ensemble.judged_;
  }
  static void set_judged(Ensemble& ensemble, std::shared_ptr<const JudgedRows> judged) {
    ensemble.judged_ = std::move(judged);
  }
  static void set_out_of_bag(Ensemble& ensemble, Prediction prediction) {
    ensemble.out_of_bag_ = std::move(prediction);
  }
};

}  // namespace bootfold::ensemble
