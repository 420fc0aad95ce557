#include "data/format.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::data {
namespace {

std::string small_letters(std::string path) {
  std::transform(path.begin(), path.end(), path.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return path;
}

std::optional<Format> format_of(const std::string& name) {
  const std::string path = small_letters(name);
  if (path.ends_with(".csv") || path.ends_with(".csv.gz")) return Format::csv;
  if (path.ends_with(".tsv") || path.ends_with(".tsv.gz")) return Format::tsv;
  if (path.ends_with(".npy")) return Format::npy;
  if (path.ends_with(".parquet")) return Format::parquet;
  return std::nullopt;
}

bool is_pipe(const struct stat& info) { return S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode); }

}  // namespace

Format find_format(const std::string& path, const ReadOptions& options) {
  if (path == "-") return Format::csv;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    throw DataError(
        text::concat("cannot open ", path.empty() ? "''" : path, ": ", text::reason(errno)));
  if (S_ISDIR(info.st_mode)) throw DataError(path + " is a directory, not a file");
  if (const std::optional<Format> format = format_of(path)) return *format;
  // The shell's <(command) has no ending; it is standard input by another name.
  if (is_pipe(info) || options.delimiter) return Format::csv;
  throw DataError(path +
                  " has an unknown ending; supported are .csv, .tsv, .csv.gz, .tsv.gz, .npy and "
                  ".parquet, or - for CSV on standard input, and any text if you name its "
                  "delimiter, such as delimiter=tab");
}

bool read_once(const std::string& path) {
  if (path == "-") return true;
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && is_pipe(info);
}

bool is_parquet(const std::string& path) { return format_of(path) == Format::parquet; }

}  // namespace bootfold::data
