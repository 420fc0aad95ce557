#include <utility>

#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "data/archive.h"
#include "shards/contents.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::shards {

Part::Part(Contents contents) : contents_(std::make_unique<Contents>(std::move(contents))) {}
Part::Part(const Part& other) : contents_(std::make_unique<Contents>(*other.contents_)) {}
Part::Part(Part&& other) noexcept = default;
Part& Part::operator=(Part other) noexcept {
  contents_ = std::move(other.contents_);
  return *this;
}
Part::~Part() = default;

Part& Part::operator+=(const Part& other) {
  if (contents_->fingerprint != other.contents_->fingerprint)
    throw InvalidArgument(text::concat("the parts belong to plans with the fingerprints ",
                                       text::hexadecimal(contents_->fingerprint), " and ",
                                       text::hexadecimal(other.contents_->fingerprint),
                                       "; merge parts of one plan only"));
  for (const planning::PartialSums& more : other.contents_->sums) {
    auto& sums = contents_->sums;
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
  return *this;
}

std::string Part::describe() const {
  std::string all;
  for (const planning::PartialSums& sums : contents_->sums)
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
