// Streams few members, then many, and fails if the peak memory of the process has grown.
//
//     ensemble_memory_program [threads] [members]
//
// A program of its own, because a peak (VmHWM) belongs to a process and never falls.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bootfold/ensemble/streaming.h"
#include "ensemble/spirals.h"

namespace {

using namespace bootfold;  // NOLINT(google-build-using-namespace)

std::size_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const ensemble::Spirals spirals(100);
  ensemble::Training training{.members = 1000, .steps = 2};
  training.settings[0].architecture.hidden = {8};
  training.execution.threads = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 2;
  const auto run = [&] {
    const ensemble::StreamedPrediction streamed =
        ensemble::train_and_predict(spirals.examples(), training, spirals.examples().inputs);
    return streamed.prediction.members[0] == training.members;
  };
  bool good = run();
  const std::size_t before = peak_bytes();
  // 42 parameters each: the parameters of 100,000 members would take 16 MiB.
  training.members = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 100'000;
  good = run() && good;
  const std::size_t after = peak_bytes();
  // The number of chunks that wait for a slower one, and the arenas of malloc, differ between runs;
  // a quarter of the parameters is allowed for that.
  const std::size_t allowed = before + (std::size_t{4} << 20);
  std::printf("1000 members: peak %.2f MiB; %zu: %.2f, allowed %.2f\n",
              static_cast<double>(before) / 1048576, training.members,
              static_cast<double>(after) / 1048576, static_cast<double>(allowed) / 1048576);
  return good && before > 0 && after <= allowed ? 0 : 1;
}
