#include "ensemble/training/work_schedule.h"

#include <algorithm>

namespace bootfold::ensemble {

namespace {

/// Members that a worker trains at a time. Part of the definition of results, because sums over
/// members are made chunk by chunk.
constexpr std::size_t kChunk = 16;
/// The same with early stopping, where the next members take the lanes of those that stopped. A
/// member that is trained by itself is a chunk, and so are members that share weights.
constexpr std::size_t kLongChunk = 64;

/// Whether members with these settings can share a pack.
bool share_a_pack(const Settings& a, const Settings& b) {
  return a.architecture == b.architecture && a.optimizer == b.optimizer &&
         a.batch_size == b.batch_size && (a.batch_size != 0 || a.subsample == b.subsample) &&
         (a.dropout > 0) == (b.dropout > 0);
}

}  // namespace

WorkSchedule::WorkSchedule(const Training& training,
                           const std::function<bool(const Settings&)>& solo)
    : training_(training) {
  const std::size_t together = training.stopping.patience > 0 ? kLongChunk : kChunk;
  for (std::size_t s = 0; s < training.settings.size(); ++s) {
    const auto known = std::ranges::find_if(groups_, [&](const Group& group) {
      return share_a_pack(training.settings[group.settings[0]], training.settings[s]);
    });
    if (known == groups_.end()) {
      const std::size_t usual = solo(training.settings[s]) ? 1 : together;
      groups_.push_back({{s}, training.share > 0 ? training.share : usual, 0});
    } else {
      known->settings.push_back(s);
    }
  }
  for (Group& group : groups_) {
    group.first_chunk = chunks_;
    chunks_ += (group.settings.size() * training.members + group.chunk_size - 1) / group.chunk_size;
  }
}

std::size_t WorkSchedule::size() const noexcept {
  return training_.members * training_.settings.size();
}

std::vector<Job> WorkSchedule::chunk(std::size_t index) const {
  const auto after = std::ranges::upper_bound(groups_, index, {}, &Group::first_chunk);
  const Group& group = *(after - 1);
  const std::size_t first = (index - group.first_chunk) * group.chunk_size;
  const std::size_t last =
      std::min(first + group.chunk_size, group.settings.size() * training_.members);
  std::vector<Job> jobs;
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t settings = group.settings[i / training_.members];
    const std::size_t number = i % training_.members;
    jobs.push_back({settings * training_.members + number,
                    {training_.seed, training_.first_member + number, training_.share},
                    &training_.settings[settings]});
  }
  return jobs;
}

}  // namespace bootfold::ensemble
