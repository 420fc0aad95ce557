// The inputs of examples, in memory or from a source.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "bootfold/ensemble/ensemble.h"
#include "ensemble/encoding/input_encoder.h"

namespace bootfold::ensemble {

/// Calls see(first row, rows) for all inputs, in order: once for those in memory, and for each
/// chunk of a source. Throws InvalidArgument if the source has other rows or columns than it says.
void for_each_chunk(const Examples& examples,
                    const std::function<void(std::size_t, const DataView&)>& see);

/// Reads and encodes inputs from the first row to the last.
class InputReader {
 public:
  /// The arguments must outlive the reader.
  InputReader(const Examples& examples, const Ensemble::Frame& frame);

  /// The number of inputs of the networks.
  [[nodiscard]] std::size_t columns() const noexcept { return encoder_.columns(); }

  /// The next rows, to out[row][column]; they must exist.
  void read(std::size_t rows, float* out);

 private:
  InputEncoder encoder_;
  std::unique_ptr<data::Pass> pass_;  // null: the inputs are in memory
  data::Chunk chunk_;
  std::size_t next_ = 0;  // row of the chunk
};

}  // namespace bootfold::ensemble
