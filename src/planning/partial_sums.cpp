#include "planning/partial_sums.h"

#include <algorithm>
#include <numeric>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

namespace {

/// "replicates 1 to 200": numbered from 1, as messages do.
std::string describe_replicates(std::uint64_t first, std::uint64_t last) {
  return text::concat("replicates ", text::grouped(first + 1), " to ", text::grouped(last));
}

std::string describe_rows(const study::RowRanges& rows) {
  std::string all;
  for (const study::RowRange& range : rows.ranges())
    all += (all.empty() ? "" : ", ") + study::describe(range);
  return all.empty() ? "no rows" : all;
}

/// The rows that are not there.
study::RowRanges missing(const study::RowRanges& rows, std::uint64_t all) {
  study::RowRanges found;
  std::uint64_t next = 0;
  for (const study::RowRange& range : rows.ranges()) {
    found.merge(study::RowRanges({next, range.first}));
    next = range.last;
  }
  found.merge(study::RowRanges({next, std::max(next, all)}));
  return found;
}

/// Throws InvalidArgument unless the sums are of this kind.
void check_kind(const PartialSums& sums, const PartialSums& kind, bool is_first) {
  const std::size_t limbs = kind.sums.size();
  if (sums.drawn.size() == (limbs == 0 ? 0 : sums.replicates) &&
      sums.sums.size() == limbs * sums.drawn.size() &&
      (!is_first || (sums.windows.size() == kind.windows.size() &&
                     sums.features.has_value() == kind.features.has_value() &&
                     sums.clusters.has_value() == kind.clusters.has_value())))
    return;
  throw InvalidArgument(
      text::concat("the part of ", sums.describe(),
                   " has not the sums that the plan needs; make it with this plan"));
}

}  // namespace

void WindowValues::add(std::vector<double> more) {
  std::sort(more.begin(), more.end());
  WindowValues other;
  for (const double value : more) {
    if (other.values.empty() || other.values.back() != value) {
      other.values.push_back(value + 0.0);
      other.counts.push_back(0);
    }
    ++other.counts.back();
  }
  merge(other);
}

void WindowValues::merge(const WindowValues& other) {
  WindowValues both;
  both.values.reserve(values.size() + other.values.size());
  both.counts.reserve(values.size() + other.values.size());
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < values.size() || k < other.values.size()) {
    const bool own =
        k == other.values.size() || (i < values.size() && values[i] <= other.values[k]);
    const bool its =
        i == values.size() || (k < other.values.size() && other.values[k] <= values[i]);
    both.values.push_back(own ? values[i] : other.values[k]);
    both.counts.push_back((own ? counts[i] : 0) + (its ? other.counts[k] : 0));
    i += own ? 1 : 0;
    k += its ? 1 : 0;
  }
  *this = std::move(both);
}

std::uint64_t WindowValues::rows() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

DataError rows_changed(const std::string& between) {
  return DataError(text::concat("the rows changed between ", between,
                                ": their values differ from those that were read before; rows must "
                                "stay as they are until the run is complete"));
}

std::string PartialSums::describe() const {
  return describe_rows(rows) + ", " + describe_replicates(first, last());
}

void PartialSums::add_rows(const PartialSums& other) {
  if (sums.size() != other.sums.size() || drawn.size() != other.drawn.size() ||
      windows.size() != other.windows.size() ||
      features.has_value() != other.features.has_value() ||
      clusters.has_value() != other.clusters.has_value())
    throw InvalidArgument(text::concat(
        "the parts of ", describe(), " and of ", other.describe(),
        " have not the same sums; make them with one plan, which begins with the same replicate"));
  rows.merge(other.rows);
  // Sums of a damaged part may be anything; they must not overflow.
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<__int128>(static_cast<unsigned __int128>(sums[i]) +
                                    static_cast<unsigned __int128>(other.sums[i]));
  for (std::size_t i = 0; i < drawn.size(); ++i) drawn[i] += other.drawn[i];
  content += other.content;
  if (features && other.features) *features |= *other.features;
  for (std::size_t w = 0; w < windows.size(); ++w) windows[w].merge(other.windows[w]);
  if (clusters && other.clusters) clusters->merge(*other.clusters);
}

void PartialSums::add_replicates(const PartialSums& next) {
  if (replicates > 0 && content != next.content)
    throw rows_changed(text::concat("the parts of ", describe_replicates(first, last()), " and of ",
                                    describe_replicates(next.first, next.last())));
  content = next.content;
  replicates += next.replicates;
  sums.insert(sums.end(), next.sums.begin(), next.sums.end());
  drawn.insert(drawn.end(), next.drawn.begin(), next.drawn.end());
}

PartialSums PartialSums::slice(std::uint64_t from, std::uint64_t to) const {
  PartialSums part;
  part.rows = rows;
  part.first = from;
  part.replicates = to - from;
  part.content = content;
  if (replicates > 0) {
    const std::size_t limbs = sums.size() / replicates;
    const auto at = static_cast<std::ptrdiff_t>(from - first);
    const auto end = static_cast<std::ptrdiff_t>(to - first);
    const auto width = static_cast<std::ptrdiff_t>(limbs);
    part.sums.assign(sums.begin() + at * width, sums.begin() + end * width);
    if (!drawn.empty()) part.drawn.assign(drawn.begin() + at, drawn.begin() + end);
  }
  if (from == first) {
    part.features = features;
    part.windows = windows;
    part.clusters = clusters;
  }
  return part;
}

PartialSums assemble(const std::vector<PartialSums>& parts, std::uint64_t rows, std::uint64_t first,
                     std::uint64_t last, const PartialSums& kind) {
  std::vector<std::uint64_t> cuts = {first, last};
  for (const PartialSums& part : parts) {
    if (part.first < first || part.last() > last)
      throw InvalidArgument(text::concat("a part has ", part.describe(), " but the plan has ",
                                         describe_replicates(first, last),
                                         "; merge parts of one plan only"));
    cuts.push_back(part.first);
    cuts.push_back(part.last());
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::optional<PartialSums> all;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    std::optional<PartialSums> slab;
    for (const PartialSums& part : parts) {
      if (part.first > cuts[i] || part.last() < cuts[i + 1]) continue;
      PartialSums slice = part.slice(cuts[i], cuts[i + 1]);
      if (cuts[i] != first) {  // what belongs to the first replicates of another plan
        slice.features.reset();
        slice.windows.clear();
        slice.clusters.reset();
      }
      check_kind(slice, kind, cuts[i] == first);
      if (!slab) {
        slab = std::move(slice);
        continue;
      }
      try {
        slab->add_rows(slice);
      } catch (const InvalidArgument& error) {
        throw InvalidArgument(
            text::concat(error.what(), " in ", describe_replicates(cuts[i], cuts[i + 1])));
      }
    }
    const study::RowRanges there = slab ? slab->rows : study::RowRanges();
    if (!there.covers(rows))
      throw InvalidArgument(text::concat("the parts lack ", describe_rows(missing(there, rows)),
                                         " in ", describe_replicates(cuts[i], cuts[i + 1]),
                                         "; merge the parts of all rows"));
    if (!all)
      all = std::move(slab);
    else
      all->add_replicates(*slab);
  }
  return all ? std::move(*all) : PartialSums{};
}

}  // namespace bootfold::planning
