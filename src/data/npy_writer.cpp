#include <string>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/npy_header.h"
#include "data/output.h"

namespace bootfold::data {

void write_npy(const std::string& path, std::span<const double> values,
               std::span<const std::size_t> shape) {
  constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit up to version 1
  if (shape.size() > kMostDimensions)
    throw InvalidArgument(concat("the shape has ", shape.size(), " dimensions but at most ",
                                 kMostDimensions, " can be written"));
  std::size_t count = 1;
  bool overflow = false;
  for (const std::size_t size : shape) overflow |= __builtin_mul_overflow(count, size, &count);
  if (overflow || count != values.size())
    throw InvalidArgument(concat("the shape has room for ",
                                 overflow ? "too many" : std::to_string(count), " values but ",
                                 values.size(), " are given; they must agree"));
  const std::string header = make_npy_header(shape);
  Output output(path);
  output.write(header.data(), header.size());
  output.write(values.data(), values.size_bytes());
  output.commit();
}

}  // namespace bootfold::data
