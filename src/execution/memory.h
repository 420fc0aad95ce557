// How much memory this process may use.
#pragma once

#include <cstddef>
#include <string>

namespace bootfold::execution {

/// The smallest of physical memory, the limits of the process's control groups (version 2:
/// memory.max, version 1: memory.limit_in_bytes, of its own group and all that contain it) and
/// `address_space`, where 0 means no limit. `root` is put in front of /proc and /sys.
[[nodiscard]] std::size_t allowed_memory(const std::string& root, std::size_t address_space);

/// The same for this process, with its RLIMIT_AS. Found once.
[[nodiscard]] std::size_t allowed_memory();

/// A quarter of `allowed`, but at least 64 MiB.
[[nodiscard]] std::size_t default_share(std::size_t allowed) noexcept;

}  // namespace bootfold::execution
