// data/number_forms.h: the forms in which a column of a text file can hold numbers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bootfold/data.h"
#include "data/dialect.h"

namespace bootfold::data {

/// 1 for TRUE, T, yes and Y in any case, 0 for FALSE, F, no and N.
[[nodiscard]] std::optional<double> parse_truth(std::string_view field);

/// How a column writes its numbers. The first value decides; one of another kind below it is an
/// error, because 12 in a column of percentages may be 12 or 0.12, and T among numbers of
/// precipitation is a trace.
enum class Kind {
  unknown,     ///< only missing values so far
  number,      ///< digits
  percentage,  ///< 12 %, which is 0.12
  truth,       ///< TRUE and FALSE, yes and no: 1 and 0
};

/// Sets `value` to that of a field in a column of `kind`, which becomes known by it; NaN if it is
/// missing. Returns false for other text and for values of another kind.
[[nodiscard]] bool parse_rarely(std::string_view field, Dialect& dialect, Kind& kind,
                                double& value);
[[nodiscard]] inline bool parse_as(std::string_view field, Dialect& dialect, Kind& kind,
                                   double& value) {
  if (kind == Kind::number && dialect.parse(field, value)) [[likely]]
    return true;
  return parse_rarely(field, dialect, kind, value);
}

/// Numbers in all spellings that the options leave open, for the first rows of a file.
class NumberForms {
 public:
  /// `delimiter` cannot be a decimal separator.
  NumberForms(const ReadOptions& options, char delimiter);

  /// Whether `field` is a number or a percentage in some spelling, or missing.
  [[nodiscard]] bool is_number(std::string_view field);

  /// Takes note of a field of a column of numbers: which spellings read it, and whether they read
  /// the same. Text that none of them reads is left to the reader of rows.
  void add(std::string_view field);
  /// The first spelling that reads all fields, the usual one if it does. If another one reads
  /// them with other values, or none reads all, it is the usual one: the reader of rows will ask.
  [[nodiscard]] Spelling found() const;

 private:
  struct Form {
    Spelling spelling;
    Dialect dialect;
    bool reads_all = true;
    std::vector<bool> agrees = {};  // with the forms before it
    double value = 0;               // of the last field
    bool read = false;
  };

  [[nodiscard]] static bool parse(Dialect& dialect, std::string_view field, double& value);

  std::vector<Form> forms_;
};

}  // namespace bootfold::data
