// Sums of clusters: a bootstrap of whole clusters is an iid bootstrap of their sums.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/plan.h"
#include "study/problem.h"

namespace bootfold::planning {

using namespace study;  // NOLINT(google-build-using-namespace): planning is about studies

class ClusterSums {
 public:
  /// The statistics are functions of sums.
  ClusterSums(const DataView& data, std::span<const Statistic> statistics,
              std::span<const std::uint32_t> labels, const Execution& execution);

  /// A row for each cluster: the sums of its rows' features, and the number of its rows.
  [[nodiscard]] DataView view() const;

  /// The statistics, all together, as a function of sums over those.
  [[nodiscard]] Statistic statistic() const;

  [[nodiscard]] std::size_t clusters() const noexcept { return columns_[0].size(); }

  /// The options of that bootstrap.
  [[nodiscard]] static Options options(const Options& asked);

  /// What a plan for the sums means for the data.
  void describe(Plan& plan, const Scheme& scheme) const;

 private:
  std::shared_ptr<const Problem> problem_;
  std::vector<std::vector<double>> columns_;
};

/// The sums, if the scheme draws or leaves out whole clusters, all statistics are functions of
/// sums, and the sums fit half of the memory. Throws InvalidArgument as prepare() does.
[[nodiscard]] std::optional<ClusterSums> cluster_sums(const DataView& data,
                                                      std::span<const Statistic> statistics,
                                                      const Options& options);

}  // namespace bootfold::planning
