// Do all values lie on a lattice: whole numbers, cents, eighths, thirds, degrees Celsius that were
// whole degrees Fahrenheit?
#pragma once

#include <cstddef>
#include <optional>

#include "bootfold/data.h"
#include "bootfold/execution.h"
#include "study/summary.h"

namespace bootfold::exact {

struct Lattice {
  double step = 0;
  double power = 0;  // 10^d if values are whole multiples of 10^-d; 0 if they are not decimal
};

/// The lattice with the largest step of which all differences of values are multiples. Decimal
/// fractions of up to twelve digits count as what they are written as, not as the doubles next to
/// them. Any other step is found up to rounding: every value is within 2^-45 of its lattice point,
/// times the larger of its own size and that of the middle value (docs/exact.md). Nothing if the
/// range has more than 2^45 steps, of any other step than decimals and powers of two 2^21, or if
/// `distinct` values could well have such a step by chance. A few passes, which give up early.
[[nodiscard]] std::optional<Lattice> find_lattice(const ColumnView& column,
                                                  const study::ColumnSummary& summary,
                                                  std::size_t distinct, const Execution& execution);

}  // namespace bootfold::exact
