// Scheme stratified for rows that are elsewhere: only the sizes of the strata are known.
#pragma once

#include <vector>

#include "resample/design.h"

namespace bootfold::resample {

/// Draws as StratifiedDesign does. It cannot list rows, because it does not know which rows a
/// stratum has.
class StratumSizesDesign final : public Design {
 public:
  /// Of strata in the order of their labels; none is empty.
  explicit StratumSizesDesign(std::vector<std::uint64_t> sizes) : sizes_(std::move(sizes)) {}

  [[nodiscard]] std::string_view name() const override { return "stratified"; }
  [[nodiscard]] std::string describe(std::uint64_t rows) const override;
  void check(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t fixed_units(std::uint64_t rows) const override;
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  [[nodiscard]] bool streams(std::uint64_t) const override { return true; }
  [[nodiscard]] std::unique_ptr<const Strata> strata(std::uint64_t rows,
                                                     std::uint64_t seed) const override;

 private:
  std::vector<std::uint64_t> sizes_;
};

}  // namespace bootfold::resample
