// Path `stream` for functions of sums, from rows that arrive in pieces.
#include <algorithm>
#include <mutex>
#include <utility>

#include "paths/sum_parts.h"
#include "paths/walk.h"
#include "paths/walker.h"
#include "text/concat.h"

namespace bootfold::paths::walk {

namespace {

/// Sums of rows that arrive in pieces.
class Parts final : public SumParts {
 public:
  Parts(const Question& question, const Resources& resources)
      : SumParts(question.study.fixed(question.tolerance, false)),
        question_(question),
        resources_(resources),
        layout_(question),
        strata_(Shared::strata_of(question)),
        laws_(std::make_shared<resample::CountLaws>()) {}

  void add(const planning::Piece& piece, planning::PartialSums& part,
           const Execution& execution) const override {
    const std::shared_ptr<const resample::Strata> strata = one_stratum(piece.stratum);
    const SuperBlocks blocks(strata->all()[0].rows);
    const std::uint64_t first = piece.first;
    const std::uint64_t last = first + piece.rows.rows();
    if (first == last || part.replicates == 0) return;
    const std::uint64_t end = (last - 1) / resample::kSuperBlockRows + 1;
    // Kept digits take half of the room; where those of one super-block do not fit, none are.
    const std::size_t block_bytes = Digits::kept_bytes(layout_.size, resample::kSuperBlockRows, 1);
    const std::uint64_t together = std::max<std::uint64_t>(1, resources_.room / 2 / block_bytes);
    double done = 0;
    const double all = static_cast<double>(last - first) * static_cast<double>(part.replicates);
    for (std::uint64_t b = first / resample::kSuperBlockRows; b < end; b += together) {
      const std::uint64_t from = std::max(first, blocks.first_row(b));
      const std::uint64_t to = std::min(last, blocks.first_row(std::min(b + together, end)));
      const double size = static_cast<double>(to - from) * static_cast<double>(part.replicates);
      const DataView rows = slice(piece.rows, first, from, to);
      add_batch({{rows, from}, strata, b, std::min(b + together, end)}, part, block_bytes,
                stage_of(execution, done, size, all));
      done += size;
    }
  }

 private:
  /// Some rows of the super-blocks block .. end - 1 of a stratum.
  struct Batch {
    RowBatch rows;
    std::shared_ptr<const resample::Strata> stratum;
    std::uint64_t block;
    std::uint64_t end;
  };

  /// A stratum by itself; all rows where there are no strata.
  [[nodiscard]] std::shared_ptr<const resample::Strata> one_stratum(std::size_t stratum) const {
    if (strata_->all().size() == 1) return strata_;
    const resample::Stratum& one = strata_->all()[stratum];
    return std::make_shared<const resample::Strata>(one.rows, one.draws, one.seed);
  }

  void add_batch(const Batch& batch, planning::PartialSums& part, std::size_t block_bytes,
                 const Execution& execution) const {
    Resources resources = resources_;
    resources.execution = execution;
    resources.execution.level = resources_.level();
    const bool keep = block_bytes <= resources_.room / 2;
    const Shared shared(question_, resources, batch.rows, batch.stratum, keep, laws_);
    const SuperBlocks blocks(batch.stratum->all()[0].rows);
    const std::uint64_t block = batch.block;
    const std::uint64_t end = batch.end;
    const unsigned threads = execution::thread_count(execution);
    // Small enough that all threads have work, large enough that a tile is read for many.
    const std::uint64_t share = part.replicates * (end - block) / (2 * std::uint64_t{threads}) + 1;
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
          if (batch.rows.first <= blocks.first_row(block + task / groups))
            for (std::size_t i = 0; i < walker->drawn().size(); ++i)
              part.drawn[from + i] += walker->drawn()[i];
        });
  }

  Question question_;
  Resources resources_;
  Layout layout_;
  std::shared_ptr<const resample::Strata> strata_;
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
