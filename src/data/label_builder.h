// data/label_builder.h: labels, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bootfold/labels.h"

namespace bootfold::data {

/// More labels than this have no code left.
inline constexpr std::uint64_t kMostLabels = std::numeric_limits<std::uint32_t>::max();

/// Gives a code to every text it is shown. A text is kept once, whatever the number of rows.
class LabelBuilder {
 public:
  /// `column` names the column in messages.
  explicit LabelBuilder(std::string column, std::uint64_t most = kMostLabels)
      : column_(std::move(column)), most_(most) {}

  void reserve(std::size_t rows) { codes_.reserve(rows); }

  /// One more row. Throws DataError for a label too many.
  void add(std::string_view text);

  /// The labels in their order; the builder is empty afterwards.
  [[nodiscard]] Labels finish();

 private:
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>()(text);
    }
  };
  using Codes = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

  std::string column_;
  std::uint64_t most_;
  Codes known_;
  const Codes::value_type* last_ = nullptr;  // of the last row: neighbours are often alike
  std::vector<std::uint32_t> codes_;
};

}  // namespace bootfold::data
