// Batches of resamples, drawn ahead on threads while one is looked at.
#include "bootfold/batches.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stop_token>
#include <utility>

#include "bootfold/error.h"
#include "bootstrap/ahead.h"
#include "bootstrap/road.h"
#include "paths/estimates.h"
#include "resample/rows.h"
#include "resample/sampler.h"

namespace bootfold {

namespace {

using statistic::Resample;

/// A batch that stays in a second-level cache is quickest to look at; far smaller ones are not
/// worth a call.
constexpr std::size_t kBatchBytes = std::size_t{2} << 20;

/// Where a batch lies.
struct Buffer {
  Batch batch;
  std::size_t room = 0;  // doubles in the memory
  std::vector<Resample> resamples;
  std::vector<const double*> pointers;      // [resample][column]
  std::vector<std::vector<double>> uneven;  // [resample][column]: where lengths differ

  /// Makes room for `count` resamples of `rows` rows; 0: their lengths are not known yet.
  void prepare(std::uint64_t first, std::size_t count, std::size_t rows, std::size_t columns) {
    const std::size_t needed = count * rows * columns;
    if (needed > room || batch.memory.use_count() > 1) {
      batch.memory = std::make_shared_for_overwrite<double[]>(needed);
      room = needed;
    }
    batch.first = first;
    batch.rows = rows;
    resamples.resize(count);
    pointers.resize(count * columns);
    if (rows == 0) uneven.resize(count * columns);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t c = 0; c < columns; ++c)
        pointers[r * columns + c] = batch.memory.get() + (c * count + r) * rows;
      resamples[r] = {std::span(pointers).subspan(r * columns, columns), rows};
    }
    batch.resamples = resamples;
  }

  /// Where to write a column of a resample that has `rows` rows.
  std::span<double> place(std::size_t resample, std::size_t column, std::size_t rows) {
    const std::size_t columns = pointers.size() / resamples.size();
    if (batch.rows != 0)
      return {batch.memory.get() + (column * resamples.size() + resample) * rows, rows};
    std::vector<double>& own = uneven[resample * columns + column];
    own.resize(rows);
    pointers[resample * columns + column] = own.data();
    resamples[resample].rows = rows;
    return own;
  }
};

/// Draws batches. Resamples of a batch are spread over threads.
class Drawer {
 public:
  Drawer(const DataView& data, const Road& road, std::uint64_t seed)
      : data_(data),
        sampling_(road.design().sampling(road.plan().rows, seed, road.plan().replicates,
                                         road.plan().level)),
        rows_(road.design().traits(data.rows()).fixed_size ? road.plan().draws : 0),
        samplers_(road.plan().threads) {
    execution_.threads = road.plan().threads;
    execution_.level = road.plan().level;
    execution_.stop = stop_.get_token();
  }

  void draw(Buffer& buffer, std::uint64_t first, std::size_t count) {
    buffer.prepare(first, count, rows_, data_.columns());
    // Short resamples are drawn 16 at a time.
    const std::size_t grain = data_.rows() <= resample::kShortRows ? 64 : 1;
    execution::detail::run_chunks(
        (count + grain - 1) / grain, 1, execution_,
        [&](const execution::Worker& worker, std::size_t chunk) {
          auto& sampler = samplers_[worker.index()];
          if (!sampler) sampler = sampling_->sampler();
          for (std::size_t r = chunk * grain; r < std::min(count, (chunk + 1) * grain); ++r) {
            worker.check();
            const std::span<const std::uint32_t> drawn = sampler->draw(first + r);
            for (std::size_t c = 0; c < data_.columns(); ++c)
              data_.column(c).gather(drawn, buffer.place(r, c, drawn.size()));
          }
        });
  }

  void stop() { stop_.request_stop(); }

 private:
  const DataView& data_;
  std::shared_ptr<const resample::Sampling> sampling_;
  std::size_t rows_;
  std::vector<std::unique_ptr<resample::Sampler>> samplers_;
  std::stop_source stop_;
  Execution execution_;
};

/// Resamples of a batch.
class BatchSize {
 public:
  /// `brief`: no batch shall take long. Then the first one, of one resample, tells how long.
  BatchSize(std::size_t most, bool brief)
      : most_(most), present_(brief ? 1 : most), brief_(brief) {}

  [[nodiscard]] std::size_t present() const noexcept { return present_; }

  template <class Work>
  void measure(std::size_t count, const Work& work) {
    using Clock = std::chrono::steady_clock;
    constexpr double kMostSeconds = 0.25;
    const auto begin = Clock::now();
    work();
    if (!brief_) return;
    const std::chrono::duration<double> time = Clock::now() - begin;
    const double fit = kMostSeconds * static_cast<double>(count) / std::max(time.count(), 1e-9);
    present_ = fit >= static_cast<double>(most_)
                   ? most_
                   : std::max<std::size_t>(1, static_cast<std::size_t>(fit));
  }

