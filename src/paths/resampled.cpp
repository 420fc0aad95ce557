// Path `gather` for anything: the rows of the resample are drawn, and every statistic looks at
// them.
//
// Functions of sums and accumulators see the drawn rows a tile at a time; the resample is held as a
// whole only for quantiles and functions that need it. Where these take rows in any order (path
// `stream`), counts are drawn and the rows repeated: memory is read and written in order, which is
// faster than looking up single rows.
#include "paths/resampled.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "numeric/compensated.h"
#include "numeric/quantile.h"
#include "paths/strata_sums.h"
#include "paths/sums.h"
#include "planning/choose.h"
#include "resample/counting.h"
#include "resample/overloaded.h"
#include "resample/sampler.h"
#include "study/tile.h"
#include "text/concat.h"

namespace bootfold::paths::resampled {

namespace {

using numeric::Compensated;
using study::kTileRows;
using study::Part;

/// Whether some statistic needs the whole resample at once.
bool needs_whole(const study::Problem& problem) {
  return std::any_of(problem.parts.begin(), problem.parts.end(), [](const Part& part) {
    return std::holds_alternative<statistic::Order>(part.bound.body) ||
           std::holds_alternative<statistic::Call>(part.bound.body);
  });
}

/// Whether sums are kept in doubles, because fixed point cannot hold them to the tolerance.
bool compensated(const Question& question) {
  return !question.problem().features.empty() &&
         !question.study.fixed(question.tolerance, true).accurate();
}

/// Whether the integers of all rows are kept, so that a drawn row is only looked up. It never
/// changes a replicate.
bool keeps_integers(const Question& question) {
  if (question.problem().features.empty() || needs_whole(question.problem()) ||
      compensated(question))
    return false;
  const std::size_t room = question.memory - std::min(question.memory, planning::kProgramBytes);
  return question.rows * question.study.fixed(question.tolerance, true).limbs.size() *
             sizeof(std::int64_t) <=
         room / 4;
}

/// The problem in the units in which it is computed.
study::Problem problem_of(const Question& question) {
  if (question.problem().features.empty()) return question.problem();
  if (compensated(question)) return question.problem().rescaled(question.study.summaries());
  return question.study.fixed(question.tolerance, true).problem;
}

/// A replicate that is drawn out in full.
double cost(const Size& size) {
  const double row = size.rows <= 1e5 ? 1.0 : size.rows <= 4e6 ? 2.5 : 6.0;
  return 200 + size.draws * row * size.columns;
}

/// What the statistics take once the resample is there.
double evaluation_cost(const study::Problem& problem, const Size& size) {
  double cost = 0;
  for (const Part& part : problem.parts)
    cost += size.draws * (std::holds_alternative<statistic::Sums>(part.bound.body) ? 2 : 12);
  return cost;
}

/// Writes each value as often as its count says; returns the end.
double* repeat(const study::simd::Kernels& kernels, const double* values,
               std::span<const std::uint8_t> counts, double* out) {
  return kernels.repeat(values, counts.data(), counts.size(), out);
}
double* repeat(const study::simd::Kernels&, const double* values,
               std::span<const std::uint32_t> counts, double* out) {
  for (std::size_t row = 0; row < counts.size(); ++row)
    out = std::fill_n(out, counts[row], values[row]);
  return out;
}

struct Shared {
  Shared(const Question& question, const Resources& resources, bool by_counts)
      : problem(problem_of(question)),
        kernels(study::simd::kernels(resources.level())),
        draws(question.draws),
        whole(needs_whole(problem)),
        count_bytes(resample::count_bytes(question.design, question.rows)) {
    if (by_counts)
      counting = std::make_unique<const resample::Counting>(
          question.design, question.rows, question.seed, question.replicates, resources.level());
    else
      sampling = question.design.sampling(question.rows, question.seed, question.replicates,
                                          resources.level());
    if (!problem.features.empty() && !compensated(question))
      fixed = &question.study.fixed(question.tolerance, true);
    if (keeps_integers(question)) integers = integer_features(*fixed, kernels, fixed->problem.data);
  }

