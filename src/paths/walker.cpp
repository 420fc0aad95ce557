#include "paths/walker.h"

#include <algorithm>
#include <limits>

#include "planning/choose.h"

namespace bootfold::paths::walk {

namespace {

constexpr std::size_t kManyPlanes = 16;
constexpr std::size_t kFewRows = 1024;

std::unique_ptr<const Spread> spread_of(const Question& question) {
  if (by_cluster(question))
    return std::make_unique<const DesignSpread>(question.design, question.rows);
  return std::make_unique<const RowSpread>(question.rows, question.draws);
}

}  // namespace

Layout::Layout(const Question& question)
    : sums((question.cluster_sums != nullptr ? *question.cluster_sums : question.study)
               .fixed(question.tolerance, false)),
      spread(spread_of(question)),
      places(question.design.places(question.rows)),
      windows(QuantileWindows::size(question.problem(), places, *spread)),
      units(by_cluster(question) ? question.design.groups()->count() : places),
      size(by_cluster(question)
               ? ClusterUnits::size(sums, ClusterSize(*question.design.groups()), windows)
               : Digits::Size(sums, windows)) {
  const std::uint64_t strata =
      question.traits.within_strata
          ? question.design.strata(question.rows, question.seed)->all().size()
          : 1;
  // Laws of counts: of the super-blocks of a run, or of strata of all sizes.
  const bool few = strata == 1 && units <= resample::kSuperBlockRows;
  law_bytes = few ? std::size_t{1} << 16 : std::size_t{1} << 19;
  if (!question.design.weights().empty())  // one for each tile, but no more than there can be
    law_bytes = std::min<std::size_t>(places / kCountTile + 1, 450) << 14;
  kept_bytes = Digits::kept_bytes(size, units, strata);
  const std::size_t room = question.memory - std::min(question.memory, planning::kProgramBytes);
  keeps_digits = kept_bytes + (std::size_t{2} << 20) <= room / 2;
  side = size.planes < kManyPlanes ? kSide : kWideSide;
  dot_rows = size.planes < kManyPlanes ? kCountTile : kFewRows;
}

std::unique_ptr<const resample::Strata> Shared::strata_of(const Question& question) {
  if (!by_cluster(question)) return question.design.strata(question.rows, question.seed);
  return resample::design(question.design.of_clusters())
      ->strata(question.design.groups()->count(), question.seed);
}

void Walker::make(std::uint64_t first, std::uint64_t last, std::span<double> all,
                  const execution::Worker& worker) {
  const std::size_t outputs = all.size() / (last - first);
  start(first, last);
  for (std::size_t s = 0; s < shared_.strata->all().size(); ++s) {
    const SuperBlocks blocks(shared_.strata->all()[s].rows);
    for (std::uint64_t b = 0; b < blocks.count(); ++b) add_block(s, blocks, b, last, worker);
  }
  if (shared_.problem.is_mean() && !shared_.clusters) return finish_means(all);
  for (std::uint64_t r = first; r < last; ++r) {
    const std::span<double> values = all.subspan((r - first) * outputs, outputs);
    if (drawn_[r - first] == 0) {  // a scheme may draw no row at all
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    if (shared_.clusters)
      finish_clusters(r, values);
    else
      finish_rows(r, values);
  }
}

void Walker::start(std::uint64_t first, std::uint64_t last) {
  first_ = first;
  sums_.assign((last - first) * limbs_, 0);
  drawn_.assign(last - first, 0);
  window_sums_.assign((last - first) * shared_.windows.counts(), 0);
  inside_.assign((last - first) * shared_.windows.slots(), 0);
}

void Walker::add_block(std::size_t s, const SuperBlocks& blocks, std::uint64_t b,
                       std::uint64_t last, const execution::Worker& worker) {
  begin(s, b, last);
  while (!group_.empty()) {
    walk(s, blocks, b, worker);
    keep(s, blocks, b);
  }
}

void Walker::finish_means(std::span<double> all) {
  const study::FixedFeature& feature = shared_.layout.sums.fixed[0];
  means_.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    means_[i] = drawn_[i] > 0 ? feature.mean(std::span(sums_).subspan(i * limbs_, limbs_),
                                             static_cast<double>(drawn_[i]))
                              : std::numeric_limits<double>::quiet_NaN();
  shared_.layout.sums.problem.finish_means(means_, all);
}

void Walker::finish_rows(std::uint64_t replicate, std::span<double> values) {
  const std::size_t at = replicate - first_;
  const std::span<const __int128> sums = std::span(sums_).subspan(at * limbs_, limbs_);
  const std::size_t of_sums = shared_.layout.sums.limbs.size();
  if (of_sums > 0) finish_(sums.first(of_sums), static_cast<double>(drawn_[at]), values);
  const std::size_t planes = shared_.windows.counts();
  if (planes > 0)
    finish_quantiles(replicate, std::span(window_sums_).subspan(at * planes, planes),
                     sums.subspan(of_sums), drawn_[at], values);
}

void Walker::finish_clusters(std::uint64_t replicate, std::span<double> values) {
  const std::size_t at = replicate - first_;
  const std::span<const __int128> sums = std::span(sums_).subspan(at * limbs_, limbs_);
  const std::size_t of_sums = shared_.layout.sums.limbs.size();
  if (of_sums > 0) {
    cluster_values_.resize(shared_.layout.sums.problem.outputs.size());
    finish_(sums.first(of_sums), static_cast<double>(drawn_[at]), cluster_values_);
    auto next = cluster_values_.begin();
    for (const study::Part& part : shared_.problem.parts) {
      if (!std::holds_alternative<statistic::Sums>(part.bound.body)) continue;
      const auto outputs = static_cast<std::ptrdiff_t>(part.outputs());
      std::copy_n(next, outputs, values.subspan(part.first_output).begin());
      next += outputs;
    }
  }
  const std::size_t planes = shared_.windows.counts();
  planes_of_clusters_.clear();
  for (const __int128 plane : sums.subspan(of_sums + 1, planes))
    planes_of_clusters_.push_back(static_cast<std::uint64_t>(plane));
  finish_quantiles(replicate, planes_of_clusters_, sums.subspan(of_sums + 1 + planes),
                   static_cast<std::uint64_t>(sums[of_sums]), values);
}

void Walker::finish_quantiles(std::uint64_t replicate, std::span<const std::uint64_t> planes,
                              std::span<const __int128> between, std::uint64_t rows,
                              std::span<double> values) {
  const std::size_t slots = shared_.windows.slots();
  quantiles_({.planes = planes,
              .inside = std::span(inside_).subspan((replicate - first_) * slots, slots),
              .between = between,
              .draws = rows},
             values, [&](std::uint32_t column) { return all_rows(replicate, column); });
}

void Walker::begin(std::size_t s, std::uint64_t b, std::uint64_t last) {
  resample::BlockSource source(shared_.level, *shared_.laws, *shared_.strata, s, b);
  counted_ = source.counted();
  group_.clear();
  for (std::uint64_t r = first_; r < last; ++r) source.add(r, group_);
}

void Walker::walk(std::size_t s, const SuperBlocks& blocks, std::uint64_t b,
                  const execution::Worker& worker) {
  plane_sums_.assign(group_.size() * planes_, 0);
  sparse_sums_.assign(group_.size() * limbs_, 0);
  totals_.assign(group_.size(), 0);
  const bool again = group_[0].attempt() > 0;
  for (std::uint64_t row = 0; row < counted_; row += kCountTile) {
    worker.check();
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kCountTile, counted_ - row));
    if (!shared_.digits.any_of(blocks.first_row(b) + row, size)) {
      count_only(size);
      continue;
    }
    const TileDigits tile = digits_.tile(s, blocks.first_row(b) + row, size);
    const std::span<const WindowRow> inside = shared_.slots(s, blocks.first_row(b) + row, size);
    for (std::size_t i = 0; i < group_.size(); i += shared_.layout.side) {
      const std::size_t side = std::min(shared_.layout.side, group_.size() - i);
      for (std::size_t k = 0; k < side; ++k)
        group_[i + k].next(counts_.data() + k * kStride, *replaced_);
      if (!inside.empty())
        for (std::size_t k = 0; k < side; ++k) {
          const std::uint8_t* counts = counts_.data() + k * kStride;
          std::uint8_t* own = inside_of(group_[i + k]);
          for (const WindowRow& one : inside) own[one.slot] = counts[one.row];
        }
      multiply(tile, i, side, (size + 127) / 128 * 128);
    }
    if (!again) worker.advance(static_cast<double>(size) * static_cast<double>(group_.size()));
  }
  if (!again)
    worker.advance(static_cast<double>(blocks.rows(b) - counted_) *
                   static_cast<double>(group_.size()));
}

