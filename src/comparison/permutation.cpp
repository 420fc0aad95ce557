// Relabelling as a resampling scheme: every row is there twice, once in each group, and a replicate
// takes one of the two. So all statistics, threads and memory limits are those of a bootstrap.
#include "comparison/permutation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "bootfold/bootstrap.h"
#include "bootfold/random.h"
#include "comparison/by_group.h"
#include "resample/design.h"
#include "resample/sampling_by.h"

namespace bootfold::comparison {

namespace {

/// All relabellings are taken if there are no more than this.
constexpr double kMostOfAll = 100'000;

/// Units, and which of them each row belongs to. Rows of the group come first.
struct Units {
  std::vector<std::uint32_t> of_row;
  std::uint32_t count = 0;
  std::uint32_t in_group = 0;  // of them
  bool within = false;         // a unit swaps its rows of the two groups, or does not
  std::size_t group_rows = 0;

  [[nodiscard]] double relabellings() const {
    if (within) return std::exp2(count);
    double ways = 1;
    for (std::uint32_t k = 1; k <= in_group; ++k) ways = ways * (count - in_group + k) / k;
    return std::round(ways);
  }
};

Units units_of(const Relabelling& given) {
  Units units;
  units.within = given.within;
  units.group_rows = given.group.rows();
  const std::size_t rows = given.group.rows() + given.control.rows();
  if (given.group_clusters.empty()) {
    units.of_row.resize(rows);
    std::iota(units.of_row.begin(), units.of_row.end(), 0U);
    units.count = static_cast<std::uint32_t>(rows);
    units.in_group = static_cast<std::uint32_t>(given.group.rows());
    return units;
  }
  std::map<std::uint32_t, std::pair<bool, bool>> sides;  // does it have rows of group and control
  for (const std::uint32_t label : given.group_clusters) sides[label].first = true;
  for (const std::uint32_t label : given.control_clusters) sides[label].second = true;
  std::map<std::uint32_t, std::uint32_t> number;
  for (const auto& [label, side] : sides) {
    const bool swaps = side.first && side.second;
    if (!given.within || swaps) number[label] = units.count++;
    if (side.first && !given.within) ++units.in_group;
  }
  const auto add = [&](std::span<const std::uint32_t> labels) {
    for (const std::uint32_t label : labels) {
      const auto known = number.find(label);
      // Clusters of one group, which have nothing to swap, share the number behind the last.
      units.of_row.push_back(known == number.end() ? units.count : known->second);
    }
  };
  add(given.group_clusters);
  add(given.control_clusters);
  return units;
}

/// Marks the units that go into the group, or swap: number `index` of all ways.
void choose_number(const Units& units, std::uint64_t index, std::vector<bool>& chosen) {
  if (units.within) {
    for (std::uint32_t u = 0; u < units.count; ++u) chosen[u] = (index >> u & 1) != 0;
    return;
  }
  // The combinatorial number system: is unit u among the `left` that are still to be chosen?
  std::uint32_t left = units.in_group;
  for (std::uint32_t u = 0; u < units.count && left > 0; ++u) {
    const std::uint32_t after = units.count - u - 1;
    double with = left <= after + 1 ? 1 : 0;  // ways to choose the rest after this one
    for (std::uint32_t k = 1; k < left; ++k) with = with * (after - (left - 1) + k) / k;
    const auto ways = static_cast<std::uint64_t>(std::llround(with));
    if (index < ways) {
      chosen[u] = true;
      --left;
    } else {
      index -= ways;
    }
  }
}

void choose_at_random(const Units& units, random::Stream& stream, std::vector<bool>& chosen,
                      std::vector<std::uint32_t>& order) {
  if (units.within) {
    std::uint64_t bits = 0;
    for (std::uint32_t u = 0; u < units.count; ++u, bits >>= 1) {
      if (u % 64 == 0) bits = stream();
      chosen[u] = (bits & 1) != 0;
    }
    return;
  }
  order.resize(units.count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t k = 0; k < units.in_group; ++k) {
    std::swap(order[k], order[k + random::uniform_index(stream, units.count - k)]);
    chosen[order[k]] = true;
  }
}

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
      chosen.assign(units->count + 1, false);  // the last: units that have nothing to swap
      if (all) {
        choose_number(*units, replicate, chosen);
      } else {
        random::Stream stream({seed, replicate, random::Purpose::permutation, 2});
        choose_at_random(*units, stream, chosen, order);
      }
      const auto rows = static_cast<std::uint32_t>(units->of_row.size());
      out.clear();
      for (std::uint32_t row = 0; row < rows; ++row) {
        const bool own = row < units->group_rows;
        const bool group =
            units->within ? own != chosen[units->of_row[row]] : bool{chosen[units->of_row[row]]};
        out.push_back(group ? row : rows + row);
      }
      return out;
    }
  };

  Units units_;
  bool all_;
};

}  // namespace

PermutationResult permutation_test(const Relabelling& relabelling, const Statistic& statistic,
                                   double difference, Difference kind,
                                   interval::Alternative alternative,
                                   const bootfold::Options& options) {
  Units units = units_of(relabelling);
  const bool all = units.relabellings() <= kMostOfAll;
  const std::size_t columns = relabelling.group.columns();
  const std::size_t rows = units.of_row.size();
  std::vector<std::vector<double>> values(columns + 1, std::vector<double>(2 * rows));
  for (std::size_t c = 0; c < columns; ++c) {
    const std::span<double> once = std::span(values[c]).first(rows);
    relabelling.group.column(c).read(0, once.first(units.group_rows));
    relabelling.control.column(c).read(0, once.subspan(units.group_rows));
    std::copy(once.begin(), once.end(), values[c].begin() + static_cast<std::ptrdiff_t>(rows));
  }
  std::fill_n(values[columns].begin(), rows, 1.0);
  const DataView data(std::vector<ColumnView>(values.begin(), values.end()));

  bootfold::Options run = options;
  run.replicates = all ? static_cast<std::uint64_t>(units.relabellings()) : options.replicates;
  run.first_replicate = 0;
  run.influence = run.standard_errors = false;
  run.scheme = scheme::Custom{std::make_shared<const RelabelDesign>(std::move(units), all)};
  run.rescale = 0;
  const Result found = bootstrap(data, by_group(statistic, data, 2, kind), run);

  constexpr std::size_t kDifference = 2;
  const double width = found.resolution(kDifference) + 0x1p-48 * std::abs(difference);
  double below = all ? 0 : 1;  // the groups as they are count among random relabellings
  double above = below;
  double defined = below;
  for (std::size_t i = 0; i < run.replicates; ++i) {
    const double value = found.replicate(i, kDifference);
    below += value <= difference + width ? 1 : 0;
    above += value >= difference - width ? 1 : 0;
    defined += value == value ? 1 : 0;
  }
  const bool two_sided = alternative == interval::Alternative::two_sided;
  const double beyond = two_sided                                    ? std::min(below, above)
                        : alternative == interval::Alternative::less ? below
                                                                     : above;
  const double share = beyond / defined;
  const double sides = two_sided ? 2 : 1;
  return {
      {std::min(1.0, sides * share), all ? 0 : sides * std::sqrt(share * (1 - share) / defined)},
      run.replicates,
      all};
}

}  // namespace bootfold::comparison
