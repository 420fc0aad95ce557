// A bootstrap of a source: rows that fit are kept in memory, others are read again and added up.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "bootfold/bootstrap.h"
#include "bootfold/chunked.h"
#include "bootfold/error.h"
#include "bootstrap/families.h"
#include "bootstrap/joined.h"
#include "bootstrap/road.h"
#include "planning/memory.h"
#include "resample/super_blocks.h"
#include "shards/batches.h"
#include "shards/contents.h"
#include "shards/sums_checkpoint.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

using shards::Batch;
using shards::Batches;
using shards::SumsCheckpoint;

/// What reading a row once costs, in replicates: for the progress that is shown.
constexpr double kLookReplicates = 20;

/// So few bytes of rows are kept whatever the memory limit is.
constexpr std::size_t kAlwaysKept = std::size_t{1} << 20;

std::size_t row_bytes(const DataView& rows) {
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < rows.columns(); ++c) bytes += data::size_of(rows.column(c).type());
  return bytes;
}

/// Progress of a run whose look is over.
class Meter {
 public:
  Meter(const Execution& execution, double rows, double replicates)
      : execution_(execution), look_(rows * kLookReplicates), all_(look_ + rows * replicates) {}

  /// Reports what a piece of work reports, as a share of `size` units.
  [[nodiscard]] Execution piece(double size) const {
    Execution staged = execution_;
    if (execution_.progress)
      staged.progress = [this, size](execution::Progress progress) {
        tell(done_ + size * progress.done / std::max(1.0, progress.total));
      };
    return staged;
  }
  void advance(double size) {
    done_ += size;
    if (execution_.progress) tell(done_);
  }
  void look_at(double rows) const {
    if (execution_.progress) execution_.progress({rows * kLookReplicates, all_});
  }

 private:
  void tell(double done) const { execution_.progress({look_ + done, all_}); }

  const Execution& execution_;
  double look_;
  double all_;
  double done_ = 0;
};

/// All rows of a source, kept in memory.
class KeptSource {
 public:
  explicit KeptSource(std::vector<std::unique_ptr<Batch>> batches, std::vector<std::string> names)
      : batches_(std::move(batches)) {
    std::vector<ColumnView> columns;
    for (std::size_t c = 0; c < names.size(); ++c) {
      std::vector<ColumnView> parts;
      for (const auto& batch : batches_) parts.push_back(batch->view().column(c));
      chunked_.push_back(std::make_unique<data::Chunked>(std::move(parts)));
      columns.push_back(batches_.size() == 1 ? batches_[0]->view().column(c)
                                             : ColumnView(*chunked_.back()));
    }
    view_ = DataView(std::move(columns), std::move(names));
  }
  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<std::unique_ptr<data::Chunked>> chunked_;
  DataView view_;
};

/// Some columns of a source.
class ChosenColumns final : public data::Source {
 public:
  ChosenColumns(const data::Source& source, const Family& family)
      : source_(source), family_(family) {
    for (const std::uint32_t c : family.columns) names_.push_back(source.names()[c]);
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return source_.rows();
  }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override {
    return std::make_unique<ChosenPass>(source_.open(), family_);
  }

 private:
  class ChosenPass final : public data::Pass {
   public:
    ChosenPass(std::unique_ptr<data::Pass> pass, const Family& family)
        : pass_(std::move(pass)), family_(family) {}
    [[nodiscard]] std::optional<data::Chunk> next() override {
      std::optional<data::Chunk> chunk = pass_->next();
      if (chunk) chunk->view = family_.view(chunk->view);
      return chunk;
    }

   private:
    std::unique_ptr<data::Pass> pass_;
    const Family& family_;
  };

  const data::Source& source_;
  const Family& family_;
  std::vector<std::string> names_;
};

/// One pass over a source for a bootstrap, and what follows from it.
class SourceRun {
 public:
  SourceRun(const data::Source& source, std::span<const Statistic> statistics,
            const Options& options)
      : source_(source),
        statistics_(statistics),
        options_(options),
        memory_(planning::memory_limit(options)),
        look_(shards::empty_look(source.names(), statistics)) {
    read_first();
    if (rows_ == 0) throw InvalidArgument("the source has no rows; a bootstrap needs at least one");
    options_.memory = memory_;
    if (kept_) {
      options_.memory = held_ <= kAlwaysKept ? memory_ : memory_ - held_;
      return;
    }
    absent_ = std::make_shared<const study::AbsentRows>(rows_, source.names());
    families_ = families(absent_->view(), statistics, options_);
    if (families_.size() > 1) {
      split();
      return;
    }
    road_ = std::make_unique<Road>(absent_, std::move(look_.look), statistics, options_);
    share_memory();
  }

  [[nodiscard]] Plan plan() const {
    if (kept_) return bootfold::plan(kept_->view(), statistics_, options_);
    if (runs_.empty()) return road_->plan();
    std::vector<Plan> plans;
    for (const auto& run : runs_) plans.push_back(run->plan());
    return joined(std::move(plans), outputs(), source_.names(),
                  study::Problem(absent_->view(), statistics_).outputs);
  }

