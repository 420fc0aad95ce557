// Relabelling as a resampling scheme: every row is there twice, once in each group, and a replicate
// takes one of the two. So all statistics, threads and memory limits are those of a bootstrap.
#include "comparison/permutation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/chunked.h"
#include "bootfold/random.h"
#include "comparison/by_group.h"
#include "comparison/group_sums.h"
#include "resample/design.h"
#include "resample/numbering.h"
#include "resample/sampling_by.h"

namespace bootfold::comparison {

namespace {

/// All relabellings are taken if there are no more than this.
constexpr double kMostOfAll = 100'000;

/// Ways to give the units of two groups to them, times `ways`.
double ways_to_choose(std::uint64_t one, std::uint64_t other, double ways = 1) {
  const std::uint64_t fewer = std::min(one, other);
  const std::uint64_t more = std::max(one, other);
  for (std::uint64_t k = 1; k <= fewer && std::isfinite(ways); ++k)
    ways = ways * static_cast<double>(more + k) / static_cast<double>(k);
  return ways;
}

/// Units, and which of them each row belongs to. Rows of the group come first.
struct Units {
  std::vector<std::uint32_t> of_row;
  std::uint32_t swapping = 0;  // units 0 .. swapping - 1 swap their rows of the two groups, or not
  std::uint32_t whole = 0;     // those behind them are in the group, or not
  std::uint32_t in_group = 0;  // so many of these
  std::size_t group_rows = 0;

  [[nodiscard]] double ways() const {
    return std::round(ways_to_choose(in_group, whole - in_group, std::exp2(swapping)));
  }
};

Units units_of(const Relabelling& given) {
  Units units;
  units.group_rows = given.group.rows();
  const std::size_t rows = given.group.rows() + given.control.rows();
  if (given.group_clusters.empty()) {
    units.of_row.resize(rows);
    std::iota(units.of_row.begin(), units.of_row.end(), 0U);
    units.whole = static_cast<std::uint32_t>(rows);
    units.in_group = static_cast<std::uint32_t>(given.group.rows());
    return units;
  }
  const resample::Numbering label_number({given.group_clusters, given.control_clusters});
  std::vector<std::uint8_t> sides(label_number.count());  // 1: has rows of the group, 2: control
  for (const std::uint32_t label : given.group_clusters) sides[label_number(label)] |= 1;
  for (const std::uint32_t label : given.control_clusters) sides[label_number(label)] |= 2;
  units.swapping = static_cast<std::uint32_t>(std::ranges::count(sides, 3));
  std::vector<std::uint32_t> unit(sides.size());
  std::uint32_t swaps = 0;
  for (std::size_t cluster = 0; cluster < sides.size(); ++cluster) {
    unit[cluster] = sides[cluster] == 3 ? swaps++ : units.swapping + units.whole++;
    units.in_group += sides[cluster] == 1 ? 1 : 0;
  }
  units.of_row.reserve(rows);
  for (const auto labels : {given.group_clusters, given.control_clusters})
    for (const std::uint32_t label : labels) units.of_row.push_back(unit[label_number(label)]);
  return units;
}

/// Marks the units that swap, and those that go into the group: number `index` of all ways.
void choose_number(const Units& units, std::uint64_t index, std::vector<bool>& chosen) {
  for (std::uint32_t u = 0; u < units.swapping; ++u, index >>= 1) chosen[u] = (index & 1) != 0;
  // The combinatorial number system: is the next unit among the `left` that are still to be chosen?
  std::uint32_t left = units.in_group;
  double ways = 1;  // C(after, left - 1): to choose the others after this one
  for (std::uint32_t k = 1; k < left; ++k) ways = ways * (units.whole - left + k) / k;
  for (std::uint32_t u = 0; left > 0; ++u) {
    const std::uint32_t after = units.whole - u - 1;
    const auto with = static_cast<std::uint64_t>(std::llround(ways));
    if (index < with) {
      chosen[units.swapping + u] = true;
      if (--left > 0) ways = std::round(ways * left / after);
    } else {
      index -= with;
      ways = std::round(ways * (after - (left - 1)) / after);
    }
  }
}

void choose_at_random(const Units& units, random::Stream& stream, std::vector<bool>& chosen,
                      std::vector<std::uint32_t>& order) {
  std::uint64_t bits = 0;
  for (std::uint32_t u = 0; u < units.swapping; ++u, bits >>= 1) {
    if (u % 64 == 0) bits = stream();
    chosen[u] = (bits & 1) != 0;
  }
  order.resize(units.whole);
  std::iota(order.begin(), order.end(), units.swapping);
  for (std::uint32_t k = 0; k < units.in_group; ++k) {
    std::swap(order[k], order[k + random::uniform_index(stream, units.whole - k)]);
    chosen[order[k]] = true;
  }
}

/// The group of rows that are there twice, the group's and then the control's, and all of them once
/// more: 1 for the first half, and 0, the control, for the second.
class DoubledSide final : public data::ColumnSource {
 public:
  explicit DoubledSide(std::size_t once) : once_(once) {}

