// data/parquet_module.h: how the library and the module that is linked with Arrow C++ talk.
//
// Arrow's libraries take 15 MB of memory and 75 MB of address space when they are loaded. So they
// are linked with a module of their own, which is loaded when a Parquet file is opened. Plain C
// functions, because nothing else is safe between two compilers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bootfold/arrow_c.h"

extern "C" {

/// A column to write. One of the three pointers is set.
struct BootfoldColumn {
  const char* name;
  const double* numbers;
  const std::int64_t* integers;
  const char* const* texts;
};

/// The functions of the module. Those that can fail return 0, or another number after they have
/// written one line of text to `error`, which has room for kParquetError bytes.
struct BootfoldParquet {
  /// Opens a file and tells the number of its rows and of the groups in which they are stored.
  int (*open)(const char* path, void** file, std::uint64_t* rows, std::size_t* groups, char* error);
  void (*close)(void* file);
  /// The number of rows of each group.
  int (*group_rows)(void* file, std::uint64_t* rows, char* error);
  /// Starts a stream of the columns at the given positions and of the groups first_group ..
  /// last_group - 1, in batches of `batch_rows` rows. It may outlive `file`. Without columns
  /// (nullptr) the stream has all columns and no rows.
  int (*stream)(void* file, const std::size_t* columns, std::size_t count, std::size_t first_group,
                std::size_t last_group, std::size_t batch_rows, ArrowArrayStream* stream,
                char* error);
  /// Encodes a table and hands the bytes of the file to `take`.
  int (*write)(const BootfoldColumn* columns, std::size_t count, std::size_t rows,
               void (*take)(void* context, const void* bytes, std::size_t size), void* context,
               char* error);
};

/// The one symbol of the module, by the version of this interface.
using BootfoldParquetModule = const BootfoldParquet*();

}  // extern "C"

namespace bootfold::data {

inline constexpr std::size_t kParquetError = 512;
inline constexpr const char* kParquetSymbol = "bootfold_parquet_4";

}  // namespace bootfold::data
