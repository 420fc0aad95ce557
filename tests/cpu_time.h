// Processor time, by which tests judge how long something took: unlike the time of day it does not
// grow while other processes use the machine.
#pragma once

#include <ctime>

namespace bootfold {

/// Seconds of processor time that all threads of this process have used.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace bootfold
