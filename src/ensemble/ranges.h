// Loops over rows or columns on threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "bootfold/data.h"
#include "bootfold/execution.h"

namespace bootfold::ensemble {

/// Calls body(first, last) for ranges of `each` items of 0 .. count - 1, on the threads of
/// `execution`, in any order and without progress. `values` is the number of values that all of
/// them look at: too few are not worth the start of a thread.
template <class Body>
void for_each_range(std::size_t count, std::size_t each, std::size_t values, Execution execution,
                    Body&& body) {
  constexpr std::size_t kWorthAThread = 1'000'000;
  if (values < kWorthAThread) execution.threads = 1;
  execution.progress = {};
  execution::detail::run_chunks((count + each - 1) / each, 0, execution,
                                [&](const execution::Worker&, std::size_t part) {
                                  body(part * each, std::min((part + 1) * each, count));
                                });
}

/// Calls body(column) for all columns.
template <class Body>
void for_each_column(const DataView& rows, const Execution& execution, Body&& body) {
  constexpr std::size_t kTogether = 8;
  for_each_range(rows.columns(), kTogether, rows.rows() * rows.columns(), execution,
                 [&](std::size_t first, std::size_t last) {
                   for (std::size_t c = first; c < last; ++c) body(c);
                 });
}

}  // namespace bootfold::ensemble
