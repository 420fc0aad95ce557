// Trained members in a file, so that a training can go on after it was interrupted.
//
// A member is the same to the bit whichever others are trained with it, so any members that are
// stored can be taken, and the others are trained. Members are stored under the index of their
// settings and their number, so trainings that continue each other (Training::first_member) share a
// file.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "data/checkpoint_file.h"
#include "data/checkpoint_writes.h"
#include "ensemble/training/member_training.h"
#include "ensemble/training/work_schedule.h"

namespace bootfold::ensemble {

/// What identifies a training, in words: all that decides the parameters of a member.
[[nodiscard]] std::vector<data::Fact> training_facts(const Examples& examples,
                                                     const TrainingContext& context,
                                                     std::uint64_t fingerprint);

/// May be used by several threads.
class MemberCheckpoint {
 public:
  /// Reads Training::checkpoint. Throws DataError if it can be neither read nor written, and
  /// InvalidArgument if it is of another training.
  MemberCheckpoint(const TrainingContext& context, std::vector<data::Fact> facts);

  /// The members, if all of them are stored.
  [[nodiscard]] std::optional<std::vector<TrainedMember>> find(const std::vector<Job>& jobs) const;
  /// Stores copies of members. Writes the file if it is time to.
  void add(const std::vector<Job>& jobs, const std::vector<TrainedMember>& trained);
  /// Writes what is not in the file yet.
  void save();
  /// What to throw if the caller has cancelled: it tells what is kept.
  [[nodiscard]] Cancelled cancelled() const;

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  // settings, number

  [[nodiscard]] Key key_of(const Job& job) const;
  [[nodiscard]] std::size_t parameters_of(std::uint64_t settings) const;
  [[nodiscard]] std::string amount() const;
  void load();
  void write();
  void try_to_write();

  const TrainingContext& context_;
  data::CheckpointFile file_;
  std::vector<data::Fact> facts_;
  data::CheckpointWrites writes_;
  mutable std::mutex mutex_;
  std::map<Key, TrainedMember> members_;
  std::size_t in_file_ = 0;
};

}  // namespace bootfold::ensemble
