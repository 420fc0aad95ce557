// data/checkpoint_file.h: the state of a run in a file, from which the run goes on after it ended.
//
// The file is in the safetensors layout (docs/long-runs.md has the format), with a checksum of all
// that is in it. It is written whole under the name FILE.new, synced to the disk and renamed, and
// the file that it replaces is kept as FILE.previous. So a process that is killed at any moment
// leaves one good file at least, and a damaged one is noticed. A large one grows by its tail
// (data/checkpoint_tail.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/safetensors.h"

namespace bootfold::data {

/// One property of a run, in words: ("seed", "7").
struct Fact {
  std::string name;
  std::string value;

  [[nodiscard]] bool operator==(const Fact&) const = default;

  template <class Archive>
  void visit(Archive& archive) {
    archive(name, value);
  }
};

/// A part of a checkpoint that has facts of its own: the replicates of a group, say.
struct CheckpointSection {
  std::string name = {};
  std::vector<Fact> facts = {};
  std::map<std::string, std::uint64_t> numbers = {};
  std::vector<std::string> texts = {};
};

class CheckpointFile {
 public:
  /// `kind`: "bootstrap", "comparison" or "ensemble". Touches no file.
  CheckpointFile(std::string path, std::string kind);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  struct Stored {
    SafetensorsFile file;
    std::vector<CheckpointSection> sections;
    std::string run;      ///< of which these files are
    std::string problem;  ///< why FILE could not be used and FILE.previous is; empty: FILE is
  };

  /// The newest state that is good; nothing if there is neither FILE nor FILE.previous. Throws
  /// DataError if there are files but none is good, and InvalidArgument for another kind.
  [[nodiscard]] std::optional<Stored> read();

  /// Writes a state. The name of an array is array_name(), and none is empty. Throws DataError;
  /// FILE is then as it was.
  void write(std::span<const CheckpointSection> sections, std::span<const Tensor> tensors);

  /// Tells runs with the same file apart. A run that goes on from the file has the same.
  [[nodiscard]] const std::string& run() const noexcept { return run_; }
  /// Whether FILE, as far as is known, is good and of this run.
  [[nodiscard]] bool is_current() const noexcept { return current_; }

  /// "2.replicates": array of a section.
  [[nodiscard]] static std::string array_name(std::size_t section, const std::string& array);

  /// Throws InvalidArgument, which names what differs, unless the facts are the same. A fact that
  /// begins with '#' is a fingerprint, which is only named if nothing else differs.
  void check_facts(const CheckpointSection& stored, std::span<const Fact> wanted) const;

 private:
  [[nodiscard]] Stored open(const std::string& path) const;

  std::string path_;
  std::string kind_;
  std::string run_;
  bool good_ = true;      // FILE is no damaged one, so it may become FILE.previous
  bool current_ = false;  // and it is of this run
};

/// Whether FILE, or what is left of it, was written as a checkpoint.
[[nodiscard]] bool is_checkpoint(const std::string& path);

}  // namespace bootfold::data
