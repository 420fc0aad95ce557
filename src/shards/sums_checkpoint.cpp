#include "shards/sums_checkpoint.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "data/archive.h"
#include "text/concat.h"
#include "text/output_file.h"
#include "text/quantity.h"

namespace bootfold::shards {

namespace {

using data::CheckpointFile;
using data::Tensor;
using planning::PartialSums;
using text::grouped;

constexpr const char* kKind = "bootstrap of rows larger than memory";
constexpr const char* kComplete = "complete";
constexpr const char* kCurrent = "current";

/// All but the sums, which are large.
std::string head_of(const PartialSums& part) {
  PartialSums head;
  head.rows = part.rows;
  head.first = part.first;
  head.replicates = part.replicates;
  head.content = part.content;
  head.features = part.features;
  head.windows = part.windows;
  data::ArchiveWriter writer;
  writer(head);
  return writer.take();
}

std::string array_name(const std::string& part, const char* what) {
  return CheckpointFile::array_name(0, part + "." + what);
}

template <class Number>
std::vector<Number> numbers_of(const std::vector<std::byte>& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace

SumsCheckpoint::SumsCheckpoint(const std::string& path, std::vector<data::Fact> facts,
                               const bootfold::Plan& plan, const Execution& execution)
    : file_(path, kKind),
      facts_(std::move(facts)),
      rows_(plan.rows),
      first_(plan.first_replicate),
      replicates_(plan.replicates),
      writes_(execution, "run") {
  // Sums cannot be cut to fewer replicates while rows are missing in them.
  facts_.insert(facts_.begin(), {"the number of the first replicate", grouped(first_)});
  facts_.insert(facts_.begin(), {"the number of replicates", grouped(replicates_)});
}

PartialSums SumsCheckpoint::read(data::SafetensorsFile& file, const std::string& name,
                                 std::size_t limbs) const {
  PartialSums part;
  if (!file.has(array_name(name, "head"))) return part;
  const std::vector<std::byte> head = file.bytes(array_name(name, "head"));
  try {
    data::ArchiveReader reader({reinterpret_cast<const char*>(head.data()), head.size()});
    reader(part);
    if (!reader.at_end()) reader.refuse();
  } catch (const DataError& error) {
    file.fail(error.what());
  }
  part.sums = numbers_of<__int128>(file.bytes(array_name(name, "sums")));
  part.drawn = numbers_of<std::uint64_t>(file.bytes(array_name(name, "drawn")));
  if (part.drawn.size() != part.replicates || part.sums.size() / limbs != part.replicates ||
      part.sums.size() % limbs != 0)
    file.fail("its sums are not those of its replicates");
  return part;
}

void SumsCheckpoint::check(data::SafetensorsFile& file, const State& found,
                           const State& kind) const {
  const PartialSums& complete = found.complete;
  const PartialSums& current = found.current;
  const bool begins = complete.replicates == 0 || complete.first == first_;
  const bool follows = current.replicates == 0 || current.first == first_ + complete.replicates;
  const bool fits =
      complete.replicates <= replicates_ && current.replicates <= replicates_ - complete.replicates;
  const bool rows = (complete.replicates == 0 || complete.rows.covers(rows_)) &&
                    current.rows.covers(current.rows.count()) && current.rows.count() <= rows_;
  // What belongs to the first replicates alone.
  const PartialSums& first = complete.replicates > 0 ? complete : current;
  const bool features = first.features.has_value() == kind.current.features.has_value() &&
                        first.windows.size() == kind.current.windows.size();
  if (!begins || !follows || !fits || !rows || !features)
    file.fail("its rows and replicates do not fit together");
}

void SumsCheckpoint::restore(State& state) {
  auto stored = file_.read();
  text::check_writable(file_.path());
  if (!stored) return;
  if (stored->sections.size() != 1) stored->file.fail("it does not have one section");
  file_.check_facts(stored->sections[0], facts_);
  const std::size_t limbs = state.current.sums.size() / state.current.replicates;
  State found{read(stored->file, kComplete, limbs), read(stored->file, kCurrent, limbs)};
  check(stored->file, found, state);
  if (!stored->problem.empty())
    writes_.tell(true,
                 text::concat(stored->problem, "; ", file_.path(), ".previous is used instead"));
  in_file_ = amount(found.complete, found.current);
  writes_.tell(false,
               text::concat(file_.path(), " holds ", in_file_, "; the run goes on from there"));
  state = std::move(found);
}

void SumsCheckpoint::reached(const State& state) {
  complete_ = &state.complete;
  current_ = state.current;
  news_ = true;
  if (writes_.due()) save();
}

void SumsCheckpoint::save() {
  if (!news_) return;
  writes_.attempt([&] { write(); }, [&] { return in_file_; });
}

void SumsCheckpoint::write() {
  std::vector<Tensor> tensors;
  const std::string heads[] = {head_of(*complete_), head_of(current_)};
  const auto add = [&](const char* name, const PartialSums& part, const std::string& head) {
    if (part.replicates == 0) return;
    tensors.push_back(Tensor::of_bytes(array_name(name, "head"), std::as_bytes(std::span(head))));
    tensors.push_back(
        Tensor::of_bytes(array_name(name, "sums"), std::as_bytes(std::span(part.sums))));
    tensors.push_back(
        Tensor::of_bytes(array_name(name, "drawn"), std::as_bytes(std::span(part.drawn))));
  };
  add(kComplete, *complete_, heads[0]);
  add(kCurrent, current_, heads[1]);
  const data::CheckpointSection section{.facts = facts_};
  file_.write({&section, 1}, tensors);
  news_ = false;
  in_file_ = amount(*complete_, current_);
}

Cancelled SumsCheckpoint::cancelled() const { return writes_.cancelled(in_file_, file_.path()); }

std::string SumsCheckpoint::amount(const PartialSums& complete, const PartialSums& current) const {
  const auto replicates = [&](std::uint64_t first, std::uint64_t last) {
    return text::concat("replicates ", grouped(first + 1), " to ", grouped(last));
  };
  std::string text;
  if (complete.replicates > 0)
    text = text::concat("all rows of ", replicates(complete.first, complete.last()));
  if (current.replicates > 0)
    text += text::concat(text.empty() ? "" : ", and ", grouped(current.rows.count()), " of ",
                         grouped(rows_), " rows of ", replicates(current.first, current.last()));
  return text;
}

}  // namespace bootfold::shards
