#include "bootfold/chunked.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "bootfold/error.h"
#include "data/typed.h"
#include "text/concat.h"

namespace bootfold::data {

namespace {

/// Entries of the table that finds chunks, for each of them: most entries then lie within one.
constexpr std::size_t kEntriesPerChunk = 8;

/// Rows whose addresses are found, and asked for, before the first of them is read.
constexpr std::size_t kUnderWay = 128;

}  // namespace

Chunked::Chunked(std::vector<ColumnView> chunks) : begins_{0} {
  if (!chunks.empty()) type_ = chunks[0].type();
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    if (chunks[c].type() != type_)
      throw InvalidArgument(text::concat("chunk ", c + 1, " is of type ", name(chunks[c].type()),
                                         " but chunk 1 is of type ", name(type_),
                                         "; the chunks of one column must be of one type"));
    if (chunks[c].rows() == 0) continue;
    begins_.push_back(begins_.back() + chunks[c].rows());
    chunks_.push_back(chunks[c]);
  }
  if (chunks_.empty()) return;
  while (rows() >> shift_ > kEntriesPerChunk * chunks_.size()) ++shift_;
  const std::size_t step = std::size_t{1} << shift_;
  for (std::size_t row = 0, chunk = 0; row < rows(); row += step) {
    while (row >= begins_[chunk + 1]) ++chunk;
    std::size_t last = chunk;
    while (last + 1 < chunks_.size() && begins_[last + 1] < row + step) ++last;
    entries_.push_back({begins_[chunk + 1], static_cast<std::uint32_t>(chunk),
                        static_cast<std::uint32_t>(last - chunk)});
    chunk = last;
  }
  stride_ = chunks_[0].stride_;
  if (!std::ranges::all_of(chunks_, [&](const ColumnView& chunk) {
        return chunk.source_ == nullptr && chunk.stride_ == stride_;
      }))
    return;
  for (std::size_t c = 0; c < chunks_.size(); ++c)
    origins_.push_back(reinterpret_cast<std::uintptr_t>(chunks_[c].first_) -
                       begins_[c] * static_cast<std::uintptr_t>(stride_));
}

std::size_t Chunked::chunk_of(std::size_t row) const noexcept {
  const Entry& entry = entries_[row >> shift_];
  // No branch that a processor could not foresee: most entries have one chunk or two.
  if (entry.more <= 1) return entry.chunk + static_cast<std::size_t>(row >= entry.end);
  const auto begin = begins_.begin() + entry.chunk + 1;
  return entry.chunk +
         static_cast<std::size_t>(std::upper_bound(begin, begin + entry.more, row) - begin);
}

template <class Number>
void Chunked::read_rows(std::size_t first, std::span<Number> out) const noexcept {
  if (out.empty()) return;
  for (std::size_t chunk = chunk_of(first); !out.empty(); ++chunk) {
    const std::size_t size = std::min(out.size(), begins_[chunk + 1] - first);
    if constexpr (std::is_same_v<Number, double>)
      chunks_[chunk].read(first - begins_[chunk], out.first(size));
    else
      chunks_[chunk].read_integers(first - begins_[chunk], out.first(size));
    first += size;
    out = out.subspan(size);
  }
}

void Chunked::read(std::size_t first, std::span<double> out) const noexcept {
  read_rows(first, out);
}

void Chunked::read_integers(std::size_t first, std::span<std::int64_t> out) const noexcept {
  read_rows(first, out);
}

template <class Row>
void Chunked::gather_rows(std::size_t first, std::span<const Row> rows,
                          std::span<double> out) const noexcept {
  if (origins_.empty()) return ColumnSource::gather(first, rows, out);
  with_type(type_, [&](auto kind) {
    std::array<const std::byte*, kUnderWay> at;
    for (std::size_t done = 0; done < rows.size(); done += kUnderWay) {
      const std::size_t some = std::min(kUnderWay, rows.size() - done);
      for (std::size_t i = 0; i < some; ++i) {
        const std::size_t row = first + rows[done + i];
        at[i] = reinterpret_cast<const std::byte*>(origins_[chunk_of(row)] +
                                                   row * static_cast<std::uintptr_t>(stride_));
        __builtin_prefetch(at[i], 0, 2);
      }
      for (std::size_t i = 0; i < some; ++i) out[done + i] = load<decltype(kind)>(at[i]);
    }
  });
}

void Chunked::gather(std::size_t first, std::span<const std::uint64_t> rows,
                     std::span<double> out) const noexcept {
  gather_rows(first, rows, out);
}

void Chunked::gather(std::size_t first, std::span<const std::uint32_t> rows,
                     std::span<double> out) const noexcept {
  gather_rows(first, rows, out);
}

std::span<const double> Chunked::doubles(std::size_t first, std::size_t rows) const noexcept {
  if (rows == 0) return {};
  const std::size_t chunk = chunk_of(first);
  if (first + rows > begins_[chunk + 1]) return {};
  return chunks_[chunk].doubles(first - begins_[chunk], rows);
}

}  // namespace bootfold::data
