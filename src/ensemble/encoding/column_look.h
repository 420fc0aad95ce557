// What is known of an input column after its training rows were read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bootfold/ensemble/encoding.h"
#include "ensemble/encoding/tree_edges.h"
#include "ensemble/encoding/value_sample.h"

namespace bootfold::ensemble {

/// Values of one column, in the order of the rows.
class ColumnLook {
 public:
  /// Texts with a code of their own, and distinct numbers that are counted for a category.
  static constexpr std::size_t kMostTexts = 65'536;
  /// Distinct numbers that are counted as long as the column may turn out to be a category.
  static constexpr std::size_t kMostNumbers = 4'096;

  /// Declares what the column is. Distinct values of numbers are then not counted.
  void declare(InputKind kind) { declared_ = kind; }
  [[nodiscard]] std::optional<InputKind> declared() const noexcept { return declared_; }

  /// The code of a text: that of a new level if it was not seen before. `truth` is its value if it
  /// is a word for true or false.
  [[nodiscard]] double code(std::string_view text, std::optional<double> truth);

  /// What the column is by what was seen of it.
  [[nodiscard]] InputKind kind() const;

  /// Whether it is a column of more than two numbers, which may have bins.
  [[nodiscard]] bool has_three_numbers() const;

  /// A value of a training row: a number, a code, or NaN.
  void add(double value);
  /// The encoding of input `number`, by options without automatic values. `targets` are those of
  /// the rows, for edges of a tree; null: there are none.
  [[nodiscard]] InputEncoding encoding(const EncodingOptions& options, std::size_t number,
                                       const TreeTargets* targets) const;
  /// Rows that were added, with those of missing values.
  [[nodiscard]] std::uint64_t rows() const noexcept { return seen_; }
  /// Keeps the rows of sampled values, for edges of a tree. Before values are added.
  void keep_rows() { sample_.keep_rows(); }
  /// What users should know about the column; empty if nothing.
  [[nodiscard]] std::string note(const std::string& name, const EncodingOptions& options) const;

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };

  [[nodiscard]] InputEncoding category(const EncodingOptions& options) const;
  void add_number(double value);
  /// Whether its texts are dates; the first of them tell.
  [[nodiscard]] bool has_dates() const;
  void encode_number(const EncodingOptions& options, std::size_t number, const TreeTargets* targets,
                     InputEncoding& found) const;

  std::optional<InputKind> declared_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> places_;  // in texts_
  std::vector<std::string> texts_;
  std::vector<std::optional<double>> truths_;
  std::vector<std::uint64_t> text_rows_;
  std::unordered_map<double, std::uint64_t> number_rows_;
  std::pair<const double, std::uint64_t>* last_ = nullptr;  // in number_rows_
  bool full_ = false;                                       // no more numbers are counted
  std::uint64_t rows_ = 0;                                  // that are not missing
  std::uint64_t seen_ = 0;                                  // all rows
  std::uint64_t number_count_ = 0;                          // of them, those with numbers
  ValueSample sample_;            // of numbers, and of the values of words for true and false
  std::uint64_t other_rows_ = 0;  // with texts or numbers that are not counted one by one
  bool missing_ = false;
  bool beyond_truth_ = false;  // numbers other than 0 and 1
  bool words_ = false;         // texts that are not words for true or false
  bool hours_ = false;
};

}  // namespace bootfold::ensemble