  [[nodiscard]] Result run() {
    if (kept_) return bootstrap(kept_->view(), statistics_, options_);
    if (!runs_.empty()) {
      std::vector<Result> results;
      for (const auto& run : runs_) results.push_back(run->run());
      return joined(plan(), std::move(results), outputs());
    }
    const std::uint64_t replicates = road_->plan().replicates;
    Meter meter(options_.execution, static_cast<double>(rows_),
                engine_->needs_rows() ? static_cast<double>(replicates) : 0);
    while (engine_->wants_read()) {
      for_each_batch(
          [&](const Batch& batch) { engine_->read_again(batch.view(), meter.piece(0)); });
      engine_->end_read();
      ++reads_;
    }
    const std::uint64_t first = road_->plan().first_replicate;
    if (engine_->limbs() > 0) return road_->finish(*engine_, add_up(meter).complete);
    // Then replicates are not added up, but made once all rows were read.
    planning::PartialSums all = road_->empty_part(*engine_, first, replicates);
    if (engine_->needs_rows()) add_rows(all, meter, [] {});
    return road_->finish(*engine_, all);
  }

 private:
  /// Statistics of different kinds: each kind reads the rows by itself.
  void split() {
    if (!options_.checkpoint.empty())
      throw InvalidArgument(text::concat(
          "checkpoint is given but there are ", families_.size(),
          " kinds of statistics, and for rows that do not fit in memory it holds one; omit "
          "checkpoint, or bootstrap one kind at a time (sums, or quantiles of one column)"));
    for (const Family& family : families_) {
      sources_.push_back(std::make_unique<ChosenColumns>(source_, family));
      runs_.push_back(std::make_unique<SourceRun>(*sources_.back(), family.statistics, options_));
    }
  }

  [[nodiscard]] std::vector<std::vector<std::size_t>> outputs() const {
    std::vector<std::vector<std::size_t>> all;
    for (const Family& family : families_) all.push_back(family.outputs);
    return all;
  }

  /// Keeps the rows while they fit, and looks at them once they do not.
  void read_first() {
    const Meter meter(options_.execution, static_cast<double>(source_.rows().value_or(0)),
                      static_cast<double>(options_.replicates));
    std::vector<std::unique_ptr<Batch>> held;
    bool fits = true;
    Batches batches(source_, shards::batch_rows(source_.names().size(), memory_));
    while (std::unique_ptr<Batch> batch = batches.next(options_.execution.stop)) {
      row_bytes_ = row_bytes(batch->view());
      rows_ += batch->view().rows();
      held_ += row_bytes_ * batch->view().rows();
      fits = fits && held_ <= most_held() &&
             (held.empty() || shards::same_types(held.front()->view(), batch->view()));
      held.push_back(std::move(batch));
      if (fits) continue;
      for (const auto& one : held) {
        look_at(*one);
        if (source_.rows()) meter.look_at(static_cast<double>(one->first() + one->view().rows()));
      }
      held.clear();
    }
    if (fits && !held.empty()) kept_.emplace(std::move(held), source_.names());
  }

  /// Bytes of rows that are kept: half of what the program itself leaves.
  [[nodiscard]] std::size_t most_held() const {
    const std::size_t program = 2 * planning::kProgramBytes;
    return std::max(kAlwaysKept, (memory_ - std::min(memory_, program)) / 2);
  }

  void look_at(const Batch& batch) {
    Execution quiet = options_.execution;
    quiet.progress = nullptr;
    shards::see(look_, statistics_, batch.view(), batch.first(), memory_ / 2, quiet);
  }

  /// The sums of all rows in all replicates. Goes on from Options::checkpoint.
  [[nodiscard]] SumsCheckpoint::State add_up(Meter& meter) {
    const std::uint64_t first = road_->plan().first_replicate;
    const std::uint64_t replicates = road_->plan().replicates;
    SumsCheckpoint::State state;
    const auto begin_pass = [&] {
      const std::uint64_t done = state.complete.replicates;
      state.current =
          road_->empty_part(*engine_, first + done, std::min(together_, replicates - done));
    };
    begin_pass();
    std::optional<SumsCheckpoint> checkpoint;
    if (!options_.checkpoint.empty()) {
      checkpoint.emplace(options_.checkpoint, road_->facts(), road_->plan(), options_.execution);
      checkpoint->restore(state);
      meter.advance(static_cast<double>(rows_) * static_cast<double>(state.complete.replicates));
    }
    try {
      while (state.complete.replicates < replicates) {
        if (state.current.replicates == 0) begin_pass();
        add_rows(state.current, meter, [&] {
          if (checkpoint) checkpoint->reached(state);
        });
        if (state.complete.replicates == 0)
          state.complete = std::move(state.current);
        else
          state.complete.add_replicates(state.current);
        state.current = {};
        if (checkpoint) checkpoint->reached(state);
      }
    } catch (const Cancelled&) {
      if (!checkpoint) throw;
      checkpoint->save();
      throw checkpoint->cancelled();
    } catch (...) {
      if (checkpoint) checkpoint->save();
      throw;
    }
    return state;
  }

