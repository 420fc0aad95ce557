// Path `blocks`: sums of neighbouring rows are differences of running sums.
//
// The features are integers, so running sums may wrap around: their differences, and sums of those,
// are exact whenever a replicate's sum fits.
#include "resample/blocks.h"

#include <algorithm>
#include <cmath>

#include "paths/entry.h"
#include "paths/sums.h"
#include "paths/table.h"
#include "planning/choose.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::paths::blocks {

namespace {

/// running[s][row] = sum of limb s over the rows before `row`.
template <class Unsigned>
std::vector<Unsigned> running_sums(const study::FixedSums& sums,
                                   const study::simd::Kernels& kernels) {
  const std::size_t rows = sums.problem.data.rows();
  std::vector<Unsigned> running(sums.limbs.size() * (rows + 1));
  for_each_integer_tile(
      sums, kernels, {},
      [&](std::size_t limb, std::size_t first, std::span<const std::int64_t> integers) {
        Unsigned* at = running.data() + limb * (rows + 1) + first;
        for (std::size_t i = 0; i < integers.size(); ++i)
          at[i + 1] = at[i] + static_cast<Unsigned>(integers[i]);
      });
  return running;
}

/// The sums of a feature over blocks.
std::int64_t sum_of(const study::simd::Kernels& kernels, const std::uint64_t* running,
                    std::uint32_t rows, const resample::BlockList& blocks) {
  return static_cast<std::int64_t>(kernels.sum_blocks(running, rows, blocks.starts.data(),
                                                      blocks.lengths.data(), blocks.starts.size()));
}

__int128 sum_of(const study::simd::Kernels&, const unsigned __int128* running, std::uint32_t rows,
                const resample::BlockList& blocks) {
  unsigned __int128 sum = 0;
  for (std::size_t i = 0; i < blocks.starts.size(); ++i) {
    const std::uint64_t end = std::uint64_t{blocks.starts[i]} + blocks.lengths[i];
    const bool around = end > rows;
    sum += running[around ? end - rows : end] - running[blocks.starts[i]];
    if (around) sum += running[rows];
  }
  return static_cast<__int128>(sum);
}

template <class Unsigned>
struct Shared {
  Shared(const Question& question, const Resources& resources)
      : sums(question.study.fixed(question.tolerance, false)),
        kernels(study::simd::kernels(resources.level())),
        seed(question.seed),
        rows(question.rows),
        running(running_sums<Unsigned>(sums, kernels)),
        law(question.design.blocks(question.rows, resources.level())) {}

  const study::FixedSums& sums;
  const study::simd::Kernels& kernels;
  std::uint64_t seed;
  std::size_t rows;
  std::vector<Unsigned> running;
  std::unique_ptr<const resample::BlockLaw> law;
};

template <class Unsigned>
class BlockSums final : public Maker {
 public:
  explicit BlockSums(const Shared<Unsigned>& shared)
      : shared_(shared), finish_(shared.sums), sums_(shared.sums.limbs.size()) {}

  void make(std::uint64_t first, std::uint64_t last, std::span<double> values,
            const execution::Worker& worker) override {
    const std::size_t outputs = values.size() / (last - first);
    const std::size_t rows = shared_.rows;
    for (std::uint64_t replicate = first; replicate < last; ++replicate) {
      worker.check();
      std::fill(sums_.begin(), sums_.end(), 0);
      shared_.law->for_each(shared_.seed, replicate, [&](const resample::BlockList& blocks) {
        for (std::size_t f = 0; f < sums_.size(); ++f)
          sums_[f] += sum_of(shared_.kernels, shared_.running.data() + f * (rows + 1),
                             shared_.law->rows(), blocks);
      });
      finish_(sums_, static_cast<double>(rows),
              values.subspan((replicate - first) * outputs, outputs));
    }
    worker.advance(static_cast<double>(last - first) * static_cast<double>(rows));
  }

 private:
  const Shared<Unsigned>& shared_;
  Finisher finish_;
  std::vector<__int128> sums_;
};

/// Running sums may wrap around without harm as long as a replicate's sum fits.
bool fits_64_bits(const study::FixedSums& sums) {
  const double largest_sum = static_cast<double>(sums.problem.data.rows()) *
                             study::largest(std::min(sums.most_digits(), study::kLimbDigits));
  return largest_sum < 0x1p62;
}

std::string serves(const Question& question) {
  if (!question.problem().all<statistic::Sums>()) return "it takes functions of sums only";
  return question.design.block_length() > 0 ? "" : no_way_for(question.design);
}

Estimate estimate(const Question& question) {
  Estimate found;
  const study::FixedSums& sums = question.study.fixed(question.tolerance, false);
  if (!sums.accurate()) {
    found.refusal = kNotAccurate;
    return found;
  }
  const double blocks =
      std::ceil(static_cast<double>(question.rows) / question.design.block_length());
  found.tier = Tier::shortcut;
  found.reason = text::concat("about ", text::grouped(static_cast<std::uint64_t>(blocks)),
                              " blocks a replicate: two look-ups each in running sums");
  found.replicate_nanoseconds = 100 + blocks * (3 + 3 * static_cast<double>(sums.limbs.size()));
  found.shared_bytes = (question.rows + 1) * sums.limbs.size() *
                       (fits_64_bits(sums) ? sizeof(std::int64_t) : sizeof(__int128));
  found.thread_bytes = planning::tile_bytes(sums.problem, sums.features());
  describe_arithmetic(sums, found);
  return found;
}

template <class Unsigned>
std::unique_ptr<Engine> engine_with(const Question& question, const Resources& resources) {
  const auto blocks = static_cast<std::uint64_t>(static_cast<double>(question.rows) /
                                                 question.design.block_length()) +
                      1;
  return std::make_unique<EngineOf<Shared<Unsigned>, BlockSums<Unsigned>>>(
      std::max<std::uint64_t>(1, 4096 / blocks), question.rows,
      std::make_shared<const Shared<Unsigned>>(question, resources));
}

std::unique_ptr<Engine> prepare(const Question& question, const Resources& resources) {
  return fits_64_bits(question.study.fixed(question.tolerance, false))
             ? engine_with<std::uint64_t>(question, resources)
             : engine_with<unsigned __int128>(question, resources);
}

}  // namespace

PathEntry entry() {
  return {.id = Path::blocks,
          .name = "blocks",
          .meaning = "differences of running sums",
          .serves = serves,
          .estimate = estimate,
          .prepare = prepare};
}

}  // namespace bootfold::paths::blocks
