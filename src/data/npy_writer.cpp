#include <string>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/npy_header.h"
#include "text/concat.h"
#include "text/output_file.h"

namespace bootfold::data {

namespace {

/// Values that an array of this shape has.
std::size_t count_of(std::span<const std::size_t> shape) {
  constexpr std::size_t kMostWritten = 32;  // NumPy's own limit up to version 1
  if (shape.size() > kMostWritten)
    throw InvalidArgument(text::concat("the shape has ", shape.size(), " dimensions but at most ",
                                       kMostWritten, " can be written"));
  std::size_t count = 1;
  bool overflow = false;
  for (const std::size_t size : shape) overflow |= __builtin_mul_overflow(count, size, &count);
  if (overflow)
    throw InvalidArgument("the shape has too many values; it must match the number of values");
  return count;
}

void check_count(std::size_t room, std::size_t given) {
  if (room != given)
    throw InvalidArgument(text::concat("the shape has ", room, " values but ", given,
                                       " are given; the numbers must agree"));
}

}  // namespace

void write_npy(const std::string& path, std::span<const double> values,
               std::span<const std::size_t> shape) {
  check_count(count_of(shape), values.size());
  const std::string header = make_npy_header(shape);
  text::OutputFile output(path);
  output.write(header.data(), header.size());
  output.write(values.data(), values.size_bytes());
  output.commit();
}

void write_npy(const std::string& path, const std::function<std::vector<double>()>& next,
               std::span<const std::size_t> shape) {
  const std::size_t room = count_of(shape);
  const std::string header = make_npy_header(shape);
  text::OutputFile output(path);
  output.write(header.data(), header.size());
  std::size_t given = 0;
  for (std::vector<double> piece = next(); !piece.empty(); piece = next()) {
    output.write(piece.data(), piece.size() * sizeof(double));
    given += piece.size();
  }
  check_count(room, given);
  output.commit();
}

}  // namespace bootfold::data
