#include "resample/schemes/blocks.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "resample/sampling_by.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

struct BlockRows {
  std::uint64_t seed;
  std::shared_ptr<const BlockLaw> law;

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) const {
    out.clear();
    law->for_each(seed, replicate, [&](const BlockList& blocks) {
      for (std::size_t b = 0; b < blocks.starts.size(); ++b)
        for (std::uint64_t i = 0; i < blocks.lengths[b]; ++i) {
          const std::uint64_t row = blocks.starts[b] + i;
          out.push_back(static_cast<std::uint32_t>(row < law->rows() ? row : row - law->rows()));
        }
    });
    return out;
  }
};

/// Adds `blocks` draws of `length` neighbours that start at one of the first `starts` rows;
/// running[i] is the sum before row i. The first row follows the last.
void add_blocks(std::span<const double> running, std::uint64_t starts, std::uint64_t length,
                double blocks, Cumulants& sums) {
  if (length == 0) return;
  const std::uint64_t rows = running.size() - 1;
  const auto sum_at = [&](std::uint64_t start) {
    const std::uint64_t end = start + length;
    return end <= rows ? running[end] - running[start]
                       : running[rows] - running[start] + running[end - rows];
  };
  numeric::Compensated all;
  for (std::uint64_t start = 0; start < starts; ++start) all.add(sum_at(start));
  const double mean = all.value() / static_cast<double>(starts);
  for (std::uint64_t start = 0; start < starts; ++start)
    sums.add(sum_at(start) - mean, blocks / static_cast<double>(starts));
}

/// Whole blocks, and the last one, which is cut.
Cumulants of_fixed_blocks(std::span<const double> u, std::uint64_t starts, std::uint64_t length) {
  std::vector<double> running(u.size() + 1);
  numeric::Compensated sum;
  for (std::size_t i = 0; i < u.size(); ++i) {
    sum.add(u[i]);
    running[i + 1] = sum.value();
  }
  Cumulants sums;
  add_blocks(running, starts, length, static_cast<double>(u.size() / length), sums);
  add_blocks(running, starts, u.size() % length, 1, sums);
  return sums;
}

/// A number that depends on q, and its derivative by q.
struct Dual {
  double value = 0;
  double slope = 0;
};
Dual operator+(Dual a, Dual b) { return {a.value + b.value, a.slope + b.slope}; }
Dual operator*(Dual a, Dual b) {
  return {a.value * b.value, a.value * b.slope + a.slope * b.value};
}
Dual operator*(double a, Dual b) { return {a * b.value, a * b.slope}; }

/// Stationary blocks. Places s <= t of a replicate hold rows i and i + (t - s) with probability
/// q^(t - s), q = 1 - 1 / mean length, and otherwise independent ones, whose products have mean 0.
/// So E (sum U)^2 is the sum over lags m < n of (n - m) q^m times products at that lag, and that of
/// (sum U)^3 alike with m the reach of three places. With the series F(q) of the q^m that is
/// n F - q F', for which F' is carried along. From row to row F follows by one step, minus what now
/// reaches n.
Cumulants of_stationary_blocks(std::span<const double> u, double mean_length) {
  const std::size_t n = u.size();
  const auto rows = static_cast<double>(n);
  const double stay = 1 - 1 / mean_length;
  const Dual q{stay, 1};
  const Dual round{std::pow(stay, rows), rows * std::pow(stay, rows - 1)};  // q^n
  // Behind the current row: U, U^2, and products of two different U, at their farther lag.
  Dual one;
  Dual square;
  Dual pair;
  Dual power{1, 0};
  double before = 0;
  for (std::size_t m = 0; m + 1 < n; ++m) {  // the last row's: the first row is the next
    power = power * q;
    one = one + u[m] * power;
    square = square + u[m] * u[m] * power;
    pair = pair + u[m] * before * power;
    before += u[m];
  }
  Cumulants sums;
  for (std::size_t i = n; i-- > 0;) {
    const double a = u[i];
    const Dual two = Dual{a * a, 0} + 2 * a * one;
    const Dual three = Dual{a * a * a, 0} + 3 * a * (a * one + square + 2 * pair);
    sums.second.add(two.value - stay * two.slope / rows);
    sums.third.add(three.value - stay * three.slope / rows);
    if (i == 0) break;
    const double next = u[i - 1];
    pair = q * (a * one + pair) + next * next * round;
    one = q * (Dual{a, 0} + one) + -next * round;
    square = q * (Dual{a * a, 0} + square) + -next * next * round;
  }
  return sums;
}

}  // namespace

