#include "planning/cluster_totals.h"

#include <algorithm>
#include <numeric>

#include "bootfold/error.h"
#include "data/label_order.h"

namespace bootfold::planning {

namespace {

/// Clusters in another order: cluster i of the result is order[i] of these.
ClusterAdder::Sums reordered(const ClusterAdder::Sums& from,
                             const std::vector<std::uint32_t>& order) {
  const std::size_t features = from.rows.empty() ? 0 : from.sums.size() / from.rows.size();
  ClusterAdder::Sums found;
  found.sums.reserve(order.size() * features);
  for (const std::uint32_t cluster : order) {
    const auto own = from.sums.begin() + static_cast<std::ptrdiff_t>(cluster * features);
    found.sums.insert(found.sums.end(), own, own + static_cast<std::ptrdiff_t>(features));
    found.rows.push_back(from.rows[cluster]);
  }
  return found;
}

}  // namespace

void ClusterTotals::add(const ClusterAdder& adder, const DataView& rows, const data::Labels& labels,
                        const std::stop_token& stop) {
  const std::span<const std::uint32_t> codes = labels.codes;
  const resample::Numbering number(codes);
  ClusterAdder::Sums made = adder.none(number.count());
  adder.add(rows, codes, number, made, stop);
  ClusterTotals more;
  std::vector<std::uint32_t> there(codes.begin(), codes.end());
  std::sort(there.begin(), there.end());
  there.erase(std::unique(there.begin(), there.end()), there.end());
  std::vector<std::uint32_t> order(there.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return labels.names[there[a]] < labels.names[there[b]];
  });
  for (const std::uint32_t place : order) more.names.push_back(labels.names[there[place]]);
  more.sums = reordered(made, order);
  merge(more);
}

void ClusterTotals::merge(const ClusterTotals& other) {
  if (other.names.empty()) return;
  const std::size_t features = other.sums.sums.size() / other.names.size();
  if (sums.sums.size() != names.size() * features)
    throw InvalidArgument("the parts have sums of different features; make them with one plan");
  ClusterTotals both;
  const auto take = [&](const ClusterTotals& from, std::size_t i, bool again) {
    if (!again) {
      both.names.push_back(from.names[i]);
      both.sums.rows.push_back(0);
      both.sums.sums.insert(both.sums.sums.end(), features, 0);
    }
    both.sums.rows.back() += from.sums.rows[i];
    __int128* const own = both.sums.sums.data() + both.sums.sums.size() - features;
    for (std::size_t f = 0; f < features; ++f)
      own[f] = plus(own[f], from.sums.sums[i * features + f]);
  };
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < names.size() || k < other.names.size()) {
    const bool own = k == other.names.size() || (i < names.size() && names[i] <= other.names[k]);
    const bool its = i == names.size() || (k < other.names.size() && other.names[k] <= names[i]);
    if (own) take(*this, i++, false);
    if (its) take(other, k++, own);
  }
  *this = std::move(both);
}

ClusterAdder::Sums ClusterTotals::by_label() const {
  return reordered(sums, data::label_order(names));
}

bool ClusterTotals::suits(std::uint64_t rows, std::size_t features) const {
  std::uint64_t left = rows;
  for (const std::uint64_t some : sums.rows) {
    if (some > left) return false;
    left -= some;
  }
  return left == 0 && sums.sums.size() == names.size() * features;
}

}  // namespace bootfold::planning
