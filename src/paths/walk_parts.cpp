// Path `stream` for functions of sums, from rows that arrive in pieces.
#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "paths/walk.h"
#include "paths/walker.h"
#include "text/concat.h"

namespace bootfold::paths::walk {

namespace {

/// Sums of rows that arrive in pieces.
class Parts final : public planning::PartEngine {
 public:
  Parts(const Question& question, const Resources& resources)
      : question_(question),
        resources_(resources),
        layout_(question),
        laws_(std::make_shared<resample::CountLaws>()) {}

  [[nodiscard]] std::size_t limbs() const override { return layout_.sums.limbs.size(); }

  void add(const DataView& piece, std::uint64_t first, planning::PartialSums& part,
           const Execution& execution) const override {
    const SuperBlocks blocks(question_.rows);
    const std::uint64_t last = first + piece.rows();
    if (first == last || part.replicates == 0) return;
    const std::uint64_t end = (last - 1) / resample::kSuperBlockRows + 1;
    // Kept digits take half of the room; where those of one super-block do not fit, none are.
    const std::size_t block_bytes = Digits::kept_bytes(layout_.size, resample::kSuperBlockRows, 1);
    const std::uint64_t together = std::max<std::uint64_t>(1, resources_.room / 2 / block_bytes);
    double done = 0;
    const double all = static_cast<double>(piece.rows()) * static_cast<double>(part.replicates);
    for (std::uint64_t b = first / resample::kSuperBlockRows; b < end; b += together) {
      const std::uint64_t from = std::max(first, blocks.first_row(b));
      const std::uint64_t to = std::min(last, blocks.first_row(std::min(b + together, end)));
      std::vector<ColumnView> columns;
      for (std::size_t c = 0; c < piece.columns(); ++c)
        columns.push_back(piece.column(c).slice(from - first, to - from));
      const double size = static_cast<double>(to - from) * static_cast<double>(part.replicates);
      Execution staged = execution;
      if (execution.progress)
        staged.progress = [&execution, done, size, all](execution::Progress progress) {
          execution.progress({done + size * progress.done / progress.total, all});
        };
      const DataView rows(std::move(columns));
      add_batch({rows, from}, b, std::min(b + together, end), part, block_bytes, staged);
      done += size;
    }
  }

  void finish(const planning::PartialSums& part, std::span<double> values,
              const Execution& execution) const override {
    const std::size_t outputs = values.size() / part.replicates;
    const std::size_t own = limbs();
    constexpr std::uint64_t kTogether = 4096;
    std::vector<std::unique_ptr<Finisher>> finishers(execution::thread_count(execution));
    Execution quiet = execution;
    quiet.progress = nullptr;
    execution::detail::run_chunks(
        (part.replicates + kTogether - 1) / kTogether, 1, quiet,
        [&](const execution::Worker& worker, std::size_t chunk) {
          worker.check();
          auto& finisher = finishers[worker.index()];
          if (!finisher) finisher = std::make_unique<Finisher>(layout_.sums);
          const std::uint64_t end = std::min(part.replicates, (chunk + 1) * kTogether);
          for (std::uint64_t r = chunk * kTogether; r < end; ++r)
            finish_one(*finisher, std::span(part.sums).subspan(r * own, own), part.drawn[r],
                       values.subspan(r * outputs, outputs));
        });
  }

 private:
  void finish_one(Finisher& finisher, std::span<const __int128> sums, std::uint64_t drawn,
                  std::span<double> values) const {
    const auto rows = static_cast<double>(drawn);
    if (drawn == 0) {  // a scheme may draw no row at all
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    } else if (question_.problem().is_mean()) {
      const double mean[1] = {layout_.sums.fixed[0].mean(sums, rows)};
      layout_.sums.problem.finish_means(mean, values);
    } else {
      finisher(sums, rows, values);
    }
  }

  /// Adds some rows of the super-blocks block .. end - 1.
  void add_batch(const RowBatch& batch, std::uint64_t block, std::uint64_t end,
                 planning::PartialSums& part, std::size_t block_bytes,
                 const Execution& execution) const {
    Resources resources = resources_;
    resources.execution = execution;
    resources.execution.level = resources_.level();
    const bool keep = block_bytes <= resources_.room / 2;
    const Shared shared(question_, resources, batch, keep, laws_);
    const SuperBlocks blocks(question_.rows);
    const unsigned threads = execution::thread_count(execution);
    // Small enough that all threads have work, large enough that a tile is read for many.
    const std::uint64_t share =
        part.replicates * (end - block) / (2 * std::uint64_t{threads}) / (end - block) + 1;
    const std::uint64_t group = std::max<std::uint64_t>(
        1, std::min<std::uint64_t>(resources_.group, (share + kSide - 1) / kSide * kSide));
    const std::uint64_t groups = (part.replicates + group - 1) / group;
    const std::size_t own = limbs();
    std::vector<std::mutex> locks(groups);
    std::vector<std::unique_ptr<Walker>> walkers(threads);
    std::uint64_t steps = 0;
    for (std::uint64_t b = block; b < end; ++b) steps += blocks.rows(b);
    execution::detail::run_chunks(
        (end - block) * groups, static_cast<double>(steps) * static_cast<double>(part.replicates),
        resources.execution, [&](const execution::Worker& worker, std::size_t task) {
          auto& walker = walkers[worker.index()];
          if (!walker) walker = std::make_unique<Walker>(shared);
          const std::uint64_t from = task % groups * group;
          const std::uint64_t to = std::min(part.replicates, from + group);
          walker->start(part.first + from, part.first + to);
          walker->add_block(0, blocks, block + task / groups, part.first + to, worker);
          const std::lock_guard lock(locks[task % groups]);
          for (std::size_t i = 0; i < walker->sums().size(); ++i)
            part.sums[from * own + i] += walker->sums()[i];
          // All holders of a super-block draw all of its rows; the one of the first row counts
          // them.
          if (batch.first <= blocks.first_row(block + task / groups))
            for (std::size_t i = 0; i < walker->drawn().size(); ++i)
              part.drawn[from + i] += walker->drawn()[i];
        });
  }

  Question question_;
  Resources resources_;
  Layout layout_;
  std::shared_ptr<resample::CountLaws> laws_;
};

}  // namespace

std::string no_parts(const Question& question) {
  if (!question.problem().all<statistic::Sums>())
    return "quantiles of several columns, trimmed means and mixtures of statistics of different "
           "kinds need sorted rows";
  if (by_cluster(question) || !question.design.stratum_labels().empty() ||
      !question.design.weights().empty())
    return text::concat("scheme '", question.design.name(), "' needs the labels of all rows");
  return {};
}

std::unique_ptr<planning::PartEngine> prepare_parts(const Question& question,
                                                    const Resources& resources) {
  return std::make_unique<Parts>(question, resources);
}

}  // namespace bootfold::paths::walk
