// Scheme poisson: the count of every row is Poisson(1), independently of the others.
#pragma once

#include "resample/design.h"

namespace bootfold::resample {

class PoissonDesign final : public Design {
 public:
  [[nodiscard]] std::string_view name() const override { return "poisson"; }
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  [[nodiscard]] bool streams(std::uint64_t) const override { return true; }
  [[nodiscard]] std::unique_ptr<const Strata> strata(std::uint64_t rows,
                                                     std::uint64_t seed) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
};

}  // namespace bootfold::resample
