// bench/peak.h: how many fused multiply-adds this machine can make.
#pragma once

namespace bootfold::bench {

/// Floating-point operations a second in float32 that `threads` threads reach together, a fused
/// multiply-add counted as two, with the widest vectors of this processor; 0 where it is not known
/// how to. Takes about a quarter of a second.
[[nodiscard]] double peak_flops(unsigned threads);

}  // namespace bootfold::bench