  study::Problem problem;
  const study::FixedSums* fixed = nullptr;  // null: sums are kept in doubles
  std::vector<std::int64_t> integers;       // [limb][row]; empty: they are made when needed
  const study::simd::Kernels& kernels;
  std::uint64_t draws;
  bool whole;
  unsigned count_bytes;
  std::shared_ptr<const resample::Sampling> sampling;  // either this ...
  std::unique_ptr<const resample::Counting> counting;  // ... or this
};

/// Draws resamples and evaluates the statistics on them.
class Resampler final : public Maker {
 public:
  explicit Resampler(const Shared& shared)
      : shared_(shared),
        problem_(shared.problem),
        tile_rows_(study::feature_tile_rows(problem_.features.count())),
        reader_(problem_.data, kTileRows),
        made_(problem_.features.count() * tile_rows_),
        integers_(study::kMostLimbs * tile_rows_),
        columns_(problem_.data.columns()),
        tile_columns_(problem_.data.columns()) {
    if (shared.fixed != nullptr) finish_.emplace(*shared.fixed);
    if (shared.counting)
      counter_.emplace(*shared.counting);
    else
      sampler_ = shared.sampling->sampler();
  }

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    for (std::uint64_t r = first; r < last; ++r) {
      worker.check();
      make_one(r, values.subspan((r - first) * outputs, outputs), worker);
    }
    worker.advance(static_cast<double>((last - first) * shared_.draws));
  }

 private:
  void make_one(std::uint64_t replicate, std::span<double> values,
                const execution::Worker& worker) {
    if (!counter_)
      look_up(replicate);
    else if (shared_.count_bytes == 1)
      repeat_rows(replicate, counts_, worker);
    else
      repeat_rows(replicate, wide_counts_, worker);
    if (rows_ == 0) {  // a scheme may draw no row at all
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
      return;
    }
    if (!problem_.features.empty()) evaluate_sums(values, worker);
    for (const Part& part : problem_.parts) {
      const std::span<double> own = values.subspan(part.first_output, part.outputs());
      std::visit(overloaded{
                     [](const statistic::Sums&) {},  // evaluate_sums() has made them
                     [&](const statistic::Order& order) { evaluate_order(order, part, own); },
                     [&](const statistic::Fold& fold) { evaluate_fold(fold, part, own, worker); },
                     [&](const statistic::Call& call) { evaluate_call(call, part, own); },
                 },
                 part.bound.body);
    }
  }

