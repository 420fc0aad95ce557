// bootfold/ensemble/ensemble.h: thousands of small networks, each trained on its own resample.
//
//     auto table = data::read("iris.csv", {.columns = {...}, .labels = {"species"}});
//     auto ensemble = ensemble::train({table.view(), &table.labels(0)}, {.hidden = {32}},
//                                     {.members = 100, .epochs = 200});
//     auto prediction = ensemble.predict(new_rows);
//     prediction.probability(3, 0);   // of class 0 for row 3: the mean over the members
//     prediction.epistemic[3];        // how much the members disagree
//     prediction.outside[3];          // inputs outside the range of the training rows
//
// Lane l of every vector belongs to member l of a pack, and no sum mixes lanes. So a member is the
// same to the bit alone, among ten or among ten thousand, on any number of threads, and with AVX2
// or AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/ensemble/continuation.h"
#include "bootfold/ensemble/encoding.h"
#include "bootfold/ensemble/network.h"
#include "bootfold/ensemble/scores.h"
#include "bootfold/ensemble/targets.h"
#include "bootfold/ensemble/training.h"
#include "bootfold/execution.h"
#include "bootfold/source.h"

namespace bootfold::ensemble {

/// Rows with known classes or known numbers, for training or evaluation: exactly one of `classes`
/// and `targets` is given. Nothing is copied.
///
/// Inputs that need not be in memory come from a source, which takes the place of `inputs`:
///
///     auto inputs = data::open("big.parquet", {.columns = {"a", "b"}});
///     auto prices = data::read("big.parquet", {.columns = {"price"}});
///     ensemble::train({.inputs = {}, .targets = prices.view(), .source = inputs.get()}, training);
///
/// train(), train_and_predict(), out_of_bag(), best(), join() and calibrate() take a source, and
/// their results are those of the same inputs in memory, to the bit. train() reads the source three
/// times and keeps one copy of the inputs, standardized and as float32.
struct BOOTFOLD_API Examples {
  DataView inputs = {};
  const data::Labels* classes = nullptr;
  DataView targets = {};
  std::optional<ColumnView> weights = std::nullopt;  ///< of the rows in the loss; not negative
  /// The inputs in place of `inputs`, one row for each class or target.
  const data::Source* source = nullptr;
  /// How inputs with text, dates or missing values become inputs of the networks (encoding.h).
  /// Null: all inputs are numbers, and missing values are errors. Only train(), train_and_predict()
  /// and bootstrap_predictions() use it; an ensemble has its own.
  const Encoding* encoding = nullptr;

  [[nodiscard]] std::size_t rows() const noexcept;
  /// The number of input columns and their names.
  [[nodiscard]] std::size_t columns() const noexcept;
  [[nodiscard]] std::string name(std::size_t column) const;
};

/// Standardization of columns to mean 0 and variance 1. The scale of a constant column is 1, and so
/// is that of a category. Missing values are left out.
struct Scaling {
  std::vector<double> mean;
  std::vector<double> scale;  ///< standard deviations
};

/// Smallest and largest value of each column; 0 for a category.
struct Range {
  std::vector<double> low;
  std::vector<double> high;
};

/// The outcome of the training of one member.
struct Member {
  std::size_t settings = 0;  ///< index in Frame::settings
  std::uint64_t number =
      0;                    ///< among the members with these settings; with the seed it fixes draws
  std::uint64_t steps = 0;  ///< of the parameters that are kept
  double loss = kUnknown;   ///< of the last batch
  double held_out_loss = kUnknown;  ///< on the validation rows, else on the out-of-bag rows
  std::string failure = {};         ///< why the training failed; empty: it did not
  /// Mean training loss of each epoch, or of every thousandth of the steps if there are more than
  /// a thousand epochs. Only with Training::curves; not stored in files.
  std::vector<float> curve = {};

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
};

/// Predictions of an ensemble. Sums over members are made in the order of the members, so the same
/// ensemble gives the same bits.
struct BOOTFOLD_API Prediction {
  std::size_t rows = 0;
  std::size_t outputs = 0;  ///< classes, or targets; quantiles count as targets of their own
  /// [row][output]: class probabilities, or means of targets, quantiles (pinball), rates (poisson)
  /// and probabilities of 1 (binary targets). The columns of a target are target_columns().
  std::vector<double> mean = {};
  /// Uncertainty. Classes, [row]: total is the entropy of the mean, aleatoric the mean of the
  /// members' entropies, epistemic their difference (the mutual information). At a temperature
  /// other than 1, total is the entropy of the scaled probabilities, and the shares of it are
  /// unchanged. Targets, [row][output]: standard deviations; aleatoric is the noise of the target,
  /// epistemic the deviation between members. Of quantiles only epistemic is known. Of targets of 0
  /// and 1 they are entropies, as of classes.
  std::vector<double> total = {};
  std::vector<double> aleatoric = {};
  std::vector<double> epistemic = {};
  /// [row][output]: mean and standard deviations on the scale of the transformed targets, from
  /// which prediction_intervals() are made. NaN for quantiles and for targets that are not
  /// transformed; empty if no target is.
  std::vector<double> transformed_mean = {};
  std::vector<double> transformed_epistemic = {};
  std::vector<double> transformed_total = {};
  /// [row]: number of members that predict the row. Out-of-bag predictions of different rows come
  /// from different members; if there are none, all numbers of the row are NaN.
  std::vector<std::uint64_t> members = {};
  /// [row]: number of input columns in which the row is outside the range of the training rows
  /// (range.h): a number below or above it, or a level or missing value that they do not have.
  /// Empty for out-of-bag predictions, which are of the training rows.
  std::vector<std::uint32_t> outside = {};

