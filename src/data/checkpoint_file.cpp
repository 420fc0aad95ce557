#include "data/checkpoint_file.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "bootfold/checkpoint.h"
#include "bootfold/error.h"
#include "data/checkpoint_tail.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold::data {

namespace {

constexpr const char* kCheckpointFormat = "bootfold checkpoint 1";
constexpr const char* kAnyCheckpoint = "bootfold checkpoint ";
constexpr const char* kNew = ".new";
constexpr const char* kPrevious = ".previous";
constexpr const char* kTail = ".tail";

/// 64 bits of a sequence of bytes, eight at a time. Every step can be undone, so no change of a
/// single word goes unnoticed.
class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    while (!bytes.empty()) {
      if (filled_ == 0 && bytes.size() >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof word);
        step(word);
        bytes = bytes.subspan(sizeof word);
        continue;
      }
      word_ |= std::to_integer<std::uint64_t>(bytes.front()) << (8 * filled_);
      bytes = bytes.subspan(1);
      if (++filled_ == sizeof word_) flush();
    }
  }
  [[nodiscard]] std::string text() {
    if (filled_ > 0) flush();
    step(size_);
    return text::hexadecimal(state_);
  }

 private:
  void step(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15U;
    state_ ^= state_ >> 32;
  }
  void flush() {
    step(std::exchange(word_, 0));
    filled_ = 0;
  }

  std::uint64_t state_ = 0x243F6A8885A308D3U;
  std::uint64_t word_ = 0;
  std::uint64_t size_ = 0;
  unsigned filled_ = 0;
};

using CheckpointJson = nlohmann::ordered_json;

/// Text that is not UTF-8 must not keep a checkpoint from being written.
std::string dumped(const CheckpointJson& json) {
  return json.dump(-1, ' ', false, CheckpointJson::error_handler_t::replace);
}

CheckpointJson json_of(const CheckpointSection& section) {
  CheckpointJson facts = CheckpointJson::array();
  for (const Fact& fact : section.facts) facts.push_back({fact.name, fact.value});
  return {{"name", section.name},
          {"facts", std::move(facts)},
          {"numbers", section.numbers},
          {"texts", section.texts}};
}

CheckpointSection section_of(const CheckpointJson& json) {
  CheckpointSection section;
  json.at("name").get_to(section.name);
  for (const CheckpointJson& fact : json.at("facts"))
    section.facts.push_back({fact.at(0).get<std::string>(), fact.at(1).get<std::string>()});
  json.at("numbers").get_to(section.numbers);
  json.at("texts").get_to(section.texts);
  return section;
}

/// "0.replicates F64 100 2": what the header says of an array.
std::string description(const std::string& name, const std::string& type,
                        std::span<const std::size_t> shape) {
  std::string text = name + " " + type;
  for (const std::size_t length : shape) text += text::concat(" ", length);
  return text + "\n";
}

void add_text(Checksum& checksum, const std::string& text) {
  checksum.add(std::as_bytes(std::span(text)));
}

std::string checksum_of(const std::string& words, SafetensorsFile& file) {
  std::vector<const std::pair<const std::string, SafetensorsFile::Entry>*> entries;
  for (const auto& entry : file.entries()) entries.push_back(&entry);
  std::ranges::sort(entries, {}, [](const auto* entry) { return entry->second.first; });
  Checksum checksum;
  add_text(checksum, words);
  for (const auto* entry : entries)
    add_text(checksum, description(entry->first, entry->second.type, entry->second.shape));
  file.read_all([&](std::span<const std::byte> bytes) { checksum.add(bytes); });
  return checksum.text();
}

std::string word_of(const SafetensorsFile& file, const std::string& name) {
  const auto found = file.words().find(name);
  return found == file.words().end() ? "" : found->second;
}

/// The value of a fact, or nothing.
const std::string* value_of(std::span<const Fact> facts, const std::string& name) {
  const auto found = std::ranges::find(facts, name, &Fact::name);
  return found == facts.end() ? nullptr : &found->value;
}

/// A text that no other run has.
std::string new_run() {
  static std::atomic<std::uint64_t> runs = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return text::concat(now, "-", ::getpid(), "-", ++runs);
}

bool same_text(const std::string& a, const std::string& b) {
  return a == b || dumped(CheckpointJson(a)) == dumped(CheckpointJson(b));
}

}  // namespace

CheckpointFile::CheckpointFile(std::string path, std::string kind)
    : path_(std::move(path)), kind_(std::move(kind)), run_(new_run()) {}

std::string CheckpointFile::array_name(std::size_t section, const std::string& array) {
  return text::concat(section, ".", array);
}

