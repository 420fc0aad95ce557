// Data with groups, for the tests of compare.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/compare.h"
#include "bootfold/random.h"

namespace bootfold::comparison {

/// Values and the group of each.
struct Samples {
  std::vector<double> values;
  std::vector<std::string> groups;

  void add(const std::string& group, const std::vector<double>& more) {
    values.insert(values.end(), more.begin(), more.end());
    groups.insert(groups.end(), more.size(), group);
  }
  [[nodiscard]] data::Labels labels() const {
    return data::labels(std::span<const std::string>(groups));
  }
};

/// Efron and Tibshirani's mice: survival in days.
inline Samples mice() {
  Samples samples;
  samples.add("treatment", {94, 197, 16, 38, 99, 141, 23});
  samples.add("control", {52, 104, 146, 10, 50, 31, 40, 27, 46});
  return samples;
}

/// Standard normal values.
inline std::vector<double> normals(std::size_t count, std::uint64_t seed, double shift = 0) {
  random::Stream stream({.seed = seed});
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random::normal(stream) + shift);
  return values;
}

/// Rows of several groups of different sizes, mixed in a fixed way.
inline Samples mixed(std::size_t rows, std::uint64_t seed) {
  const std::vector<double> noise = normals(rows, seed);
  Samples samples;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t group = i * 7919 % 13 % 4;
    samples.values.push_back(10 + noise[i] + 0.2 * static_cast<double>(group));
    samples.groups.emplace_back(1, static_cast<char>('A' + group));
  }
  return samples;
}

/// The values of one group, in their order.
inline std::vector<double> values_of(const Samples& samples, const std::string& group) {
  std::vector<double> values;
  for (std::size_t i = 0; i < samples.values.size(); ++i)
    if (samples.groups[i] == group) values.push_back(samples.values[i]);
  return values;
}

}  // namespace bootfold::comparison
