// data/checkpoint_tail.h: what a run has made since its checkpoint became large.
//
// A large checkpoint is not written anew each time: what is new is added to FILE.tail, record by
// record, so that the last write before the end of a process is short. A record has a length and a
// checksum, and counts only if it is complete. It names the run that FILE belongs to; records of
// another run are not read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/checkpoint_file.h"

namespace bootfold::data {

/// Whether there is a file that is something else than a tail: it must not be overwritten or
/// deleted.
[[nodiscard]] bool is_not_a_tail(const std::string& path);

/// Consecutive replicates of a section.
struct TailRecord {
  std::string run = {};  ///< CheckpointFile::run()
  std::string section = {};
  std::vector<Fact> facts = {};
  std::uint64_t first = 0;  ///< number of the first replicate
  std::uint64_t outputs = 0;
  std::vector<double> values = {};  ///< [replicate][output]

  [[nodiscard]] std::uint64_t count() const { return values.size() / outputs; }

  template <class Archive>
  void visit(Archive& archive) {
    archive(run, section, facts, first, outputs, values);
    if constexpr (Archive::kReads) {
      if (outputs == 0 || values.empty() || values.size() % outputs != 0 ||
          first > ~std::uint64_t{0} - values.size())
        archive.refuse();
    }
  }
};

class CheckpointTail {
 public:
  /// Beside the checkpoint `path`. Touches no file.
  explicit CheckpointTail(const std::string& path);

  /// The records of a run, in order, up to the first that is damaged or incomplete; none if the
  /// tail is of another run. `problem`: why a record of full length cannot be used.
  [[nodiscard]] std::vector<TailRecord> read(const std::string& run, std::string& problem);

  /// Adds a record behind those that were read or added; what else the file held is lost. Returns
  /// when it is on the disk. Throws DataError.
  void append(TailRecord& record);

 private:
  std::string path_;
  std::uint64_t size_ = 0;  // bytes of good records
};

}  // namespace bootfold::data