  [[nodiscard]] double probability(std::size_t row, std::size_t output) const {
    return mean[row * outputs + output];
  }
  /// The class with the highest probability.
  [[nodiscard]] std::size_t predicted_class(std::size_t row) const;
};

/// Whether a loss is for classes, and not for numbers.
[[nodiscard]] constexpr bool has_classes(Loss loss) noexcept {
  return loss == Loss::cross_entropy || loss == Loss::binary;
}

struct HeldOutRecord;  // of the library: Training::keep_held_out
struct JudgedRows;     // of the library: keep() of a selection

/// Trained members, with all that is needed to predict.
class BOOTFOLD_API Ensemble {
 public:
  /// What all members have in common.
  struct Frame {
    Loss loss = Loss::cross_entropy;
    std::vector<std::string> inputs;   ///< names of the input columns
    Encoding encoding;                 ///< how they become inputs of the networks
    std::string target;                ///< name of the class column; may be empty
    std::vector<std::string> classes;  ///< names of the classes, or of the targets
    Scaling input_scaling;
    Range input_range;       ///< of the inputs of the training rows, without those of weight 0
    Scaling target_scaling;  ///< of a regression; after the transforms
    /// Loss of each target; empty: all have `loss`.
    std::vector<Loss> losses;
    std::vector<double> quantiles;            ///< of targets with loss pinball
    double huber_delta = 1;                   ///< of targets with loss huber
    std::vector<double> pos_weight;           ///< of each target, or of the second class; empty: 1
    std::vector<FittedTransform> transforms;  ///< of each target; empty: none
    /// Variance of the noise of each target, estimated from out-of-bag residuals, for targets with
    /// loss squared_error and huber; 0 for others. That of a transformed target is on the
    /// transformed scale. Empty if no target has such a loss.
    std::vector<double> noise;
    /// Softmax temperature of reported class probabilities (calibration.h); 1 leaves them
    /// unchanged.
    double temperature = 1;
    /// The same of each target with loss binary, 1 for other targets; empty: all are 1.
    std::vector<double> temperatures;
    /// Scores of rows that members were not trained on: training rows out of bag, or the validation
    /// rows if there are any (conformal.h). Without rows after subset() and set_temperature(), and
    /// of files of earlier versions.
    ConformalScores conformal;
    std::vector<Settings> settings;
    Resampling resampling = Resampling::bootstrap;
    std::size_t share = 0;  ///< members of a group that shares weights; 0: independent members
    std::uint64_t seed = 0;
    std::size_t rows = 0;  ///< training rows
    /// Members that did not fail, or groups of them that share weights: independent trainings. Set
    /// by ensembles; 0 of a frame without members.
    std::size_t trainings = 0;
  };

  [[nodiscard]] const Frame& frame() const noexcept { return frame_; }
  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] const Member& member(std::size_t index) const { return members_.at(index); }
  /// Layer by layer: weights [out][in], then the bias.
  [[nodiscard]] std::span<const float> parameters(std::size_t index) const {
    return parameters_.at(index);
  }
  [[nodiscard]] bool classifies() const noexcept { return has_classes(frame_.loss); }

  /// Predicts rows with the columns of the training, in the same order. Members that failed are
  /// left out. Memory does not grow with the number of members. Throws InvalidArgument, DataError,
  /// Cancelled.
  [[nodiscard]] Prediction predict(const DataView& inputs, const Execution& execution = {}) const;

