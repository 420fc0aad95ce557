target_sources(
  bootfold
  PRIVATE exact/binomial.cpp
          exact/cover.cpp
          exact/discrete.cpp
          exact/distribution.cpp
          exact/enumerate.cpp
          exact/halves.cpp
          exact/interval.cpp
          exact/lattice.cpp
          exact/means.cpp
          exact/nodes.cpp
          exact/order.cpp
          exact/ranks.cpp
          exact/series.cpp
          exact/spread.cpp
          exact/simd/level.cpp
          exact/simd/portable.cpp)
# As in execution: one body, one file per instruction set. Vectors are never passed by value, so how
# that is done (-Wpsabi) does not matter.
set_source_files_properties(exact/simd/portable.cpp PROPERTIES COMPILE_OPTIONS "${kernel_options};-Wno-psabi")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_sources(bootfold PRIVATE exact/simd/avx2.cpp exact/simd/avx512.cpp)
  set_source_files_properties(exact/simd/avx2.cpp PROPERTIES COMPILE_OPTIONS
                                                             "${kernel_options};-mavx2;-Wno-psabi")
  set_source_files_properties(
    exact/simd/avx512.cpp PROPERTIES COMPILE_OPTIONS
                                     "${kernel_options};-mavx512f;-mavx512dq;-mprefer-vector-width=512")
endif()
