#include "resample/counts.h"

#include <algorithm>
#include <array>

#include "random/counter.h"

namespace bootfold::resample {

void begin_tile(execution::Level level, const Attempt& attempt, std::uint64_t row,
                random::simd::LaneState& lanes) noexcept {
  if (row % kBlockRows == 0)
    random::simd::kernels(level).seed(
        random::lane_counter(attempt.stream(random::Purpose::counts), row / kBlockRows), lanes);
}

std::uint64_t draw_begun_tile(execution::Level level, const Poisson& poisson,
                              const Attempt& attempt, std::uint64_t row, std::size_t rows,
                              random::simd::LaneState& lanes, std::uint8_t* counts,
                              simd::OpenRow* open) noexcept {
  std::size_t open_rows = 0;
  std::uint64_t total =
      simd::kernels(level).counts(lanes, poisson.table(), rows, counts, open, open_rows);
  const random::StreamId tie = attempt.stream(random::Purpose::tie);
  for (std::size_t i = 0; i < open_rows; ++i) {
    const auto words = random::block(tie, row + open[i].row);
    const std::uint64_t more = std::uint64_t{words[1]} << 32 | words[0];
    const std::uint8_t count = poisson.count(open[i].bits, more);
    counts[open[i].row] = count;
    total += count;
  }
  return total;
}

std::uint64_t draw_tile(execution::Level level, const Poisson& poisson, const Attempt& attempt,
                        std::uint64_t row, std::size_t rows, random::simd::LaneState& lanes,
                        std::uint8_t* counts, simd::OpenRow* open) noexcept {
  begin_tile(level, attempt, row, lanes);
  return draw_begun_tile(level, poisson, attempt, row, rows, lanes, counts, open);
}

TopUp::TopUp(execution::Level level, const Attempt& attempt, std::uint64_t rows,
             const random::simd::LaneState& lanes) noexcept
    : level_(level),
      retry_(attempt.stream(random::Purpose::top_up_retry)),
      rows_(rows),
      lanes_(lanes) {
  if (rows > kBlockRows)
    random::simd::kernels(level).seed(
        random::lane_counter(attempt.stream(random::Purpose::top_up), 0), lanes_);
}

void TopUp::draw(std::span<std::uint64_t> out) {
  if (rows_ > kBlockRows) {
    draw_long(out);
    return;
  }
  std::array<std::uint32_t, kDrawsAtOnce + kSideBySide> rows;
  for (std::size_t first = 0; first < out.size(); first += kDrawsAtOnce) {
    const std::size_t size = std::min(kDrawsAtOnce, out.size() - first);
    draw_short(std::span(rows).first(size));
    std::copy_n(rows.begin(), size, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void TopUp::draw_short(std::span<std::uint32_t> out) {
  const simd::RowDraw draw = row_draw(static_cast<std::uint32_t>(rows_));
  std::array<std::uint32_t, kDrawsAtOnce> rejected;
  std::size_t rejections = 0;
  simd::kernels(level_).rows(lanes_, draw, out.size(), out.data(), rejected.data(), rejections);
  for (std::size_t i = 0; i < rejections; ++i)
    out[rejected[i]] = redraw(retry_, static_cast<std::uint32_t>(drawn_ + rejected[i]), draw);
  drawn_ += out.size();
}

void TopUp::draw_long(std::span<std::uint64_t> out) {
  const std::uint64_t reject = (0 - rows_) % rows_;
  const random::simd::Kernels& kernels = random::simd::kernels(level_);
  std::array<std::uint64_t, 32 * random::Lanes::kLanes> words;
  for (std::size_t first = 0; first < out.size(); first += words.size()) {
    const std::size_t size = std::min(words.size(), out.size() - first);
    kernels.words(lanes_, (size + random::Lanes::kLanes - 1) / random::Lanes::kLanes, words.data());
    for (std::size_t i = 0; i < size; ++i) {
      const auto product = static_cast<unsigned __int128>(words[i]) * rows_;
      out[first + i] = static_cast<std::uint64_t>(product) >= reject
                           ? static_cast<std::uint64_t>(product >> 64)
                           : redraw_long(retry_, drawn_ + first + i, rows_);
    }
  }
  drawn_ += out.size();
}

}  // namespace bootfold::resample
