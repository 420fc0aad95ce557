# The kernels: one body, one file per instruction set, each with flags of its own.
set(kernel_options $<$<NOT:$<CONFIG:Debug>>:-O3>)
target_sources(bootfold PRIVATE execution/level.cpp execution/threads.cpp execution/simd/portable.cpp)
set_source_files_properties(execution/simd/portable.cpp PROPERTIES COMPILE_OPTIONS "${kernel_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_sources(bootfold PRIVATE execution/simd/avx2.cpp execution/simd/avx512.cpp)
  set_source_files_properties(execution/simd/avx2.cpp PROPERTIES COMPILE_OPTIONS
                                                                 "${kernel_options};-mavx2")
  # g++ 12 takes the undefined registers inside its own intrinsics for mistakes.
  set_source_files_properties(
    execution/simd/avx512.cpp
    PROPERTIES
      COMPILE_OPTIONS
      "${kernel_options};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vbmi;-mavx512vnni;-mprefer-vector-width=512;-Wno-uninitialized;-Wno-maybe-uninitialized"
  )
  target_compile_definitions(bootfold PRIVATE BOOTFOLD_X86_KERNELS)
endif()
