// Statistics of the rows in the order of their values, from counts.
//
// Columns are sorted once. Counts are drawn in the order of the rows, so a replicate is the
// resample that every other statistic sees, and all columns share it. Then rows are looked up in
// the order of each column, for eight replicates at a time, and nothing is sorted again:
//
//   gini, top_share  sums over the gaps between neighbouring values, each times the number of rows
//                    drawn above it. No term is negative, so nothing cancels.
//   mad, quantiles   running counts, in which ranks are looked up. The values between which half of
//                    the deviations lie are found by bisection on both sides of the median.
//   spearman         the running counts are the ranks. Those of the first column are kept, with the
//                    counts, in its order, and looked up in the order of the second; sums of whole
//                    numbers, exact up to 2^53.
//   trimmed means    values times that part of their counts which lies between the ranks that are
//                    kept. Of many rows and without the others, windows of values are faster
//                    (walk.h).
//   sums             beside these: counts times the integers of the features, in the order of rows.
#include "paths/ordered.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "execution/large_array.h"
#include "numeric/compensated.h"
#include "paths/counted_column.h"
#include "paths/lane_counts.h"
#include "paths/simd/kernels.h"
#include "paths/sums.h"
#include "study/sorted_column.h"

namespace bootfold::paths::ordered {

namespace {

using simd::kLanes;
using study::Part;
using Kind = statistic::Ordered::Kind;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Ranks are kept in 32 bits with a sign. Schemes whose resamples vary in size may draw more rows
/// than usual, but not by so many as there are left here: 22 standard deviations.
constexpr std::uint64_t kMostDraws = (std::uint64_t{1} << 31) - (std::uint64_t{1} << 20);

/// Rows of a walk between two looks at the time; a multiple of the blocks of kernels.
constexpr std::size_t kWalk = std::size_t{1} << 18;

/// Up to so many rows, trimmed means and quantiles are found here without gini and the like, too:
/// most rows would lie in windows of values, which are counted one by one.
constexpr std::uint64_t kFewRows = 4096;

/// Terms of a trimmed mean that are added up as they are; the sums of blocks are compensated.
constexpr std::size_t kTrimmedBlock = 256;

/// Null: it is another statistic.
const statistic::Ordered* ordered_of(const Part& part) {
  const auto* call = std::get_if<statistic::Call>(&part.bound.body);
  return call != nullptr && call->ordered ? &*call->ordered : nullptr;
}

bool is_sum(const Part& part) { return std::holds_alternative<statistic::Sums>(part.bound.body); }

bool is_quantile(const Part& part) {
  return std::holds_alternative<statistic::Order>(part.bound.body);
}

/// The share that a trimmed mean cuts at each end; null: it is another statistic.
const double* trimmed_of(const Part& part) {
  const auto* call = std::get_if<statistic::Call>(&part.bound.body);
  return call != nullptr && call->trimmed && !part.weighted ? &*call->trimmed : nullptr;
}

/// The integers of functions of sums that are asked for beside: with the digits that they have
/// alone, so that they have the same bits. Null: there are none.
const study::FixedSums* fixed_of(const Question& question) {
  if (question.problem().features.empty()) return nullptr;
  return &question.study.fixed(question.tolerance, !question.design.streams(question.rows));
}

/// So many rows of counts below 256 times integers of so many digits add up to less than 2^63.
std::size_t rows_within_range(std::size_t digits) {
  return std::size_t{1} << (8 * (study::kLimbDigits - std::min(digits, study::kLimbDigits)));
}

bool is(const Part& part, Kind kind) {
  const statistic::Ordered* const own = ordered_of(part);
  return own != nullptr && own->kind == kind;
}

bool takes_gaps(const Part& part) { return is(part, Kind::gini) || is(part, Kind::top_share); }

bool takes_running(const Part& part) { return is(part, Kind::mad) || is_quantile(part); }

/// A sorted column and what the statistics of it need.
struct Column {
  study::SortedColumn sorted = {};
  std::vector<const Part*> by_gaps = {};
  std::vector<const Part*> by_running = {};
  std::vector<const Part*> trimmed = {};
  std::vector<double> gaps = {};  // to the next value, in units of `unit`; negative values count 0
  double smallest = 0;            // value, in the same unit
  std::size_t negatives = 0;      // rows
  std::vector<study::Tie> ties = {};  // for ranks

