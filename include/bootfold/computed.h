// bootfold/computed.h: columns that are computed from others, for tables in memory.
//
//     auto gm = statistic::expression("exp(mean(log(price)))");
//     data::WithComputed rows(table, gm.columns());      // has the column "log(price)"
//     bootstrap(rows.view(), gm);
//
// Files need no such thing: data::read() and data::open() compute columns as they read.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"
#include "bootfold/labels.h"

namespace bootfold::data {

/// Columns of a table, some of which are expressions of a row (docs/expressions.md): "log(price)",
/// "carrier == 'UA'". Copies share the values.
class BOOTFOLD_API WithComputed {
 public:
  /// A column of the table by its name is used where it lies; one that is an expression takes 8
  /// bytes a row. `texts` are columns of text, which expressions compare; a code without a name is
  /// a missing value. `times` names those of them that are dates or times, as data::read() has them
  /// of Parquet files. A value that is missing or undefined is NaN. Throws InvalidArgument that
  /// marks the mistake in an expression.
  WithComputed(const DataView& table, const std::vector<std::string>& columns,
               std::span<const Labels> texts = {}, std::span<const std::string> times = {});

  /// Valid as long as this object or a copy of it, and the table, exist.
  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  std::shared_ptr<const std::vector<std::vector<double>>> values_;
  DataView view_;
};

/// The columns of numbers and of text that expressions use, each once: what a table must have.
struct ColumnUse {
  std::string name;
  bool as_text = false;
  bool as_number = false;
  std::optional<std::string> no_time = std::nullopt;  ///< the first text it is compared with that
                                                      ///< is no ISO date or time
};
[[nodiscard]] BOOTFOLD_API std::vector<ColumnUse> columns_used(
    const std::vector<std::string>& columns, std::span<const std::string> existing = {});

/// The problem of a column `input` that one of the expressions of a row uses, with a mark below
/// the place in its text; without a mark if none of them uses it.
[[nodiscard]] BOOTFOLD_API std::string mark_input(const std::vector<std::string>& columns,
                                                  const std::string& input,
                                                  const std::string& problem);

}  // namespace bootfold::data
