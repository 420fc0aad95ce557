#include "resample/schemes/cluster.h"

#include "bootfold/random.h"
#include "resample/rows.h"
#include "resample/sampling_by.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

struct ClusterRows {
  execution::Level level;
  std::uint64_t seed;
  std::shared_ptr<const Groups> clusters;
  bool two_stage;
  RowList drawn = {};

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) {
    out.clear();
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
  return text::concat("cluster, ", text::grouped(groups()->count()), " clusters",
                      two_stage_ ? ", rows within them too" : "");
}

void ClusterDesign::check(std::uint64_t rows) const { check_labels(labels(), "cluster", rows); }

Traits ClusterDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.fixed_size = false;
  facts.together = two_stage_;  // whole clusters are rows of their sums
  return facts;
}

std::shared_ptr<const Sampling> ClusterDesign::sampling(std::uint64_t, std::uint64_t seed,
                                                        std::uint64_t,
                                                        execution::Level level) const {
  return sampling_by(ClusterRows{level, seed, groups(), two_stage_});
}

Scheme ClusterDesign::subset(std::span<const std::uint32_t> labels, std::span<const double>) const {
  return scheme::Cluster{labels, two_stage_};
}

/// Of a drawn cluster with sum S the drawn rows have the sum S + E; in two stages E has the second
/// and third moment v and k, and (S + E)^3 the mean S^3 + 3 S v + k.
std::optional<Cumulants> ClusterDesign::cumulants(std::span<const double> changes) const {
  Cumulants sums;
  const std::shared_ptr<const Groups> sorted = groups();
  for (std::size_t c = 0; c < sorted->count(); ++c) {
    const auto rows = sorted->rows(c);
    numeric::Compensated sum;
    for (const std::uint32_t row : rows) sum.add(changes[row]);
    sums.add(sum.value());
    if (!two_stage_) continue;
    const double mean = sum.value() / static_cast<double>(rows.size());
    Cumulants within;
    for (const std::uint32_t row : rows) within.add(changes[row] - mean);
    sums.second.add(within.second.value());
    sums.third.add(3 * sum.value() * within.second.value() + within.third.value());
  }
  return sums;
}

std::string ClusterDesign::manner() const { return two_stage_ ? "in two stages" : "by cluster"; }

Scheme ClusterDesign::of_clusters() const {
  if (two_stage_) return Design::of_clusters();
  return scheme::Iid{};
}

}  // namespace bootfold::resample
