#include "bootstrap/replicate_checkpoint.h"

#include <algorithm>
#include <utility>

#include "text/concat.h"
#include "text/output_file.h"
#include "text/quantity.h"

namespace bootfold {

using data::CheckpointFile;
using text::grouped;

namespace {

/// Checkpoints of more bytes grow by their tail.
constexpr std::uint64_t kMostInFile = std::uint64_t{4} << 20;
constexpr std::uint64_t kRecordBytes = std::uint64_t{4} << 20;

/// How long a write may take: after a signal the process is to end within a second.
constexpr std::chrono::duration<double> kAnyTime{1e9};
constexpr std::chrono::duration<double> kLastTime{0.5};

}  // namespace

ReplicateCheckpoint::ReplicateCheckpoint(const std::string& path, const std::string& kind,
                                         std::uint64_t total, const Execution& execution)
    : file_(path, kind), tail_(path), total_(total), writes_(execution, "run") {
  load();
  text::check_writable(path);
}

void ReplicateCheckpoint::load() {
  auto stored = file_.read();
  if (!stored) return;
  for (std::size_t i = 0; i < stored->sections.size(); ++i) {
    data::CheckpointSection& words = stored->sections[i];
    Section section;
    section.facts = std::move(words.facts);
    section.first = words.numbers["first"];
    section.outputs = static_cast<std::size_t>(words.numbers["outputs"]);
    const std::string name = CheckpointFile::array_name(i, "replicates");
    const auto& shape = stored->file.entry(name).shape;
    if (shape.size() != 2 || shape[1] == 0 || shape[1] != section.outputs)
      stored->file.fail("the shape of its arrays is invalid");
    section.values = stored->file.doubles(name);
    sections_[words.name] = std::move(section);
  }
  std::string damage;
  for (data::TailRecord& record : tail_.read(file_.run(), damage)) take(std::move(record));
  for (const auto& [name, section] : sections_) in_file_ += section.count();
  told_ = sections_.empty();
  if (!damage.empty()) writes_.tell(true, text::concat(damage, "; what comes before is used"));
  if (!stored->problem.empty())
    writes_.tell(true,
                 text::concat(stored->problem, "; ", file_.path(), ".previous is used instead"));
}

void ReplicateCheckpoint::take(data::TailRecord record) {
  const auto [found, added] = sections_.try_emplace(record.section);
  Section& section = found->second;
  if (added) {
    section.facts = std::move(record.facts);
    section.first = record.first;
    section.outputs = static_cast<std::size_t>(record.outputs);
  } else if (section.facts != record.facts || section.outputs != record.outputs) {
    return;
  }
  const std::uint64_t end = section.first + section.count();
  if (record.first < section.first || record.first > end) return;  // a gap is between
  tail_used_ = true;
  const std::uint64_t last = record.first + record.count();
  if (record.first <= section.first + section.in_tail)
    section.in_tail = std::max(section.in_tail, last - section.first);
  if (last > end)
    section.values.insert(
        section.values.end(),
        record.values.begin() + static_cast<std::ptrdiff_t>((end - record.first) * record.outputs),
        record.values.end());
}

std::uint64_t ReplicateCheckpoint::begin(const std::string& section, std::vector<data::Fact> facts,
                                         const Range& range, std::span<double> values) {
  current_ = section;
  range_ = range;
  values_ = values;
  made_ = restored_ = 0;
  rest_kept_ = false;
  running_ = true;
  goal_ = range.count;
  const auto found = sections_.find(section);
  if (found == sections_.end()) {
    sections_[section] = {std::move(facts), range.first, range.outputs, {}, 0};
    return 0;
  }
  Section& stored = found->second;
  file_.check_facts({.name = section, .facts = stored.facts}, facts);
  if (stored.outputs != range.outputs)
    throw DataError(text::concat("cannot use ", file_.path(), ": it has ", stored.outputs,
                                 " values for each replicate and this run has ", range.outputs));
  const std::uint64_t end = stored.first + stored.count();
  if (range.first < stored.first || range.first > end) {  // it lies elsewhere: a gap is between
    rest_kept_ = true;
    return 0;
  }
  goal_ += range.first - stored.first;
  const auto at = static_cast<std::ptrdiff_t>((range.first - stored.first) * range.outputs);
  restored_ = made_ = std::min(range.count, end - range.first);
  std::copy_n(stored.values.begin() + at, made_ * range.outputs, values.begin());
  rest_kept_ = end > range.first + range.count;
  if (!rest_kept_) {  // what the run has is not held twice
    stored.values.resize(static_cast<std::size_t>(at));
    stored.values.shrink_to_fit();
  }
  if (!std::exchange(told_, true))
    writes_.tell(false,
                 text::concat(file_.path(), " holds ", amount(), "; the run goes on from there"));
  return made_;
}

bool ReplicateCheckpoint::has_news() const {
  if (rest_kept_) {
    const Section& section = sections_.at(current_);
    return range_.first != section.first && made_ > section.count();
  }
  return made_ > restored_ || stored() > in_file_;
}

std::uint64_t ReplicateCheckpoint::stored() const {
  std::uint64_t count = running_ && !rest_kept_ ? made_ : 0;
  for (const auto& [name, section] : sections_) count += section.count();
  return count;
}

void ReplicateCheckpoint::made(std::uint64_t count) {
  made_ = restored_ + count;
  if (!writes_.due() || !has_news()) return;
  try_to_write(kAnyTime);
}

void ReplicateCheckpoint::end(bool keep) {
  made_ = range_.count;
  if (writes_.worth() && has_news()) try_to_write(kAnyTime);
  Section& section = sections_.at(current_);
  if (keep && !rest_kept_)
    section.values.insert(section.values.end(), values_.begin(), values_.end());
  values_ = {};
  running_ = rest_kept_ = false;
  made_ = restored_ = 0;
}

void ReplicateCheckpoint::try_to_write(std::chrono::duration<double> most) {
  writes_.attempt(
      [&] { write(most); },
      [&] { return in_file_ == 0 ? "" : text::concat(grouped(in_file_), " replicates"); });
}

std::uint64_t ReplicateCheckpoint::count_of(const std::string& name, const Section& section) const {
  return section.count() + (running_ && !rest_kept_ && name == current_ ? made_ : 0);
}

void ReplicateCheckpoint::give_up_rest() {
  Section& section = sections_.at(current_);
  section.values.clear();
  section.first = range_.first;
  section.in_tail = 0;
  rest_kept_ = false;
  moved_ = true;
}

void ReplicateCheckpoint::write(std::chrono::duration<double> most) {
  const auto begin = std::chrono::steady_clock::now();
  if (running_ && rest_kept_) give_up_rest();
  std::uint64_t bytes = 0;
  for (const auto& [name, section] : sections_)
    bytes += count_of(name, section) * section.outputs * sizeof(double);
  if (!tail_used_ && bytes <= kMostInFile) {
    in_file_ = write_file(kMostInFile);
    return;
  }
  // The tail continues the sections of FILE. Twice, so that damage to FILE does not make the tail
  // useless.
  if (moved_ || !file_.is_current())
    for (int times = 0; times < 2; ++times) in_file_ = write_file(kMostInFile);
  moved_ = false;
  tail_used_ = true;
  for (auto& [name, section] : sections_)
    while (section.in_tail < count_of(name, section)) {
      add_to_tail(name, section);
      in_file_ = 0;
      for (const auto& [other, stored] : sections_) in_file_ += stored.in_tail;
      const auto spent = std::chrono::steady_clock::now() - begin;
      // Whoever stops a run waits for the last write alone.
      if (spent > most || (most == kAnyTime && writes_.stopped())) return;
    }
}

std::uint64_t ReplicateCheckpoint::write_file(std::uint64_t most_bytes) {
  std::vector<data::CheckpointSection> words;
  std::vector<data::Tensor> tensors;
  std::uint64_t written = 0;
  for (const auto& [name, section] : sections_) {
    const std::uint64_t room = most_bytes / (section.outputs * sizeof(double));
    const std::uint64_t count = std::min(count_of(name, section), room);
    if (count == 0) continue;
    const std::uint64_t stored = std::min(count, section.count());
    data::Tensor tensor(CheckpointFile::array_name(words.size(), "replicates"),
                        {count, section.outputs},
                        std::span(section.values).first(stored * section.outputs));
    if (count > stored)
      tensor.more.push_back(std::as_bytes(values_.first((count - stored) * section.outputs)));
    words.push_back({.name = name,
                     .facts = section.facts,
                     .numbers = {{"first", section.first}, {"outputs", section.outputs}}});
    tensors.push_back(std::move(tensor));
    written += count;
    most_bytes -= count * section.outputs * sizeof(double);
  }
  file_.write(words, tensors);
  return written;
}

void ReplicateCheckpoint::add_to_tail(const std::string& name, Section& section) {
  const std::uint64_t room =
      std::max<std::uint64_t>(1, kRecordBytes / (section.outputs * sizeof(double)));
  const std::uint64_t from = section.in_tail;
  const std::uint64_t to = std::min(count_of(name, section), from + room);
  data::TailRecord record{.run = file_.run(),
                          .section = name,
                          .facts = section.facts,
                          .first = section.first + from,
                          .outputs = section.outputs,
                          .values = {}};
  const std::uint64_t stored = section.count();  // the others are in the values of the run
  const auto add = [&](std::span<const double> values, std::uint64_t first, std::uint64_t last) {
    const auto some = values.subspan(first * section.outputs, (last - first) * section.outputs);
    record.values.insert(record.values.end(), some.begin(), some.end());
  };
  if (from < stored) add(section.values, from, std::min(to, stored));
  if (to > stored) add(values_, std::max(from, stored) - stored, to - stored);
  tail_.append(record);
  section.in_tail = to;
}

void ReplicateCheckpoint::stop() {
  save();
  values_ = {};
  running_ = rest_kept_ = false;
  made_ = restored_ = 0;
}

void ReplicateCheckpoint::save() {
  if (has_news()) try_to_write(kLastTime);
}

Cancelled ReplicateCheckpoint::cancelled() const {
  return writes_.cancelled(in_file_ == 0 ? "" : amount(), file_.path());
}

std::string ReplicateCheckpoint::amount() const {
  const std::uint64_t total = total_ > 0 ? total_ : goal_;
  std::string found =
      text::concat(grouped(in_file_), total >= in_file_ ? text::concat(" of ", grouped(total)) : "",
                   " replicates");
  if (runs_ > 1 && total_ > 0)
    found += text::concat(" (the goal is ", grouped(total_ / runs_), " for each of ", runs_,
                          " kinds of statistics)");
  return found;
}

}  // namespace bootfold
