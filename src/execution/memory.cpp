#include "execution/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "bootfold/execution.h"

namespace bootfold::execution {
namespace {

constexpr std::size_t kLeast = std::size_t{64} << 20;
constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

/// The number at the front of `text`; nothing for "max", which means no limit.
std::optional<std::size_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return static_cast<std::size_t>(value);
}

std::size_t physical_memory(const std::string& root) {
  constexpr std::string_view kTotal = "MemTotal:";  // in kB, which are KiB here
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kTotal))
      if (const auto kibibytes = number_in(std::string_view(line).substr(kTotal.size())))
        return *kibibytes * 1024;
  const long pages = sysconf(_SC_PHYS_PAGES);  // NOLINT(concurrency-mt-unsafe)
  const long size = sysconf(_SC_PAGESIZE);     // NOLINT(concurrency-mt-unsafe)
  if (pages <= 0 || size <= 0) return kNoLimit;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(size);
}

/// The smallest limit of the group `path` below `mount` and of the groups that contain it.
std::size_t smallest_limit(const std::string& mount, std::string_view path, const char* file) {
  std::size_t smallest = kNoLimit;
  for (;;) {
    while (path.ends_with('/')) path.remove_suffix(1);
    std::ifstream stream(mount + std::string(path) + "/" + file);
    std::string line;
    if (std::getline(stream, line))
      if (const auto limit = number_in(line)) smallest = std::min(smallest, *limit);
    if (path.empty()) return smallest;
    path = path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/'));
  }
}

bool holds(std::string_view list, std::string_view word) {
  for (;;) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    if (comma == list.size()) return false;
    list.remove_prefix(comma + 1);
  }
}

/// Lines are number:controllers:path; version 2 has number 0 and no controllers. A container may
/// see the path of the host but only its own group, mounted at the root: the walk up finds it.
std::size_t group_memory(const std::string& root) {
  std::size_t smallest = kNoLimit;
  const std::string mount = root + "/sys/fs/cgroup";
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const std::string_view path = std::string_view(line).substr(second + 1);
    if (controllers.empty()) {
      smallest = std::min(smallest, smallest_limit(mount, path, "memory.max"));
      smallest = std::min(smallest, smallest_limit(mount + "/unified", path, "memory.max"));
    } else if (holds(controllers, "memory")) {
      smallest =
          std::min(smallest, smallest_limit(mount + "/memory", path, "memory.limit_in_bytes"));
    }
  }
  return smallest;
}

}  // namespace

std::size_t allowed_memory(const std::string& root, std::size_t address_space) {
  return std::min(
      {physical_memory(root), group_memory(root), address_space == 0 ? kNoLimit : address_space});
}

std::size_t allowed_memory() {
  static const std::size_t found = [] {
    rlimit limit{};
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return allowed_memory("", limited ? static_cast<std::size_t>(limit.rlim_cur) : 0);
  }();
  return found;
}

std::size_t default_share(std::size_t allowed) noexcept { return std::max(allowed / 4, kLeast); }

std::size_t default_memory() { return default_share(allowed_memory()); }

std::size_t memory_limit(std::size_t asked) { return asked != 0 ? asked : default_memory(); }

}  // namespace bootfold::execution
