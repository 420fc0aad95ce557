// Batches of counts, made ahead on threads while one is looked at.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "bootfold/batches.h"
#include "bootfold/error.h"
#include "bootstrap/ahead.h"
#include "bootstrap/road.h"
#include "numeric/compensated.h"
#include "paths/estimates.h"
#include "resample/bayesian_weights.h"
#include "resample/counting.h"
#include "resample/groups.h"
#include "text/concat.h"

namespace bootfold {

namespace {

/// Counts of a batch, counted as doubles: many functions convert them. Fewer are not worth a call,
/// more do not stay in any cache.
constexpr std::size_t kCountBatchBytes = std::size_t{64} << 20;

using resample::simd::kCountTile;

// The counts are those of a path, by the scheme; no other path can serve.

std::string serves_streamed(const planning::Question& question) {
  return question.design.streams(question.rows) ? "" : "counts of this scheme do not stream";
}

std::string serves_drawn(const planning::Question& question) {
  if (question.design.streams(question.rows)) return "counts of this scheme are of path 'stream'";
  return question.traits.lists_rows ? "" : "rows of this scheme have weights";
}

std::string serves_weighed(const planning::Question& question) {
  return question.traits.weighs
             ? ""
             : text::concat("rows of scheme '", question.design.name(), "' have counts");
}

/// Bytes of a count in a batch. It holds those of the data as well, which may be larger if fewer
/// rows are drawn than there are.
std::size_t bytes_of(Takes takes, const resample::Design& design, std::uint64_t rows) {
  if (takes == Takes::weights) return sizeof(double);
  double most = 1;
  const std::span<const double> weights = design.weights();
  if (!weights.empty()) {
    numeric::Compensated total;
    for (const double weight : weights) total.add(weight);
    most += static_cast<double>(rows) * *std::max_element(weights.begin(), weights.end()) /
            total.value();
  }
  const std::size_t of_data = most <= 255 ? 1 : most <= 65535 ? 2 : 4;
  return std::max<std::size_t>(of_data, resample::count_bytes(design, rows));
}

/// Replicates of a batch.
std::size_t batch_replicates(std::uint64_t rows, std::uint64_t replicates, std::size_t memory) {
  const std::uint64_t most = std::clamp<std::uint64_t>(
      std::min(kCountBatchBytes, memory / 8) / std::max<std::uint64_t>(1, rows * sizeof(double)), 1,
      replicates);
  const std::uint64_t batches = (replicates + most - 1) / most;
  return static_cast<std::size_t>((replicates + batches - 1) / batches);
}

/// What a resample::CountMaker takes.
std::size_t maker_bytes(const planning::Question& question) {
  const resample::Design& design = question.design;
  if (!question.traits.lists_rows) return 65536;
  if (!design.streams(question.rows)) return question.draws * sizeof(std::uint32_t);
  // A tile, and the rows of a top-up; where places have another order than rows, the counts of all.
  std::uint64_t words = 32768;
  if (!design.weights().empty())
    words += design.places(question.rows) +
             std::min<std::uint64_t>(question.draws, 2 * resample::kSuperBlockRows);
  if (!design.stratum_labels().empty()) words += design.groups()->largest();
  return words * sizeof(std::uint32_t) + sizeof(resample::simd::Replaced);
}

template <Takes kTakes>
planning::Estimate estimate_counts(const planning::Question& question) {
  const resample::Design& design = question.design;
  const auto rows = static_cast<double>(question.rows);
  planning::Estimate found;
  found.reason = "a function of counts: threads make those of the next batch in the background";
  found.replicate_nanoseconds = design.streams(question.rows) ? 0.1 * rows : 4 * rows;
  // Two batches. Before these, under weights, whole counts that are not in a batch yet.
  const std::size_t replicates =
      batch_replicates(question.rows, question.replicates, question.memory);
  const std::size_t replicate = question.rows * bytes_of(kTakes, design, question.rows);
  const std::size_t whole = design.weights().empty() ? 0 : question.rows * sizeof(std::uint32_t);
  found.shared_bytes = std::max(2 * replicates * replicate, replicate + whole) +
                       replicates * question.problem().outputs.size() * sizeof(double) +
                       design.sampling_bytes(question.rows);
  if (design.streams(question.rows))  // laws of counts: under weights one for each tile
    found.shared_bytes +=
        design.weights().empty()
            ? std::size_t{1} << 19
            : std::min<std::size_t>(design.places(question.rows) / kCountTile + 1, 450) << 14;
  found.thread_bytes = maker_bytes(question);
  return found;
}

template <Takes kTakes>
std::span<const planning::PathEntry> paths_of() {
  static const std::array kEntries = {planning::PathEntry{.id = Path::stream,
                                                          .name = "stream",
                                                          .meaning = "counts of all rows",
                                                          .serves = serves_streamed,
                                                          .estimate = estimate_counts<kTakes>,
                                                          .prepare = nullptr},
                                      planning::PathEntry{.id = Path::gather,
                                                          .name = "gather",
                                                          .meaning = "drawn rows are counted",
                                                          .serves = serves_drawn,
                                                          .estimate = estimate_counts<kTakes>,
                                                          .prepare = nullptr},
                                      planning::PathEntry{.id = Path::weights,
                                                          .name = "weights",
                                                          .meaning = "weights of all rows",
                                                          .serves = serves_weighed,
                                                          .estimate = estimate_counts<kTakes>,
                                                          .prepare = nullptr}};
  return kEntries;
}

std::span<const planning::PathEntry> counted_paths(Takes takes) {
  return takes == Takes::weights ? paths_of<Takes::weights>() : paths_of<Takes::counts>();
}

/// The road up to the plan.
class CountRoad {
 public:
  CountRoad(const DataView& data, const std::vector<std::string>& outputs, const Options& options,
            Takes takes)
      : statistic_(make_statistic(outputs, takes)),
        road_(data, {&statistic_, 1}, drawing(options), Rows::opaque, counted_paths(takes)) {
    const resample::Traits traits = road_.design().traits(data.rows());
    if (traits.deletes)
      throw InvalidArgument(
          "scheme is 'jackknife', which draws no resamples; bootstrap() takes it with any "
          "function");
    if (traits.weighs && takes == Takes::counts)
      throw InvalidArgument(text::concat(
          "scheme is '", road_.design().name(),
          "', which gives every row a weight and no count; use a function that takes weights"));
  }

