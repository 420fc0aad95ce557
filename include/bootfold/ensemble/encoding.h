// bootfold/ensemble/encoding.h: input columns of any kind as inputs of networks.
//
//     auto learner = std::make_shared<ensemble::EncodingLearner>();
//     data::Tables tables({"diamonds.csv"}, {.columns = {"carat", "color"}, .codes = learner});
//     for (auto pass = tables.open(); auto table = pass->next();) learner->add(table->view());
//     ensemble::Encoding encoding = learner->finish();     // carat: a number, color: 7 levels
//
// Rows stay columns of numbers: a text is a number beyond 2^960 (text_code()), a missing value
// is NaN, a date is its seconds since 1970. So views, sources and fingerprints are those of
// numbers. An encoding says what the networks see: numbers are standardized, levels of a category
// have a column of 0 and 1 each, dates become time, month, weekday and hour, and missing values
// have a column of their own. It is learned from the training rows and stored in the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"

namespace bootfold::ensemble {

struct Examples;  // ensemble.h

/// What the values of an input column are.
enum class InputKind {
  number,    ///< numbers
  boolean,   ///< words for true and false, which are 1 and 0
  category,  ///< levels, named by texts or numbers
  date,      ///< dates, with or without a time of day
};

/// The name as users write it: "number", "category", ... and its value; throws InvalidArgument.
[[nodiscard]] BOOTFOLD_API std::string_view name(InputKind kind) noexcept;
[[nodiscard]] BOOTFOLD_API InputKind parse_input_kind(std::string_view name);

/// The number that stands for text `index` of a column: (index + 1) * 2^960. Numbers of data are
/// nearly always other ones, of any size.
[[nodiscard]] BOOTFOLD_API double text_code(std::uint64_t index) noexcept;
/// The text that a number stands for; std::nullopt if it is a number of data or NaN.
[[nodiscard]] BOOTFOLD_API std::optional<std::uint64_t> text_of_code(double code) noexcept;
/// The number that stands for a text that is not among the levels of a column.
[[nodiscard]] BOOTFOLD_API double unknown_text_code(std::string_view text) noexcept;

/// Where the edges of the bins of the piecewise linear encoding come from.
enum class BinEdges {
  quantiles,  ///< quantiles of the training rows: as many rows in each bin
  tree,       ///< splits of a decision tree on the column that predicts the target
  automatic,  ///< tree where EncodingLearner::finish() is given the targets, else quantiles
};

/// The name as users write it: "quantiles", "tree", "auto", and its value; throws InvalidArgument.
[[nodiscard]] BOOTFOLD_API std::string_view name(BinEdges edges) noexcept;
[[nodiscard]] BOOTFOLD_API BinEdges parse_bin_edges(std::string_view name);

/// How one input column becomes inputs of the networks.
struct BOOTFOLD_API InputEncoding {
  static constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();

  InputKind kind = InputKind::number;
  /// Whether training rows had missing values. There is then a column that is 1 where the value is
  /// missing and 0 elsewhere.
  bool missing = false;
  /// Numbers, booleans and dates: the median of the training rows, in place of missing values.
  double median = 0;
  /// Categories and booleans: the levels; the level of text_code(i) is levels[i].
  std::vector<std::string> levels = {};
  /// Categories: the column of each level among those of this input; kNoColumn if the level does
  /// not occur. Booleans: 1 for words for true.
  std::vector<std::uint32_t> slots = {};
  std::uint32_t own = 0;     ///< categories: columns of one level each
  std::uint32_t shared = 0;  ///< categories: columns that the other levels share
  bool hours = false;        ///< dates: whether training rows had a time of day
  /// Numbers: edges of the bins of the piecewise linear encoding, ascending; empty: none. The
  /// column of a bin is 0 below it, 1 above it, and rises linearly in between.
  std::vector<double> bins = {};
  /// Numbers: the smallest and the largest value that the networks see; smaller and larger ones are
  /// replaced by them. Empty: none.
  std::vector<double> limits = {};
  /// Numbers: frequencies c of the periodic features sin(2 pi c z) and cos(2 pi c z) of the
  /// standardized value z; empty: none.
  std::vector<double> periodic = {};

  /// The number of columns.
  [[nodiscard]] std::size_t columns() const noexcept;
  bool operator==(const InputEncoding&) const = default;
};

/// How the input columns become inputs of the networks, which are in the same order: number
/// (standardized), then a column for each of its bins, the sines of its frequencies and the
/// cosines; columns of a category, own then shared;
/// time, 12 months, 7 weekdays and, if there are hours, sine and cosine of the time of day; each
/// followed by the column of missing values, if there is one.
struct BOOTFOLD_API Encoding {
  std::vector<InputEncoding> inputs = {};  ///< empty: all inputs are numbers without missing values
  /// Whether missing values are encoded. If not they are errors.
  bool accepts_missing = true;

  [[nodiscard]] bool empty() const noexcept { return inputs.empty(); }
  /// The number of inputs of the networks, for so many input columns.
  [[nodiscard]] std::size_t columns(std::size_t inputs_given) const noexcept;
  /// Names of the inputs of the networks: "carat", "color=E", "color other", "carat missing", ...
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::string>& inputs_given) const;
  bool operator==(const Encoding&) const = default;
};

