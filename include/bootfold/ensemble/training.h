// bootfold/ensemble/training.h: how the members of an ensemble are trained.
//
//     Training training{.members = 100, .epochs = 50, .seed = 7};
//     training.settings[0].learning_rate = 3e-3;
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/continuation.h"
#include "bootfold/ensemble/network.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

struct Examples;  // ensemble.h
struct Member;

/// Optimizer. Weight decay is added to the gradient by adam and sgd (an L2 penalty) and subtracted
/// from the weights by adamw (decoupled weight decay).
enum class Optimizer { adam, adamw, sgd };

/// Learning-rate schedule.
enum class Schedule {
  constant,  ///< the initial learning rate throughout
  cosine,    ///< cosine decay from the initial learning rate to 0 at the last step
};

/// The rows that a member is trained on.
enum class Resampling {
  bootstrap,  ///< n rows drawn with replacement, once for each member
  none,       ///< all rows: members differ only in their initial weights
  subsample,  ///< a share of the rows, drawn without replacement
  bayesian,   ///< all rows, with exponential weights
};

/// The training loss.
enum class Loss {
  cross_entropy,  ///< for classes, after a softmax
  squared_error,  ///< for numbers: mean over the targets
  gaussian,       ///< for numbers: negative log-likelihood; the network predicts mean and variance
};

/// Settings that may differ between members.
struct Settings {
  static constexpr std::size_t kFullBatch = 0;
  static constexpr std::size_t kAutomaticBatch = std::numeric_limits<std::size_t>::max();

  Architecture architecture = {};
  Optimizer optimizer = Optimizer::adam;
  double learning_rate = 1e-3;
  Schedule schedule = Schedule::constant;
  double weight_decay = 0;
  double momentum = 0.9;  ///< momentum of sgd; beta1 of adam and adamw
  double beta2 = 0.999;   ///< adam and adamw
  double epsilon = 1e-8;  ///< adam and adamw
  double clip = 0;        ///< largest norm of the gradient; 0: no clipping
  /// Linear warm-up of the learning rate, as a share of the steps, below 1. The cosine decay begins
  /// behind it. 0: none.
  double warmup = 0;
  /// Dropout: the probability with which a hidden unit is set to 0 in a training step; the others
  /// are divided by 1 - dropout. Rounded to 1 / 65536. A mask follows from seed, member, step, row
  /// of the batch, layer and unit. 0: none.
  double dropout = 0;
  /// Decay of an exponential moving average of the parameters, such as 0.999: its weight of the
  /// parameters k steps ago is proportional to average^k (with bias correction, so the first steps
  /// have no more weight than that). The averaged parameters are validated, kept and used for
  /// predictions. 0: none.
  double average = 0;
  /// Rows per step; kFullBatch: all rows of a member; kAutomaticBatch: 32, or all rows of a member
  /// that has fewer.
  std::size_t batch_size = kAutomaticBatch;
  double subsample = 0.5;  ///< share of the rows with Resampling::subsample

  bool operator==(const Settings&) const = default;
};

/// Early stopping. A member is validated on Training::validation, or without it on the rows that it
/// is not trained on. It stops after `patience` validations without a lower loss, and the
/// parameters with the lowest validation loss are kept.
struct Stopping {
  std::size_t patience = 0;  ///< 0: no early stopping
  double look_every = 1;     ///< epochs between validations
};

/// All training options. The rows and initial weights of a member follow from the seed and from its
/// number among the members with the same settings. So settings are compared on the same draws, and
/// a member is the same to the bit whichever other members are trained with it.
struct Training {
  std::size_t members = 100;                      ///< for each of the settings
  std::vector<Settings> settings = {Settings{}};  ///< more than one: a sweep
  std::uint64_t steps = 0;                        ///< of every member; 0: set by `epochs`
  double epochs = 100;                            ///< passes over the rows of a member
  Resampling resampling = Resampling::bootstrap;
  /// Weight sharing, as in BatchEnsemble and TabM: members with the same settings share the weights
  /// of their hidden layers, W[j][i] s[j] r[i] with scales r and s of each member, and have biases,
  /// normalizations and outputs of their own. They are trained together, by one thread, on the mean
  /// of their losses, each on its own resample. A trained member is a network like any other, but
  /// it depends on all members that share with it: on `members` and `first_member`. If one
  /// diverges, all of them fail. Such a training cannot go on (`start`, `keep_optimizer`).
  bool share = false;
  /// By default cross_entropy for classes and squared_error for numbers.
  std::optional<Loss> loss = std::nullopt;
  bool curves = false;     ///< keep Member::curve
  bool reshuffle = false;  ///< shuffle the rows before every epoch
  Stopping stopping = {};
  /// Validation rows for early stopping and Member::held_out_loss, in place of the rows that each
  /// member is not trained on. They have the same columns in the same order; classes are matched by
  /// name, and their weights are used. Must outlive the training.
  const Examples* validation = nullptr;
  bool standardize = true;  ///< scale inputs and numeric targets to mean 0 and variance 1
  std::uint64_t seed = 0;
  std::uint64_t first_member = 0;  ///< number of the first member; continues an earlier training
  /// Memory limit in bytes for parameters, for sums over members and for rows of a source; 0:
  /// execution::default_memory(), and twice that for rows. Sums that would take more are made in
  /// parts, which never changes a result.
  std::size_t memory = 0;
  /// File from which the training goes on if it was interrupted, and in which it stores the members
  /// that are trained, as often as costs less than 1 % of its time (bootfold/checkpoint.h). Takes
  /// memory for a copy of the parameters. It stays when the training is complete. Empty: none.
  std::string checkpoint = {};
  Execution execution = {};
  /// Callback for every trained member. Calls come from any thread, in any order, one at a time.
  std::function<void(const Member&)> finished = {};
  /// Members from which the training goes on, for `steps` or `epochs` more; null: from drawn
  /// weights. They keep their encoding and scaling, whatever the rows. With the same rows and
  /// options, a constant learning rate and `keep_optimizer`, two trainings are to the bit one that
  /// is as long; warm-up, the cosine schedule and early stopping begin anew. Without the state of
  /// the optimizer, averaged parameters (Settings::average) are where the training goes on and a
  /// new average begins. Must outlive the training.
  const Ensemble* start = nullptr;
  /// Keep the state of the optimizer, in memory alone, for a training that goes on from here. Three
  /// times the memory of the parameters, four times with Settings::average. Members that stopped
  /// early have none.
  bool keep_optimizer = false;
  /// Callback for epochs of members that are trained together, with equal steps. Members whose
  /// callback returns false stop. Calls come from any thread, in any order, one at a time; the
  /// members wait.
  std::function<bool(std::span<const MemberEpoch>)> epoch_done = {};
};

/// The name as users write it: "adam", "cosine", "bootstrap", "cross_entropy", ...
[[nodiscard]] BOOTFOLD_API std::string_view name(Optimizer optimizer) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Schedule schedule) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Resampling resampling) noexcept;
[[nodiscard]] BOOTFOLD_API std::string_view name(Loss loss) noexcept;

/// The value of a name. Throws InvalidArgument, which lists the names.
[[nodiscard]] BOOTFOLD_API Optimizer parse_optimizer(std::string_view name);
[[nodiscard]] BOOTFOLD_API Schedule parse_schedule(std::string_view name);
[[nodiscard]] BOOTFOLD_API Resampling parse_resampling(std::string_view name);
[[nodiscard]] BOOTFOLD_API Loss parse_loss(std::string_view name);

}  // namespace bootfold::ensemble
