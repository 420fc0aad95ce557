#include "resample/counting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

[[noreturn]] void throw_too_often(std::uint64_t row, std::uint64_t replicate, unsigned bits) {
  throw InvalidArgument(text::concat(
      "row ", text::grouped(row + 1), " is drawn more than ", (std::uint64_t{1} << bits) - 1,
      " times in replicate ", text::grouped(replicate), ", which a count of ", bits,
      " bits cannot hold; use dtype uint", 2 * bits, bits < 16 ? " or uint32" : ""));
}

/// Counts a row once more.
template <class Count>
void add_one(Count* counts, std::uint64_t row, std::uint64_t first_row, std::uint64_t replicate) {
  if constexpr (std::is_integral_v<Count>)
    if (counts[row] == std::numeric_limits<Count>::max()) [[unlikely]]
      throw_too_often(first_row + row, replicate, 8 * sizeof(Count));
  ++counts[row];
}

/// Rows that a worker takes at a time, where replicates are shorter.
constexpr std::uint64_t kPieceRows = 65536;

}  // namespace

Counting::Counting(const Design& design, std::uint64_t rows, std::uint64_t seed,
                   std::uint64_t replicates, execution::Level level)
    : rows_(rows), level_(level) {
  if (!design.traits(rows).lists_rows)
    throw InvalidArgument(text::concat("scheme '", design.name(),
                                       "' gives every row a weight and draws none, so there are no "
                                       "counts; it has weights"));
  if (design.streams(rows)) {
    strata_ = design.strata(rows, seed);
    laws_ = std::make_unique<CountLaws>();
  } else {
    sampling_ = design.sampling(rows, seed, replicates, level);
  }
}

std::uint64_t Counting::pieces() const noexcept {
  return streams() && strata_->order().empty() ? SuperBlocks(rows_).count() : 1;
}

std::uint64_t Counting::first_row(std::uint64_t piece) const noexcept {
  if (piece == 0) return 0;
  return pieces() == 1 ? rows_ : SuperBlocks(rows_).first_row(piece);
}

template <class Count>
void Counting::make(std::uint64_t first, std::span<Count> out, const Execution& execution) const {
  if (out.empty()) return;
  const std::uint64_t replicates = out.size() / rows_;
  const std::uint64_t all = replicates * pieces();
  const std::uint64_t grain = std::max<std::uint64_t>(1, kPieceRows / rows_);
  std::vector<std::unique_ptr<CountMaker>> makers(execution::thread_count(execution));
  execution::detail::run_chunks(
      (all + grain - 1) / grain, static_cast<double>(out.size()), execution,
      [&](const execution::Worker& worker, std::size_t chunk) {
        auto& maker = makers[worker.index()];
        if (!maker) maker = std::make_unique<CountMaker>(*this);
        for (std::uint64_t i = chunk * grain; i < std::min(all, (chunk + 1) * grain); ++i) {
          worker.check();
          const std::uint64_t replicate = i / pieces();
          const std::uint64_t piece = i % pieces();
          maker->make(first + replicate, piece,
                      out.subspan(replicate * rows_ + first_row(piece), piece_rows(piece)), worker);
          worker.advance(static_cast<double>(piece_rows(piece)));
        }
      });
}

CountMaker::CountMaker(const Counting& shared) : shared_(shared) {
  if (shared.streams()) {
    replaced_ = std::make_unique<simd::Replaced>();
    tile_.resize(simd::kCountTile + 64);
  } else {
    sampler_ = shared.sampling_->sampler();
  }
}

