#include "comparison/joint_sums.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "bootfold/error.h"
#include "numeric/compensated.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::comparison {

namespace {

void check_memory(std::size_t groups, std::size_t width, std::size_t clusters, std::size_t memory) {
  // Sums of one group are made at a time, with a remainder each.
  const std::size_t bytes = (groups + 2) * width * clusters * sizeof(double);
  if (bytes > memory / 2)
    throw InvalidArgument(
        text::concat("memory is ", text::bytes(static_cast<double>(memory)), " but the sums of ",
                     text::grouped(clusters), " clusters in ", text::grouped(groups),
                     " groups need at least ", (2 * bytes >> 20) + 1,
                     " MiB in addition to the data; raise memory or compare fewer groups"));
}

/// Sums of the features of one group in every cluster: [feature][cluster].
std::vector<numeric::Compensated> sums_of(const GroupSums& sums, std::size_t group,
                                          const ClusteredRows& own,
                                          const resample::Numbering& number,
                                          const Execution& execution) {
  std::vector<numeric::Compensated> found(sums.width() * number.count());
  const std::size_t tile_rows = study::feature_tile_rows(sums.width());
  std::vector<double> made(sums.width() * tile_rows);
  study::TileReader reader(own.rows, tile_rows);
  for (std::size_t first = 0; first < own.rows.rows(); first += tile_rows) {
    if (execution.stop.stop_requested()) throw Cancelled();
    const statistic::Tile tile = reader.read(first, std::min(tile_rows, own.rows.rows() - first));
    sums.make(
        tile, [group](std::size_t) { return group; },
        [&](std::size_t, std::size_t f) { return made.data() + f * tile_rows; });
    for (std::size_t i = 0; i < tile.rows; ++i) {
      const std::size_t cluster = number(own.clusters[first + i]);
      for (std::size_t f = 0; f < sums.width(); ++f)
        found[f * number.count() + cluster].add(made[f * tile_rows + i]);
    }
  }
  return found;
}

}  // namespace

JointSums::JointSums(std::span<const ClusteredRows> groups, const resample::Numbering& number,
                     const Statistic& statistic, Difference kind, std::size_t memory,
                     const Execution& execution)
    : clusters_(number.count()) {
  std::vector<std::vector<statistic::Scale>> scales;
  for (const ClusteredRows& group : groups) scales.push_back(group.scales);
  const statistic::Bound bound = statistic.bind(groups[0].rows.columns());
  sums_ = std::make_shared<const GroupSums>(std::get<statistic::Sums>(bound.body),
                                            std::move(scales), kind);
  check_memory(groups.size(), sums_->width(), clusters_, memory);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto found = sums_of(*sums_, group, groups[group], number, execution);
    for (std::size_t f = 0; f < sums_->width(); ++f) {
      columns_.emplace_back(clusters_);
      for (std::size_t c = 0; c < clusters_; ++c)
        columns_.back()[c] = found[f * clusters_ + c].value();
    }
  }
}

DataView JointSums::view() const {
  return DataView(std::vector<ColumnView>(columns_.begin(), columns_.end()));
}

Statistic JointSums::statistic() const {
  statistic::Sums all;
  for (std::uint32_t f = 0; f < columns_.size(); ++f) all.products.push_back({f});
  all.finish = [sums = sums_](const statistic::Folded& folded, std::span<double> values) {
    const std::size_t width = sums->width();
    std::vector<double> means(sums->groups() * width);
    std::vector<double> errors(sums->groups());
    for (std::size_t f = 0; f < means.size(); ++f) {
      means[f] = folded.column_mean(f, f);
      errors[f / width] =
          std::max(errors[f / width], std::ldexp(folded.resolution, folded.scales[f].exponent));
    }
    sums->finish(means, folded.rows, errors, folded.relative, values);
  };
  const std::size_t columns = columns_.size();
  return Statistic("sums of clusters by group", columns, columns,
                   [all, values = 2 * sums_->groups() - 1](std::size_t) {
                     return statistic::Bound{std::vector<std::string>(values, "value"), all};
                   });
}

}  // namespace bootfold::comparison
