#include "paths/gather_parts.h"

#include <algorithm>
#include <vector>

#include "paths/sum_parts.h"
#include "resample/rows.h"

namespace bootfold::paths::gather {

namespace {

class Parts final : public SumParts {
 public:
  Parts(const Question& question, const Resources& resources)
      : SumParts(question.study.fixed(question.tolerance, true)),
        seed_(question.seed),
        rows_(question.rows),
        draws_(question.draws),
        level_(resources.level()),
        room_(resources.room) {}

  void add(const planning::Piece& piece, planning::PartialSums& part,
           const Execution& execution) const override {
    const std::uint64_t first = piece.first;
    const std::uint64_t last = first + piece.rows.rows();
    const std::uint64_t together =
        std::max<std::uint64_t>(kFewestRows, room_ / 2 / (limbs() * sizeof(std::int64_t)));
    for (std::uint64_t from = first; from < last; from += together) {
      const std::uint64_t to = std::min(last, from + together);
      add_rows({slice(piece.rows, first, from, to), from}, part,
               stage_of(execution, static_cast<double>(from - first),
                        static_cast<double>(to - from), static_cast<double>(last - first)));
    }
  }

 private:
  static constexpr std::uint64_t kFewestRows = 4096;

  struct Rows {
    DataView view;
    std::uint64_t first;
  };

  void add_rows(const Rows& rows, planning::PartialSums& part, const Execution& execution) const {
    const std::vector<std::int64_t> integers =
        integer_features(fixed(), study::simd::kernels(level_), rows.view);
    std::vector<std::vector<std::uint32_t>> drawn(execution::thread_count(execution));
    execution::detail::run_chunks(part.replicates, static_cast<double>(part.replicates), execution,
                                  [&](const execution::Worker& worker, std::size_t r) {
                                    worker.check();
                                    std::vector<std::uint32_t>& list = drawn[worker.index()];
                                    resample::draw_rows(level_, seed_, part.first + r, rows_,
                                                        draws_, list);
                                    part.drawn[r] += keep(list, rows);
                                    add_up(list, integers, rows.view.rows(),
                                           std::span(part.sums).subspan(r * limbs(), limbs()));
                                    worker.advance(1);
                                  });
  }

  /// Leaves the drawn rows that are there, numbered from the first of them; returns how many.
  [[nodiscard]] static std::uint64_t keep(std::vector<std::uint32_t>& drawn, const Rows& rows) {
    std::size_t kept = 0;
    for (const std::uint32_t row : drawn) {
      const std::uint64_t own = row - rows.first;  // of rows before the first: very large
      drawn[kept] = static_cast<std::uint32_t>(own);
      kept += own < rows.view.rows() ? 1 : 0;
    }
    drawn.resize(kept);
    return kept;
  }

  static void add_up(std::span<const std::uint32_t> drawn, std::span<const std::int64_t> integers,
                     std::size_t rows, std::span<__int128> sums) {
    for (std::size_t limb = 0; limb < sums.size(); ++limb) {
      const std::span<const std::int64_t> own = integers.subspan(limb * rows, rows);
      for (const std::uint32_t row : drawn) sums[limb] += own[row];
    }
  }

  std::uint64_t seed_;
  std::uint64_t rows_;
  std::uint64_t draws_;
  execution::Level level_;
  std::size_t room_;
};

}  // namespace

std::unique_ptr<planning::PartEngine> prepare_parts(const Question& question,
                                                    const Resources& resources) {
  return std::make_unique<Parts>(question, resources);
}

}  // namespace bootfold::paths::gather
