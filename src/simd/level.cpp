// Which instruction sets this build has and this processor can run.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "text/concat.h"

#if defined(BOOTFOLD_ARM_KERNELS) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace bootfold::execution {

#if defined(BOOTFOLD_ARM_KERNELS)
namespace {

/// Whether the processor has the dot product extension of ARMv8.2. Every Mac with an ARM processor
/// has it; a system that does not tell is taken to have not.
bool has_dot_products() {
#if defined(__linux__)
  return (::getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#elif defined(__APPLE__)
  return true;
#else
  return false;
#endif
}

}  // namespace
#endif

std::string_view name(Level level) noexcept {
  switch (level) {
    case Level::portable:
      return "portable";
    case Level::avx2:
      return "avx2";
    case Level::avx512:
      return "avx512";
    case Level::neon:
      return "neon";
    case Level::dotprod:
      return "dotprod";
  }
  return "unknown";
}

std::vector<Level> available_levels() {
  std::vector<Level> levels = {Level::portable};
#if defined(BOOTFOLD_X86_KERNELS)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    levels.push_back(Level::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni"))
    levels.push_back(Level::avx512);
#elif defined(BOOTFOLD_ARM_KERNELS)
  levels.push_back(Level::neon);
  if (has_dot_products()) levels.push_back(Level::dotprod);
#endif
  return levels;
}

Level default_level() {
  const std::vector<Level> levels = available_levels();
  const char* wanted = std::getenv("BOOTFOLD_SIMD");  // NOLINT(concurrency-mt-unsafe)
  if (wanted == nullptr || *wanted == '\0') return levels.back();
  std::string list;
  for (const Level level : levels) {
    if (name(level) == wanted) return level;
    list += list.empty() ? "" : ", ";
    list += name(level);
  }
  throw InvalidArgument(text::concat("BOOTFOLD_SIMD is '", wanted, "' but this machine can run: ",
                                     list, "; unset it to use the fastest"));
}

void check_available(Level level) {
  const std::vector<Level> levels = available_levels();
  if (std::find(levels.begin(), levels.end(), level) == levels.end())
    throw InvalidArgument(
        text::concat("level is ", name(level),
                     " but this machine cannot run it; available_levels() lists those "
                     "it can"));
}

}  // namespace bootfold::execution
