// data/safetensors.h: named arrays and a few words in one file, in the safetensors layout.
//
// Eight bytes say how long the header is (little-endian), the header is a JSON object that names
// type, shape and place of each array, and the arrays follow as they lie in memory. Other programs
// read it (Python: safetensors.numpy.load_file).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "text/output_file.h"

namespace bootfold::data {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

/// An array to write. The values are the caller's.
struct Tensor {
  std::string name;
  std::string type;  ///< "F64", "F32", "I64", "U8", ...
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;
  std::vector<std::span<const std::byte>> more = {};  ///< bytes that follow these

  /// One of doubles.
  Tensor(std::string called, std::vector<std::size_t> sizes, std::span<const double> values)
      : name(std::move(called)),
        type("F64"),
        shape(std::move(sizes)),
        bytes(std::as_bytes(values)) {}

  /// One of floats.
  static Tensor of_floats(std::string called, std::vector<std::size_t> sizes,
                          std::span<const float> values) {
    Tensor tensor(std::move(called), std::move(sizes), {});
    tensor.type = "F32";
    tensor.bytes = std::as_bytes(values);
    return tensor;
  }

  /// One of bytes.
  static Tensor of_bytes(std::string called, std::span<const std::byte> values) {
    Tensor tensor(std::move(called), {values.size()}, {});
    tensor.type = "U8";
    tensor.bytes = values;
    return tensor;
  }
};

/// Writes all in one file that appears whole or not at all. Throws DataError, and InvalidArgument
/// where the words or shapes cannot be written.
void write_safetensors(const std::string& path, const std::map<std::string, std::string>& words,
                       std::span<const Tensor> tensors);
/// The same to a file that the caller commits; `path` is for messages.
void write_safetensors(text::OutputFile& output, const std::string& path,
                       const std::map<std::string, std::string>& words,
                       std::span<const Tensor> tensors);

/// A file that is read array by array. Everything throws DataError with the path and what is wrong.
/// Arrays must lie one behind the other and fill the file, as the format's own reader wants it:
/// then reading them all takes no more memory than the file has bytes.
class SafetensorsFile {
 public:
  struct Entry {
    std::string type;
    std::vector<std::size_t> shape;
    std::uint64_t first = 0;  // bytes from the end of the header
    std::uint64_t last = 0;
  };

  /// Reads and checks the header.
  explicit SafetensorsFile(const std::string& path);

  [[nodiscard]] const std::map<std::string, std::string>& words() const noexcept { return words_; }
  /// How many arrays there are.
  [[nodiscard]] std::size_t arrays() const noexcept { return entries_.size(); }
  [[nodiscard]] bool has(const std::string& name) const { return entries_.contains(name); }
  [[nodiscard]] const Entry& entry(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, Entry>& entries() const noexcept { return entries_; }

  /// The values of an F64 array.
  [[nodiscard]] std::vector<double> doubles(const std::string& name);
  /// The values of an F32 array.
  [[nodiscard]] std::vector<float> floats(const std::string& name);
  /// The values of a U8 array.
  [[nodiscard]] std::vector<std::byte> bytes(const std::string& name);

  /// Calls see(bytes) with the bytes of all arrays, as they lie in the file, piece by piece.
  void read_all(const std::function<void(std::span<const std::byte>)>& see);

  [[noreturn]] void fail(const std::string& why) const;

 private:
  template <class Number>
  [[nodiscard]] std::vector<Number> values(const std::string& name, const char* type);
  void check_places(std::uint64_t room) const;

  std::string path_;
  std::ifstream file_;
  std::uint64_t start_ = 0;  // of the arrays
  std::map<std::string, std::string> words_;
  std::map<std::string, Entry> entries_;
};

}  // namespace bootfold::data
