// data/block_pool.h: memory for chunks, used again when a chunk is no longer used.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace bootfold::data {

/// Lends blocks of one size. A block comes back when the last copy of its pointer goes, in whatever
/// thread that is, and also if the pool no longer exists.
class BlockPool {
 public:
  explicit BlockPool(std::size_t bytes) : state_(std::make_shared<State>(bytes)) {}

  /// A block with any contents.
  [[nodiscard]] std::shared_ptr<std::byte> take() {
    std::unique_ptr<std::byte[]> block;
    {
      const std::lock_guard lock(state_->mutex);
      if (!state_->free.empty()) {
        block = std::move(state_->free.back());
        state_->free.pop_back();
      }
    }
    if (!block) block.reset(new std::byte[state_->bytes]);
    return {block.release(), [state = state_](std::byte* bytes) {
              std::unique_ptr<std::byte[]> back(bytes);
              const std::lock_guard lock(state->mutex);
              if (state->free.size() < kMostFree) state->free.push_back(std::move(back));
            }};
  }

 private:
  static constexpr std::size_t kMostFree = 4;

  struct State {
    explicit State(std::size_t size) : bytes(size) { free.reserve(kMostFree); }
    std::size_t bytes;
    std::mutex mutex;
    std::vector<std::unique_ptr<std::byte[]>> free;
  };
  std::shared_ptr<State> state_;
};

}  // namespace bootfold::data