  /// Values in a unit so large that no sum overflows; ratios of sums do not depend on it.
  void find_gaps() {
    const double largest = std::max(0.0, sorted.values.back());
    const int unit = largest > 0 ? std::ilogb(largest) + 1 : 0;
    const auto value = [&](std::size_t place) {
      return std::ldexp(std::max(0.0, sorted.values[place]), -unit);
    };
    smallest = value(0);
    gaps.resize(sorted.values.size());
    for (std::size_t i = 0; i + 1 < gaps.size(); ++i) gaps[i] = value(i + 1) - value(i);
    negatives = static_cast<std::size_t>(
        std::lower_bound(sorted.values.begin(), sorted.values.end(), 0.0) - sorted.values.begin());
  }
};

/// Two columns whose ranks are correlated.
struct Pair {
  const Part* part;
  const Column* first;
  const Column* second;
  std::vector<std::uint32_t> places = {};  // in the first column, in the order of the second

  void find_places() {
    std::vector<std::uint32_t> place_of(first->sorted.rows.size());
    for (std::uint32_t i = 0; i < place_of.size(); ++i) place_of[first->sorted.rows[i]] = i;
    places.reserve(place_of.size());
    for (const std::uint32_t row : second->sorted.rows) places.push_back(place_of[row]);
  }
};

/// What all makers share.
struct Shared {
  Shared(const Question& question, const Resources& resources)
      : problem(question.problem()),
        kernels(simd::kernels(resources.level())),
        counting(question.design, question.rows, question.seed, question.replicates,
                 resources.level()) {
    if (const study::FixedSums* const found = fixed_of(question)) {
      sums = found;
      integers = integer_features(*sums, study::simd::kernels(resources.level()), problem.data);
    }
    for (const Part& part : problem.parts) {
      if (is_sum(part)) continue;
      Column& column = columns[part.columns[0]];
      if (takes_gaps(part)) column.by_gaps.push_back(&part);
      if (takes_running(part)) column.by_running.push_back(&part);
      if (trimmed_of(part) != nullptr) column.trimmed.push_back(&part);
      if (is(part, Kind::spearman)) pairs.push_back({&part, &column, &columns[part.columns[1]]});
    }
    for (auto& [number, column] : columns) {
      column.sorted = study::sorted(problem.data.column(number), resources.execution.stop);
      if (!column.by_gaps.empty()) column.find_gaps();
    }
    for (Pair& pair : pairs) {
      for (const std::uint32_t number : pair.part->columns)
        if (columns[number].ties.empty()) columns[number].ties = columns[number].sorted.ties();
      pair.find_places();
    }
  }

