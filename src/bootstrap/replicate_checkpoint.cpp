#include "bootstrap/replicate_checkpoint.h"

#include <algorithm>
#include <utility>

#include "text/concat.h"
#include "text/output_file.h"
#include "text/quantity.h"

namespace bootfold {

using data::CheckpointFile;
using text::grouped;

ReplicateCheckpoint::ReplicateCheckpoint(const std::string& path, const std::string& kind,
                                         std::uint64_t total, const Execution& execution)
    : file_(path, kind), total_(total), writes_(execution, "run") {
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
    in_file_ += section.count();
    sections_[words.name] = std::move(section);
  }
  told_ = sections_.empty();
  if (!stored->problem.empty())
    writes_.tell(true,
                 text::concat(stored->problem, "; ", file_.path(), ".previous is used instead"));
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
    sections_[section] = {std::move(facts), range.first, range.outputs, {}};
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
  try_to_write();
}

void ReplicateCheckpoint::end(bool keep) {
  made_ = range_.count;
  if (writes_.worth() && has_news()) try_to_write();
  Section& section = sections_.at(current_);
  if (keep && !rest_kept_)
    section.values.insert(section.values.end(), values_.begin(), values_.end());
  values_ = {};
  running_ = rest_kept_ = false;
  made_ = restored_ = 0;
}

void ReplicateCheckpoint::try_to_write() {
  writes_.attempt(
      [&] { write(); },
      [&] { return in_file_ == 0 ? "" : text::concat(grouped(in_file_), " replicates"); });
}

void ReplicateCheckpoint::write() {
  std::vector<data::CheckpointSection> words;
  std::vector<data::Tensor> tensors;
  std::uint64_t written = 0;
  for (auto& [name, section] : sections_) {
    const bool own = running_ && name == current_;
    if (own && rest_kept_) {  // it lies elsewhere, and is shorter than what is made by now
      section.values.clear();
      section.first = range_.first;
      rest_kept_ = false;
    }
    const std::uint64_t count = section.count() + (own ? made_ : 0);
    if (count == 0) continue;
    data::Tensor tensor(CheckpointFile::array_name(words.size(), "replicates"),
                        {count, section.outputs}, section.values);
    if (own) tensor.more.push_back(std::as_bytes(values_.first(made_ * section.outputs)));
    words.push_back({.name = name,
                     .facts = section.facts,
                     .numbers = {{"first", section.first}, {"outputs", section.outputs}}});
    tensors.push_back(std::move(tensor));
    written += count;
  }
  file_.write(words, tensors);
  in_file_ = written;
}

void ReplicateCheckpoint::stop() {
  save();
  values_ = {};
  running_ = rest_kept_ = false;
  made_ = restored_ = 0;
}

void ReplicateCheckpoint::save() {
  if (has_news()) try_to_write();
}

Cancelled ReplicateCheckpoint::cancelled() const {
  return writes_.cancelled(in_file_ == 0 ? "" : amount(), file_.path());
}

std::string ReplicateCheckpoint::amount() const {
  const std::uint64_t total = total_ > 0 ? total_ : goal_;
  return text::concat(grouped(in_file_),
                      total >= in_file_ ? text::concat(" of ", grouped(total)) : "", " replicates");
}

}  // namespace bootfold
