// bench/peak.h: how many fused multiply-adds this machine can make.
#pragma once

#include "bootfold/execution.h"

namespace bootfold::bench {

/// Floating-point operations in float32 per second of processor time that `threads` threads reach
/// together, a fused multiply-add counted as two, with the vectors of `level`; 0 for levels whose
/// peak is not known. The best of some attempts of a few milliseconds each: call it several times
/// while other programs run.
[[nodiscard]] double peak_flops(execution::Level level, unsigned threads);

/// Processor time of this process in seconds.
[[nodiscard]] double processor_seconds();

}  // namespace bootfold::bench