/// Options of EncodingLearner.
struct EncodingOptions {
  std::vector<std::string> categorical = {};  ///< columns whose numbers are levels, by name
  std::vector<std::string> dates = {};        ///< columns of dates, by name
  std::vector<std::string> numbers = {};      ///< columns without text, by name: faster
  /// Levels of a category that have a column of their own, at most. If there are more, the most
  /// frequent have one, and the others share `hashed` columns, chosen by a hash of their name.
  std::size_t levels = 64;
  /// Levels in fewer rows share one column.
  std::size_t rare_rows = 5;
  std::size_t hashed = 32;  ///< columns that levels beyond `levels` share
  bool missing = true;      ///< whether missing values are encoded
  /// Bins of the piecewise linear encoding of numbers; 0: none. Columns with fewer distinct
  /// quantiles, or fewer splits that tell targets apart, have fewer bins, and those of 0 and 1 have
  /// none. std::nullopt: automatic, which is 16 with 1,000 rows or more; fewer if columns of more
  /// than two numbers would have more than 512 bins together, or these more than 2^27 values or
  /// more than `memory` allows, and none if each would then have fewer than 4.
  std::optional<std::size_t> bins = std::nullopt;
  BinEdges bin_edges = BinEdges::automatic;
  std::size_t bin_rows = 20;  ///< BinEdges::tree: fewest rows in a leaf
  /// Numbers beyond the quantiles of this share and of 1 - share of the training rows are replaced
  /// by these quantiles, so that single wrong or extreme values do not decide a prediction; 0:
  /// none. Below 0.5. Columns of at most two values are not limited. std::nullopt: automatic, which
  /// is 0.001 with 1,000 rows or more and at most 128 columns of more than two numbers, and 0
  /// otherwise.
  std::optional<double> winsorize = std::nullopt;
  /// Frequencies of periodic features of numbers; 0: none. Each has two columns, sine and cosine.
  /// Columns of at most two values have none. Frequencies are drawn once, from a normal
  /// distribution with mean 0 and standard deviation `periodic_scale`, and are not trained. They
  /// depend on the number of the column alone, so ensembles of different seeds have the same
  /// inputs.
  std::size_t periodic = 0;
  double periodic_scale = 0.3;  ///< in periods for each standard deviation of the column
  /// Limit for automatic bins of the bytes of all rows as float32 (bytes_of_rows()): encoded
  /// inputs, the columns before them, classes and weights. 0: none.
  std::size_t memory = 0;
};

/// Learns the encoding of input columns from the training rows, which arrive in any number of
/// chunks. A column with text is a category; one with words for true and false alone is boolean.
///
/// It is also what reads these rows (ReadOptions::codes): it numbers texts as they come. Rows that
/// are read again after finish() have the same codes. Takes about 1 MiB per column, and what up to
/// 65,536 levels of a column take; further levels are hashed. Medians are exact up to 65,536
/// values; of n times as many rows, every n-th is used, rounded up to a power of two.
class BOOTFOLD_API EncodingLearner final : public data::FieldCodes {
 public:
  /// Inputs begin at column `first` of the rows; those before it (targets, weights) are numbers.
  /// Throws InvalidArgument for options that cannot be used.
  explicit EncodingLearner(EncodingOptions options = {}, std::size_t first = 0);
  ~EncodingLearner() override;

  /// The names of all columns, before rows are read or added. Throws InvalidArgument if a column of
  /// the options is not among the inputs.
  void start(const std::vector<std::string>& names) override;

  [[nodiscard]] data::FieldUse use(std::size_t column) const override;
  [[nodiscard]] bool keeps_missing(std::size_t column) const override;
  [[nodiscard]] double code(std::size_t column, std::string_view text,
                            std::optional<double> number) override;

  /// More training rows, as they were read with these codes.
  void add(const DataView& rows);
  /// The encoding. BinEdges::tree needs targets, and BinEdges::automatic uses them: the classes or
  /// targets of the rows that were added, and their weights if there are some. Their inputs are not
  /// read.
  [[nodiscard]] Encoding finish() const;
  [[nodiscard]] Encoding finish(const Examples& targets) const;
  /// What users should know about the columns, a sentence each: text among numbers, and columns
  /// without a frequent level, from which nothing can be learned.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The codes of a trained model: rows that are read with them can be predicted. Texts that are not
/// levels of their column have codes of their own, which Prediction::outside counts.
class BOOTFOLD_API EncodingCodes final : public data::FieldCodes {
 public:
  /// Inputs begin at column `first` of the rows. `keep_missing`: whether rows with missing values
  /// are predicted, if the encoding accepts them.
  explicit EncodingCodes(Encoding encoding, std::size_t first = 0, bool keep_missing = true);
  ~EncodingCodes() override;

  [[nodiscard]] data::FieldUse use(std::size_t column) const override;
  [[nodiscard]] bool keeps_missing(std::size_t column) const override;
  [[nodiscard]] double code(std::size_t column, std::string_view text,
                            std::optional<double> number) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Seconds since 1970 of a date: "2024-01-28", "2024-01-28 13:05", "2024-01-28T13:05:00.25Z",
/// "...+02:00". Without a time zone the time is taken as it is written. std::nullopt for other
/// text.
[[nodiscard]] BOOTFOLD_API std::optional<double> parse_date(std::string_view text);

}  // namespace bootfold::ensemble
