// All statistics of one call: a road for each family (families.h), joined to one plan and one
// result.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootstrap/families.h"
#include "bootstrap/road.h"

namespace bootfold {

class Assembly {
 public:
  /// Throws InvalidArgument, DataError, Cancelled. Refers to the data and to labels and weights of
  /// the scheme.
  Assembly(const DataView& data, std::span<const Statistic> statistics, const Options& options);

  [[nodiscard]] const Plan& plan() const noexcept { return plan_; }
  /// Takes from Options::checkpoint what is there.
  [[nodiscard]] Result run() const;

 private:
  /// Where progress of the run that is made lies in that of all: shares of the estimated time.
  struct Stage {
    double before = 0;
    double own = 0;  ///< 0: nothing is told
    double work = 0;
  };

  [[nodiscard]] std::unique_ptr<Road> road(const Family& family) const;

  DataView data_;
  Options options_;
  std::shared_ptr<Stage> stage_ = std::make_shared<Stage>();
  std::vector<std::unique_ptr<Road>> roads_;
  std::vector<std::vector<std::size_t>> outputs_;  // of each road, among all
  Plan plan_;
};

}  // namespace bootfold
