#include "streamed.h"

#include <algorithm>
#include <filesystem>

#include "bootfold/shards.h"
#include "bootfold/sources.h"
#include "reading.h"

namespace bootfold::cli {
namespace {

/// Bytes of the files; 0 if one is a pipe or is not there, which reading them tells.
std::uintmax_t bytes_of(const std::vector<std::string>& files) {
  std::uintmax_t all = 0;
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) return 0;
    const std::uintmax_t bytes = std::filesystem::file_size(file, error);
    if (error) return 0;
    // Packed files are larger in memory.
    const bool packed = file.ends_with(".gz") || file.ends_with(".parquet");
    all += packed ? 4 * bytes : bytes;
  }
  return all;
}

}  // namespace

Options options_for_source(const Request& request) {
  Options options = request.options;
  options.scheme = request.scheme.without_data();
  options.influence =
      std::any_of(request.methods.begin(), request.methods.end(), [](interval::Method method) {
        return method == interval::Method::bca || method == interval::Method::abc;
      });
  return options;
}

bool has_numbers_only(const Request& request) {
  return !request.scheme.has_columns() && request.read.labels.empty() && !request.read.all_but;
}

std::unique_ptr<data::Source> streamed(const Request& request) {
  if (request.exact || request.precision || !has_numbers_only(request) ||
      !shards::obstacle(request.statistics, options_for_source(request)).empty())
    return nullptr;
  if (request.files == std::vector<std::string>{"-"}) return nullptr;
  const std::vector<std::string> files = data::expand(request.files);
  if (bytes_of(files) <= execution::memory_limit(request.options.memory) / 2) return nullptr;
  return open_rows(request);
}

}  // namespace bootfold::cli