  const study::Problem& problem;
  const simd::Kernels& kernels;
  resample::Counting counting;
  const study::FixedSums* sums = nullptr;
  std::vector<std::int64_t> integers;       // [limb][row]
  std::map<std::uint32_t, Column> columns;  // by number
  std::vector<Pair> pairs;
};

class Walker final : public Maker {
 public:
  explicit Walker(const Shared& shared)
      : shared_(shared), counts_(shared.counting, shared.kernels) {
    const std::size_t rows = shared.counting.rows();
    if (std::ranges::any_of(shared.problem.parts, takes_running))
      running_.resize((rows + simd::kRunning - 1) / simd::kRunning * kLanes);
    if (shared.sums != nullptr) finish_.emplace(*shared.sums);
    if (!shared.pairs.empty()) records_ = execution::LargeArray<std::uint8_t>(rows * simd::kRecord);
  }

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    outputs_ = values.size() / (last - first);
    for (std::uint64_t r = first; r < last; r += kLanes) {
      lanes_ = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, last - r));
      values_ = values.subspan((r - first) * outputs_, lanes_ * outputs_);
      counts_.draw(r, lanes_, worker);
      for (const auto& [number, column] : shared_.columns) {
        for (const Part* const part : column.by_gaps) walk_gaps(column, *part, worker);
        for (const Part* const part : column.trimmed) walk_trimmed(column, *part, worker);
        if (!column.by_running.empty()) walk_running(column, worker);
      }
      for (const Pair& pair : shared_.pairs) correlate(pair, worker);
      if (finish_) add_up(worker);
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        if (counts_.draws()[lane] == 0)  // a scheme may draw no row at all
          std::ranges::fill(values_.subspan(lane * outputs_, outputs_), kNone);
      worker.advance(static_cast<double>(lanes_) * static_cast<double>(shared_.counting.rows()));
    }
  }

 private:
  /// Calls add(begin, size) for pieces of the places begin .. end - 1.
  template <class Add>
  static void in_pieces(std::size_t begin, std::size_t end, const execution::Worker& worker,
                        const Add& add) {
    for (; begin < end; begin += kWalk) {
      worker.check();
      add(begin, std::min(kWalk, end - begin));
    }
  }

  void add_up(const execution::Worker& worker) {
    const std::size_t rows = shared_.counting.rows();
    const std::size_t limbs = shared_.sums->limbs.size();
    sums_.assign(kLanes * limbs, 0);
    for (std::size_t limb = 0; limb < limbs; ++limb) {
      const std::int64_t* const integers = shared_.integers.data() + limb * rows;
      const std::size_t most = std::min(kWalk, rows_within_range(shared_.sums->limbs[limb].digits));
      for (std::size_t begin = 0; begin < rows; begin += most) {
        if (begin % kWalk == 0) worker.check();
        std::int64_t piece[kLanes] = {};
        for (std::size_t row = begin; row < std::min(rows, begin + most); ++row)
          for (std::size_t lane = 0; lane < kLanes; ++lane)
            piece[lane] += counts_.data()[row * kLanes + lane] * integers[row];
        for (std::size_t lane = 0; lane < kLanes; ++lane) sums_[lane * limbs + limb] += piece[lane];
      }
    }
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      if (counts_.draws()[lane] > 0)
        (*finish_)(std::span(sums_).subspan(lane * limbs, limbs),
                   static_cast<double>(counts_.draws()[lane]),
                   values_.subspan(lane * outputs_, outputs_));
  }

  void walk_gaps(const Column& column, const Part& part, const execution::Worker& worker) {
    const statistic::Ordered& own = *ordered_of(part);
    simd::GapSums sums{};
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      sums.draws[lane] = static_cast<double>(counts_.draws()[lane]);
      sums.limit[lane] = own.share * sums.draws[lane];
      sums.sum[lane] = sums.draws[lane] * column.smallest;
      sums.top[lane] = sums.limit[lane] * column.smallest;
    }
    const auto kernel =
        own.kind == Kind::gini ? shared_.kernels.add_spread : shared_.kernels.add_top;
    const auto add = [&](std::size_t begin, std::size_t size) {
      kernel(counts_.data(), column.sorted.rows.data() + begin, column.gaps.data() + begin, size,
             sums);
    };
    in_pieces(0, column.negatives, worker, add);
    bool negative[kLanes];
    for (std::size_t lane = 0; lane < lanes_; ++lane) negative[lane] = sums.below[lane] > 0;
    in_pieces(column.negatives, column.gaps.size(), worker, add);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      double& value = values_[lane * outputs_ + part.first_output];
      if (negative[lane] || sums.sum[lane] == 0)
        value = kNone;
      else if (own.kind == Kind::gini)
        value = sums.spread[lane] / (sums.draws[lane] * sums.sum[lane]);
      else
        value = sums.top[lane] / sums.sum[lane];
    }
  }

  void walk_trimmed(const Column& column, const Part& part, const execution::Worker& worker) {
    std::uint32_t first[kLanes] = {};  // draws that are kept: number first .. last - 1
    std::uint32_t last[kLanes] = {};
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const auto draws = static_cast<std::uint32_t>(counts_.draws()[lane]);
      first[lane] =
          static_cast<std::uint32_t>(std::floor(*trimmed_of(part) * static_cast<double>(draws)));
      last[lane] = draws - first[lane];
    }
    std::uint32_t seen[kLanes] = {};
    std::uint32_t kept[kLanes] = {};  // seen, between first and last
    std::copy_n(first, kLanes, kept);
    numeric::Compensated totals[kLanes];
    const std::uint8_t* const counts = counts_.data();
    in_pieces(0, column.sorted.rows.size(), worker, [&](std::size_t begin, std::size_t size) {
      for (std::size_t from = begin; from < begin + size; from += kTrimmedBlock) {
        double sums[kLanes] = {};
        for (std::size_t place = from; place < std::min(begin + size, from + kTrimmedBlock);
             ++place) {
          const std::uint8_t* const own = counts + std::size_t{column.sorted.rows[place]} * kLanes;
          const double value = column.sorted.values[place];
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            seen[lane] += own[lane];
            const std::uint32_t now = std::min(std::max(seen[lane], first[lane]), last[lane]);
            sums[lane] += static_cast<double>(static_cast<std::int32_t>(now - kept[lane])) * value;
            kept[lane] = now;
          }
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) totals[lane].add(sums[lane]);
      }
    });
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      values_[lane * outputs_ + part.first_output] =
          last[lane] > first[lane]
              ? totals[lane].value() / static_cast<double>(last[lane] - first[lane])
              : kNone;
  }

  void walk_running(const Column& column, const execution::Worker& worker) {
    std::uint32_t below[kLanes] = {};
    in_pieces(0, column.sorted.rows.size(), worker, [&](std::size_t begin, std::size_t size) {
      shared_.kernels.add_running(counts_.data(), column.sorted.rows.data() + begin, size, below,
                                  running_.data() + begin / simd::kRunning * kLanes);
    });
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::uint64_t draws = counts_.draws()[lane];
      if (draws == 0) continue;
      const CountedColumn counted(column.sorted, counts_.data() + lane, running_.data() + lane,
                                  draws);
      for (const Part* const part : column.by_running) {
        const std::span<double> own =
            values_.subspan(lane * outputs_ + part->first_output, part->outputs());
        if (const auto* order = std::get_if<statistic::Order>(&part->bound.body)) {
          quantiles_.clear();
          for (const double q : order->probabilities) quantiles_.push_back(counted.quantile(q));
          order->finish(quantiles_, own);
        } else {
          own[0] = counted.mad();
        }
      }
    }
  }

  void correlate(const Pair& pair, const execution::Worker& worker) {
    const simd::Kernels& kernels = shared_.kernels;
    const std::uint32_t* const rows = pair.first->sorted.rows.data();
    const std::uint32_t* const places = pair.places.data();
    const simd::RankSums first = walk_ranks(
        *pair.first, worker,
        [&](std::size_t begin, std::size_t size, bool tie, simd::RankSums& sums) {
          (tie ? kernels.tie_first_ranks : kernels.first_ranks)(
              counts_.data(), rows + begin, size, records_.data() + begin * simd::kRecord, sums);
        });
    const simd::RankSums second =
        walk_ranks(*pair.second, worker,
                   [&](std::size_t begin, std::size_t size, bool tie, simd::RankSums& sums) {
                     (tie ? kernels.tie_second_ranks : kernels.second_ranks)(
                         records_.data(), places + begin, size, sums);
                   });
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const double x = first.squares[lane];
      const double y = second.squares[lane];
      values_[lane * outputs_ + pair.part->first_output] =
          x > 0 && y > 0 ? std::clamp(second.products[lane] / std::sqrt(x * y), -1.0, 1.0) : kNone;
    }
  }

  /// Calls add(begin, size, whether they are equal, sums) for all places of a column.
  template <class Add>
  simd::RankSums walk_ranks(const Column& column, const execution::Worker& worker, const Add& add) {
    simd::RankSums sums{};
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      sums.draws[lane] = static_cast<std::uint32_t>(counts_.draws()[lane]);
    const auto add_piece = [&](std::size_t begin, std::size_t size) {
      add(begin, size, false, sums);
    };
    std::size_t place = 0;
    for (const study::Tie& own : column.ties) {
      in_pieces(place, own.begin, worker, add_piece);
      worker.check();
      add(own.begin, own.end - own.begin, true, sums);
      place = own.end;
    }
    in_pieces(place, column.sorted.rows.size(), worker, add_piece);
    return sums;
  }

  const Shared& shared_;
  LaneCounts counts_;
  std::vector<std::uint32_t> running_;           // [block of places][lane]
  execution::LargeArray<std::uint8_t> records_;  // [place]
  std::size_t outputs_ = 0;
  std::size_t lanes_ = 0;
  std::span<double> values_;  // [lane][output]
  std::vector<double> quantiles_;
  std::optional<Finisher> finish_;
  std::vector<__int128> sums_;  // [lane][limb]
};

