#include "data/format.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

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

struct Ending {
  std::string_view text;
  Format format;
};

std::optional<Format> format_of(const std::string& name) {
  static constexpr std::array<Ending, 7> kEndings = {{{".csv", Format::csv},
                                                      {".txt", Format::csv},
                                                      {".data", Format::csv},
                                                      {".dat", Format::csv},
                                                      {".tsv", Format::tsv},
                                                      {".npy", Format::npy},
                                                      {".parquet", Format::parquet}}};
  std::string path = small_letters(name);
  const bool compressed = path.ends_with(".gz");
  if (compressed) path.resize(path.size() - 3);
  for (const auto& [text, format] : kEndings)
    if (path.ends_with(text) &&
        !(compressed && (format == Format::npy || format == Format::parquet)))
      return format;
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
  throw DataError(
      path +
      " has an unknown ending; supported are .csv, .tsv, .txt, .data and .dat (also with "
      ".gz), .npy and .parquet, or - for CSV on standard input, and any text if you "
      "name its delimiter, such as delimiter=tab");
}

bool read_once(const std::string& path) {
  if (path == "-") return true;
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && is_pipe(info);
}

bool is_parquet(const std::string& path) { return format_of(path) == Format::parquet; }

}  // namespace bootfold::data