CheckpointFile::Stored CheckpointFile::open(const std::string& path) const {
  Stored stored{SafetensorsFile(path), {}, {}, {}};
  const std::string format = word_of(stored.file, "format");
  const std::string words = word_of(stored.file, "bootfold");
  if (!format.starts_with(kAnyCheckpoint)) stored.file.fail("it is not a checkpoint of bootfold");
  if (format != kCheckpointFormat)
    stored.file.fail(text::concat("its format is '", format, "' but this version reads '",
                                  kCheckpointFormat, "'"));
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  constexpr bool kChecked = false;  // no fuzzer finds a right checksum, and there is more to read
#else
  constexpr bool kChecked = true;
#endif
  if (checksum_of(words, stored.file) != word_of(stored.file, "checksum") && kChecked)
    stored.file.fail("its checksum is wrong, so it is damaged");
  try {
    const CheckpointJson json = CheckpointJson::parse(words);
    const auto kind = json.at("kind").get<std::string>();
    if (kind != kind_)
      throw InvalidArgument(text::concat(
          "checkpoint is ", text::quoted(path_), ", which holds a run of another kind (", kind,
          "); this run is of kind ", kind_, "; name another file, or delete this one"));
    stored.run = json.value("run", "");
    for (const CheckpointJson& section : json.at("sections"))
      stored.sections.push_back(section_of(section));
  } catch (const CheckpointJson::exception&) {
    stored.file.fail("its metadata are invalid");
  }
  return stored;
}

std::optional<CheckpointFile::Stored> CheckpointFile::read() {
  const std::string previous = path_ + kPrevious;
  const bool there = std::filesystem::exists(path_);
  const bool earlier = std::filesystem::exists(previous);
  if (!there && !earlier) return std::nullopt;
  std::string problem;
  if (there) {
    try {
      Stored stored = open(path_);
      if (!stored.run.empty()) run_ = stored.run;
      current_ = !stored.run.empty();
      return stored;
    } catch (const DataError& error) {
      problem = error.what();
    }
    if (!earlier)
      throw DataError(text::concat(problem,
                                   "; name another file as checkpoint, or delete this "
                                   "one to start from the beginning"));
  }
  try {
    Stored stored = open(previous);
    stored.problem = problem;
    if (!stored.run.empty()) run_ = stored.run;
    good_ = false;
    return stored;
  } catch (const DataError& error) {
    throw DataError(text::concat(problem.empty() ? "" : problem + "; ", error.what(),
                                 "; delete both files to start from the beginning"));
  }
}

void CheckpointFile::write(std::span<const CheckpointSection> sections,
                           std::span<const Tensor> tensors) {
  CheckpointJson json{{"kind", kind_}, {"run", run_}, {"sections", CheckpointJson::array()}};
  for (const CheckpointSection& section : sections) json["sections"].push_back(json_of(section));
  const std::string words = dumped(json);
  Checksum checksum;
  add_text(checksum, words);
  for (const Tensor& tensor : tensors)
    add_text(checksum, description(tensor.name, tensor.type, tensor.shape));
  for (const Tensor& tensor : tensors) {
    checksum.add(tensor.bytes);
    for (const auto& piece : tensor.more) checksum.add(piece);
  }
  text::OutputFile output(path_, kNew);
  write_safetensors(
      output, path_,
      {{"format", kCheckpointFormat}, {"bootfold", words}, {"checksum", checksum.text()}}, tensors);
  output.commit(good_ ? kPrevious : "");
  good_ = current_ = true;
}

void CheckpointFile::check_facts(const CheckpointSection& stored,
                                 std::span<const Fact> wanted) const {
  std::string differences;
  const auto add = [&](const std::string& text) {
    differences += (differences.empty() ? "" : "; ") + text;
  };
  for (const Fact& fact : wanted) {
    const std::string* other = value_of(stored.facts, fact.name);
    const std::string theirs = other == nullptr ? "unknown" : *other;
    if (same_text(theirs, fact.value)) continue;
    if (!fact.name.starts_with('#')) {
      add(text::concat(fact.name, " was ", theirs, " and is ", fact.value));
    } else if (differences.empty()) {
      add(text::concat(fact.name.substr(1), " (fingerprint ", theirs, ", now ", fact.value, ")"));
    }
  }
  if (differences.empty()) return;
  throw InvalidArgument(text::concat(
      "checkpoint is ", text::quoted(path_), ", which holds another run",
      stored.name.empty() ? "" : text::concat(" of ", text::quoted(stored.name)), ": ", differences,
      "; repeat the command or call that made it, name another file, or delete this one"));
}

bool is_checkpoint(const std::string& path) {
  try {
    return word_of(SafetensorsFile(path), "format").starts_with(kAnyCheckpoint);
  } catch (const DataError&) {
    return false;
  }
}

}  // namespace bootfold::data

namespace bootfold {

void remove_checkpoint(const std::string& path) {
  const bool ours = data::is_checkpoint(path);
  if (!ours && std::filesystem::exists(path)) return;
  if (!data::is_not_a_tail(path + data::kTail)) ::unlink((path + data::kTail).c_str());
  for (const char* suffix : {data::kNew, data::kPrevious, ""}) ::unlink((path + suffix).c_str());
}

}  // namespace bootfold
