// Scheme cluster: as many clusters are drawn as there are, with all their rows or, in two stages,
// with rows drawn within them. With strata, as many clusters of each stratum as it has.
#pragma once

#include "resample/design.h"
#include "resample/groups.h"

namespace bootfold::resample {

class ClusterDesign final : public Design {
 public:
  explicit ClusterDesign(const scheme::Cluster& scheme)
      : clusters_(scheme.clusters), two_stage_(scheme.two_stage), strata_(scheme.strata) {}

  [[nodiscard]] std::string_view name() const override { return "cluster"; }
  [[nodiscard]] std::string describe(std::uint64_t rows) const override;
  void check(std::uint64_t rows) const override;
  [[nodiscard]] std::uint64_t units(std::uint64_t) const override { return groups()->count(); }
  [[nodiscard]] std::uint64_t fixed_units(std::uint64_t rows) const override;
  [[nodiscard]] Traits traits(std::uint64_t rows) const override;
  [[nodiscard]] std::shared_ptr<const Sampling> sampling(std::uint64_t rows, std::uint64_t seed,
                                                         std::uint64_t replicates,
                                                         execution::Level level) const override;
  /// The order of the rows by cluster, and what it takes to sort them.
  [[nodiscard]] std::size_t sampling_bytes(std::uint64_t rows) const override {
    return 2 * sizeof(std::uint32_t) * rows;
  }
  [[nodiscard]] std::span<const std::uint32_t> clusters() const override {
    return two_stage_ ? std::span<const std::uint32_t>() : labels();
  }
  [[nodiscard]] std::span<const std::uint32_t> labels() const override {
    return clusters_.labels();
  }
  [[nodiscard]] std::span<const std::uint32_t> cluster_strata() const override { return strata_; }
  [[nodiscard]] std::shared_ptr<const Groups> groups() const override { return clusters_.get(); }
  [[nodiscard]] Scheme subset(const OfRows& some) const override;
  [[nodiscard]] std::optional<Cumulants> cumulants(std::span<const double> changes) const override;
  [[nodiscard]] std::string manner() const override;
  [[nodiscard]] Scheme of_clusters() const override;

 private:
  /// The stratum of each cluster, in the order of groups(). Throws InvalidArgument if a cluster
  /// has rows in several strata.
  [[nodiscard]] const std::vector<std::uint32_t>& strata_of_clusters() const;

  LazyGroups clusters_;
  bool two_stage_;
  std::span<const std::uint32_t> strata_;
  mutable std::once_flag once_;
  mutable std::vector<std::uint32_t> strata_of_clusters_;
};

}  // namespace bootfold::resample