  /// Predictions of the training rows, each by the members that were not trained on it. Of no rows
  /// if the ensemble was loaded from a file or if members are trained on all rows.
  [[nodiscard]] const Prediction& out_of_bag() const noexcept { return out_of_bag_; }

  /// Sets the temperature of class probabilities (calibration.h). Discards the out-of-bag
  /// prediction and the conformal scores, which were made at the old temperature. Throws
  /// InvalidArgument for a regression and for a temperature that is not positive and finite.
  void set_temperature(double temperature);

  /// Sets the temperature of each target, 1 for those whose loss is not binary; none: all are 1.
  /// Discards what set_temperature() discards. Throws InvalidArgument for classes, another number
  /// of temperatures, and those that are not positive and finite.
  void set_temperatures(std::vector<double> temperatures);

  /// Sets the conformal scores (conformal.h); those of no rows remove them. Throws InvalidArgument
  /// for scores of another number of targets.
  void set_conformal(ConformalScores scores);

  /// An ensemble of these members, at temperature 1, without conformal scores. Throws
  /// InvalidArgument for indices that do not exist or occur twice.
  [[nodiscard]] Ensemble subset(std::span<const std::size_t> members) const;

  /// Writes a .safetensors file, which appears complete or not at all: parameters stacked [member,
  /// out, in] for other programs, everything else as JSON (docs/ensembles.md). The out-of-bag
  /// prediction is not stored. Throws DataError; InvalidArgument for names that are not UTF-8.
  void save(const std::string& path) const;
  /// Reads a file that save() wrote; predictions are the same to the bit. Throws DataError for any
  /// other file. Memory stays below a small multiple of the file's size.
  [[nodiscard]] static Ensemble load(const std::string& path);

 private:
  friend struct EnsembleAccess;  // how the library makes ensembles
  Ensemble(Frame frame, std::vector<Member> members, std::vector<std::vector<float>> parameters,
           std::uint64_t fingerprint);

  Frame frame_;
  std::vector<Member> members_;
  std::vector<std::vector<float>> parameters_;  // [member]
  std::uint64_t fingerprint_ = 0;               // of the inputs of the training rows
  std::vector<OptimizerState> optimizer_;       // [member]; empty: not kept
  Prediction out_of_bag_;
  std::shared_ptr<const HeldOutRecord> record_;  // null: not kept
  std::shared_ptr<const JudgedRows> judged_;     // null: members were not selected
};

/// Whether some members are not trained on all rows, so that there are out-of-bag predictions: with
/// resampling bootstrap, and with subsample if a share is below 1.
[[nodiscard]] BOOTFOLD_API bool leaves_rows_out(const Ensemble::Frame& frame) noexcept;

/// For each target, its loss and its columns of Prediction::mean; of none for classes.
[[nodiscard]] BOOTFOLD_API std::vector<TargetColumns> target_columns(const Ensemble::Frame& frame);
/// The names of the columns of Prediction::mean: classes, or targets. Those of quantiles are such
/// as "price q0.05".
[[nodiscard]] BOOTFOLD_API std::vector<std::string> prediction_names(const Ensemble::Frame& frame);
/// Outputs of a network: classes (1 for binary), targets, two for each with loss gaussian, and one
/// for each quantile.
[[nodiscard]] BOOTFOLD_API std::size_t network_outputs(const Ensemble::Frame& frame);
/// "q0.05".
[[nodiscard]] BOOTFOLD_API std::string quantile_name(double quantile);

/// Bytes that a training needs for its rows: inputs, targets (or classes) and weights as float32.
/// `columns` is the number of all of them.
[[nodiscard]] BOOTFOLD_API std::size_t bytes_of_rows(std::uint64_t rows,
                                                     std::size_t columns) noexcept;
/// The limit of these bytes for rows of a source: `asked` (Training::memory), or half of what the
/// process may use if that is 0.
[[nodiscard]] BOOTFOLD_API std::size_t row_memory_limit(std::size_t asked);

/// Trains an ensemble. Members that diverge are marked as failed; the others are not affected.
/// Throws InvalidArgument and DataError for options and data that cannot be used, and for two equal
/// settings, or settings that differ only in values without effect: with one seed they would train
/// the same networks. Throws InvalidArgument if rows of a source exceed row_memory_limit(). Throws
/// Cancelled.
[[nodiscard]] BOOTFOLD_API Ensemble train(const Examples& examples, const Training& training);
/// The same with one architecture for all settings.
[[nodiscard]] BOOTFOLD_API Ensemble train(const Examples& examples,
                                          const Architecture& architecture, Training training = {});

}  // namespace bootfold::ensemble