  /// Draws the rows of a replicate.
  void look_up(std::uint64_t replicate) {
    drawn_ = sampler_->draw(replicate);
    rows_ = drawn_.size();
    if (!shared_.whole) return;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].resize(rows_);
      problem_.data.column(c).gather(drawn_, columns_[c]);
    }
  }

  /// Draws the counts of a replicate and repeats the rows.
  template <class Count>
  void repeat_rows(std::uint64_t replicate, std::vector<Count>& counts,
                   const execution::Worker& worker) {
    const resample::Counting& counting = *shared_.counting;
    rows_ = 0;
    for (std::uint64_t piece = 0; piece < counting.pieces(); ++piece) {
      counts.resize(counting.piece_rows(piece));
      const std::uint64_t drawn = counter_->make(replicate, piece, std::span(counts), worker);
      const std::size_t room = rows_ + drawn + study::simd::kRepeated;
      for (std::vector<double>& column : columns_) {
        column.reserve(std::max<std::size_t>(room, shared_.draws + study::simd::kRepeated));
        if (column.size() < room) column.resize(room);
      }
      std::size_t end = rows_;
      for (std::size_t first = 0; first < counts.size(); first += kTileRows) {
        worker.check();
        const std::size_t size = std::min(kTileRows, counts.size() - first);
        const statistic::Tile tile = reader_.read(counting.first_row(piece) + first, size);
        const std::span<const Count> own = std::span<const Count>(counts).subspan(first, size);
        std::size_t next = end;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
          double* const column = columns_[c].data();
          next = static_cast<std::size_t>(
              repeat(shared_.kernels, tile.columns[c], own, column + end) - column);
        }
        end = next;
      }
      rows_ = end;
    }
  }

  /// The drawn rows number first .. first + size - 1.
  statistic::Tile tile(std::size_t first, std::size_t size) {
    if (!shared_.whole) return reader_.gather(drawn_.subspan(first, size));
    for (std::size_t c = 0; c < columns_.size(); ++c) tile_columns_[c] = columns_[c].data() + first;
    return {tile_columns_, size};
  }

  void evaluate_sums(std::span<double> values, const execution::Worker& worker) {
    const std::size_t count = problem_.features.count();
    sums_.assign(finish_ ? shared_.fixed->limbs.size() : 0, 0);
    doubles_.assign(count, {});
    if (!shared_.integers.empty()) {
      worker.check();
      for (std::size_t s = 0; s < sums_.size(); ++s)
        sums_[s] = sum_of_rows(shared_.integers.data() + s * problem_.data.rows());
      return (*finish_)(sums_, static_cast<double>(rows_), values);
    }
    for (std::size_t row = 0; row < rows_; row += tile_rows_) {
      worker.check();
      const std::size_t size = std::min(tile_rows_, rows_ - row);
      problem_.features.make(tile(row, size), made_.data(), tile_rows_);
      __int128* sum = sums_.data();
      for (std::size_t f = 0; f < count; ++f) {
        const std::span<const double> made(made_.data() + f * tile_rows_, size);
        if (!finish_) {
          for (const double value : made) doubles_[f].add(value);
          continue;
        }
        const study::FixedFeature& fixed = shared_.fixed->fixed[f];
        study::quantize(fixed, made, shared_.kernels, integers_.data(), tile_rows_);
        for (std::size_t limb = 0; limb < fixed.limbs(); ++limb, ++sum)
          for (std::size_t i = 0; i < size; ++i) *sum += integers_[limb * tile_rows_ + i];
      }
    }
    const auto rows = static_cast<double>(rows_);
    if (finish_) return (*finish_)(sums_, rows, values);
    std::vector<double> means(count);
    std::vector<double> scratch;
    for (std::size_t f = 0; f < count; ++f) means[f] = doubles_[f].value() / rows;
    problem_.finish_sums(means, rows, 0, values, scratch);
  }

  /// The integers of the drawn rows, added up in parts that cannot overflow.
  [[nodiscard]] __int128 sum_of_rows(const std::int64_t* integers) const {
    constexpr std::size_t kSafe = 128;  // so many integers of 55 bits sum to 62 bits
    __int128 sum = 0;
    for (std::size_t first = 0; first < drawn_.size(); first += kSafe) {
      std::int64_t part = 0;
      for (const std::uint32_t row : drawn_.subspan(first, std::min(kSafe, drawn_.size() - first)))
        part += integers[row];
      sum += part;
    }
    return sum;
  }

  void evaluate_order(const statistic::Order& order, const Part& part, std::span<double> values) {
    const std::vector<double>& column = columns_[part.columns[0]];
    copy_.assign(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(rows_));
    std::vector<double> quantiles;
    for (const double q : order.probabilities)
      quantiles.push_back(numeric::select_quantile(copy_, q));
    order.finish(quantiles, values);
  }

  void evaluate_fold(const statistic::Fold& fold, const Part& part, std::span<double> values,
                     const execution::Worker& worker) {
    ones_.assign(std::min(kTileRows, rows_), 1);
    const auto state = fold.fresh();
    std::vector<const double*> own(part.columns.size());
    for (std::size_t row = 0; row < rows_; row += kTileRows) {
      worker.check();
      const std::size_t size = std::min(kTileRows, rows_ - row);
      const statistic::Tile rows = tile(row, size);
      for (std::size_t c = 0; c < own.size(); ++c) own[c] = rows.columns[part.columns[c]];
      state->accumulate({own, size}, {ones_.data(), size});
    }
    state->finish(values);
  }

  void evaluate_call(const statistic::Call& call, const Part& part, std::span<double> values) {
    std::vector<const double*> own;
    for (const std::uint32_t c : part.columns) own.push_back(columns_[c].data());
    call.call({own, rows_}, values);
  }

  const Shared& shared_;
  const study::Problem& problem_;
  std::unique_ptr<resample::Sampler> sampler_;
  std::optional<resample::CountMaker> counter_;  // in place of the sampler
  std::optional<Finisher> finish_;
  std::size_t tile_rows_;
  study::TileReader reader_;
  std::vector<double> made_;
  std::vector<std::int64_t> integers_;
  std::vector<__int128> sums_;
  std::vector<Compensated> doubles_;
  std::span<const std::uint32_t> drawn_;      // rows of the resample, if they are looked up
  std::vector<std::uint8_t> counts_;          // of a super-block
  std::vector<std::uint32_t> wide_counts_;    // the same where counts are large
  std::size_t rows_ = 0;                      // of the resample
  std::vector<std::vector<double>> columns_;  // of the resample, if it is held as a whole; may be
                                              // longer
  std::vector<const double*> tile_columns_;
  std::vector<double> copy_;
  std::vector<std::uint32_t> ones_;
};

}  // namespace