void Walker::count_only(std::size_t size) {
  const auto& kernels = resample::simd::kernels(shared_.level);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    group_[i].next(counts_.data(), *replaced_);
    totals_[i] += kernels.total(counts_.data(), size);
  }
}

void Walker::multiply(const TileDigits& tile, std::size_t i, std::size_t side, std::size_t rows) {
  const std::size_t planes = tile.planes.size();
  const bool all = planes == planes_;
  if (!all) tile_sums_.assign(side * planes, 0);
  for (std::size_t from = 0; from < rows; from += shared_.layout.dot_rows)
    shared_.kernels.dot(counts_.data() + from, kStride, side, tile.first + from, tile.stride,
                        planes, std::min(shared_.layout.dot_rows, rows - from),
                        all ? plane_sums_.data() + i * planes_ : tile_sums_.data(),
                        totals_.data() + i);
  if (all) return;
  for (std::size_t k = 0; k < side; ++k) {
    std::int64_t* const sums = plane_sums_.data() + (i + k) * planes_;
    for (std::size_t p = 0; p < planes; ++p) sums[tile.planes[p]] += tile_sums_[k * planes + p];
    const std::uint8_t* const counts = counts_.data() + k * kStride;
    __int128* const sparse = sparse_sums_.data() + (i + k) * limbs_;
    for (const SparseDigits& one : tile.sparse)
      sparse[one.limb] += static_cast<__int128>(one.integer) * counts[one.row];
  }
}

