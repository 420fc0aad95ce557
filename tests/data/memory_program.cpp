// Reads files that are larger than the address space it allows itself, and checks its peak memory.
//
//     source_memory_program npy|npy_column|fortran|raw|csv|several
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "bootfold/sources.h"
#include "source_rows.h"

namespace {

using namespace bootfold;

constexpr std::size_t kRows = std::size_t{1} << 26;       // 512 MB of doubles
constexpr std::size_t kSpace = std::size_t{300} << 20;    // of addresses
constexpr std::size_t kResident = std::size_t{24} << 20;  // at most

/// A file of zeros that takes no room on the disk.
std::string zeros(const std::string& folder, const std::string& name, const std::string& header,
                  std::size_t bytes) {
  const std::string path = folder + "/" + name;
  std::ofstream(path, std::ios::binary) << header;
  std::filesystem::resize_file(path, header.size() + bytes);
  return path;
}

std::unique_ptr<data::Source> open_kind(const std::string& kind, const std::string& folder) {
  using testing_data::npy_file;
  const std::vector<double> none;
  const std::string one = npy_file("<f8", "(" + std::to_string(kRows) + ",)", none);
  const std::string two = "(" + std::to_string(kRows / 2) + ", 2)";
  const std::size_t bytes = kRows * sizeof(double);
  if (kind == "npy") return data::open(zeros(folder, "x.npy", one, bytes));
  if (kind == "npy_column")
    return data::open(zeros(folder, "x.npy", npy_file("<f8", two, none), bytes),
                      {.columns = {"2"}, .where = "`1` == 0"});
  if (kind == "fortran")
    return data::open(zeros(folder, "x.npy", npy_file("<f8", two, none, true), bytes),
                      {.columns = {"2"}});
  if (kind == "raw") return data::open_raw(zeros(folder, "x.bin", "", bytes), {});
  if (kind == "several") {
    zeros(folder, "a.npy", one, bytes);
    zeros(folder, "b.npy", one, bytes);
    return data::open(folder + "/*.npy");
  }
  std::ofstream text(folder + "/x.csv");
  text << "x\n";
  std::string block;
  for (int row = 0; row < 1000; ++row) block += "0.5\n";
  for (std::size_t row = 0; row < kRows / 8; row += 1000) text << block;
  text.close();
  return data::open(folder + "/x.csv");
}

int check(const std::string& kind, const std::string& folder) {
  const std::unique_ptr<data::Source> source = open_kind(kind, folder);
  const rlimit space{kSpace, kSpace};
  if (::setrlimit(RLIMIT_AS, &space) != 0) return 1;
  std::size_t rows = 0;
  const auto pass = source->open();
  while (const auto chunk = pass->next()) rows += chunk->view.rows();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const std::size_t peak = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  std::printf("%s: %zu rows, peak memory %zu MiB\n", kind.c_str(), rows, peak >> 20);
  return rows >= kRows / 8 && peak <= kResident ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::string folder = (std::filesystem::temp_directory_path() / "bootfold-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  int code = 1;
  try {
    code = check(words[1], folder);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::filesystem::remove_all(folder);
  return code;
}
