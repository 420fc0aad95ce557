// bootfold/ensemble/ensemble.h: thousands of small networks, each trained on its own resample.
//
//     auto table = data::read("iris.csv", {.columns = {...}, .labels = {"species"}});
//     auto ensemble = ensemble::train({table.view(), &table.labels(0)}, {.hidden = {32}},
//                                     {.members = 100, .epochs = 200});
//     auto said = ensemble.predict(new_rows);
//     said.probability(3, 0);   // of class 0 for row 3, the mean over the members
//     said.epistemic[3];        // how far the members disagree
//
// Lane l of every vector belongs to member l of a pack, and no sum ever mixes lanes: a member is
// the same to the bit alone, among ten or among ten thousand, on any number of threads, and with
// AVX2 or AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/ensemble/network.h"
#include "bootfold/ensemble/training.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// Rows to learn from, or to be judged by: classes or numbers, one of the two. Nothing is copied.
struct Examples {
  DataView inputs;
  const data::Labels* classes = nullptr;
  DataView targets = {};
  std::optional<ColumnView> weights = std::nullopt;  ///< of rows in the loss; not negative
};

/// Moves columns to mean 0 and variance 1. A column that does not vary keeps its scale.
struct Scaling {
  std::vector<double> mean;
  std::vector<double> scale;  ///< standard deviations
};

/// What became of a member.
struct Member {
  std::size_t settings = 0;  ///< number among Ensemble::settings()
  std::uint64_t number = 0;  ///< among the members of its settings: with the seed it names draws
  std::uint64_t steps = 0;   ///< made, or kept if it stopped early
  double loss = kUnknown;    ///< of the last batch
  double held_out_loss = kUnknown;  ///< on validation rows, if any, else on those it never saw
  std::string failure = {};         ///< why it is of no use; empty: it is
  /// Mean loss of the batches of each epoch, or of every thousandth of the steps where there are
  /// more epochs; with Training::curves only, and not in files.
  std::vector<float> curve = {};

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
};

/// What an ensemble says of rows. Sums of members' numbers are made in their order, so the same
/// ensemble says the same to the bit.
struct BOOTFOLD_API Prediction {
  std::size_t rows = 0;
  std::size_t outputs = 0;  ///< classes, or targets
  /// [row][output]: probabilities of classes, or means of targets.
  std::vector<double> mean = {};
  /// Classes, of each row: entropy of the mean, mean of the entropies, and what is between them
  /// (the mutual information). At another temperature than 1, entropy of the probabilities as they
  /// are told, and the same shares of it. Targets, [row][target]: standard deviations; aleatoric is the noise
  /// that no member could tell, epistemic how far members disagree.
  std::vector<double> total = {};
  std::vector<double> aleatoric = {};
  std::vector<double> epistemic = {};
  /// Members that spoke of a row. Out of bag they differ from row to row, and may be none: then all
  /// numbers of the row are NaN.
  std::vector<std::uint64_t> members = {};

  [[nodiscard]] double probability(std::size_t row, std::size_t output) const {
    return mean[row * outputs + output];
  }
  /// The likeliest class.
  [[nodiscard]] std::size_t chosen(std::size_t row) const;
};

/// Trained members and all that is needed to use them.
class BOOTFOLD_API Ensemble {
 public:
  /// What all members share.
  struct Frame {
    Loss loss = Loss::cross_entropy;
    std::vector<std::string> inputs;   ///< names of the input columns
    std::string target;                ///< name of the column of classes; empty if it had none
    std::vector<std::string> classes;  ///< names of the classes, or of the targets
    Scaling input_scaling;
    Scaling target_scaling;  ///< of a regression
    /// Variance of each target round what the ensemble says of rows it has not seen, where the
    /// networks do not tell it themselves.
    std::vector<double> noise;
    /// At which probabilities of classes are told (calibration.h); 1: as members mean them.
    double temperature = 1;
    std::vector<Settings> settings;
    Resampling resampling = Resampling::bootstrap;
    std::uint64_t seed = 0;
    std::size_t rows = 0;  ///< that it was trained on
    /// Of the values of their inputs, row by row: tells whether rows are those, in their order.
    std::uint64_t fingerprint = 0;
  };

  Ensemble(Frame frame, std::vector<Member> members, std::vector<std::vector<float>> parameters);

  [[nodiscard]] const Frame& frame() const noexcept { return frame_; }
  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] const Member& member(std::size_t index) const { return members_.at(index); }
  /// Weights [out][in] and bias of the first layer, of the second, ...
  [[nodiscard]] std::span<const float> parameters(std::size_t index) const {
    return parameters_.at(index);
  }
  [[nodiscard]] bool classifies() const noexcept { return frame_.loss == Loss::cross_entropy; }

  /// What the members say of rows with the same columns, in the same order. Members that failed say
  /// nothing. Memory does not grow with members. Throws InvalidArgument, DataError, Cancelled.
  [[nodiscard]] Prediction predict(const DataView& inputs, const Execution& execution = {}) const;

  /// For the rows that the ensemble was trained on, what those members say that never saw the row.
  [[nodiscard]] const Prediction& out_of_bag() const noexcept { return out_of_bag_; }
  void set_out_of_bag(Prediction prediction) { out_of_bag_ = std::move(prediction); }

  /// Probabilities of classes are told at this temperature from now on (calibration.h). The
  /// out-of-bag prediction is dropped, being of another. Throws InvalidArgument for a regression,
  /// and for a temperature that is not above 0 and finite.
  void set_temperature(double temperature);

  /// These members alone, each once, at temperature 1. Throws InvalidArgument.
  [[nodiscard]] Ensemble subset(std::span<const std::size_t> members) const;

  /// Keeps members and frame in a .safetensors file that appears whole or not at all: parameters
  /// stacked [member, out, in] for other programs, all else as JSON (docs/ensembles.md). The
  /// out-of-bag prediction is not kept. Throws DataError; InvalidArgument for names that are not
  /// UTF-8.
  void save(const std::string& path) const;
  /// What save() wrote; predicts the same to the bit. Throws DataError for any other file: memory
  /// never grows beyond a small multiple of its size.
  [[nodiscard]] static Ensemble load(const std::string& path);

 private:
  Frame frame_;
  std::vector<Member> members_;
  std::vector<std::vector<float>> parameters_;  // [member]
  Prediction out_of_bag_;
};

/// Trains. Members that diverge are marked and the rest goes on. Throws InvalidArgument and
/// DataError for settings and data that cannot be used, and for two settings that are the same or
/// differ only in what has no effect: with one seed they would train the same networks. Throws
/// Cancelled.
[[nodiscard]] BOOTFOLD_API Ensemble train(const Examples& examples, const Training& training);
/// With one architecture for all settings.
[[nodiscard]] BOOTFOLD_API Ensemble train(const Examples& examples,
                                          const Architecture& architecture, Training training = {});

}  // namespace bootfold::ensemble
