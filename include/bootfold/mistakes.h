// bootfold/mistakes.h: mistakes in statistics, told by who knows the columns that there are.
//
//     const Statistic ratio = statistic::parse(text, {.find = find});   // "sd / mean(price)"
//     try {
//       data::read("diamonds.csv", {.columns = ratio.columns()});
//     } catch (...) {
//       statistic::throw_marked(std::vector{text});   // a mark below the column that is text
//     }
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// What is known about the columns that a statistic may name.
struct KnownColumns {
  std::vector<std::string> chosen = {};  ///< those that are named beside the statistic
  /// Throws UnknownColumn if there is no column of this name; empty if columns are not known.
  std::function<void(const std::string& name)> find = {};
};

/// parse(), whose message about a word outside of all functions says whether it is a column, the
/// name of a function without columns, or neither.
[[nodiscard]] BOOTFOLD_API Statistic parse(std::string_view text, const KnownColumns& columns);

/// Throws the exception that is being handled. If it is that of data::read() and the like about a
/// column of one of these statistics, which is not there or cannot be used, its message has a mark
/// below the place in the text of the statistic.
[[noreturn]] BOOTFOLD_API void throw_marked(std::span<const std::string> texts);

}  // namespace bootfold::statistic
