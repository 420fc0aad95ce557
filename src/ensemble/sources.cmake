target_sources(
  bootfold
  PRIVATE ensemble/asked.cpp
          ensemble/calibration.cpp
          ensemble/check.cpp
          ensemble/conformal.cpp
          ensemble/count_influence.cpp
          ensemble/course.cpp
          ensemble/ensemble.cpp
          ensemble/evaluation.cpp
          ensemble/fingerprint.cpp
          ensemble/fold.cpp
          ensemble/folded.cpp
          ensemble/initialize.cpp
          ensemble/jobs.cpp
          ensemble/member_rows.cpp
          ensemble/names.cpp
          ensemble/out_of_bag.cpp
          ensemble/pack.cpp
          ensemble/parse.cpp
          ensemble/predictions.cpp
          ensemble/selection.cpp
          ensemble/shape.cpp
          ensemble/single.cpp
          ensemble/stored.cpp
          ensemble/table.cpp
          ensemble/temperature.cpp
          ensemble/train.cpp
          ensemble/trainer.cpp
          ensemble/validation.cpp
          ensemble/simd/level.cpp
          ensemble/simd/portable.cpp)
# With all sanitizers and -O3 a file of these takes ten minutes: the address sanitizer sees their memory,
# and their arithmetic on numbers cannot overflow.
set(network_options ${kernel_options})
if(BOOTFOLD_SANITIZE)
  list(APPEND network_options -O1 -fno-sanitize=undefined)
endif()
# As in execution: one body, one file per instruction set. Products are fused where the source says so
# and nowhere else.
set_source_files_properties(ensemble/simd/portable.cpp PROPERTIES COMPILE_OPTIONS "${network_options}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_sources(bootfold PRIVATE ensemble/simd/avx2.cpp ensemble/simd/avx512.cpp)
  set_source_files_properties(ensemble/simd/avx2.cpp PROPERTIES COMPILE_OPTIONS
                                                                "${network_options};-mavx2;-mfma")
  set_source_files_properties(
    ensemble/simd/avx512.cpp PROPERTIES COMPILE_OPTIONS
                                        "${network_options};-mavx512f;-mavx512dq;-mavx512vl;-mavx512bw;-mprefer-vector-width=512;-Wno-uninitialized;-Wno-maybe-uninitialized")
endif()
