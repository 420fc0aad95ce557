// Trains from a file of doubles, and fails if more than one float32 copy of the rows was in memory.
//
// A program of its own, because a peak (VmHWM) belongs to a process and never falls.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "bootfold/sources.h"
#include "temp_folder.h"

namespace {

using namespace bootfold;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kRows = 100'000;
constexpr std::size_t kColumns = 100;

std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

}  // namespace

int main() {
  const TempFolder folder;
  const std::string path = folder.path("rows.npy");
  std::size_t row = 0;
  const auto next = [&] {
    std::vector<double> values;
    for (const std::size_t last = std::min(row + 1000, kRows); row < last; ++row)
      for (std::size_t c = 0; c < kColumns; ++c)
        values.push_back(static_cast<double>((row * (c + 7)) % 1009) / 7);
    return values;
  };
  data::write_npy(path, next, std::array{kRows, kColumns});
  std::vector<double> targets(kRows);
  for (std::size_t i = 0; i < kRows; ++i) targets[i] = static_cast<double>(i % 13);

  const auto source = data::open(path, {.all_but = std::vector<std::string>{}});
  ensemble::Training training{.members = 2, .steps = 10};
  training.settings[0].architecture.hidden = {4};
  training.execution.threads = 1;
  const std::size_t before = peak_bytes();
  const ensemble::Ensemble trained =
      ensemble::train({.targets = DataView(targets), .source = source.get()}, training);
  const std::size_t after = peak_bytes();
  // Sums of out-of-bag predictions take about 50 bytes for each row, a few times.
  const std::size_t rows = ensemble::bytes_of_rows(kRows, kColumns + 1);
  const std::size_t allowed = before + rows + (std::size_t{30} << 20);
  std::printf("%zu members; peak %.1f MiB before, %.1f after, allowed %.1f; a copy is %.1f\n",
              trained.size(), static_cast<double>(before) / 1048576,
              static_cast<double>(after) / 1048576, static_cast<double>(allowed) / 1048576,
              static_cast<double>(rows) / 1048576);
  return before > 0 && after <= allowed ? 0 : 1;
}
