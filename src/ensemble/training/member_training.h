// The way of one member through its training, whoever does the arithmetic.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/training/member_rows.h"
#include "ensemble/training/training_matrix.h"

namespace bootfold::ensemble {

/// What all members of a run share.
struct Run {
  const Table& table;
  const Training& training;
  Loss loss;
  std::size_t outputs;
  execution::Level level;
  const Table* validation = nullptr;  // rows that judge all members; none: those each does not see

  /// Rows that a look goes through; held_out_weights() says which of them count.
  [[nodiscard]] const Table& judges() const noexcept {
    return validation != nullptr ? *validation : table;
  }
};

/// A trained member.
struct Trained {
  std::uint64_t steps = 0;
  double loss = Member::kUnknown;
  double held_out_loss = Member::kUnknown;
  std::string failure = {};
  std::vector<float> parameters = {};
  std::vector<float> curve = {};
};

/// Rows of a member's walk, before anything is drawn.
[[nodiscard]] std::size_t rows_of(const Training& training, const Settings& settings,
                                  std::size_t rows);
/// Rows of a step.
[[nodiscard]] std::size_t batch_of(const Training& training, const Settings& settings,
                                   std::size_t rows);
/// Steps that a member with these settings makes.
[[nodiscard]] std::uint64_t steps_of(const Training& training, const Settings& settings,
                                     std::size_t rows);

class Course {
 public:
  /// Gives the parameters as they are now.
  using Parameters = std::function<std::vector<float>()>;

  /// What the optimizer needs for a step, as execution::simd::Update takes it.
  struct Numbers {
    float rate;
    float correction;
    float decay;
    float beta1;
    float beta2;
    float epsilon;
  };

  Course(const Run& run, const MemberId& id, const Settings& settings);

  [[nodiscard]] const Settings& settings() const noexcept { return *settings_; }
  [[nodiscard]] const MemberRows& rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
  /// Where in its endless walk the next batch begins.
  [[nodiscard]] std::uint64_t place() const noexcept { return step_ * batch_; }
  [[nodiscard]] bool done() const noexcept { return step_ >= last_step_ || failed(); }
  [[nodiscard]] bool failed() const noexcept { return !best_.failure.empty(); }

  /// Takes the loss of a batch, and goes on to the next step. What is not a finite number fails the
  /// member: then there is nothing to do for the optimizer.
  Numbers advance(float loss);

  /// The factor that brings a gradient with this sum of squares down to the largest norm.
  [[nodiscard]] float clipped(float squares) const;

  /// Whether it is time to look at the rows it does not learn from.
  [[nodiscard]] bool look_due() const noexcept {
    return stopping_->patience > 0 && !failed() && (step_ == look_at_ || step_ == last_step_);
  }
  void look(double held_out_loss, const Parameters& parameters);

  [[nodiscard]] Trained finish(const Parameters& parameters);

  /// What each of run.judges() weighs in held_out_loss; they add up to 1.
  [[nodiscard]] std::vector<float> held_out_weights(const Run& run) const;
  /// The weight of a row of its batches.
  [[nodiscard]] float weight(const Table& table, std::uint32_t row) const {
    return share_ * (rows_.weights().empty() ? 1.0F : rows_.weights()[row]) *
           (table.weights.empty() ? 1.0F : table.weights[row]);
  }

 private:
  [[nodiscard]] std::uint64_t look_after(std::uint64_t looks) const;
  /// Steps that a point of the curve stands for; 0: there is no curve.
  [[nodiscard]] std::uint64_t curve_steps(const Training& training) const;
  void end_point();

  const Settings* settings_;
  const Stopping* stopping_;
  MemberRows rows_;
  std::uint64_t batch_;
  float share_;  // of a row in the loss
  // As the kernels see them, in 32 bits: 1 - 0.999 differs by 1.3e-5 of itself there, and so would the
  // first steps. Kept, because g++ 12 forgets to round a double that it turns to float and back.
  float beta1_;
  float beta2_;
  std::uint64_t step_ = 0;
  std::uint64_t last_step_;
  std::uint64_t looks_ = 0;
  std::uint64_t look_at_;
  std::size_t worse_ = 0;  // looks since the best
  double power1_ = 1;      // beta^step
  double power2_ = 1;
  float loss_ = 0;
  std::uint64_t point_steps_;
  std::uint64_t point_begin_ = 0;  // step at which the next point of the curve begins
  double point_sum_ = 0;
  Trained best_ = {};
};

}  // namespace bootfold::ensemble
