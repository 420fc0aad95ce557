// The groups of a comparison as independent samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/compare.h"
#include "bootfold/contrasts.h"
#include "bootstrap/replicate_checkpoint.h"
#include "comparison/grouped_scheme.h"
#include "comparison/permutation.h"
#include "comparison/rows.h"
#include "resample/design.h"
#include "resample/numbering.h"

namespace bootfold::comparison {

/// The chosen groups, the control first, ready to be bootstrapped one after the other. What it is
/// made from must outlive it.
class Groups {
 public:
  /// Throws InvalidArgument for groups that are not there, too few, too many or too small, and for
  /// a statistic of several values.
  /// `checkpoint`: where replicates are kept, or null.
  Groups(const DataView& values, const data::Labels& labels, const Statistic& statistic,
         const Options& options, ReplicateCheckpoint* checkpoint = nullptr);

  [[nodiscard]] std::size_t size() const { return codes_.size(); }
  [[nodiscard]] const std::string& name(std::size_t group) const {
    return labels_.names[codes_[group]];
  }

  /// Clusters of the scheme, and how many of them have rows in several groups. If any has, all are
  /// drawn once for all groups; otherwise each group draws its own.
  struct Clusters {
    std::uint64_t all = 0;
    std::uint64_t shared = 0;
  };
  [[nodiscard]] const Clusters& clusters() const { return clusters_; }
  [[nodiscard]] bool joint() const { return clusters_.shared > 0; }

  /// Bootstraps a group, each once and in order: progress counts on.
  [[nodiscard]] Sample run(std::size_t group);

  /// If groups are drawn jointly: what is known of the difference of a group from the control.
  [[nodiscard]] Joint joined(std::size_t group, const Result& result, const Result& control) const;

  /// The permutation test of a group whose difference from the control this is.
  [[nodiscard]] PermutationResult permute(std::size_t group, double difference);
  /// What the test relabels.
  [[nodiscard]] Relabelling relabelling(std::size_t group) const;

 private:
  void count_clusters();
  void check_pairs() const;
  [[nodiscard]] bootfold::Options options_of(std::size_t group) const;
  [[nodiscard]] Scheme scheme_of_joint_clusters() const;
  void run_jointly();
  void bootstrap_sums();
  void bootstrap_rows();
  [[nodiscard]] Result part_of_joint(std::size_t output, std::size_t group,
                                     std::optional<double> resolution = std::nullopt) const;
  template <class Work>
  [[nodiscard]] auto on_rows_of(std::size_t group, const Work& work) const;
  [[nodiscard]] std::vector<statistic::Scale> scales_of_group(std::size_t group) const;
  [[nodiscard]] Result bootstrap_kept(const DataView& rows, const Statistic& statistic,
                                      const bootfold::Options& options,
                                      const std::string& section) const;
  [[nodiscard]] Result bootstrap_group(std::size_t group, const bootfold::Options& options) const;
  [[nodiscard]] std::vector<std::uint32_t> places() const;
  [[nodiscard]] std::vector<std::uint64_t> sizes() const;
  [[nodiscard]] double work(std::uint64_t rows) const {
    return static_cast<double>(rows) * static_cast<double>(options_.replicates);
  }

  const data::Labels& labels_;
  const Statistic& statistic_;
  const Options& options_;
  ReplicateCheckpoint* checkpoint_;
  std::vector<std::uint64_t> counts_;  // rows of each label
  std::vector<std::uint32_t> codes_;   // labels of the groups
  GroupedRows rows_;
  GroupedScheme scheme_;
  double total_ = 0;  // rows x replicates
  double done_ = 0;
  resample::Numbering number_;               // of the clusters
  std::vector<std::uint32_t> joint_strata_;  // of these, if they are drawn within strata
  Clusters clusters_;
  std::vector<std::uint64_t> own_clusters_;  // of each group
  std::optional<Result> joint_;  // all groups and differences, if they are drawn jointly
  Plan joint_plan_;
};

}  // namespace bootfold::comparison
