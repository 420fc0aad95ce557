#include "resample/schemes/cluster.h"

#include <algorithm>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "resample/numbering.h"
#include "resample/rows.h"
#include "resample/sampling_by.h"
#include "resample/schemes/stratified.h"
#include "resample/small_strata.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

struct ClusterRows {
  execution::Level level;
  std::uint64_t seed;
  std::shared_ptr<const Groups> clusters;
  bool two_stage;
  std::shared_ptr<const SmallStrata> strata;  // of the clusters; null: one or none
  RowList drawn = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    out.clear();
    if (strata)
      draw_within(*strata, level, replicate, drawn);
    else
      draw_rows(level, seed, replicate, clusters->count(), clusters->count(), drawn);
    random::Stream within({seed, replicate, random::Purpose::within_cluster});
    for (const std::uint32_t cluster : drawn) {
      const auto rows = clusters->rows(cluster);
      if (!two_stage) {
        out.insert(out.end(), rows.begin(), rows.end());
        continue;
      }
      for (std::size_t i = 0; i < rows.size(); ++i)
        out.push_back(rows[random::uniform_index(within, rows.size())]);
    }
    return out;
  }
};

}  // namespace

std::string ClusterDesign::describe(std::uint64_t) const {
  return text::concat(
      "cluster, ", text::grouped(groups()->count()), " clusters",
      strata_.empty()
          ? ""
          : text::concat(" within ", text::grouped(Numbering(strata_).count()), " strata"),
      two_stage_ ? ", rows within them too" : "");
}

void ClusterDesign::check(std::uint64_t rows) const {
  check_labels(labels(), "cluster", rows);
  if (strata_.empty()) return;
  check_labels(strata_, "strata", rows);
  static_cast<void>(strata_of_clusters());
}

const std::vector<std::uint32_t>& ClusterDesign::strata_of_clusters() const {
  std::call_once(once_, [this] {
    for (std::size_t c = 0; c < groups()->count(); ++c) {
      const auto rows = groups()->rows(c);
      const std::uint32_t stratum = strata_[rows[0]];
      for (const std::uint32_t row : rows)
        if (strata_[row] != stratum)
          throw InvalidArgument(text::concat(
              "rows ", rows[0] + 1, " and ", row + 1,
              " (counted from 1) belong to one cluster but to two strata; clusters are drawn "
              "within strata, so all rows of a cluster need the same stratum"));
      strata_of_clusters_.push_back(stratum);
    }
  });
  return strata_of_clusters_;
}

std::uint64_t ClusterDesign::fixed_units(std::uint64_t rows) const {
  if (strata_.empty()) return Design::fixed_units(rows);
  return StratifiedDesign({strata_of_clusters()}).fixed_units(groups()->count());
}

Traits ClusterDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.fixed_size = false;
  facts.together = two_stage_;  // whole clusters are rows of their sums
  return facts;
}

std::shared_ptr<const Sampling> ClusterDesign::sampling(std::uint64_t, std::uint64_t seed,
                                                        std::uint64_t,
                                                        execution::Level level) const {
  std::shared_ptr<const SmallStrata> strata;
  if (!strata_.empty()) strata = StratifiedDesign({strata_of_clusters()}).small_strata(seed);
  return sampling_by(ClusterRows{level, seed, groups(), two_stage_, strata});
}

Scheme ClusterDesign::subset(const OfRows& some) const {
  return scheme::Cluster{some.labels, two_stage_, some.cluster_strata};
}

/// Of a drawn cluster with sum S the drawn rows have the sum S + E; in two stages E has the second
/// and third moment v and k, and (S + E)^3 the mean S^3 + 3 S v + k. Within strata S is measured
/// from the mean of its stratum.
std::optional<Cumulants> ClusterDesign::cumulants(std::span<const double> changes) const {
  const std::shared_ptr<const Groups> sorted = groups();
  std::vector<double> sums_of_clusters;
  for (std::size_t c = 0; c < sorted->count(); ++c) {
    numeric::Compensated sum;
    for (const std::uint32_t row : sorted->rows(c)) sum.add(changes[row]);
    sums_of_clusters.push_back(sum.value());
  }
  std::vector<double> deviations = sums_of_clusters;
  if (!strata_.empty()) {
    const Groups strata(strata_of_clusters());
    for (std::size_t s = 0; s < strata.count(); ++s) {
      numeric::Compensated sum;
      for (const std::uint32_t c : strata.rows(s)) sum.add(sums_of_clusters[c]);
      for (const std::uint32_t c : strata.rows(s))
        deviations[c] -= sum.value() / static_cast<double>(strata.rows(s).size());
    }
  }
  Cumulants sums;
  for (std::size_t c = 0; c < sorted->count(); ++c) {
    sums.add(deviations[c]);
    if (!two_stage_) continue;
    const auto rows = sorted->rows(c);
    const double mean = sums_of_clusters[c] / static_cast<double>(rows.size());
    Cumulants within;
    for (const std::uint32_t row : rows) within.add(changes[row] - mean);
    sums.second.add(within.second.value());
    sums.third.add(3 * deviations[c] * within.second.value() + within.third.value());
  }
  return sums;
}

std::string ClusterDesign::manner() const {
  const std::string manner = two_stage_ ? "in two stages" : "by cluster";
  return strata_.empty() ? manner : manner + " within strata";
}

Scheme ClusterDesign::of_clusters() const {
  if (two_stage_) return Design::of_clusters();
  if (!strata_.empty()) return scheme::Stratified{strata_of_clusters()};
  return scheme::Iid{};
}

}  // namespace bootfold::resample