template <class Count>
std::uint64_t CountMaker::make(std::uint64_t replicate, std::uint64_t piece, std::span<Count> out,
                               const execution::Worker& worker) {
  if (!shared_.streams()) {
    std::fill(out.begin(), out.end(), Count{0});
    const std::span<const std::uint32_t> drawn = sampler_->draw(replicate);
    for (const std::uint32_t row : drawn) add_one(out.data(), row, 0, replicate);
    return drawn.size();
  }
  const std::span<const Stratum> strata = shared_.strata_->all();
  const std::span<const std::uint32_t> order = shared_.strata_->order();
  if (order.empty()) return draw_block(0, piece, replicate, out.data(), worker);
  std::fill(out.begin(), out.end(), Count{0});
  std::uint64_t drawn = 0;
  for (std::size_t s = 0; s < strata.size(); ++s) {
    places_.resize(strata[s].rows);
    const SuperBlocks blocks(strata[s].rows);
    for (std::uint64_t b = 0; b < blocks.count(); ++b)
      drawn += draw_block(s, b, replicate, places_.data() + blocks.first_row(b), worker);
    for (std::uint64_t i = 0; i < strata[s].rows; ++i) {
      const std::uint32_t row = order[strata[s].first + i];  // with weights it may have several
      if constexpr (std::is_integral_v<Count>)
        if (std::uint64_t{places_[i]} + out[row] > std::numeric_limits<Count>::max()) [[unlikely]]
          throw_too_often(row, replicate, 8 * sizeof(Count));
      out[row] = static_cast<Count>(out[row] + static_cast<Count>(places_[i]));
    }
  }
  return drawn;
}

template <class Count>
std::uint64_t CountMaker::draw_block(std::size_t stratum, std::uint64_t block,
                                     std::uint64_t replicate, Count* own,
                                     const execution::Worker& worker) {
  const SuperBlocks blocks(shared_.strata_->all()[stratum].rows);
  BlockSource source(shared_.level_, *shared_.laws_, *shared_.strata_, stratum, block);
  const std::uint64_t rows = source.counted();
  std::fill_n(own + rows, blocks.rows(block) - rows, Count{0});
  BlockCounts counts = source(replicate);
  const auto room = [&](std::uint64_t row) {
    worker.check();
    // A tile that has more rows behind it is drawn in its place: the next one overwrites what the
    // kernel leaves there.
    if constexpr (std::is_same_v<Count, std::uint8_t>)
      if (rows - row >= tile_.size()) return own + row;
    return tile_.data();
  };
  const auto keep = [&](std::uint64_t row, std::span<const std::uint8_t> tile) {
    if (tile.data() == tile_.data()) std::copy(tile.begin(), tile.end(), own + row);
  };
  const BlockCounts::Drawn drawn = counts.draw(*replaced_, late_, room, keep);
  for (const std::uint32_t row : drawn.late) add_one(own, row, blocks.first_row(block), replicate);
  return drawn.counted + drawn.late.size();
}

unsigned count_bytes(const Design& design, std::uint64_t rows) {
  // The largest mean of a count. Rows that are drawn in groups have means of 1.
  double mean = static_cast<double>(design.draws(rows)) / static_cast<double>(rows);
  const std::span<const double> weights = design.weights();
  if (!weights.empty()) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    mean *= static_cast<double>(rows) * *std::max_element(weights.begin(), weights.end()) / sum;
  }
  // By Bernstein's inequality, for binomial and Poisson counts.
  const double most = mean + 12 * std::sqrt(mean) + 60;
  return most <= 255 ? 1 : most <= 65535 ? 2 : 4;
}

template void Counting::make(std::uint64_t, std::span<std::uint8_t>, const Execution&) const;
template void Counting::make(std::uint64_t, std::span<std::uint16_t>, const Execution&) const;
template void Counting::make(std::uint64_t, std::span<std::uint32_t>, const Execution&) const;
template void Counting::make(std::uint64_t, std::span<double>, const Execution&) const;
template std::uint64_t CountMaker::make(std::uint64_t, std::uint64_t, std::span<std::uint8_t>,
                                        const execution::Worker&);
template std::uint64_t CountMaker::make(std::uint64_t, std::uint64_t, std::span<std::uint32_t>,
                                        const execution::Worker&);

}  // namespace bootfold::resample
