// Questions about a Scheme, for callers that do not use its Design (resample/design.h) yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bootfold/scheme.h"

namespace bootfold::resample {

/// The scheme with the lengths of its blocks, if they are left to us: the longest that any column
/// asks for.
[[nodiscard]] Scheme resolve(const Scheme& scheme, const DataView& data);

/// In words, for a person: "stationary, blocks of 17.3 rows on average".
[[nodiscard]] std::string describe(const Scheme& scheme, std::uint64_t rows);

/// Throws InvalidArgument unless the scheme fits data of so many rows.
void check(const Scheme& scheme, std::uint64_t rows);

/// Rows or clusters that a jackknife leaves out, one at a time; nothing for other schemes.
[[nodiscard]] std::optional<std::uint64_t> jackknife_units(const Scheme& scheme,
                                                           std::uint64_t rows);

/// Length of the blocks, if it is a scheme of blocks.
[[nodiscard]] std::optional<double> block_length_of(const Scheme& scheme);

/// Rows that a replicate draws, where that is a fixed number; the usual number where it varies.
[[nodiscard]] std::uint64_t draws_of(const Scheme& scheme, std::uint64_t rows);

}  // namespace bootfold::resample
