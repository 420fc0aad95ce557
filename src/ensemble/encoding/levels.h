// The levels of a category: what they are called, how they are hashed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bootfold::ensemble {

/// Codes of texts that are not levels begin here; the hash of the text follows.
inline constexpr std::uint64_t kUnknownTexts = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kHashes = std::uint64_t{1} << 20;

/// FNV-1a, folded to kHashes values: the same on every platform.
[[nodiscard]] std::uint64_t level_hash(std::string_view text) noexcept;

/// The name of a level that is a number: the shortest text that converts back.
[[nodiscard]] std::string level_name(double number);

/// The number that a level is named by; NaN if it is not a number.
[[nodiscard]] double level_number(std::string_view level) noexcept;

}  // namespace bootfold::ensemble
