#include "shards/batches.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "bootfold/error.h"
#include "resample/super_blocks.h"
#include "text/concat.h"

namespace bootfold::shards {

DataView slice(const DataView& view, std::uint64_t first, std::uint64_t rows) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < view.columns(); ++c)
    columns.push_back(view.column(c).slice(first, rows));
  return DataView(std::move(columns));
}

bool same_types(const DataView& a, const DataView& b) {
  for (std::size_t c = 0; c < a.columns(); ++c)
    if (a.column(c).type() != b.column(c).type()) return false;
  return true;
}

std::uint64_t batch_rows(std::size_t columns, std::size_t memory) {
  std::uint64_t rows = resample::kSuperBlockRows;
  while (rows > 4096 && rows * columns * sizeof(double) > memory / 8) rows /= 2;
  return rows;
}

Batch::Batch(std::uint64_t first, const std::vector<data::Chunk>& chunks)
    : first_(first), chunks_(chunks) {
  if (chunks.size() == 1) {
    view_ = chunks[0].view;
    return;
  }
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < chunks[0].view.columns(); ++c) {
    std::vector<ColumnView> parts;
    for (const data::Chunk& chunk : chunks) parts.push_back(chunk.view.column(c));
    columns_.push_back(std::make_unique<data::Chunked>(std::move(parts)));
    columns.emplace_back(*columns_.back());
  }
  view_ = DataView(std::move(columns));
}

Batches::Batches(const data::Source& source, std::uint64_t rows, std::uint64_t first)
    : rows_(rows), first_(first) {
  reader_ = std::jthread([this, &source](const std::stop_token& stop) { read(source, stop); });
}

Batches::~Batches() {
  reader_.request_stop();
  reader_.join();
}

std::unique_ptr<Batch> Batches::next(const std::stop_token& stop) {
  std::unique_lock guard(lock_);
  while (!ready_ && !ended_) {
    if (stop.stop_requested()) throw Cancelled();
    changed_.wait_for(guard, std::chrono::milliseconds(50), [&] { return ready_ || ended_; });
  }
  if (stop.stop_requested()) throw Cancelled();
  std::unique_ptr<Batch> batch = std::move(ready_);
  if (!batch && error_) std::rethrow_exception(error_);
  guard.unlock();
  changed_.notify_all();
  return batch;
}

bool Batches::put(std::unique_ptr<Batch> batch, const std::stop_token& stop) {
  std::unique_lock guard(lock_);
  if (!changed_.wait(guard, stop, [&] { return ready_ == nullptr; })) return false;
  ready_ = std::move(batch);
  guard.unlock();
  changed_.notify_all();
  return true;
}

void Batches::read(const data::Source& source, const std::stop_token& stop) {
  try {
    const std::unique_ptr<data::Pass> pass = source.open();
    std::vector<data::Chunk> chunks;  // of the batch to come
    std::uint64_t first = first_;
    std::uint64_t have = 0;
    std::uint64_t wanted = rows_ - first_ % rows_;
    const auto send = [&] {
      const bool sent = put(std::make_unique<Batch>(first, chunks), stop);
      first += std::exchange(have, 0);
      wanted = rows_ - first % rows_;
      chunks.clear();
      return sent;
    };
    while (std::optional<data::Chunk> chunk = pass->next()) {
      if (stop.stop_requested()) return;
      if (chunk->view.columns() != source.names().size())
        throw DataError(text::concat("the source has ", source.names().size(),
                                     " columns but a chunk has ", chunk->view.columns()));
      // A batch has columns of one type each.
      if (!chunks.empty() && !same_types(chunks.front().view, chunk->view) && !send()) return;
      for (std::uint64_t at = 0; at < chunk->view.rows();) {
        const std::uint64_t some = std::min(chunk->view.rows() - at, wanted - have);
        chunks.push_back({slice(chunk->view, at, some), chunk->owner});
        have += some;
        at += some;
        if (have == wanted && !send()) return;
      }
    }
    if (have > 0 && !send()) return;
  } catch (...) {
    const std::lock_guard guard(lock_);
    error_ = std::current_exception();
  }
  const std::lock_guard guard(lock_);
  ended_ = true;
  changed_.notify_all();
}

}  // namespace bootfold::shards
