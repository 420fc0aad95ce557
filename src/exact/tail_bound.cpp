#include "exact/tail_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bootfold/map_reduce.h"
#include "exact/methods.h"
#include "exact/simd/kernels.h"
#include "study/column_look.h"

namespace bootfold::exact {

namespace {

constexpr std::size_t kSample = 65536;    // rows that pairs are made of
constexpr std::size_t kMostPairs = 256;   // used at a time
constexpr std::size_t kCellsAtOnce = 64;  // cells before cosines are computed anew
constexpr double kReach = 2;              // smallest u d of a pair that is used
constexpr double kSure = 32;              // exp(-32) = 1e-14 needs no node

/// A pair gives 0.73 on average; what a cell may lose of it to its width, so that enough is left.
double loss_of(std::size_t pairs) {
  const auto c = static_cast<double>(pairs);
  return std::clamp((0.73 * c - 45) / (2 * c), 0.04, 0.28);
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// A bound on -log |phi|^n for all frequencies of [low, high], from the moments.
double moment_bound(const Spread& spread, double low, double high) {
  double best = 0;
  for (const Core& core : spread.cores) {
    const double quartic = (core.fourth + 3 * core.variance * core.variance) / 12;
    // Concave in u^2: the least value of an interval is at one of its ends. A thousandth is for the
    // rounding of the moments.
    const auto at = [&](double u) {
      const double square = u * u;
      return core.rows / 2 * square * (0.999 * core.variance - 1.001 * square * quartic);
    };
    best = std::max(best, std::min(at(low), at(high)));
  }
  return best;
}

/// What is known of a stretch of frequencies.
struct Settled {
  double harmonic = 0;
  double plain = 0;
  std::vector<NodeRange> open;

  /// All k of [first, last) have |phi_k|^n <= exp(-bound).
  void charge(double first, double last, double bound) {
    const double size = std::exp(-bound);
    harmonic += size * std::log(last / std::max(0.5, first - 1));
    plain += size * (last - first);
  }
  void leave(std::uint64_t first, std::uint64_t last) {
    if (!open.empty() && open.back().last >= first) {
      open.back().last = std::max(open.back().last, last);
    } else {
      open.push_back({first, last});
    }
  }
  void scale(double factor) {
    harmonic *= factor;
    plain *= factor;
  }
  void append(Settled&& later) {
    harmonic += later.harmonic;
    plain += later.plain;
    for (const NodeRange& range : later.open) leave(range.first, range.last);
  }
};

/// The cosines of all pairs at the middles of neighbouring cells, by recurrence.
class Middles {
 public:
  Middles(std::span<const double> distances, double start, double step)
      : now_((distances.size() + simd::kLanes - 1) / simd::kLanes * simd::kLanes),
        next_(now_.size()),
        factor_(now_.size()) {
    for (std::size_t p = 0; p < distances.size(); ++p) {
      now_[p] = std::cos(start * distances[p] / 2);
      next_[p] = std::cos((start + step) * distances[p] / 2);
      factor_[p] = 2 * std::cos(step * distances[p] / 2);
    }
  }

  [[nodiscard]] simd::Cosines view() {
    return {now_.data(), next_.data(), factor_.data(), now_.size()};
  }

 private:
  std::vector<double> now_;
  std::vector<double> next_;
  std::vector<double> factor_;
};

/// Frequencies from node `first` to `last`, cut into cells that pairs can bound.
class PairScan {
 public:
  /// `least`: a bound on -log |phi|^n that is known already.
  PairScan(std::vector<double> distances, const Frequencies& frequencies, double first, double last,
           double least)
      : distances_(std::move(distances)),
        frequencies_(frequencies),
        first_(first),
        last_(last),
        least_(least) {
    if (distances_.empty()) return;
    const auto count = static_cast<double>(distances_.size());
    loss_ = loss_of(distances_.size()) * count;
    // Half a cell times the sum of the distances is what a cell loses.
    const double width = 2 * loss_ / sum_of(distances_) / frequencies.base;  // in nodes
    cells_ =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil((last - first) / width)));
    width_ = (last - first) / static_cast<double>(cells_);
  }

  [[nodiscard]] std::uint64_t runs() const { return (cells_ + kCellsAtOnce - 1) / kCellsAtOnce; }

