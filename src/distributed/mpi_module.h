// distributed/mpi_module.h: how the library and the module that is linked with MPI talk.
//
// A library that is linked with MPI needs MPI wherever it runs. So a module of its own is, and it
// is loaded in processes that a launcher started. Plain C functions, because nothing else is safe
// between two compilers.
#pragma once

#include <cstddef>

extern "C" {

/// The functions of the module. Those that can fail return 0, or 1 after they have written one line
/// of text to `error`, which has room for kMpiError bytes.
struct BootfoldMpi {
  /// Starts MPI and tells the rank of this process, their number, and the lowest rank on this
  /// machine.
  int (*open)(int* rank, int* size, int* node, char* error);
  /// Sends or receives `size` bytes, at most 2^30. Asks `stopped(context)` while it waits, and
  /// returns 2 if that is not 0.
  int (*transfer)(int other, int sends, void* bytes, std::size_t size,
                  int (*stopped)(const void* context), const void* context, char* error);
  void (*abort)(int code);
  void (*close)();
};

/// The one symbol of the module, by the version of this interface.
using BootfoldMpiModule = const BootfoldMpi*();

}  // extern "C"

namespace bootfold::distributed {

inline constexpr std::size_t kMpiError = 512;
inline constexpr const char* kMpiSymbol = "bootfold_mpi_1";

}  // namespace bootfold::distributed
