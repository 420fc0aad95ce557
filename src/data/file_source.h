// data/file_source.h: what a source of several files needs to know of each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/source.h"

namespace bootfold::data {

/// A pass over one file.
class FilePass : public Pass {
 public:
  /// Rows read so far: all, with those before a slice; those left out because of NaN, and those
  /// that the condition left out.
  [[nodiscard]] virtual std::uint64_t rows_read() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t omitted() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t filtered() const noexcept = 0;
};

/// The rows of one file. May have none.
class FileSource : public Source {
 public:
  /// The types of the columns.
  [[nodiscard]] virtual const std::vector<Type>& types() const noexcept = 0;
  /// As Table::note().
  [[nodiscard]] virtual std::string note() const { return {}; }
  /// Starts a pass. `rows_before` are those of the files before this one, if there are several.
  [[nodiscard]] virtual std::unique_ptr<FilePass> open_behind(
      std::optional<std::uint64_t> rows_before) const = 0;
  [[nodiscard]] std::unique_ptr<Pass> open() const final { return open_behind(std::nullopt); }
};

}  // namespace bootfold::data
