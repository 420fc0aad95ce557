// Values in memory as numbers of C++: the types of columns, and loads from any address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bootfold/data.h"

namespace bootfold::data {

/// Any byte but zero is true.
struct Boolean {
  std::uint8_t byte;
  template <class Number>
  explicit operator Number() const noexcept {
    return static_cast<Number>(byte != 0);
  }
};

/// Calls `use` with a value of the C++ type that `type` names.
template <class Use>
void with_type(Type type, Use&& use) {
  switch (type) {
    case Type::float64:
      return use(double{});
    case Type::float32:
      return use(float{});
    case Type::int64:
      return use(std::int64_t{});
    case Type::int32:
      return use(std::int32_t{});
    case Type::int16:
      return use(std::int16_t{});
    case Type::int8:
      return use(std::int8_t{});
    case Type::uint64:
      return use(std::uint64_t{});
    case Type::uint32:
      return use(std::uint32_t{});
    case Type::uint16:
      return use(std::uint16_t{});
    case Type::uint8:
      return use(std::uint8_t{});
    case Type::boolean:
      return use(Boolean{});
  }
}

/// The value of type T at an address. Files may place values at any byte, hence memcpy; compilers
/// turn it into one load.
template <class T, class Out = double>
[[nodiscard]] Out load(const std::byte* at) noexcept {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<Out>(value);
}

}  // namespace bootfold::data