void Walker::keep(std::size_t s, const SuperBlocks& blocks, std::uint64_t b) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    BlockCounts& counts = group_[i];
    if (counts.is_void(totals_[i])) {
      group_[left++] = counts;
      continue;
    }
    const std::size_t replicate = counts.id().replicate - first_;
    const std::span<__int128> sums = std::span(sums_).subspan(replicate * limbs_, limbs_);
    const std::int64_t* digit = plane_sums_.data() + i * planes_;
    for (std::size_t limb = 0; limb < limbs_; ++limb) {
      const std::size_t digits = shared_.digits.digits(limb);
      __int128 sum = 0;
      for (std::size_t d = digits; d-- > 0;) sum = sum * 256 + digit[d];
      sums[limb] += sum + sparse_sums_[i * limbs_ + limb];
      digit += digits;
    }
    late_ = counts.top_up(totals_[i], late_room_);
    digits_.add_rows(s, blocks.first_row(b), late_, sums);
    count_windows(s, blocks.first_row(b), digit, counts);
    drawn_[replicate] += totals_[i] + late_.size();
  }
  group_.resize(left);
}

void Walker::count_windows(std::size_t s, std::uint64_t first, const std::int64_t* sums,
                           const BlockCounts& counts) {
  const std::size_t planes = shared_.windows.counts();
  if (planes == 0) return;
  const std::uint64_t place = shared_.strata->all()[s].first + first;
  if (shared_.clusters) {
    for (const std::uint32_t cluster : late_)
      for (const WindowRow& one : shared_.clusters->slots(place + cluster, 1))
        ++inside_of(counts)[one.slot];
    return;
  }
  std::uint64_t* own = window_sums_.data() + (counts.id().replicate - first_) * planes;
  for (std::size_t p = 0; p < planes; ++p) own[p] += static_cast<std::uint64_t>(sums[p]);
  shared_.windows.count(place, late_, own, inside_of(counts));
}

std::uint8_t* Walker::inside_of(const BlockCounts& counts) {
  return inside_.data() + (counts.id().replicate - first_) * shared_.windows.slots();
}

std::vector<double> Walker::all_rows(std::uint64_t replicate, std::uint32_t column) {
  std::vector<double> rows;
  const ColumnView& values = shared_.problem.data.column(column);
  const std::span<const std::uint32_t> order = shared_.strata->order();
  const auto add = [&](std::uint64_t row, std::uint32_t count) {
    if (count == 0) return;
    double value = 0;
    values.read(row, {&value, 1});
    rows.insert(rows.end(), count, value);
  };
  for (std::size_t s = 0; s < shared_.strata->all().size(); ++s) {
    const auto counts =
        resample::all_counts(shared_.level, *shared_.laws, *shared_.strata, s, replicate);
    for (std::uint64_t i = 0; i < counts.size(); ++i) {
      const std::uint64_t place = shared_.strata->all()[s].first + i;
      if (!shared_.clusters) {
        add(order.empty() ? place : order[place], counts[i]);
        continue;
      }
      for (const std::uint32_t row : shared_.clusters->rows(place)) add(row, counts[i]);
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace bootfold::paths::walk
