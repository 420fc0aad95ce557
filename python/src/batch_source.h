// Rows that Python makes batch by batch, as a source of the library.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/source.h"

namespace bootfold::python {

namespace nb = nanobind;

/// Batches that a function of Python makes anew for each pass: a batch has, for each column, arrays
/// that follow each other. Lives in a Python object, so the function is given up with the lock
/// held.
class BatchSource final : public data::Source {
 public:
  BatchSource(std::vector<std::string> names, std::optional<std::uint64_t> rows, nb::object open)
      : names_(std::move(names)), rows_(rows), open_(std::move(open)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return rows_; }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override;

 private:
  std::vector<std::string> names_;
  std::optional<std::uint64_t> rows_;
  nb::object open_;
};

}  // namespace bootfold::python