  [[nodiscard]] const Road& operator*() const noexcept { return road_; }
  [[nodiscard]] const Road* operator->() const noexcept { return &road_; }

 private:
  static Statistic make_statistic(const std::vector<std::string>& outputs, Takes takes) {
    if (outputs.empty())
      throw InvalidArgument("there are no outputs; name at least one value that the function has");
    return Statistic(outputs.front(), 1, Statistic::kAnyNumber,
                     [outputs](std::size_t) {
                       return statistic::Bound{outputs, statistic::Fold{}};
                     })
        .with_parameters({static_cast<double>(takes)});
  }

  static Options drawing(Options options) {
    const auto paths = counted_paths(Takes::counts);
    if (options.path && std::none_of(paths.begin(), paths.end(),
                                     [&](const auto& entry) { return entry.id == *options.path; }))
      throw InvalidArgument(text::concat("path '", name(*options.path),
                                         "' is not available: it has no counts; omit the path"));
    options.influence = options.standard_errors = false;
    return options;
  }

  Statistic statistic_;
  Road road_;
};

/// Makes batches on threads.
class CountDrawer {
 public:
  CountDrawer(const Road& road, Takes takes)
      : rows_(road.plan().rows),
        seed_(road.options().seed),
        weights_(road.design().weights()),
        bytes_(bytes_of(takes, road.design(), rows_)) {
    execution_.threads = road.plan().threads;
    execution_.level = road.plan().level;
    execution_.stop = stop_.get_token();
    if (!road.design().traits(rows_).weighs)
      counting_.emplace(road.design(), rows_, seed_, road.plan().replicates, road.plan().level);
  }

  /// Whether the data are several batches, whose values have the estimates as their mean.
  [[nodiscard]] bool has_whole_resamples() const {
    return !weights_.empty() && bytes_ < sizeof(double);
  }

  /// Counts of 1: the data themselves. Where rows have unequal probabilities: in proportion to
  /// these, or if they must be whole numbers, the counts of paths::repetitions().
  void draw_data(CountBatch& batch, std::size_t resample = 0) {
    prepare(batch, Batch::kData, 1);
    visit(batch, [&](auto counts) {
      using Count = typename decltype(counts)::element_type;
      if (weights_.empty()) {
        std::fill(counts.begin(), counts.end(), Count{1});
      } else if constexpr (std::is_same_v<Count, double>) {
        spread(weights_, counts);
      } else {
        const std::vector<std::uint32_t> whole = paths::repetitions(weights_, resample);
        std::transform(whole.begin(), whole.end(), counts.begin(),
                       [](std::uint32_t count) { return static_cast<Count>(count); });
      }
    });
  }

  /// These weights, where the function takes weights.
  void draw_weights(CountBatch& batch, std::span<const double> weights) {
    prepare(batch, Batch::kData, 1);
    visit(batch, [&](auto counts) {
      if constexpr (std::is_same_v<decltype(counts), std::span<double>>) spread(weights, counts);
    });
  }

  void draw(CountBatch& batch, std::uint64_t first, std::size_t replicates) {
    prepare(batch, first, replicates);
    visit(batch, [&](auto counts) {
      if (counting_) {
        counting_->make(first, counts, execution_);
      } else if constexpr (std::is_same_v<decltype(counts), std::span<double>>) {
        resample::bayesian_weights(*execution_.level, seed_, first, rows_, counts, execution_);
      }
    });
  }

  void stop() { stop_.request_stop(); }

