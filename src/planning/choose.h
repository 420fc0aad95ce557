// Which path serves, which of them is best, and how it fits the memory.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "planning/path_entry.h"

namespace bootfold::planning {

/// What the program itself and its libraries take, whatever it computes.
inline constexpr std::size_t kProgramBytes = std::size_t{12} << 20;

/// A path, and what it gets.
struct Choice {
  const PathEntry* entry = nullptr;
  Estimate estimate;
  unsigned threads = 1;
  std::size_t group = 1;
  std::size_t working_bytes = 0;
};

/// The entries that serve, from what is known before any row is read: that of the forced path, or
/// all. Throws InvalidArgument if there is none.
[[nodiscard]] std::vector<const PathEntry*> serving(const Question& question,
                                                    std::optional<Path> forced,
                                                    std::span<const PathEntry> table);

/// The best of them once the rows were looked at. Throws InvalidArgument if all refuse, or if the
/// best does not fit the memory.
[[nodiscard]] Choice choose(const Question& question, std::span<const PathEntry* const> entries,
                            unsigned threads);

/// Threads that the looks at the rows have memory for.
[[nodiscard]] unsigned looking_threads(const study::Problem& problem, std::size_t memory,
                                       unsigned threads);

/// Memory of a tile of columns and features, which most makers hold.
[[nodiscard]] std::size_t tile_bytes(const study::Problem& problem, std::size_t features);

}  // namespace bootfold::planning
