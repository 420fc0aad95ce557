// The inputs of examples, in memory or from a source.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "bootfold/ensemble/ensemble.h"

namespace bootfold::ensemble {

/// Calls see(first row, rows) for all inputs, in order: once for those in memory, and for each
/// chunk of a source. Throws InvalidArgument if the source has other rows or columns than it says.
void for_each_chunk(const Examples& examples,
                    const std::function<void(std::size_t, const DataView&)>& see);

/// Reads and scales inputs from the first row to the last.
class InputReader {
 public:
  /// The arguments must outlive the reader.
  InputReader(const Examples& examples, const Scaling& scaling);

  /// The next rows, to out[row][column]; they must exist.
  void read(std::size_t rows, float* out);

 private:
  const Examples& examples_;
  const Scaling& scaling_;
  std::unique_ptr<data::Pass> pass_;  // null: the inputs are in memory
  data::Chunk chunk_;
  std::size_t next_ = 0;  // row of the chunk
};

}  // namespace bootfold::ensemble
