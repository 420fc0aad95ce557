#include "memory.h"

#include <sys/resource.h>

#include <fstream>
#include <sstream>
#include <string>

namespace bootfold::cli {

std::size_t peak_memory() {
  // Linux: VmHWM starts anew with the program; getrusage's peak also counts what the process was
  // before exec, which is as large as the parent.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) != 0) continue;
    std::istringstream fields(line.substr(6));
    std::size_t kibibytes = 0;
    if (fields >> kibibytes) return kibibytes * 1024;
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return static_cast<std::size_t>(usage.ru_maxrss);
#else
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace bootfold::cli