 private:
  /// In proportion to the weights, with the number of rows as their sum.
  static void spread(std::span<const double> weights, std::span<double> counts) {
    numeric::Compensated total;
    for (const double weight : weights) total.add(weight);
    for (std::size_t i = 0; i < counts.size(); ++i)
      counts[i] = weights[i] / total.value() * static_cast<double>(counts.size());
  }

  void prepare(CountBatch& batch, std::uint64_t first, std::size_t replicates) {
    const std::size_t room = batch.memory ? batch.replicates * batch.rows : 0;
    if (replicates * rows_ > room || batch.memory.use_count() > 1)
      batch.memory = std::make_shared_for_overwrite<std::byte[]>(replicates * rows_ * bytes_);
    batch.first = first;
    batch.replicates = replicates;
    batch.rows = rows_;
    visit(batch, [&](auto counts) {
      using Count = typename decltype(counts)::element_type;
      batch.counts = std::span<const Count>(counts);
    });
  }

  /// Calls `use` with the memory of a batch as what it holds.
  template <class Use>
  void visit(const CountBatch& batch, const Use& use) const {
    const std::size_t size = batch.replicates * batch.rows;
    std::byte* const memory = batch.memory.get();
    if (bytes_ == 1) return use(std::span(reinterpret_cast<std::uint8_t*>(memory), size));
    if (bytes_ == 2) return use(std::span(reinterpret_cast<std::uint16_t*>(memory), size));
    if (bytes_ == 4) return use(std::span(reinterpret_cast<std::uint32_t*>(memory), size));
    use(std::span(reinterpret_cast<double*>(memory), size));
  }

  std::uint64_t rows_;
  std::uint64_t seed_;
  std::span<const double> weights_;  // of the rows, if these are not equally likely
  std::size_t bytes_;                // of a count
  std::optional<resample::Counting> counting_;
  std::stop_source stop_;
  Execution execution_;
};

}  // namespace

Result bootstrap_counts(const DataView& data, const std::vector<std::string>& outputs,
                        const CountFunction& function, const Options& options, Takes takes,
                        const FunctionTraits& traits) {
  const CountRoad road(data, outputs, options, takes);
  const Plan& plan = road->plan();
  CountDrawer drawer(*road, takes);
  const std::stop_callback link(options.execution.stop, [&] { drawer.stop(); });
  CountBatch present;
  const std::size_t width = outputs.size();
  std::vector<double> estimates(width);
  const auto evaluate_data = [&](std::size_t resample, std::span<double> values) {
    drawer.draw_data(present, resample);
    function(present, values);
  };
  if (drawer.has_whole_resamples())
    paths::mean_of_resamples(options.execution, estimates, evaluate_data);
  else
    evaluate_data(0, estimates);
  Companions companions;
  const std::vector<double> expected = road->design().expected_counts(plan.rows);
  if (takes == Takes::weights && !expected.empty()) {
    companions.centres.resize(width);
    drawer.draw_weights(present, expected);
    function(present, companions.centres);
    for (std::size_t k = 0; k < width; ++k)
      if (!std::isfinite(companions.centres[k])) companions.centres[k] = estimates[k];
  }

  const std::size_t size = batch_replicates(plan.rows, plan.replicates, road->options().memory);
  const bool endless = road->design().traits(data.rows()).endless;
  const std::uint64_t end = options.first_replicate + plan.replicates;
  const auto count_from = [&](std::uint64_t first) {
    const std::uint64_t left = endless ? ~std::uint64_t{0} - first : end - first;
    return static_cast<std::size_t>(std::min<std::uint64_t>(size, left));
  };
  std::vector<double> found;
  CountBatch next;
  const auto make = [&](std::uint64_t begin, std::span<double> values, const planning::Made& made) {
    drawer.draw(present, begin, count_from(begin));
    for (std::uint64_t first = begin; first < end;) {
      const std::uint64_t after = first + present.replicates;
      found.resize(present.replicates * width);
      if (after >= end) {
        function(present, found);
      } else {
        Ahead ahead([&] { drawer.draw(next, after, count_from(after)); });
        try {
          function(present, found);
        } catch (...) {
          drawer.stop();  // and the thread ends before the exception leaves
          throw;
        }
        ahead.join();
        std::swap(present, next);
      }
      const std::uint64_t kept = std::min(after, end) - first;
      std::copy_n(found.begin(), kept * width,
                  values.begin() + static_cast<std::ptrdiff_t>((first - begin) * width));
      first = std::min(after, end);
      if (made) made(first - begin);
      if (options.execution.progress)
        options.execution.progress(
            {static_cast<double>(first - options.first_replicate) * static_cast<double>(plan.rows),
             static_cast<double>(plan.replicates) * static_cast<double>(plan.rows)});
    }
  };
  std::vector<double> values = road->values_by(make, traits.identity);
  return Result(plan, options.seed, std::move(estimates), std::move(values), std::move(companions));
}

Plan plan_counts(const DataView& data, const std::vector<std::string>& outputs,
                 const Options& options, Takes takes) {
  return CountRoad(data, outputs, options, takes)->plan();
}

}  // namespace bootfold
