// Networks of one shape trained side by side, one to a lane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/ensemble.h"
#include "ensemble/member_rows.h"
#include "ensemble/shape.h"
#include "ensemble/simd/kernels.h"
#include "ensemble/table.h"

namespace bootfold::ensemble {

/// Floats where vectors can be loaded whole.
class Floats {
 public:
  explicit Floats(std::size_t size = 0) { resize(size); }
  void resize(std::size_t size);  // all 0
  [[nodiscard]] float* data() noexcept { return data_.get(); }
  [[nodiscard]] const float* data() const noexcept { return data_.get(); }
  float& operator[](std::size_t i) { return data_.get()[i]; }
  float operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(float* data) const noexcept;
  };
  std::unique_ptr<float, Free> data_;
};

/// What all members of a run share.
struct Run {
  const Table& table;
  const Training& training;
  Loss loss;
  std::size_t outputs;
  execution::Level level;
};

/// A trained member as it leaves its lane.
struct Trained {
  std::uint64_t steps = 0;
  double loss = Member::kUnknown;
  double held_out_loss = Member::kUnknown;
  std::string failure = {};
  std::vector<float> parameters = {};
};

/// Steps that a member with these settings makes.
[[nodiscard]] std::uint64_t steps_of(const Training& training, const Settings& settings,
                                     std::size_t rows);

/// Rows of a member's walk, before anything is drawn.
[[nodiscard]] std::size_t rows_of(const Training& training, const Settings& settings,
                                  std::size_t rows);

/// Trains members that differ in numbers, not in shape, optimizer and batch size.
///
/// Each lane goes its own way: it has its own rows, step and settings, and when its member is done
/// the next one takes its place.
class Pack {
 public:
  Pack(const Run& run, const Settings& like);

  /// Trains them all; settings[i] are those of ids[i]. Throws Cancelled.
  [[nodiscard]] std::vector<Trained> train(std::span<const MemberId> ids,
                                           std::span<const Settings* const> settings,
                                           const execution::Worker& worker);

 private:
  struct Lane {
    std::size_t job = 0;
    const Settings* settings = nullptr;
    std::optional<MemberRows> rows = std::nullopt;
    std::uint64_t step = 0;
    std::uint64_t last_step = 0;
    std::uint64_t look_at = 0;  // step of the next look at held-out rows; 0: never
    std::uint64_t looks = 0;
    std::size_t patience = 0;  // looks since the best
    double power1 = 1;         // beta^step
    double power2 = 1;
    float loss = 0;
    Trained best = {};
    bool busy = false;
  };

  void start(std::size_t lane, std::size_t job, const MemberId& id, const Settings& settings);
  [[nodiscard]] simd::Batch next_batch();
  void fill_ahead();
  void step();
  void look();
  /// The step of the looks-th look.
  [[nodiscard]] std::uint64_t look_after(const Lane& lane, std::uint64_t looks) const;
  [[nodiscard]] Trained take(Lane& lane, std::size_t number);
  [[nodiscard]] std::vector<float> parameters_of(std::size_t lane) const;

  const Run& run_;
  Shape shape_;
  Optimizer optimizer_;
  std::size_t batch_rows_;
  const simd::Kernels& kernels_;
  std::size_t lanes_;
  std::vector<Lane> lane_;
  Floats parameters_;
  Floats gradient_;
  Floats first_;
  Floats second_;
  Floats scratch_;
  Floats numbers_;  // of Update, a vector each
  // A batch: either made anew for every step, or a piece of what lies ahead.
  std::vector<std::uint32_t> index_;
  Floats targets_;
  Floats weights_;
  bool ahead_ = false;  // all lanes walk in step: their whole walk is laid out
  Floats ahead_inputs_;
  Floats ahead_targets_;
  Floats ahead_weights_;
  Floats held_out_;  // [row][lane]: weights of rows that lanes do not see
  Floats held_targets_;
};

}  // namespace bootfold::ensemble