  [[nodiscard]] std::size_t rows() const noexcept override { return 2 * once_; }
  void read(std::size_t first, std::span<double> out) const noexcept override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = first + i < once_ ? 1 : 0;
  }

 private:
  std::size_t once_;
};

/// Of 2 n rows, row i is row i of the data in the group, and row n + i the same in the control.
class RelabelDesign final : public resample::Design {
 public:
  RelabelDesign(Units units, bool all) : units_(std::move(units)), all_(all) {}

  [[nodiscard]] std::string_view name() const override { return "permutation"; }
  [[nodiscard]] resample::Traits traits(std::uint64_t) const override { return {}; }
  [[nodiscard]] std::uint64_t draws(std::uint64_t rows) const override { return rows / 2; }
  [[nodiscard]] std::shared_ptr<const resample::Sampling> sampling(
      std::uint64_t, std::uint64_t seed, std::uint64_t, execution::Level) const override {
    return resample::sampling_by(Sampler{&units_, all_, seed});
  }

 private:
  struct Sampler {
    const Units* units;
    bool all;
    std::uint64_t seed;
    std::vector<bool> chosen = {};
    std::vector<std::uint32_t> order = {};

    std::span<const std::uint32_t> operator()(std::uint64_t replicate, resample::RowList& out) {
      chosen.assign(units->swapping + units->whole, false);
      if (all) {
        choose_number(*units, replicate, chosen);
      } else {
        random::Stream stream({seed, replicate, random::Purpose::permutation, 2});
        choose_at_random(*units, stream, chosen, order);
      }
      const auto rows = static_cast<std::uint32_t>(units->of_row.size());
      out.clear();
      for (std::uint32_t row = 0; row < rows; ++row) {
        const std::uint32_t unit = units->of_row[row];
        const bool own = row < units->group_rows;
        const bool group = unit < units->swapping ? own != chosen[unit] : bool{chosen[unit]};
        out.push_back(group ? row : rows + row);
      }
      return out;
    }
  };

  Units units_;
  bool all_;
};

}  // namespace

double relabellings(std::uint64_t group, std::uint64_t control) {
  return std::round(ways_to_choose(group, control));
}

double Relabelling::ways() const { return units_of(*this).ways(); }

PermutationResult permutation_test(const Relabelling& relabelling, const Statistic& statistic,
                                   double difference, interval::Alternative alternative,
                                   const bootfold::Options& options) {
  Units units = units_of(relabelling);
  const bool all = units.ways() <= kMostOfAll;
  const std::size_t columns = relabelling.group.columns();
  const DoubledSide side(units.of_row.size());
  std::vector<data::Chunked> sources;  // all rows, and all rows once more
  std::vector<std::string> names;      // by which expressions find their columns
  for (std::size_t c = 0; c < columns; ++c) {
    names.push_back(relabelling.group.name(c));
    const ColumnView& group = relabelling.group.column(c);
    const ColumnView& control = relabelling.control.column(c);
    sources.emplace_back(std::vector{group, control, group, control});
  }
  std::vector<ColumnView> views;
  std::vector<ColumnView> once;
  for (const data::Chunked& source : sources) {
    views.emplace_back(source);
    once.push_back(views.back().slice(0, units.of_row.size()));
  }
  const DataView all_rows(std::move(once), names);
  views.emplace_back(side);
  names.emplace_back("group");
  const DataView data(std::move(views), std::move(names));
  bootfold::Options run = options;
  run.replicates = all ? static_cast<std::uint64_t>(units.ways()) : options.replicates;
  run.first_replicate = 0;
  run.influence = run.standard_errors = false;
  run.scheme = scheme::Custom{std::make_shared<const RelabelDesign>(std::move(units), all)};
  run.rescale = 0;
  Execution looking = options.execution;
  looking.progress = nullptr;
  const std::vector<statistic::Scale> scales = scales_of(all_rows, statistic, looking);
  const Result found =
      bootstrap(data, by_group(statistic, {scales, scales}, Difference::absolute), run);

  constexpr std::size_t kDifference = 2;
  const double width = found.resolution(0) + found.resolution(kDifference);
  double below = all ? 0 : 1;  // the groups as they are count among random relabellings
  double above = below;
  const double count = static_cast<double>(run.replicates) + below;
  for (std::size_t i = 0; i < run.replicates; ++i) {
    const double value = found.replicate(i, kDifference);
    below += value > difference + width ? 0 : 1;  // NaN is on both sides
    above += value < difference - width ? 0 : 1;
  }
  const bool two_sided = alternative == interval::Alternative::two_sided;
  const double beyond = two_sided                                    ? std::min(below, above)
                        : alternative == interval::Alternative::less ? below
                                                                     : above;
  const double share = std::max(1.0, beyond) / count;
  const double sides = two_sided ? 2 : 1;
  return {{std::min(1.0, sides * share), all ? 0 : sides * std::sqrt(share * (1 - share) / count)},
          run.replicates,
          all};
}

}  // namespace bootfold::comparison
