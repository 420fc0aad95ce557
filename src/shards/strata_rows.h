// The rows of a shard by stratum: what lies where within its stratum.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bootstrap/road.h"
#include "resample/design.h"
#include "shards/labels_look.h"

namespace bootfold::shards {

class StrataRows {
 public:
  /// Of a look at all rows.
  explicit StrataRows(LabelsLook look);

  /// Draws within these strata.
  [[nodiscard]] std::shared_ptr<const resample::Design> design() const;

  /// Adds rows first, first + 1, ... of the data, stratum by stratum. Throws InvalidArgument if the
  /// rows do not begin where a look began or have a label that no look has, DataError if a stratum
  /// has more rows than were looked at, and Cancelled.
  void add(const Road& road, const planning::PartEngine& engine, const DataView& rows,
           std::uint64_t first, const data::Labels& labels, planning::PartialSums& part,
           const Execution& execution) const;

 private:
  /// The place of a name among the strata of the look.
  [[nodiscard]] std::size_t find(const std::string& name) const;

  LabelsLook look_;
  std::vector<std::uint64_t> sizes_;  // by name
  std::vector<std::size_t> numbers_;  // by name: the number of the stratum, in the order of labels
};

}  // namespace bootfold::shards
