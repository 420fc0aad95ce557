#include "streamed.h"

#include <algorithm>
#include <filesystem>
#include <variant>

#include "bootfold/sources.h"
#include "bootfold/statistic.h"

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

template <class Family>
bool all_are(const std::vector<Statistic>& statistics) {
  return std::all_of(statistics.begin(), statistics.end(), [](const Statistic& statistic) {
    return std::holds_alternative<Family>(statistic.bind(statistic.fewest_columns()).body);
  });
}

}  // namespace

std::unique_ptr<data::Source> streamed(const Request& request) {
  const Scheme scheme = request.scheme.without_data();
  const bool one_by_one = std::holds_alternative<scheme::Iid>(scheme) ||
                          std::holds_alternative<scheme::Poisson>(scheme);
  const bool needs_rows =
      request.exact || request.precision || request.options.standard_errors ||
      std::any_of(request.methods.begin(), request.methods.end(), [](interval::Method method) {
        return method == interval::Method::bca || method == interval::Method::abc;
      });
  const bool served =
      all_are<statistic::Sums>(request.statistics) ||
      (all_are<statistic::Order>(request.statistics) && request.read.columns.size() <= 1);
  if (!one_by_one || needs_rows || !served || request.scheme.weighted() ||
      request.scheme.repeated() || !request.read.labels.empty() || request.read.all_but)
    return nullptr;
  if (request.files == std::vector<std::string>{"-"}) return nullptr;
  const std::vector<std::string> files = data::expand(request.files);
  if (bytes_of(files) <= execution::memory_limit(request.options.memory) / 2) return nullptr;
  return data::open(files, request.read);
}

}  // namespace bootfold::cli
