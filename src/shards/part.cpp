#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "data/archive.h"
#include "shards/contents.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::shards {

namespace {

void merge(std::vector<planning::PartialSums>& sums, const planning::PartialSums& more) {
  planning::PartialSums* same = nullptr;
  for (planning::PartialSums& one : sums) {
    if (one.first >= more.last() || more.first >= one.last()) continue;
    study::RowRanges rows = one.rows;  // throws if some rows are in both
    rows.merge(more.rows);
    if (one.first == more.first && one.replicates == more.replicates) same = &one;
  }
  if (same == nullptr)
    sums.push_back(more);
  else
    same->add_rows(more);
}

void merge(Part::Contents& own, const Part::Contents& other) {
  if (own.fingerprint != other.fingerprint || own.kinds.size() != other.kinds.size())
    throw InvalidArgument(text::concat(
        "the parts belong to plans with the fingerprints ", text::hexadecimal(own.fingerprint),
        " and ", text::hexadecimal(other.fingerprint), "; merge parts of one plan only"));
  for (const planning::PartialSums& more : other.sums) merge(own.sums, more);
  for (std::size_t k = 0; k < own.kinds.size(); ++k) merge(own.kinds[k], other.kinds[k]);
}

}  // namespace

Part::Part(Contents contents) : contents_(std::make_unique<Contents>(std::move(contents))) {}
Part::Part(const Part& other) : contents_(std::make_unique<Contents>(*other.contents_)) {}
Part::Part(Part&& other) noexcept = default;
Part& Part::operator=(Part other) noexcept {
  contents_ = std::move(other.contents_);
  return *this;
}
Part::~Part() = default;

Part& Part::operator+=(const Part& other) {
  merge(*contents_, *other.contents_);
  return *this;
}

std::string Part::describe() const {
  std::string all;
  const Contents& own = *contents_;
  const auto has_sums = [](const Contents& kind) { return !kind.sums.empty(); };
  const auto kind = std::ranges::find_if(own.kinds, has_sums);  // others have the same rows
  for (const planning::PartialSums& sums : kind == own.kinds.end() ? own.sums : kind->sums)
    all += (all.empty() ? "" : "; ") + sums.describe();
  return all.empty() ? "nothing" : all;
}

std::string Part::to_bytes() const {
  data::ArchiveWriter writer;
  writer(*contents_);
  return data::framed("part", writer.take());
}

Part Part::from_bytes(std::string_view bytes) {
  data::ArchiveReader reader(data::unframed("part", bytes));
  Contents contents;
  reader(contents);
  if (!reader.at_end()) reader.refuse();
  return Part(std::move(contents));
}

}  // namespace bootfold::shards
