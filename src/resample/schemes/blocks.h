// Schemes moving, circular and stationary: blocks of neighbouring rows, for time series.
#pragma once

#include "resample/blocks.h"
#include "resample/design.h"

namespace bootfold::resample {

class BlockDesign final : public Design {
 public:
  /// `length` 0: left open.
  BlockDesign(BlockKind kind, double length) : kind_(kind), length_(length) {}

  [[nodiscard]] std::string_view name() const override;
  [[nodiscard]] std::string describe(std::uint64_t rows) const override;
  void check(std::uint64_t rows) const override;
  /// Blocks that fit into the data beside one another: what there is of independent information.
  [[nodiscard]] std::uint64_t units(std::uint64_t rows) const override;
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::vector<double> expected_counts(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  [[nodiscard]] std::unique_ptr<const BlockLaw> blocks(std::uint64_t rows,
                                                       execution::Level level) const override;
  [[nodiscard]] double block_length() const override { return length_; }
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
  [[nodiscard]] std::string manner() const override { return "in blocks"; }
  /// A length that is left open becomes the longest that any column asks for.
  [[nodiscard]] std::shared_ptr<const Design> fitted(const DataView& data) const override;

 private:
  BlockKind kind_;
  double length_;
};

}  // namespace bootfold::resample
