// data/column_source.h: a file of columns as a source.
#pragma once

#include <memory>

#include "bootfold/data.h"
#include "data/batch.h"
#include "data/file_source.h"
#include "data/where.h"

namespace bootfold::data {

/// A chunk for each batch, without the rows that are left out. Values are copied only if rows are.
[[nodiscard]] std::unique_ptr<FileSource> column_source(std::shared_ptr<const ColumnFile> file,
                                                        Where where, NanPolicy nan);

/// The given rows of `columns`, copied in their types. The result owns them.
[[nodiscard]] Chunk copy_rows(const std::vector<ColumnView>& columns,
                              const std::vector<std::string>& names,
                              std::span<const std::uint32_t> rows);

}  // namespace bootfold::data
