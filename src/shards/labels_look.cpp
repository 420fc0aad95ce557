#include "shards/labels_look.h"

#include <algorithm>
#include <iterator>

#include "bootfold/error.h"
#include "study/content_hash.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::shards {

std::uint64_t label_hash(const data::Labels& labels, std::uint64_t first) {
  std::vector<std::uint64_t> of_name;
  for (const std::string& name : labels.names) {
    std::uint64_t hash = 0x243F6A8885A308D3U ^ name.size();
    for (const char letter : name) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 32;
    }
    of_name.push_back(hash * 0xD6E8FEB86659FD93U);
  }
  constexpr std::size_t kTogether = 4096;
  std::vector<std::uint64_t> keys(kTogether);
  std::uint64_t all = 0;
  for (std::size_t row = 0; row < labels.rows(); row += kTogether) {
    const std::size_t size = std::min(kTogether, labels.rows() - row);
    for (std::size_t i = 0; i < size; ++i) keys[i] = of_name[labels.codes[row + i]];
    all += study::content_hash(std::span<const std::uint64_t>(keys).first(size), 0, first + row);
  }
  return all;
}

LabelsLook LabelsLook::of(Labelled kind, const data::Labels& labels, std::uint64_t first) {
  LabelsLook look{.kind = kind, .content = label_hash(labels, first)};
  if (kind != Labelled::strata || labels.rows() == 0) return look;
  const std::vector<std::uint64_t> counts = labels.counts();
  for (std::size_t code = 0; code < counts.size(); ++code)
    if (counts[code] > 0) look.names.push_back(labels.names[code]);
  std::sort(look.names.begin(), look.names.end());
  Piece piece{first, labels.rows(), std::vector<std::uint64_t>(look.names.size())};
  for (std::size_t code = 0; code < counts.size(); ++code) {
    if (counts[code] == 0) continue;
    const auto place = std::lower_bound(look.names.begin(), look.names.end(), labels.names[code]);
    piece.counts[static_cast<std::size_t>(place - look.names.begin())] = counts[code];
  }
  look.pieces.push_back(std::move(piece));
  return look;
}

void LabelsLook::shift(std::uint64_t rows) {
  for (Piece& piece : pieces) piece.first += rows;
  content *= study::content_shift(rows);
}

void LabelsLook::widen(const std::vector<std::string>& all) {
  std::vector<std::size_t> places;
  for (const std::string& name : names)
    places.push_back(
        static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), name) - all.begin()));
  for (Piece& piece : pieces) {
    std::vector<std::uint64_t> counts(all.size());
    for (std::size_t i = 0; i < places.size(); ++i) counts[places[i]] = piece.counts[i];
    piece.counts = std::move(counts);
  }
  names = all;
}

void LabelsLook::merge(const LabelsLook& other) {
  content += other.content;
  std::vector<std::string> all;
  std::set_union(names.begin(), names.end(), other.names.begin(), other.names.end(),
                 std::back_inserter(all));
  LabelsLook more = other;
  widen(all);
  more.widen(all);
  pieces.insert(pieces.end(), more.pieces.begin(), more.pieces.end());
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.first < b.first; });
}

std::vector<std::uint64_t> LabelsLook::before(std::uint64_t first) const {
  std::vector<std::uint64_t> counts(names.size());
  for (const Piece& piece : pieces) {
    if (piece.first >= first) break;
    if (piece.first + piece.rows > first)
      throw InvalidArgument(text::concat("the shard begins with row ", text::grouped(first + 1),
                                         ", within the shard that was looked at from row ",
                                         text::grouped(piece.first + 1), " to ",
                                         text::grouped(piece.first + piece.rows),
                                         "; with strata, a part must begin where a look began"));
    for (std::size_t s = 0; s < counts.size(); ++s) counts[s] += piece.counts[s];
  }
  return counts;
}

std::vector<std::uint64_t> LabelsLook::sizes() const {
  std::vector<std::uint64_t> sizes(names.size());
  for (const Piece& piece : pieces)
    for (std::size_t s = 0; s < sizes.size(); ++s) sizes[s] += piece.counts[s];
  return sizes;
}

bool LabelsLook::suits(const study::RowRanges& rows) const {
  if (kind != Labelled::strata) return true;
  study::RowRanges own;
  for (const Piece& piece : pieces)
    own.merge(study::RowRanges({piece.first, piece.first + piece.rows}));
  return own == rows;
}

bool LabelsLook::is_possible() const {
  if (kind > Labelled::clusters) return false;
  if (kind != Labelled::strata) return names.empty() && pieces.empty();
  if (std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) != names.end())
    return false;
  std::uint64_t end = 0;
  for (const Piece& piece : pieces) {
    if (piece.first < end || piece.rows > ~std::uint64_t{0} - piece.first ||
        piece.counts.size() != names.size())
      return false;
    end = piece.first + piece.rows;
    std::uint64_t left = piece.rows;
    for (const std::uint64_t count : piece.counts) {
      if (count > left) return false;
      left -= count;
    }
    if (left != 0) return false;
  }
  const std::vector<std::uint64_t> all = sizes();
  return std::find(all.begin(), all.end(), 0U) == all.end();
}

}  // namespace bootfold::shards
