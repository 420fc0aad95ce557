#include "ensemble/calibration/held_out_members.h"

#include <algorithm>

#include "bootfold/error.h"
#include "bootfold/map_reduce.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

HeldOutMembers::HeldOutMembers(const Ensemble& ensemble, std::size_t rows, execution::Level level,
                               const Execution& execution)
    : rows_(rows) {
  for (std::size_t m = 0; m < ensemble.size(); ++m)
    if (ensemble.member(m).failure.empty()) members_.push_back(m);
  if (members_.empty())
    throw InvalidArgument("all members of the ensemble failed, so it cannot predict");
  words_ = (members_.size() + 63) / 64;
  bits_.resize(rows * words_);
  counts_.resize(rows);
  const Ensemble::Frame& frame = ensemble.frame();
  // Each worker makes one word of every row.
  execution::detail::run_chunks(
      words_, 0, execution, [&](const execution::Worker& worker, std::size_t word) {
        for (std::size_t i = word * 64; i < std::min(word * 64 + 64, members_.size()); ++i) {
          const Member& member = ensemble.member(members_[i]);
          const std::vector<float> held_out =
              MemberRows({frame.seed, member.number, frame.share}, frame.resampling, rows,
                         frame.settings[member.settings].subsample, false, level)
                  .held_out();
          for (std::size_t row = 0; row < rows; ++row)
            if (held_out[row] > 0) bits_[row * words_ + word] |= std::uint64_t{1} << (i % 64);
          worker.check();
        }
      });
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t w = 0; w < words_; ++w)
      counts_[row] += static_cast<std::uint32_t>(std::popcount(bits(row)[w]));
}

}  // namespace bootfold::ensemble
