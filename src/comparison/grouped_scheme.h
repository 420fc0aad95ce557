// The scheme of each group: labels and weights of its own rows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bootfold/scheme.h"
#include "comparison/rows.h"
#include "resample/design.h"

namespace bootfold::comparison {

/// What a scheme says of rows, in the order of the groups. Refers to the labels and weights of the
/// scheme and to the rows, which must outlive it.
class GroupedScheme {
 public:
  /// Throws InvalidArgument unless labels and weights have one entry for each of `count` rows.
  GroupedScheme(const Scheme& scheme, const GroupedRows& rows, std::size_t count);
  GroupedScheme(const GroupedScheme&) = delete;
  GroupedScheme& operator=(const GroupedScheme&) = delete;

  [[nodiscard]] const resample::Design& design() const { return *design_; }
  /// Strata or clusters of all rows of the groups.
  [[nodiscard]] std::span<const std::uint32_t> labels() const { return in_order_.labels; }
  /// Strata of the same rows, where clusters are drawn within strata.
  [[nodiscard]] std::span<const std::uint32_t> cluster_strata() const {
    return in_order_.cluster_strata;
  }

  [[nodiscard]] Scheme of_group(std::size_t group) const;
  /// Of all groups, if their rows are together.
  [[nodiscard]] Scheme of_all() const;

 private:
  template <class Part>
  [[nodiscard]] Scheme of(const Part& part) const;

  Scheme scheme_;
  const GroupedRows& rows_;
  std::shared_ptr<const resample::Design> design_;
  std::vector<std::uint32_t> label_copies_;  // where rows were moved
  std::vector<double> weight_copies_;
  std::vector<std::uint32_t> strata_copies_;
  resample::OfRows in_order_;
};

}  // namespace bootfold::comparison
