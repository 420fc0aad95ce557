// Known answers: lines of "kind name=value ... : answer ..." in vectors.txt.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bootfold/random.h"

namespace bootfold {

struct Vector {
  std::string line;
  std::string kind;
  std::map<std::string, std::string> names;
  std::vector<std::string> answers;

  [[nodiscard]] std::uint64_t number(const std::string& name) const {
    return std::stoull(names.at(name));
  }

  /// The answers as hexadecimal numbers.
  [[nodiscard]] std::vector<std::uint64_t> words() const {
    std::vector<std::uint64_t> found;
    for (const auto& text : answers) found.push_back(std::stoull(text, nullptr, 16));
    return found;
  }

  /// The answers as decimal numbers.
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> found;
    for (const auto& text : answers) found.push_back(std::stoull(text));
    return found;
  }

  /// The answers as floating point numbers, hexadecimal or not.
  [[nodiscard]] std::vector<double> reals() const {
    std::vector<double> found;
    for (const auto& text : answers) found.push_back(std::stod(text));
    return found;
  }

  [[nodiscard]] random::StreamId stream() const {
    random::StreamId id{number("seed"), number("replicate")};
    if (names.contains("purpose")) id.purpose = static_cast<random::Purpose>(number("purpose"));
    if (names.contains("attempt")) id.attempt = static_cast<std::uint8_t>(number("attempt"));
    return id;
  }
};

/// All vectors of one kind; there is at least one.
inline std::vector<Vector> vectors(const std::string& kind) {
  std::vector<Vector> found;
  std::ifstream file(BOOTFOLD_TEST_DATA "/random/vectors.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream text(line);
    Vector vector;
    vector.line = line;
    std::string word;
    text >> vector.kind;
    while (text >> word && word != ":") {
      const std::size_t equals = word.find('=');
      vector.names[word.substr(0, equals)] = word.substr(equals + 1);
    }
    while (text >> word) vector.answers.push_back(word);
    if (vector.kind == kind) found.push_back(vector);
  }
  EXPECT_FALSE(found.empty()) << "vectors.txt has no line '" << kind << "'";
  return found;
}

/// FNV-1a of the numbers as 32-bit little-endian words, as make_vectors.py writes it.
inline std::string digest(const std::vector<std::uint32_t>& numbers) {
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const std::uint32_t number : numbers)
    for (int byte = 0; byte < 4; ++byte)
      value = (value ^ (number >> (8 * byte) & 0xFFU)) * 0x100000001B3U;
  std::ostringstream text;
  text << std::hex << value;
  return "fnv1a:" + std::string(16 - text.str().size(), '0') + text.str();
}

/// Whether `found` is the vector's answer, in full or by its digest.
inline testing::AssertionResult answers(const Vector& vector,
                                        const std::vector<std::uint32_t>& found) {
  const bool same =
      vector.answers.size() == 1 && vector.answers[0].starts_with("fnv1a:")
          ? digest(found) == vector.answers[0]
          : vector.numbers() == std::vector<std::uint64_t>(found.begin(), found.end());
  if (same) return testing::AssertionSuccess();
  return testing::AssertionFailure() << vector.line;
}

}  // namespace bootfold