  void settle(std::uint64_t run, const simd::Kernels& kernels, Settled& settled) const {
    const std::uint64_t begin = run * kCellsAtOnce;
    const std::uint64_t end = std::min(cells_, begin + kCellsAtOnce);
    const double middle = first_ + (static_cast<double>(begin) + 0.5) * width_;
    Middles middles(distances_, middle * frequencies_.base, width_ * frequencies_.base);
    const simd::Cosines cosines = middles.view();
    const auto count = static_cast<double>(distances_.size());
    for (std::uint64_t cell = begin; cell < end; ++cell) {
      // A hundred-millionth per pair is far above what the recurrence loses in 64 steps.
      const double bound =
          std::max(least_, 2 * (count * (1 - 1e-8) - kernels.sum_cosines(cosines)) - loss_);
      const double from = first_ + static_cast<double>(cell) * width_;
      const double to = std::min(last_, from + width_);
      if (bound < kSure && to <= frequencies_.near) {
        settled.leave(static_cast<std::uint64_t>(std::max(1.0, std::floor(from))),
                      static_cast<std::uint64_t>(std::ceil(to)) + 1);
      } else {
        settled.charge(from, to + 1, bound);
      }
    }
  }

 private:
  std::vector<double> distances_;
  Frequencies frequencies_;
  double first_;
  double last_;
  double least_;
  double loss_ = 0;
  double width_ = 0;
  std::uint64_t cells_ = 0;
};

}  // namespace

Pairs::Pairs(const Rows& rows) {
  const std::size_t size = std::min<std::uint64_t>(rows.rows(), kSample);
  std::vector<double> sample(size);
  for (std::size_t i = 0; i < size; ++i)
    sample[i] = rows.at(study::sample_row(i, size, rows.rows()));
  std::sort(sample.begin(), sample.end());
  // Rows i and i + lag of the sorted sample, in blocks of 2 lag: every row is in one pair at most.
  for (std::size_t lag = 1; 2 * lag <= size; lag *= 2) {
    std::vector<double> distances;
    for (std::size_t block = 0; block + lag < size; block += 2 * lag)
      for (std::size_t i = block; i < block + lag && i + lag < size; ++i)
        if (sample[i + lag] > sample[i]) distances.push_back(sample[i + lag] - sample[i]);
    std::sort(distances.begin(), distances.end());
    lags_.push_back(std::move(distances));
  }
}

std::vector<double> Pairs::at(double u) const {
  std::span<const double> best;
  for (const std::vector<double>& lag : lags_) {
    const auto first = std::lower_bound(lag.begin(), lag.end(), kReach / u);
    auto count = std::min(static_cast<std::size_t>(lag.end() - first), kMostPairs);
    // Of few pairs the widest cost more than they give.
    if (count < kMostPairs) count -= count / 8;
    const std::span<const double> pairs(lag.data() + (first - lag.begin()), count);
    if (pairs.size() > best.size() || (pairs.size() == best.size() && sum_of(pairs) < sum_of(best)))
      best = pairs;
  }
  return {best.begin(), best.end()};
}

double Pairs::work(double u) const {
  const std::vector<double> pairs = at(u);
  return pairs.empty() ? 0 : u * sum_of(pairs) / (2 * loss_of(pairs.size()));
}

Cover cover(const Spread& spread, const Pairs& pairs, const Frequencies& frequencies,
            std::uint64_t sampled_runs, const Execution& execution) {
  const simd::Kernels& kernels =
      simd::kernels(execution.level.value_or(execution::default_level()));
  Settled all;
  const auto end = frequencies.last + 1;  // one beyond the last node
  for (double first = 1; first < end;) {
    check(execution);
    const double last = std::min(end, first + std::max(16.0, std::floor(first / 16)));
    const double low = first * frequencies.base;
    const double bound = moment_bound(spread, low, last * frequencies.base);
    if (bound >= kSure) {
      all.charge(first, last, bound);
    } else {
      const PairScan scan(pairs.at(low), frequencies, first, last, bound);
      if (scan.runs() == 0) {
        if (last <= frequencies.near)
          all.leave(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last));
        else
          all.charge(first, last, bound);
      } else {
        const std::uint64_t runs =
            sampled_runs == 0 ? scan.runs() : std::min(scan.runs(), sampled_runs);
        Settled found = map_reduce(
            {0, static_cast<std::size_t>(runs), 0}, Settled{},
            [&](Settled& settled, std::size_t run) {
              scan.settle(run * scan.runs() / runs, kernels, settled);
            },
            [](Settled& total, Settled&& part) { total.append(std::move(part)); },
            silent(execution));
        found.scale(static_cast<double>(scan.runs()) / static_cast<double>(runs));
        all.append(std::move(found));
      }
    }
    first = last;
  }
  Cover found{std::move(all.open), all.harmonic, all.plain};
  // Cells overlap by a node; beyond the last node there is none.
  for (NodeRange& range : found.nodes)
    range.last = std::min(range.last, static_cast<std::uint64_t>(end));
  std::erase_if(found.nodes, [](const NodeRange& range) { return range.first >= range.last; });
  return found;
}

}  // namespace bootfold::exact
