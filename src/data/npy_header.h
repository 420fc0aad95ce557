// data/npy_header.h: the header of a .npy file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bootfold/data.h"

namespace bootfold::data {

/// What a .npy file holds, checked against its size: all values lie within the file.
struct NpyHeader {
  Type type = Type::float64;
  std::size_t rows = 0;
  std::size_t columns = 1;
  bool fortran_order = false;  // whole columns, one after the other
  std::size_t offset = 0;      // of the first value from the start of the file
};

/// Understands format versions 1 to 3 with one or two dimensions; there may be no rows. `start` are
/// the first bytes of a file of `file_size` bytes. Throws DataError that starts with `label`.
[[nodiscard]] NpyHeader parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size,
                                         const std::string& label);

/// Throws InvalidArgument if words for missing values are given, which an array does not have.
void check_no_missing_words(const ReadOptions& options, const std::string& path);

/// The header, version 1, of a float64 array in C order, padded so that the values are aligned.
[[nodiscard]] std::string make_npy_header(std::span<const std::size_t> shape);

/// The first bytes of every .npy file.
inline constexpr char kNpyMagic[] = "\x93NUMPY";

}  // namespace bootfold::data
