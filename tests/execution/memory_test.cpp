// How much memory a process may use, from the files of a system that is made up.
#include "execution/memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bootfold/execution.h"

namespace bootfold::execution {
namespace memory_test {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// A folder with /proc and /sys of its own; 8 GiB of physical memory.
class System {
 public:
  System() : root_(std::filesystem::path(testing::TempDir()) / unique()) {
    write("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree:          100 kB\n");
  }
  ~System() { std::filesystem::remove_all(root_); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  void write(const std::string& path, const std::string& content) const {
    const std::filesystem::path file = root_.string() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }

  [[nodiscard]] std::size_t mebibytes(std::size_t address_space = 0) const {
    return allowed_memory(root_.string(), address_space) / kMebibyte;
  }

 private:
  static std::string unique() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string("bootfold_system_") + test->name();
  }
  std::filesystem::path root_;
};

TEST(AllowedMemory, IsPhysicalMemoryWithoutLimits) {
  const System system;
  EXPECT_EQ(system.mebibytes(), 8192U);
}

TEST(AllowedMemory, RespectsTheAddressSpaceLimit) {
  const System system;
  EXPECT_EQ(system.mebibytes(300 * kMebibyte), 300U);
}

TEST(AllowedMemory, IsTheSmallestLimitOfVersion2AlongThePath) {
  const System system;
  system.write("/proc/self/cgroup", "0::/users/job/step\n");
  system.write("/sys/fs/cgroup/users/job/step/memory.max", "max\n");
  EXPECT_EQ(system.mebibytes(), 8192U);
  system.write("/sys/fs/cgroup/users/memory.max", "2147483648\n");
  EXPECT_EQ(system.mebibytes(), 2048U);
  system.write("/sys/fs/cgroup/users/job/memory.max", "1073741824\n");
  EXPECT_EQ(system.mebibytes(), 1024U);
  system.write("/sys/fs/cgroup/users/job/step/memory.max", "4294967296\n");
  EXPECT_EQ(system.mebibytes(), 1024U);
}

// A container sees its own group as the root.
TEST(AllowedMemory, FindsTheLimitOfAContainer) {
  const System system;
  system.write("/proc/self/cgroup", "0::/\n");
  system.write("/sys/fs/cgroup/memory.max", "536870912\n");
  EXPECT_EQ(system.mebibytes(), 512U);
}

TEST(AllowedMemory, IsTheSmallestLimitOfVersion1AlongThePath) {
  const System system;
  system.write("/proc/self/cgroup", "12:cpu,cpuacct:/a\n5:hugetlb,memory:/docker/x\n");
  system.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(system.mebibytes(), 8192U);
  system.write("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "3221225472\n");
  EXPECT_EQ(system.mebibytes(), 3072U);
  system.write("/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "1048576000\n");
  EXPECT_EQ(system.mebibytes(), 1000U);
  // The group of another controller does not count.
  system.write("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n");
  EXPECT_EQ(system.mebibytes(), 1000U);
}

TEST(AllowedMemory, IgnoresFilesThatItCannotRead) {
  const System system;
  system.write("/proc/self/cgroup", "nonsense\n0::relative\n:memory\n");
  system.write("/sys/fs/cgroup/memory.max", "many\n");
  EXPECT_EQ(system.mebibytes(), 8192U);
}

TEST(DefaultMemory, IsAQuarterAndAtLeast64MiB) {
  EXPECT_EQ(default_share(1000 * kMebibyte), 250 * kMebibyte);
  EXPECT_EQ(default_share(100 * kMebibyte), 64 * kMebibyte);
  EXPECT_EQ(default_share(0), 64 * kMebibyte);
  EXPECT_EQ(default_memory(), default_share(allowed_memory()));
  EXPECT_EQ(memory_limit(0), default_memory());
  EXPECT_EQ(memory_limit(12345), 12345U);
}

}  // namespace memory_test
}  // namespace bootfold::execution
