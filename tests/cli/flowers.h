// tests/cli/flowers.h: training data, and commands that train on it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bootfold/random.h"
#include "program.h"

namespace bootfold::cli {

// Three clusters of flowers, and a column of noise.
inline std::string flowers(std::size_t rows, std::uint64_t seed = 1) {
  static const char* const kNames[] = {"iris", "rose, red", "tulip"};
  random::Stream stream({.seed = seed});
  std::ostringstream text;
  text << "length,noise,width,flower,id\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t kind = row % 3;
    text << 10 + 3.0 * static_cast<double>(kind) + random::normal(stream) << ','
         << random::normal(stream) << ','
         << 5.0 * static_cast<double>(kind % 2) + random::normal(stream) << ",\"" << kNames[kind]
         << "\",no" << row << '\n';
  }
  return text.str();
}

// y = 100 + 5 x + 2 noise.
inline std::string line(std::size_t rows, std::uint64_t seed = 1) {
  random::Stream stream({.seed = seed});
  std::ostringstream text;
  text << "x,y,weight\n";
  for (std::size_t row = 0; row < rows; ++row) {
    const double x = 10 + 3 * random::normal(stream);
    text << x << ',' << 100 + 5 * x + 2 * random::normal(stream) << ',' << 1 + row % 3 << '\n';
  }
  return text.str();
}

inline nlohmann::json json_of(std::vector<std::string> arguments,
                              const Surroundings& surroundings = {}) {
  arguments.emplace_back("--json");
  const Outcome outcome = run(arguments, surroundings);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return nlohmann::json::parse(outcome.out);
}

inline std::string refused(const std::vector<std::string>& arguments,
                           const Surroundings& surroundings = {}) {
  const Outcome outcome = run(arguments, surroundings);
  EXPECT_EQ(outcome.code, 2) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  return outcome.err;
}

inline std::vector<std::string> train_flowers(const Folder& folder) {
  return {"ensemble",
          "train",
          folder.write("flowers.csv", flowers(150)),
          "--target",
          "flower",
          "--ignore",
          "id",
          "--members",
          "20",
          "--hidden",
          "8",
          "--learning-rate",
          "1e-2",
          "--epochs",
          "30",
          "--output",
          folder.path("m.safetensors")};
}

}  // namespace bootfold::cli
