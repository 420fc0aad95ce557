// Order statistics of values that are too many to copy or reorder.
//
// Doubles are mapped to integers of the same order; passes over the values narrow the integer down
// 16 bits at a time, as a radix sort would, and one more pass collects what lies between.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bootfold::numeric {

/// Shows all values, piece by piece, always the same ones.
using Scan = std::function<void(const std::function<void(std::span<const double>)>& see)>;

/// The order statistics number first .. last (from 1, first <= last), sorted. NaN are not seen.
/// Five passes; memory: 1 MiB and the answer.
[[nodiscard]] std::vector<double> order_statistics(const Scan& scan, std::uint64_t first,
                                                   std::uint64_t last);

}  // namespace bootfold::numeric
