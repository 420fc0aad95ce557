// Rows that are elsewhere: in a file larger than memory, or on other machines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::study {

/// A view that has the number of rows and the names of the columns, to bind statistics and to plan.
/// Its values are never read; they would be NaN.
class AbsentRows {
 public:
  AbsentRows(std::uint64_t rows, std::vector<std::string> names) : column_(rows) {
    std::vector<ColumnView> columns(names.size(), ColumnView(column_));
    view_ = DataView(std::move(columns), std::move(names));
  }
  AbsentRows(const AbsentRows&) = delete;
  AbsentRows& operator=(const AbsentRows&) = delete;

  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  class Column final : public data::ColumnSource {
   public:
    explicit Column(std::uint64_t rows) : rows_(rows) {}
    [[nodiscard]] std::size_t rows() const noexcept override { return rows_; }
    void read(std::size_t, std::span<double> out) const noexcept override {
      std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
    }

   private:
    std::size_t rows_;
  };

  Column column_;
  DataView view_;
};

}  // namespace bootfold::study
