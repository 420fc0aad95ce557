// Do all values lie on a lattice: whole numbers, cents, eighths?
#pragma once

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
/// them. Nothing if the range has more than 2^45 steps. Two passes, which give up early.
[[nodiscard]] std::optional<Lattice> find_lattice(const ColumnView& column,
                                                  const study::ColumnSummary& summary,
                                                  const Execution& execution);

}  // namespace bootfold::exact
