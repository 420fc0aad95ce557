// bootfold/repeated.h: tables in which a row stands for several equal rows.
//
//     // value, count:  0, 800
//     //                1, 200
//     data::Repeated rows(table.view(), counts);
//     bootstrap(rows.view(), statistic::mean());   // as on 1,000 rows
//
// The rows are written out as they are read, never in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/api.h"
#include "bootfold/data.h"

namespace bootfold::data {

/// The rows of a table, row i written out frequencies[i] times, one copy after the other. All that
/// is computed from view() has the bits of a table that was written out. Copies the values of
/// the table; copies share them.
class BOOTFOLD_API Repeated {
 public:
  /// Throws InvalidArgument unless there is one frequency for each row, all of them whole numbers
  /// that are not negative, and at least one positive. A row of frequency 0 is left out.
  Repeated(const DataView& table, std::span<const double> frequencies);

  [[nodiscard]] std::uint64_t rows() const noexcept;
  /// Valid as long as this object or a copy of it exists.
  [[nodiscard]] const DataView& view() const noexcept;

  /// Strata, clusters or groups of the rows of the table, written out in the same way: 4 bytes a
  /// row.
  [[nodiscard]] std::vector<std::uint32_t> codes(std::span<const std::uint32_t> codes) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

}  // namespace bootfold::data
