// statistic/named.h: the statistics that have a name, in one table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/statistic.h"

namespace bootfold::statistic {

/// A name that parse() and expression() know; `make` gets the number behind the colon, or nothing.
struct Entry {
  std::string name;
  std::string parameter;  // what the number is; empty: takes none
  bool required = false;
  std::string columns;
  std::string meaning;
  std::function<Statistic(std::optional<double>)> make;
};

[[nodiscard]] const std::vector<Entry>& entries();

/// "quantile:Q"
[[nodiscard]] std::string usage(const Entry& entry);

/// The entry of a name or of another word for it, with the number that this stands for: "sd",
/// "p90".
struct Named {
  const Entry* entry = nullptr;  ///< null: there is none
  std::optional<double> number = std::nullopt;
  bool in_percent = false;  ///< the number is a percentage: percentile:90
};
[[nodiscard]] Named find_named(std::string_view name);

/// A hundredth, as it is written in decimals: 0.999 of 99.9.
[[nodiscard]] double share_of_percent(double percent);

/// Names and other words for them.
[[nodiscard]] std::vector<std::string> known_names();

}  // namespace bootfold::statistic
