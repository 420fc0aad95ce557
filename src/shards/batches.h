// The chunks of a source, put together into batches that begin and end with super-blocks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "bootfold/chunked.h"
#include "bootfold/source.h"

namespace bootfold::shards {

/// Rows first, first + 1, ... of a source, read where the chunks lie.
class Batch {
 public:
  Batch(std::uint64_t first, const std::vector<data::Chunk>& chunks);
  Batch(Batch&&) = delete;

  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  std::uint64_t first_;
  std::vector<data::Chunk> chunks_;                      // keep the values alive
  std::vector<std::unique_ptr<data::Chunked>> columns_;  // where there are several chunks
  DataView view_;
};

/// Rows first, first + 1, ... of a view.
[[nodiscard]] DataView slice(const DataView& view, std::uint64_t first, std::uint64_t rows);

/// Whether the columns have the same types.
[[nodiscard]] bool same_types(const DataView& a, const DataView& b);

/// Reads a source on a thread of its own, one batch ahead.
class Batches {
 public:
  /// Batches have `rows` rows, the last what is left. If the first row of the source is row `first`
  /// of the data, the first batch ends at a multiple of `rows` there.
  Batches(const data::Source& source, std::uint64_t rows, std::uint64_t first = 0);
  ~Batches();
  Batches(const Batches&) = delete;
  Batches& operator=(const Batches&) = delete;

  /// The next batch; null after the last. Throws what the source throws, and Cancelled if `stop`
  /// asks for it.
  [[nodiscard]] std::unique_ptr<Batch> next(const std::stop_token& stop);

 private:
  void read(const data::Source& source, const std::stop_token& stop);
  [[nodiscard]] bool put(std::unique_ptr<Batch> batch, const std::stop_token& stop);

  std::uint64_t rows_;
  std::uint64_t first_;
  std::mutex lock_;
  std::condition_variable_any changed_;
  std::unique_ptr<Batch> ready_;
  bool ended_ = false;
  std::exception_ptr error_;
  std::jthread reader_;
};

/// Rows of a batch while nothing is known of the rows but the number of columns: a super-block, or
/// fewer if those would take more than an eighth of the memory.
[[nodiscard]] std::uint64_t batch_rows(std::size_t columns, std::size_t memory);

}  // namespace bootfold::shards
