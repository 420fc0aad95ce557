// A program for the tests of mpirun: what one rank does, by name.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <string>
#include <thread>

#include "bootfold/distributed/group.h"
#include "bootfold/distributed/map_reduce.h"
#include "bootfold/error.h"

namespace {

using bootfold::distributed::Group;

void sum_of_squares(const Group& group) {
  std::array<std::array<double, 10>, 8> matrix{};
  for (std::size_t row = 0; row < 8; ++row)
    std::iota(matrix[row].begin(), matrix[row].end(), 10.0 * static_cast<double>(row));
  const double total = bootfold::map_reduce(
      {0, 8}, 0.0,
      [&](double& sum, std::size_t row) {
        for (const double x : matrix[row]) sum += x * x;
      },
      [](double& sum, double part) { sum += part; }, group);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto peaks = group.gather(std::to_string(usage.ru_maxrss));
  if (group.rank() != 0) return;
  std::printf("%d ranks: %.0f\n", group.size(), total);
  for (const std::string& peak : peaks) std::printf("peak %s\n", peak.c_str());
}

/// 3 GB in messages of 1.5 GB would take long; 70 MB are more than MPI sends at once.
void large_messages(const Group& group) {
  const std::string bytes(70'000'000, static_cast<char>('a' + group.rank()));
  const auto all = group.all_gather(bytes);
  for (int rank = 0; rank < group.size(); ++rank)
    if (all[static_cast<std::size_t>(rank)] !=
        std::string(70'000'000, static_cast<char>('a' + rank)))
      throw bootfold::DataError("other bytes arrived");
  if (group.rank() == 0) std::printf("equal\n");
}

/// Rank 1 fails while the others wait for it.
void fail(const Group& group) {
  if (group.rank() == 1) throw bootfold::DataError("the disk of rank 1 is gone");
  static_cast<void>(group.broadcast(group.rank() == 0 ? group.receive(1) : ""));
}

void wait_for_nothing(const Group& group) {
  std::printf("started\n");
  std::fflush(stdout);
  if (group.rank() == 1) std::this_thread::sleep_for(std::chrono::minutes(5));
  static_cast<void>(group.all_gather(""));
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  return bootfold::distributed::run([&](const Group& group) {
    if (name == "squares") sum_of_squares(group);
    if (name == "large") large_messages(group);
    if (name == "fail") fail(group);
    if (name == "wait") wait_for_nothing(group);
  });
}
