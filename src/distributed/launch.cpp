// What launchers tell the processes that they start.
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "bootfold/distributed/group.h"
#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::distributed {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string_view() : value;
}

std::optional<int> number(const char* name) {
  const std::string_view text = environment(name);
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end.ec != std::errc() || end.ptr != text.data() + text.size())
    return std::nullopt;
  return value;
}

}  // namespace

Launch launch() {
  const std::string_view wanted = environment("BOOTFOLD_MPI");
  if (wanted == "off") return {};
  if (!wanted.empty() && wanted != "on")
    throw InvalidArgument(text::concat("the variable BOOTFOLD_MPI is '", wanted,
                                       "' but must be on or off; unset, it is on"));
  // Open MPI; MPICH, Intel MPI and Slurm's PMI; Slurm's PMIx, which is not told the size.
  for (const auto& [rank, size] :
       {std::pair("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        std::pair("PMI_RANK", "PMI_SIZE"), std::pair("PMIX_RANK", "SLURM_STEP_NUM_TASKS")}) {
    const std::optional<int> own = number(rank);
    const std::optional<int> all = number(size);
    if (own && all && *all > 1 && *own >= 0 && *own < *all) return {*own, *all};
  }
  return {};
}

}  // namespace bootfold::distributed
