// The order of work of a training: its members in chunks that a worker trains together.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bootfold/ensemble/training.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

/// One member to train.
struct Job {
  std::size_t member;  // index in the ensemble
  MemberId id;
  const Settings* settings;
};

/// Computes the jobs of a chunk when they are needed, so memory does not grow with the members.
class WorkSchedule {
 public:
  /// solo(settings): whether members with these settings are trained one by one.
  WorkSchedule(const Training& training, const std::function<bool(const Settings&)>& solo);

  /// Number of members.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }
  /// The members of a chunk, which can share a pack.
  [[nodiscard]] std::vector<Job> chunk(std::size_t index) const;

 private:
  /// Settings whose members can share packs.
  struct Group {
    std::vector<std::size_t> settings;
    std::size_t chunk_size;
    std::size_t first_chunk;
  };

  const Training& training_;
  std::size_t chunks_ = 0;
  std::vector<Group> groups_;
};

}  // namespace bootfold::ensemble
