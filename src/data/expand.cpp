// The files that paths, globs and folders stand for.
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/format.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

bool exists(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Sorted byte by byte, whatever the locale.
std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int code = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (code == GLOB_NOSPACE) throw std::bad_alloc();
  if (paths.empty())
    throw DataError(
        text::concat("no file matches ", pattern, "; check the folder and the pattern"));
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Files of Spark and Hive that hold no rows begin with _ or a point.
bool is_hidden(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('_') || name.starts_with('.');
}

void add_folder(const std::string& folder, std::vector<std::string>& files) {
  namespace fs = std::filesystem;
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (is_hidden(entry->path())) {
      entry.disable_recursion_pending();
    } else if (is_parquet(entry->path().string()) && !entry->is_directory(ignored)) {
      found.push_back(entry->path().string());
    }
  }
  if (error) throw DataError(text::concat("cannot open ", folder, ": ", error.message()));
  if (found.empty())
    throw DataError(text::concat(folder,
                                 " is a directory without .parquet files; name the files, "
                                 "or a pattern such as '",
                                 folder, folder.ends_with('/') ? "" : "/", "*.csv'"));
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

std::vector<std::string> expand(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const bool pattern = path != "-" && !exists(path) && path.find_first_of("*?[") != path.npos;
    for (const std::string& each : pattern ? matches_of(path) : std::vector{path}) {
      if (each != "-" && is_folder(each))
        add_folder(each, files);
      else
        files.push_back(each);
    }
  }
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw InvalidArgument("standard input can be read once only, but - is given several times");
  return files;
}

}  // namespace bootfold::data
