// The ending of a name decides how a file is read.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "data/csv.h"
#include "data/npy.h"
#include "data/storage.h"
#include "text/concat.h"
#include "text/reason.h"

namespace bootfold::data {
namespace {

enum class Kind { csv, tsv, npy, unknown };

Kind kind_of(std::string path) {
  std::transform(path.begin(), path.end(), path.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (path.ends_with(".csv") || path.ends_with(".csv.gz")) return Kind::csv;
  if (path.ends_with(".tsv") || path.ends_with(".tsv.gz")) return Kind::tsv;
  return path.ends_with(".npy") ? Kind::npy : Kind::unknown;
}

Kind find_kind(const std::string& path, const ReadOptions& options) {
  if (path == "-") return Kind::csv;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    throw DataError(
        text::concat("cannot open ", path.empty() ? "''" : path, ": ", text::reason(errno)));
  if (S_ISDIR(info.st_mode)) throw DataError(path + " is a directory, not a file");
  const Kind kind = kind_of(path);
  if (kind != Kind::unknown) return kind;
  // The shell's <(command) has no ending; it is standard input by another name.
  if (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode) || options.delimiter) return Kind::csv;
  throw DataError(path +
                  " has an unknown ending; supported are .csv, .tsv, .csv.gz, .tsv.gz and "
                  ".npy, or - for CSV on standard input, and any text if you name its delimiter, "
                  "such as delimiter=tab");
}

}  // namespace

Table::Table(TableParts parts)
    : names_(std::move(parts.names)),
      view_(std::move(parts.view)),
      omitted_rows_(std::move(parts.omitted_rows)),
      note_(std::move(parts.note)),
      storage_(std::move(parts.storage)),
      bytes_(parts.bytes),
      labels_(std::move(parts.labels)),
      texts_(std::move(parts.texts)) {
  for (const Labels& each : labels_) bytes_ += each.codes.size() * sizeof(std::uint32_t);
}

void Table::check_unchanged() const {
  if (storage_) storage_->mapping.check_unchanged();
}

Table read(const std::string& path, const ReadOptions& options) {
  try {
    switch (find_kind(path, options)) {
      case Kind::npy:
        return read_npy(path, options);
      case Kind::tsv:
        return read_csv(path, '\t', options);
      default:
        return read_csv(path, std::nullopt, options);
    }
  } catch (const std::bad_alloc&) {
    throw DataError(path +
                    ": not enough memory for the chosen columns; choose fewer, or convert to "
                    ".npy, which is mapped instead of copied");
  }
}

}  // namespace bootfold::data