 private:
  std::size_t most_;
  std::size_t present_;
  bool brief_;
};

void evaluate(const BatchFunction& function, const Buffer& buffer, std::span<double> values) {
  if (std::none_of(buffer.resamples.begin(), buffer.resamples.end(),
                   [](const Resample& resample) { return resample.rows == 0; }))
    return function(buffer.batch, values);
  // A scheme may draw no row at all: such resamples are not shown.
  const std::size_t outputs = values.size() / buffer.resamples.size();
  for (std::size_t r = 0; r < buffer.resamples.size(); ++r) {
    const std::span<double> own = values.subspan(r * outputs, outputs);
    if (buffer.resamples[r].rows == 0) {
      std::fill(own.begin(), own.end(), std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    Batch one = buffer.batch;
    one.first += r;
    one.resamples = one.resamples.subspan(r, 1);
    function(one, own);
  }
}

/// The values on the data. Uses the memory of `buffer`.
std::vector<double> estimates_of(const DataView& data, const resample::Design& design,
                                 std::size_t width, const BatchFunction& function,
                                 const Execution& execution, Buffer& buffer) {
  std::vector<double> estimates(width);
  if (design.weights().empty()) {
    buffer.prepare(Batch::kData, 1, data.rows(), data.columns());
    for (std::size_t c = 0; c < data.columns(); ++c)
      data.column(c).read(0, buffer.place(0, c, data.rows()));
    function(buffer.batch, estimates);
    return estimates;
  }
  paths::mean_of_resamples(execution, estimates, [&](std::size_t resample, auto values) {
    const auto rows = paths::repeated_rows(design.weights(), resample);
    buffer.prepare(Batch::kData, 1, rows.size(), data.columns());
    for (std::size_t c = 0; c < data.columns(); ++c)
      data.column(c).gather(rows, buffer.place(0, c, rows.size()));
    function(buffer.batch, values);
  });
  return estimates;
}

}  // namespace

Result bootstrap_batches(const DataView& data, const std::vector<std::string>& outputs,
                         const BatchFunction& function, const Options& options,
                         const FunctionTraits& traits) {
  if (outputs.empty())
    throw InvalidArgument("there are no outputs; name at least one value that the function has");
  const Statistic statistic(outputs.front(), 1, Statistic::kAnyNumber, [&](std::size_t) {
    return statistic::Bound{outputs, statistic::Call{}};
  });
  Options drawing = options;
  drawing.influence = drawing.standard_errors = false;
  const Road road(data, {&statistic, 1}, drawing, Rows::opaque);
  if (road.design().traits(data.rows()).deletes)
    throw InvalidArgument(
        "scheme is 'jackknife', which draws no resamples; bootstrap() takes it with any function");
  Plan plan = road.plan();
  plan.reason = "a function of batches of resamples: threads draw the next batch in the background";
  const std::size_t width = outputs.size();

  Buffer present;
  std::vector<double> estimates =
      estimates_of(data, road.design(), width, function, options.execution, present);

  const std::size_t bytes = std::max<std::size_t>(1, plan.draws * data.columns()) * sizeof(double);
  std::size_t most = std::clamp<std::size_t>(
      std::min(kBatchBytes, road.options().memory / 8) / bytes, 1, plan.replicates);
  if (most > resample::kSideBySide) most -= most % resample::kSideBySide;
  BatchSize size(most, traits.one_by_one && !options.checkpoint.empty());
  const std::uint64_t end = options.first_replicate + plan.replicates;
  const auto count_from = [&](std::uint64_t first) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(size.present(), end - first));
  };
  Drawer drawer(data, road, options.seed);
  const std::stop_callback link(options.execution.stop, [&] { drawer.stop(); });
  Buffer next;
  const double total = static_cast<double>(plan.replicates) * static_cast<double>(plan.draws);
  const auto make = [&](std::uint64_t begin, std::span<double> values, const planning::Made& made) {
    drawer.draw(present, begin, count_from(begin));
    for (std::uint64_t first = begin; first < end;) {
      const std::size_t count = present.resamples.size();
      const std::uint64_t after = first + count;
      const std::span<double> place = values.subspan((first - begin) * width, count * width);
      const auto work = [&] { size.measure(count, [&] { evaluate(function, present, place); }); };
      if (after == end) {
        work();
      } else {
        Ahead ahead([&, some = count_from(after)] { drawer.draw(next, after, some); });
        try {
          work();
        } catch (...) {
          drawer.stop();  // and the thread ends before the exception leaves
          throw;
        }
        ahead.join();
        std::swap(present, next);
      }
      first = after;
      if (made) made(first - begin);
      if (options.execution.progress)
        options.execution.progress(
            {static_cast<double>(first - options.first_replicate) * static_cast<double>(plan.draws),
             total});
    }
  };
  std::vector<double> values = road.values_by(make, traits.identity);
  return Result(plan, options.seed, std::move(estimates), std::move(values));
}

}  // namespace bootfold
