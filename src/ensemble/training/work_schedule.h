// The members of a run, in chunks of those that can be trained side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bootfold/ensemble/training.h"
#include "ensemble/training/member_rows.h"

namespace bootfold::ensemble {

/// One member to be trained.
struct Job {
  std::size_t member;  // in the ensemble
  MemberId id;
  const Settings* settings;
};

/// Knows every chunk and holds none: a run of a million members takes no more room than one of ten.
class Jobs {
 public:
  /// alone(settings): members with these settings are trained one by one.
  Jobs(const Training& training, const std::function<bool(const Settings&)>& alone);

  /// Members in all.
  [[nodiscard]] std::size_t size() const noexcept;
  [[nodiscard]] std::size_t chunks() const noexcept { return chunks_; }
  /// Members of one chunk. They may share a pack.
  [[nodiscard]] std::vector<Job> chunk(std::size_t index) const;

 private:
  /// Settings whose members may share packs.
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