  /// Adds the rows that are not in a part yet, and calls reached() after each piece of them. Pieces
  /// are super-blocks if there is a checkpoint: cutting those would cost time.
  template <class Reached>
  void add_rows(planning::PartialSums& part, Meter& meter, const Reached& reached) const {
    const auto replicates = static_cast<double>(part.replicates);
    const std::uint64_t there = part.rows.count();
    meter.advance(static_cast<double>(there) * replicates);
    for_each_batch([&](const Batch& batch) {
      const std::uint64_t end = batch.first() + batch.view().rows();
      for (std::uint64_t row = std::max(batch.first(), there); row < end;) {
        const std::uint64_t next =
            options_.checkpoint.empty()
                ? end
                : std::min(end, (row / resample::kSuperBlockRows + 1) * resample::kSuperBlockRows);
        const double size = static_cast<double>(next - row) * replicates;
        road_->add(*engine_, shards::slice(batch.view(), row - batch.first(), next - row), row,
                   part, meter.piece(size));
        meter.advance(size);
        reached();
        row = next;
      }
    });
  }

  /// A third for the sums of replicates, a third for rows, a third for their digits.
  void share_memory() {
    const planning::Choice& choice = road_->choice();
    const std::size_t working =
        planning::kProgramBytes + choice.threads * (choice.estimate.thread_bytes +
                                                    choice.group * choice.estimate.replicate_bytes);
    const std::size_t share = (memory_ - std::min(memory_ / 2, working)) / 3;
    engine_ = road_->part_engine(2 * share);
    // A checkpoint needs those of a moment ago as well.
    const std::size_t sums =
        (options_.checkpoint.empty() ? 1 : 2) * (16 * engine_->limbs() + sizeof(std::uint64_t));
    const std::uint64_t replicates = road_->plan().replicates;
    together_ =
        engine_->limbs() == 0 ? replicates : std::clamp<std::uint64_t>(share / sums, 1, replicates);
    // A batch that is added up, one that is ready and one that is read.
    const std::uint64_t blocks = share / 3 / (row_bytes_ * resample::kSuperBlockRows);
    batch_rows_ = std::max<std::uint64_t>(blocks, 1) * resample::kSuperBlockRows;
    while (blocks == 0 && batch_rows_ > 4096 && batch_rows_ * row_bytes_ > share / 3)
      batch_rows_ /= 2;
    const std::uint64_t passes =
        engine_->needs_rows() ? (replicates + together_ - 1) / together_ : 0;
    road_->set_reads(1 + (engine_->wants_read() ? 1 : 0) + passes, memory_);
  }

  template <class See>
  void for_each_batch(const See& see) const {
    Batches batches(source_, batch_rows_);
    std::uint64_t seen = 0;
    while (const std::unique_ptr<Batch> batch = batches.next(options_.execution.stop)) {
      seen += batch->view().rows();
      if (seen > rows_) break;
      see(*batch);
    }
    if (seen != rows_)
      throw DataError(text::concat("the source had ", text::grouped(rows_),
                                   " rows when it was first read and has ",
                                   seen > rows_ ? "more" : text::grouped(seen),
                                   " now; its rows must not change while they are used"));
  }

  const data::Source& source_;
  std::span<const Statistic> statistics_;
  Options options_;
  std::size_t memory_;
  shards::Look::Contents look_;
  std::uint64_t rows_ = 0;
  std::size_t row_bytes_ = 0;
  std::size_t held_ = 0;  // bytes of all rows
  std::optional<KeptSource> kept_;

  std::shared_ptr<const study::AbsentRows> absent_;
  std::vector<Family> families_;
  std::vector<std::unique_ptr<ChosenColumns>> sources_;  // of the families, if there are several
  std::vector<std::unique_ptr<SourceRun>> runs_;
  std::unique_ptr<Road> road_;  // otherwise
  std::unique_ptr<planning::PartEngine> engine_;
  std::uint64_t together_ = 1;  // replicates that are added up in one pass
  std::uint64_t batch_rows_ = 0;
  std::uint64_t reads_ = 1;
};

}  // namespace

Plan plan(const data::Source& source, std::span<const Statistic> statistics,
          const Options& options) {
  return SourceRun(source, statistics, options).plan();
}

Result bootstrap(const data::Source& source, std::span<const Statistic> statistics,
                 const Options& options) {
  return SourceRun(source, statistics, options).run();
}

Result bootstrap(const data::Source& source, const Statistic& statistic, const Options& options) {
  return bootstrap(source, std::span<const Statistic>(&statistic, 1), options);
}

}  // namespace bootfold
