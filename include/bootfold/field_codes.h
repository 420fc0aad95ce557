// bootfold/field_codes.h: columns of text that are read as columns of numbers.
//
//     data::ReadOptions options{.columns = {"price", "color"}};
//     options.codes = std::make_shared<MyCodes>();     // "red" is 0, "blue" is 1, ...
//     auto table = data::read("diamonds.csv", options);
//     table.view().column(1)[17];                      // the code of the color of row 17
//
// Without codes, text in a chosen column is an error. With them, whoever reads the file decides
// what number a text stands for, and whether missing values stay. bootfold::ensemble has codes for
// the inputs of networks (bootfold/ensemble/encoding.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::data {

/// Which fields of a column are given to FieldCodes::code().
enum class FieldUse {
  numbers,  ///< none: the column must have numbers
  texts,    ///< those that are not numbers, and words for true and false
  all,      ///< all that are not missing
};

/// Numbers for the fields of chosen columns. Columns are counted from 0 in the order of the columns
/// of numbers that are read (Table::names()). Used by one thread at a time during a pass.
class BOOTFOLD_API FieldCodes {
 public:
  virtual ~FieldCodes() = default;
  /// The names of the columns. Called by each reader of a file, before it reads rows.
  virtual void start(const std::vector<std::string>& /*names*/) {}
  [[nodiscard]] virtual FieldUse use(std::size_t column) const = 0;
  /// Whether missing values of the column stay in the table, as NaN. Otherwise they are handled by
  /// ReadOptions::nan.
  [[nodiscard]] virtual bool keeps_missing(std::size_t column) const = 0;
  /// The number that stands for a field, which has no blanks around it. `number` is its value in a
  /// column of numbers, if it has one. Throws InvalidArgument with a reason for a field that cannot
  /// be used; the reader adds its place.
  [[nodiscard]] virtual double code(std::size_t column, std::string_view text,
                                    std::optional<double> number) = 0;
};

}  // namespace bootfold::data