/// Numbers of the columns that are sorted.
std::size_t columns_of(const study::Problem& problem) {
  std::vector<std::uint32_t> numbers;
  for (const Part& part : problem.parts)
    if (!is_sum(part)) numbers.insert(numbers.end(), part.columns.begin(), part.columns.end());
  std::ranges::sort(numbers);
  return static_cast<std::size_t>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
}

}  // namespace

bool suits(const Question& question) {
  const auto& parts = question.problem().parts;
  if (question.rows > kMostDraws || question.draws > kMostDraws || !LaneCounts::suits(question))
    return false;
  const auto is_ordered = [](const Part& part) { return ordered_of(part) != nullptr; };
  const bool few = question.rows <= kFewRows && question.design.streams(question.rows) &&
                   question.design.clusters().empty() && !std::ranges::all_of(parts, is_sum);
  return (few || std::ranges::any_of(parts, is_ordered)) &&
         std::ranges::all_of(parts, [&](const Part& part) {
           return is_ordered(part) || is_sum(part) || is_quantile(part) ||
                  trimmed_of(part) != nullptr;
         });
}

Estimate estimate(const Question& question) {
  const bool streams = question.design.streams(question.rows);
  const auto rows = static_cast<double>(question.rows);
  const auto& parts = question.problem().parts;
  const std::size_t columns = columns_of(question.problem());
  double row = 0.2;  // nanoseconds
  std::size_t pairs = 0;
  const study::FixedSums* const sums = fixed_of(question);
  const std::size_t limbs = sums == nullptr ? 0 : sums->limbs.size();
  row += 0.4 * static_cast<double>(limbs);
  for (const Part& part : parts) {
    if (is_sum(part)) continue;
    row += is(part, Kind::spearman) || trimmed_of(part) != nullptr ? 2.5 : 0.5;
    pairs += is(part, Kind::spearman) ? 1 : 0;
  }
  Estimate found;
  if (sums != nullptr && !sums->accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  if (sums != nullptr) describe_arithmetic(*sums, found);
  found.tier = streams ? Tier::counts : Tier::resample;
  found.reason = "counts are walked over in the order of the values, which is found once";
  found.replicate_nanoseconds = 250 + 300 * static_cast<double>(parts.size()) + rows * row +
                                (streams ? 0 : 4 * static_cast<double>(question.draws));
  found.start_nanoseconds = 120 * rows * static_cast<double>(columns);
  // Of a row: its number, value and gap in each column, half a tie, its place in a pair, and while
  // columns are sorted or paired one more.
  constexpr std::size_t kColumnBytes = 20 + sizeof(study::Tie) / 2;
  constexpr std::size_t kSortingBytes = 16;
  found.shared_bytes =
      LaneCounts::shared_bytes(question) +
      question.rows * (kSortingBytes + columns * kColumnBytes + pairs * sizeof(std::uint32_t) +
                       limbs * sizeof(std::int64_t));
  found.thread_bytes = LaneCounts::thread_bytes(question) +
                       (question.rows / simd::kRunning + 1) * kLanes * sizeof(std::uint32_t) +
                       (pairs > 0 ? question.rows * simd::kRecord : 0);
  found.group = kLanes;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<EngineOf<Shared, Walker>>(
      kLanes * std::max<std::uint64_t>(1, 16384 / question.rows), question.rows,
      std::make_shared<const Shared>(question, resources));
}

}  // namespace bootfold::paths::ordered
