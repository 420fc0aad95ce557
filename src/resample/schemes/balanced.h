// Scheme balanced: over all replicates of a run, every row is drawn equally often.
#pragma once

#include "resample/design.h"

namespace bootfold::resample {

class BalancedDesign final : public Design {
 public:
  [[nodiscard]] std::string_view name() const override { return "balanced"; }
  void check_run(std::uint64_t rows, std::uint64_t first, std::uint64_t replicates) const override;
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
};

}  // namespace bootfold::resample
