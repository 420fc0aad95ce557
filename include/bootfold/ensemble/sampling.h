// bootfold/ensemble/sampling.h: settings drawn at random from ranges.
//
//     Training training{.members = 8, .seed = 7};
//     training.settings = ensemble::sample_settings(64, {.seed = training.seed});
//
// A drawn setting is a pure function of the seed, its number and the ranges, so the first 64 of 128
// settings are those of 64; one that equals an earlier setting is drawn again. Only basic
// operations of IEEE arithmetic are used, so that they are the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/ensemble/training.h"

namespace bootfold::ensemble {

/// Smallest and largest value that is drawn.
struct ValueRange {
  double low = 0;
  double high = 0;

  bool operator==(const ValueRange&) const = default;
};

/// How values of a range are drawn.
enum class RangeLaw {
  uniform,      ///< uniformly, with four significant digits
  log_uniform,  ///< the logarithm uniformly, with four significant digits
  whole,        ///< each whole number with the same probability
  /// Each with the same probability: low, high, and the numbers between them that are a power of
  /// two or one and a half times it (16, 24, 32, 48, 64, ...). Members with the same layers are
  /// trained together, which is faster.
  doubling,
};

/// A setting that has ranges.
struct RangeOption {
  std::string_view name;  ///< "learning_rate"
  RangeLaw law = RangeLaw::uniform;
  ValueRange limits = {};  ///< of its ranges
  /// The range without another one; nullopt: the setting is not drawn.
  std::optional<ValueRange> usual = std::nullopt;
};

/// All settings that have ranges: learning_rate, hidden (units of each layer), depth (number of
/// hidden layers), dropout, weight_decay and others.
[[nodiscard]] BOOTFOLD_API std::span<const RangeOption> range_options() noexcept;

/// The ranges that RangeOption::usual states, by name.
[[nodiscard]] BOOTFOLD_API std::map<std::string, ValueRange> usual_ranges();

/// Reads "1e-4..1e-2". Messages call the option `shown`. Throws InvalidArgument for anything else
/// and for a range that the option cannot have.
[[nodiscard]] BOOTFOLD_API ValueRange parse_range(const RangeOption& option, std::string_view shown,
                                                  std::string_view text);
/// Whether a text is meant as a range.
[[nodiscard]] BOOTFOLD_API bool is_range(std::string_view text) noexcept;

struct SamplingOptions {
  /// Ranges by the name of the setting. Settings without one are not drawn.
  std::map<std::string, ValueRange> ranges = usual_ranges();
  /// What is not drawn from ranges. Of several, each drawn setting takes one, with the same
  /// probability.
  std::vector<Settings> bases = {Settings{}};
  std::uint64_t seed = 0;
};

/// The settings with the numbers 0 to count - 1. Throws InvalidArgument for a range that its
/// setting cannot have, and if the ranges and bases hold too few different settings.
[[nodiscard]] BOOTFOLD_API std::vector<Settings> sample_settings(
    std::size_t count, const SamplingOptions& options = {});

}  // namespace bootfold::ensemble
