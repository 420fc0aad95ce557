// bootfold/training.h: how the members of an ensemble are trained.
//
//     Training training{.members = 100, .epochs = 50, .seed = 7};
//     training.settings[0].learning_rate = 3e-3;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/execution.h"
#include "bootfold/network.h"

namespace bootfold::ensemble {

struct Examples;  // ensemble.h
struct Member;

/// What turns a gradient into a step. Weight decay is added to the gradient, but by adamw taken from
/// the weights themselves.
enum class Optimizer { adam, adamw, sgd };

/// Learning-rate schedule: constant, or cosine decay to 0.
enum class Schedule { constant, cosine };

/// The rows that a member learns from.
enum class Resampling {
  bootstrap,  ///< n rows drawn with replacement, fixed for the member
  none,       ///< all of them: members differ by their first weights alone
  subsample,  ///< some of them, without replacement
  bayesian,   ///< all of them, with exponential weights
};

/// What is made small.
enum class Loss {
  cross_entropy,  ///< of classes, after softmax
  squared_error,  ///< mean over the targets
  gaussian,       ///< negative log-likelihood; the network tells a mean and a variance
};

/// What may differ from member to member.
struct Settings {
  static constexpr std::size_t kFullBatch = 0;
  static constexpr std::size_t kAutomaticBatch = std::numeric_limits<std::size_t>::max();

  Architecture architecture = {};
  Optimizer optimizer = Optimizer::adam;
  double learning_rate = 1e-3;
  Schedule schedule = Schedule::constant;
  double weight_decay = 0;
  double momentum = 0.9;  ///< of SGD; of Adam the first beta
  double beta2 = 0.999;   ///< of Adam
  double epsilon = 1e-8;  ///< of Adam
  double clip = 0;        ///< largest norm of a gradient; 0: any
  /// Rows of a step, kFullBatch for all rows of a member, or kAutomaticBatch for 32, or all rows
  /// where a member has fewer.
  std::size_t batch_size = kAutomaticBatch;
  double subsample = 0.5;  ///< share of the rows under Resampling::subsample

  bool operator==(const Settings&) const = default;
};

/// When a member stops before its time: once its loss on rows it does not learn from (those of
/// Training::validation, else those it does not see) has not been lower for `patience` looks; the
/// parameters of the best look are kept.
struct Stopping {
  std::size_t patience = 0;  ///< 0: members never stop early
  double look_every = 1;     ///< epochs between looks
};

/// The whole of it. The rows and first weights of a member follow from the seed and from its number
/// among the members of its settings, so that settings are compared on the same draws, and a member
/// is the same to the bit in whatever company it is trained.
struct Training {
  std::size_t members = 100;                      ///< with each of the settings
  std::vector<Settings> settings = {Settings{}};  ///< more than one: a sweep
  std::uint64_t steps = 0;                        ///< of every member; 0: as `epochs` say
  double epochs = 100;                            ///< rows of a member gone through so many times
  Resampling resampling = Resampling::bootstrap;
  /// Unless given: cross_entropy of classes, squared_error of numbers.
  std::optional<Loss> loss = std::nullopt;
  bool curves = false;     ///< Member::curve is kept
  bool reshuffle = false;  ///< another order in every epoch
  Stopping stopping = {};
  /// Rows to judge members by, in place of those that each does not see: for early stopping and
  /// Member::held_out_loss. The same columns in the same order; classes are known by their names.
  /// Must live as long as the training. Weights of theirs count.
  const Examples* validation = nullptr;
  bool standardize = true;  ///< inputs, and the targets of a regression, to mean 0 and variance 1
  std::uint64_t seed = 0;
  std::uint64_t first_member = 0;  ///< number of the first; more members go on from there
  /// Memory limit in bytes for the parameters of all members and for sums over members; 0:
  /// execution::default_memory(). Sums that would take more are made in parts; that never changes
  /// a result.
  std::size_t memory = 0;
  Execution execution = {};
  /// Told of every member that is done, one at a time, from any thread, in no order.
  std::function<void(const Member&)> finished = {};
};

/// "adam", ...; "cosine", ...; "bootstrap", ...; "cross_entropy", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(Optimizer optimizer) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Schedule schedule) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Resampling resampling) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Loss loss) noexcept;

/// The other way; throws InvalidArgument that lists the names.
[[nodiscard]] BOOTFOLD_API Optimizer parse_optimizer(std::string_view name);
[[nodiscard]] BOOTFOLD_API Schedule parse_schedule(std::string_view name);
[[nodiscard]] BOOTFOLD_API Resampling parse_resampling(std::string_view name);
[[nodiscard]] BOOTFOLD_API Loss parse_loss(std::string_view name);

}  // namespace bootfold::ensemble
