// data/arrow_columns.h: record batches of the Arrow C stream interface as a file of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/arrow_c.h"
#include "bootfold/data.h"
#include "data/batch.h"
#include "data/where.h"

namespace bootfold::data {

/// Starts a stream anew. `columns`, if there are any, are the positions of those that are needed,
/// in ascending order; the stream has these or all. `rows` are all unless there are groups.
using OpenArrow =
    std::function<void(const std::vector<std::size_t>* columns, RowSpan rows, ArrowArrayStream*)>;

/// Where rows are stored: their number, if it is known, and the first row of each group, if groups
/// can be read by themselves.
struct ArrowRows {
  std::optional<std::uint64_t> count = std::nullopt;
  std::optional<std::vector<std::uint64_t>> groups = std::nullopt;
};

/// Reads the schema. `label` names the stream in messages.
/// Throws DataError if a chosen column of numbers holds something else.
[[nodiscard]] std::shared_ptr<const ColumnFile> arrow_columns(std::string label, OpenArrow open,
                                                              const ReadOptions& options,
                                                              const Where& where, ArrowRows rows);

}  // namespace bootfold::data
