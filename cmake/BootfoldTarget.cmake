# bootfold_target(name): what every target of this project is compiled with.
#
# Results are the same bits on every instruction set, so the compiler may neither fuse a multiply
# with an add on its own (-ffp-contract=off) nor keep errno for math functions it could vectorise.
function(bootfold_target name)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(
    ${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                       VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                         -ffp-contract=off -fno-math-errno)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${name} PRIVATE -Wno-psabi) # what g++ 10 changed for std::pair
  endif()
  if(BOOTFOLD_WERROR)
    target_compile_options(${name} PRIVATE -Werror)
  endif()
  if(BOOTFOLD_SANITIZE)
    list(JOIN BOOTFOLD_SANITIZE "," sanitizers)
    target_compile_options(${name} PRIVATE -fsanitize=${sanitizers} -fno-omit-frame-pointer
                                           -fno-sanitize-recover=all)
    target_link_options(${name} PUBLIC -fsanitize=${sanitizers})
  endif()
  if(BOOTFOLD_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endif()
endfunction()

# bootfold_sources(target group pattern...): adds the sources that match. With BOOTFOLD_UNITY the
# sources of a group are compiled as one file, so names in their anonymous namespaces must differ.
# Kernels, in folders named simd, are compiled apart: see bootfold_kernels.
function(bootfold_sources target group)
  file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
  list(FILTER sources EXCLUDE REGEX "/simd/(portable|avx2|avx512|neon|dotprod)\\.cpp$")
  # A build reads text files with zlib, or without it.
  if(BOOTFOLD_ZLIB)
    list(FILTER sources EXCLUDE REGEX "/data/plain_input\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "/data/zlib_input\\.cpp$")
  endif()
  # And Parquet files with Arrow C++, in a module of its own, or not at all.
  list(FILTER sources EXCLUDE REGEX "/data/arrow/")
  if(BOOTFOLD_HAS_ARROW)
    list(FILTER sources EXCLUDE REGEX "/data/no_parquet\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "/data/parquet\\.cpp$")
  endif()
  # The same with MPI.
  list(FILTER sources EXCLUDE REGEX "/distributed/mpi/")
  if(BOOTFOLD_HAS_MPI)
    list(FILTER sources EXCLUDE REGEX "/distributed/no_mpi\\.cpp$")
  else()
    list(FILTER sources EXCLUDE REGEX "/distributed/mpi\\.cpp$")
  endif()
  target_sources(${target} PRIVATE ${sources})
  set_source_files_properties(${sources} PROPERTIES UNITY_GROUP ${group})
endfunction()

# bootfold_module(target source prefix): a module that the library loads when it is needed. `source`
# loads it; the definitions <prefix>_BUILT, _INSTALLED and _NAME tell where it can be.
function(bootfold_module target source prefix)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/bootfold)
  add_dependencies(bootfold ${target})
  set(name ${CMAKE_SHARED_MODULE_PREFIX}${target}${CMAKE_SHARED_MODULE_SUFFIX})
  set(definitions
      "${prefix}_BUILT=\"${CMAKE_CURRENT_BINARY_DIR}/${name}\""
      "${prefix}_INSTALLED=\"${CMAKE_INSTALL_FULL_LIBDIR}/bootfold/${name}\""
      "${prefix}_NAME=\"${name}\"")
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_DEFINITIONS
                                                                                 "${definitions}")
endfunction()

# bootfold_json_sources(variable pattern...): the sources that use JSON. They make one group, whatever
# their module, because the header of JSON takes longer to compile than all of them.
function(bootfold_json_sources variable)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${ARGN})
  set(found)
  foreach(source ${sources})
    file(STRINGS ${source} json REGEX "^#include <nlohmann/json.hpp>" LIMIT_COUNT 1)
    if(json)
      list(APPEND found ${source})
    endif()
  endforeach()
  set_source_files_properties(${found} PROPERTIES UNITY_GROUP json)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# bootfold_kernels(target module): the kernels <module>/simd/<level>.cpp, one body compiled once for
# each instruction set of the processor with flags of its own; the choice is made at run time.
function(bootfold_kernels target module)
  set(options $<$<NOT:$<CONFIG:Debug>>:-O3>)
  if(BOOTFOLD_SANITIZE)
    # With all sanitizers and -O3 a file of the network kernels takes ten minutes. The address
    # sanitizer sees their memory, and their arithmetic on floating point numbers cannot overflow.
    set(options -O1 $<$<STREQUAL:${module},ensemble>:-fno-sanitize=undefined>)
  endif()
  target_sources(${target} PRIVATE ${module}/simd/portable.cpp)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|aarch64|arm64")
    set_source_files_properties(${module}/simd/portable.cpp PROPERTIES COMPILE_OPTIONS
                                                                       "${options};-Wno-psabi")
    return()
  endif()
  # Processors of the last ten years do not run it, and -O1 takes half of the time to compile.
  set(portable_options ${options})
  list(TRANSFORM portable_options REPLACE "-O3" "-O1")
  set_source_files_properties(${module}/simd/portable.cpp PROPERTIES COMPILE_OPTIONS
                                                                     "${portable_options};-Wno-psabi")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    target_sources(${target} PRIVATE ${module}/simd/neon.cpp)
    set_source_files_properties(${module}/simd/neon.cpp PROPERTIES COMPILE_OPTIONS
                                                                   "${options};-Wno-psabi")
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${module}/simd/dotprod.cpp)
      target_sources(${target} PRIVATE ${module}/simd/dotprod.cpp)
      set_source_files_properties(
        ${module}/simd/dotprod.cpp PROPERTIES COMPILE_OPTIONS
                                              "${options};-march=armv8.2-a+dotprod;-Wno-psabi")
    endif()
    target_compile_definitions(${target} PRIVATE BOOTFOLD_ARM_KERNELS)
    return()
  endif()
  target_sources(${target} PRIVATE ${module}/simd/avx2.cpp ${module}/simd/avx512.cpp)
  set_source_files_properties(${module}/simd/avx2.cpp PROPERTIES COMPILE_OPTIONS
                                                                 "${options};-mavx2;-mfma;-Wno-psabi")
  # g++ 12 takes the undefined registers inside its own intrinsics for mistakes.
  set_source_files_properties(
    ${module}/simd/avx512.cpp
    PROPERTIES
      COMPILE_OPTIONS
      "${options};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vbmi;-mavx512vnni;-mprefer-vector-width=512;-Wno-psabi;-Wno-uninitialized;$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>"
  )
  target_compile_definitions(${target} PRIVATE BOOTFOLD_X86_KERNELS)
endfunction()
