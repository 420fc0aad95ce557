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
#include "bootfold/ensemble/targets.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

struct Examples;  // ensemble.h
struct Member;

/// Optimizer. Weight decay is added to the gradient by adam and sgd (an L2 penalty) and subtracted
/// from the weights by adamw (decoupled weight decay).
enum class Optimizer { adam, adamw, sgd };

/// Learning-rate schedule.
enum class Schedule {
  constant,   ///< the initial learning rate throughout
  cosine,     ///< cosine decay from the initial learning rate to 0 at the last step
  automatic,  ///< cosine, or constant for a training that continues or may be continued
};

/// The rows that a member is trained on.
enum class Resampling {
  bootstrap,  ///< n rows drawn with replacement, once for each member
  none,       ///< all rows: members differ only in their initial weights
  subsample,  ///< a share of the rows, drawn without replacement
  bayesian,   ///< all rows, with exponential weights
};

/// The training loss. That of several targets is the mean over the targets.
enum class Loss {
  cross_entropy,  ///< for classes, after a softmax
  squared_error,  ///< for numbers
  gaussian,       ///< for numbers: negative log-likelihood; the network predicts mean and variance
  huber,          ///< for numbers: squared up to Training::huber_delta, linear beyond it
  pinball,        ///< for numbers: quantile regression; one output for each of the quantiles
  poisson,        ///< for counts: negative log-likelihood of a rate, whose logarithm is the output
  binary,         ///< for two classes, or a target of 0 and 1: cross-entropy after a sigmoid
  multi_label,    ///< for several targets of 0 and 1: mean of their cross-entropies
  mixed,          ///< for targets with losses of their own, Training::losses
};

/// Stands for a number that is chosen by the rows: docs/ensembles.md has the rules, and plan()
/// (training_plan.h) returns the values.
inline constexpr double kAutomatic = 0;

/// Settings that may differ between members.
struct Settings {
  static constexpr std::size_t kFullBatch = 0;
  static constexpr std::size_t kAutomaticBatch = std::numeric_limits<std::size_t>::max();

  Architecture architecture = {};
  Optimizer optimizer = Optimizer::adam;
  double learning_rate = kAutomatic;  ///< initial; kAutomatic: 1e-2, and 3e-2 for sgd
  Schedule schedule = Schedule::automatic;
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
  /// Rows per step; kFullBatch: all rows of a member; kAutomaticBatch: a power of two from 32 to
  /// 256, about a 64th of the rows of a member, or all rows if there are fewer than 32.
  std::size_t batch_size = kAutomaticBatch;
  double subsample = 0.5;  ///< share of the rows with Resampling::subsample

  bool operator==(const Settings&) const = default;
};

/// Early stopping. A member is validated on Training::validation, or without it on the rows that it
/// is not trained on. It stops after `patience` validations without a lower loss, and the
/// parameters with the lowest validation loss are kept.
struct Stopping {
  static constexpr std::size_t kAutomaticPatience = std::numeric_limits<std::size_t>::max();
  /// 0: no early stopping. kAutomaticPatience: 10 if Training sets neither steps nor epochs and
  /// there are rows to validate on, and otherwise 0.
  std::size_t patience = kAutomaticPatience;
  /// Epochs between validations. kAutomatic: one epoch, or a hundredth of the steps if that is
  /// more.
  double look_every = kAutomatic;
  static constexpr double kShareBesideSelection = 0.25;  ///< if members are selected
  /// Share of these rows, drawn at random, that stop members. The others are left for select()
  /// (selection.h), whose scores are then of rows that did not stop the members.
  double share_of_rows = 1;
};

/// All training options. The rows and initial weights of a member follow from the seed and from its
/// number among the members with the same settings. So settings are compared on the same draws, and
/// a member is the same to the bit whichever other members are trained with it.
struct Training {
  std::size_t members = 100;                      ///< for each of the settings
  std::vector<Settings> settings = {Settings{}};  ///< more than one: a sweep
  std::uint64_t steps = 0;                        ///< of every member; 0: set by `epochs`
  /// Passes over the rows of a member. kAutomatic: 100, but 2,000 to 20,000 steps.
  double epochs = kAutomatic;
  Resampling resampling = Resampling::bootstrap;
  /// Weight sharing, as in BatchEnsemble and TabM: members are trained in groups of `share` members
  /// with consecutive numbers; 0: independent members. A group shares the weights of its hidden
  /// layers, W[j][i] s[j] r[i] with scales r and s of each member, and one resample, of which each
  /// member sees the rows in an order of its own, so that rows are out of bag for all of a group or
  /// for none. Biases, normalizations and outputs are each member's own. The loss of a group is the
  /// mean over its members, which stop together and fail together. A group is the same to the bit
  /// whichever other groups are trained; `members` and `first_member` are multiples of `share`.
  /// Such a training cannot go on from an ensemble (`start`, `keep_optimizer`).
  std::size_t share = 0;
  /// By default cross_entropy for classes and squared_error for numbers.
  std::optional<Loss> loss = std::nullopt;
  /// The loss of each target, if they differ: squared_error, gaussian, huber, pinball, poisson or
  /// binary. Empty: `loss` is that of all targets.
  std::vector<Loss> losses = {};
  std::vector<double> quantiles = {0.05, 0.5, 0.95};  ///< of pinball: ascending, between 0 and 1
  double huber_delta = 1;  ///< in units of the standardized target, its standard deviations
  /// Factor of the loss of rows of the second class (binary), or with 1 (each target of 0 and 1):
  /// one for all, or one for each target. Empty: 1.
  std::vector<double> pos_weight = {};
  /// Transforms of the targets of squared_error, gaussian, huber and pinball (targets.h): one for
  /// all of these, or one for each target. Empty: none.
  std::vector<TargetTransform> target_transforms = {};
  bool curves = false;     ///< keep Member::curve
  bool reshuffle = false;  ///< shuffle the rows before every epoch
  Stopping stopping = {};
  /// Validation rows for early stopping and Member::held_out_loss, in place of the rows that each
  /// member is not trained on. They have the same columns in the same order; classes are matched by
  /// name, and their weights are used. Must outlive the training.
  const Examples* validation = nullptr;
  /// Scale inputs and numeric targets to mean 0 and variance 1. Counts of poisson are divided by
  /// their mean, targets of 0 and 1 are left as they are.
  bool standardize = true;
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
  /// Keep what each member predicts of the rows that judge it, in memory alone, so that select()
  /// (selection.h) need not predict them again: a few numbers for each member and row, at most 64
  /// MiB, or those of 4,096 rows if that is more.
  bool keep_held_out = false;
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
