// data/first_line.h: a first line of numbers, which may be a row or a header.
//
// A header of numbers holds years or column numbers: "2019,2020,2021", "0,1,2". Such a line looks
// like a header if all of its fields are whole numbers, in digits only, that rise by a constant
// step, which must be 1 if there are only two. An empty first field, which pandas and R write above
// the names of rows, is skipped; one number behind it is enough.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

namespace bootfold::data {

class NumberForms;

class FirstLine {
 public:
  /// The next field, without blanks at its ends.
  void add(std::string_view field, NumberForms& forms);

  /// Some field is neither a number, in any spelling, nor missing.
  [[nodiscard]] bool has_text() const noexcept { return has_text_; }
  /// Some field is text, and no word for true or false either.
  [[nodiscard]] bool has_other_text() const noexcept { return has_other_text_; }
  [[nodiscard]] bool looks_like_header() const;
  /// The whole number in a field; NaN if it holds something else.
  [[nodiscard]] double number(std::size_t field) const { return numbers_[field]; }

 private:
  std::vector<double> numbers_;
  bool has_text_ = false;
  bool has_other_text_ = false;
  bool first_empty_ = false;
};

/// The least and the greatest value of a column.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) noexcept {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  [[nodiscard]] bool contains(double value) const noexcept { return low <= value && value <= high; }
};

}  // namespace bootfold::data
