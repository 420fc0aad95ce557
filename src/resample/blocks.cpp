#include "resample/blocks.h"

#include <algorithm>
#include <cmath>

#include "resample/rows.h"

namespace bootfold::resample {

using random::Purpose;

GeometricLengths::GeometricLengths(double mean) {
  const double stay = 1 - 1 / mean;
  double beyond = 1;  // P(length > k)
  while (thresholds_.size() < kMostThresholds) {
    beyond *= stay;
    const double threshold = std::ldexp(1 - beyond, 64);
    if (threshold >= 0x1p64) break;
    thresholds_.push_back(static_cast<std::uint64_t>(threshold));
  }
  // The last one would leave nothing beyond: then bits are always below it.
  if (thresholds_.size() < kMostThresholds) thresholds_.push_back(~std::uint64_t{0});
  // A cell is all bits with the same first 12. One that holds a threshold is split there.
  std::size_t k = 0;
  for (std::uint64_t cell = 0; cell < table_.size(); ++cell) {
    constexpr int kShift = 64 - kTableBits;
    const std::size_t before = k;
    while (k < thresholds_.size() && thresholds_[k] >> kShift <= cell) ++k;
    const std::uint64_t split =
        k == before ? 0xFFFFF : thresholds_[before] >> (kShift - 20) & 0xFFFFF;
    const bool decided = k - before < 2 && k < thresholds_.size() && before + 1 < 0xFFF;
    table_[cell] =
        decided ? static_cast<std::uint32_t>((before + 1) << 20 | split) : simd::kUndecided;
  }
}

std::uint64_t GeometricLengths::length(std::uint64_t bits) const {
  const auto above = std::upper_bound(thresholds_.begin(), thresholds_.end(), bits);
  if (above == thresholds_.end()) return 0;
  return static_cast<std::uint64_t>(above - thresholds_.begin()) + 1;
}

BlockLaw::BlockLaw(BlockKind kind, double length, std::uint64_t rows, execution::Level level)
    : level_(level),
      rows_(static_cast<std::uint32_t>(rows)),
      mean_length_(length),
      lengths_(kind == BlockKind::stationary ? length : 1),
      draw_{row_draw(rows_), static_cast<std::uint32_t>(length), nullptr} {
  if (kind == BlockKind::stationary) draw_.table = lengths_.table();
  if (kind == BlockKind::moving) draw_.start = row_draw(rows_ - draw_.length + 1);
}

std::uint32_t BlockLaw::start(std::uint64_t word, const random::StreamId& id,
                              std::uint64_t position) const {
  const std::uint64_t product = (word >> 32) * draw_.start.rows;
  if (static_cast<std::uint32_t>(product) >= draw_.start.reject)
    return static_cast<std::uint32_t>(product >> 32);
  return redraw({id.seed, id.replicate, Purpose::block_retry}, static_cast<std::uint32_t>(position),
                draw_.start);
}

std::uint32_t BlockLaw::length(std::uint64_t word, const random::StreamId& id,
                               std::uint64_t position) const {
  if (draw_.table == nullptr) return draw_.length;
  const auto more = random::block({id.seed, id.replicate, Purpose::block_length}, position);
  std::uint64_t length = lengths_.length(word << 32 | more[0]);
  if (length == 0) {
    // Beyond the table: a stream of the block's own.
    random::Stream words({.seed = std::uint64_t{more[2]} << 32 | more[1],
                          .replicate = more[3],
                          .purpose = Purpose::block_length});
    std::uint64_t before = 0;
    for (; length == 0 && before < rows_; length = lengths_.length(words()))
      before += lengths_.reach();
    length += before;
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(length, rows_));
}

BlockLaw::Batch::Batch(const BlockLaw& law, std::uint64_t seed, std::uint64_t replicate)
    : law_(law), id_{seed, replicate, Purpose::block} {
  random::simd::kernels(law.level_).seed(random::lane_counter(id_, 0), lanes_);
}

BlockList BlockLaw::Batch::next(std::uint64_t left) {
  // As many as are likely to be needed, in whole steps.
  const double likely = static_cast<double>(left) / law_.mean_length_ + 1;
  const std::size_t drawn =
      likely < kMost ? (static_cast<std::size_t>(likely) + 7) / 8 * 8 : std::size_t{kMost};
  std::size_t open = 0;
  simd::kernels(law_.level_)
      .blocks(lanes_, law_.draw_, drawn, starts_.data(), lengths_.data(), open_.data(), open);
  for (std::size_t i = 0; i < open; ++i) {
    const std::uint32_t block = open_[i].block;
    starts_[block] = law_.start(open_[i].word, id_, drawn_ + block);
    lengths_[block] = law_.length(open_[i].word, id_, drawn_ + block);
  }
  drawn_ += drawn;
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < drawn; ++i) rows += lengths_[i];
  std::size_t used = drawn;
  if (rows > left) {
    used = 0;
    for (std::uint64_t room = left; room > 0; ++used) {
      lengths_[used] = static_cast<std::uint32_t>(std::min<std::uint64_t>(lengths_[used], room));
      room -= lengths_[used];
    }
  }
  return {{starts_.data(), used}, {lengths_.data(), used}};
}

}  // namespace bootfold::resample