Bytes bytes(const Question& question) {
  const study::Problem& problem = question.problem();
  // Schemes whose resamples vary in size can draw more than usual.
  const std::size_t draws = question.traits.fixed_size ? question.draws : 2 * question.draws;
  const std::size_t row =
      2 * sizeof(std::uint32_t) +
      (needs_whole(problem) ? (problem.data.columns() + 2) * sizeof(double) : 0);
  const std::size_t kept = keeps_integers(question)
                               ? question.rows *
                                     question.study.fixed(question.tolerance, true).limbs.size() *
                                     sizeof(std::int64_t)
                               : 0;
  return {question.design.sampling_bytes(question.rows) + kept,
          planning::tile_bytes(problem, problem.features.count()) + draws * row};
}

Estimate estimate(const Question& question) {
  const study::Problem& problem = question.problem();
  const Size size = size_of(question);
  Estimate found;
  found.tier = Tier::resample;
  found.shared_bytes = bytes(question).shared;
  found.thread_bytes = bytes(question).thread;
  const bool all_sums = problem.all<statistic::Sums>();
  if (!problem.features.empty()) {
    describe_arithmetic(question.study.fixed(question.tolerance, true), found);
    if (compensated(question)) {
      found.arithmetic = "compensated double";
      found.sum_error = 0x1p-52;
      found.digits = 0;
    }
  }
  if (all_sums && compensated(question)) {
    found.reason =
        "values too far apart for fixed-point sums at this tolerance: resamples are drawn "
        "out and summed in compensated doubles";
    found.replicate_nanoseconds = cost(size) * (1 + size.features);
  } else if (all_sums) {
    found.reason =
        rows_and_features(question, question.study.fixed(question.tolerance, true).features()) +
        (question.forced ? "path asked for" : "the rows of the scheme are drawn one by one");
    found.replicate_nanoseconds = gather::cost(size);
  } else {
    found.reason = problem.parts.size() > 1
                       ? "statistics of different kinds over the same resamples: each is drawn out"
                       : "a function of the resample itself: each is drawn out";
    found.replicate_nanoseconds = cost(size) + evaluation_cost(problem, size);
  }
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  if (keeps_integers(question) && question.problem().all<statistic::Sums>())
    if (auto strata = question.design.small_strata(question.seed))
      return strata_sums::prepare(question.study.fixed(question.tolerance, true), std::move(strata),
                                  resources);
  return std::make_unique<EngineOf<Shared, Resampler>>(
      std::max<std::uint64_t>(1, 16384 / question.draws), question.draws,
      std::make_shared<const Shared>(question, resources, false), 1);
}

namespace by_counts {

bool suits(const Question& question) {
  bool any = false;
  for (const Part& part : question.problem().parts) {
    const auto* call = std::get_if<statistic::Call>(&part.bound.body);
    if (call == nullptr || call->trimmed || call->ranking) continue;
    if (call->order != statistic::RowOrder::any) return false;
    any = true;
  }
  return any;
}

Estimate estimate(const Question& question) {
  Estimate found = resampled::estimate(question);
  const Size size = size_of(question);
  found.reason =
      "functions of the resample that take rows in any order: counts are drawn and rows repeated";
  // Memory that is read in order costs little, so this pays where rows do not fit a cache.
  found.replicate_nanoseconds = 600 + 0.1 * size.rows +
                                size.columns * (0.4 * size.rows + 0.3 * size.draws) +
                                evaluation_cost(question.problem(), size);
  // Counts in place of row numbers: those of a super-block, or of all rows where these are drawn in
  // another order.
  const resample::Design& design = question.design;
  const bool ordered = !design.stratum_labels().empty() || !design.weights().empty();
  const std::size_t counted =
      ordered ? question.rows : std::min<std::uint64_t>(question.rows, resample::kSuperBlockRows);
  const std::size_t bytes = resample::count_bytes(design, question.rows) == 1 ? 1 : 4;
  found.shared_bytes = design.sampling_bytes(question.rows) +
                       (design.weights().empty() ? std::size_t{1} << 19 : std::size_t{7} << 20);
  found.thread_bytes += counted * bytes + (ordered ? 4 * design.places(question.rows) : 0) +
                        sizeof(resample::simd::Replaced) + 2 * resample::simd::kCountTile;
  return found;
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return std::make_unique<EngineOf<Shared, Resampler>>(
      std::max<std::uint64_t>(1, 16384 / question.draws), question.draws,
      std::make_shared<const Shared>(question, resources, true), 1);
}

}  // namespace by_counts

}  // namespace bootfold::paths::resampled