std::string_view BlockDesign::name() const {
  switch (kind_) {
    case BlockKind::moving:
      return "moving";
    case BlockKind::circular:
      return "circular";
    case BlockKind::stationary:
      break;
  }
  return "stationary";
}

std::string BlockDesign::describe(std::uint64_t) const {
  return text::concat(name(), ", blocks of ", length_, length_ == 1 ? " row" : " rows",
                      kind_ == BlockKind::stationary ? " on average" : "");
}

void BlockDesign::check(std::uint64_t rows) const {
  if (!(length_ >= 1) || length_ > static_cast<double>(rows))
    throw InvalidArgument(text::concat("block_length is ", length_, " but must be from 1 to ",
                                       text::grouped(rows), ", the number of rows"));
}

std::uint64_t BlockDesign::units(std::uint64_t rows) const {
  return length_ >= 1 ? std::max<std::uint64_t>(
                            1, static_cast<std::uint64_t>(static_cast<double>(rows) / length_))
                      : rows;
}

Traits BlockDesign::traits(std::uint64_t) const { return {}; }

std::shared_ptr<const Sampling> BlockDesign::sampling(std::uint64_t rows, std::uint64_t seed,
                                                      std::uint64_t, execution::Level level) const {
  return sampling_by(BlockRows{seed, blocks(rows, level)});
}

/// Row i is in a block of l rows if that starts at one of the rows i - l + 1 .. i, as far as these
/// are among the n - L + 1 starts. There are n / L whole blocks, and a last one that is cut.
std::vector<double> BlockDesign::expected_counts(std::uint64_t rows) const {
  const auto length = static_cast<std::uint64_t>(length_);
  if (kind_ != BlockKind::moving || length == 1 || length == rows) return {};
  const std::uint64_t last_start = rows - length;
  const auto starts = [&](std::uint64_t row, std::uint64_t reach) {
    const std::uint64_t first = row < reach ? 0 : row - reach + 1;
    const std::uint64_t last = std::min(row, last_start);
    return first <= last ? last - first + 1 : 0;
  };
  std::vector<double> counts(rows);
  for (std::uint64_t row = 0; row < rows; ++row)
    counts[row] =
        static_cast<double>(rows / length * starts(row, length) + starts(row, rows % length));
  return counts;
}

std::unique_ptr<const BlockLaw> BlockDesign::blocks(std::uint64_t rows,
                                                    execution::Level level) const {
  return std::make_unique<const BlockLaw>(kind_, length_, rows, level);
}

std::optional<Cumulants> BlockDesign::cumulants(std::span<const double> changes) const {
  if (kind_ == BlockKind::stationary) return of_stationary_blocks(changes, length_);
  const auto length = static_cast<std::uint64_t>(length_);
  const bool moving = kind_ == BlockKind::moving;
  return of_fixed_blocks(changes, moving ? changes.size() - length + 1 : changes.size(), length);
}

std::shared_ptr<const Design> BlockDesign::fitted(const DataView& data) const {
  if (length_ != 0 || data.rows() == 0) return nullptr;
  BlockLengths longest{1, 1};
  for (std::size_t c = 0; c < data.columns(); ++c) {
    const BlockLengths lengths = block_lengths(data.column(c));
    longest.stationary = std::max(longest.stationary, lengths.stationary);
    longest.fixed = std::max(longest.fixed, lengths.fixed);
  }
  return std::make_shared<const BlockDesign>(
      kind_, kind_ == BlockKind::stationary ? longest.stationary : std::round(longest.fixed));
}

}  // namespace bootfold::resample
