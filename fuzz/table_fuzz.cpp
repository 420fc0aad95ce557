// Fuzzer of the readers of tables (CSV, gzip, .npy): any bytes give a Table or an exception of
// bootfold, and a source of small chunks, or tables of few rows, give the rows of the table. The
// first byte chooses kind and options, the second the dialect, the rest is the file.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "bootfold/tables.h"
#include "file.h"

namespace {

// The rows of a source, and how many it left out.
bool same_rows(const bootfold::data::Table& table, const bootfold::data::Source& source) {
  std::size_t done = 0;
  const auto pass = source.open();
  while (const auto chunk = pass->next()) {
    if (done + chunk->view.rows() > table.view().rows()) return false;
    for (std::size_t c = 0; c < table.view().columns(); ++c)
      for (std::size_t row = 0; row < chunk->view.rows(); ++row)
        if (chunk->view.column(c)[row] != table.view().column(c)[done + row]) return false;
    done += chunk->view.rows();
  }
  const bootfold::data::ReadNotes left = notes(source);
  return done == table.view().rows() && left.omitted == table.omitted() &&
         left.filtered == table.filtered() && left.note == table.note();
}

// Tables of a few rows each, put together.
bool same_tables(const bootfold::data::Table& table, const bootfold::data::Tables& tables) {
  std::size_t done = 0;
  std::size_t all = 0;
  const auto pass = tables.open();
  while (const auto part = pass->next()) {
    const std::size_t rows = part->view().rows();
    if (done + rows > table.view().rows()) return false;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t c = 0; c < table.view().columns(); ++c)
        if (part->view().column(c)[row] != table.view().column(c)[done + row]) return false;
      if (part->labels().names[part->labels().codes[row]] !=
          table.labels().names[table.labels().codes[done + row]])
        return false;
    }
    for (std::size_t row = 0; row < part->texts().rows(); ++row)
      if (part->texts()[row] != table.texts()[all + row]) return false;
    done += rows;
    all += part->texts().rows();
  }
  return done == table.view().rows() && all == table.texts().rows();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace bootfold;
  static constexpr std::array<const char*, 4> kEndings = {".csv", ".tsv", ".csv.gz", ".npy"};
  static constexpr std::array<char, 6> kDelimiters = {',', ';', '\t', ' ', '|', '\''};
  static constexpr std::array<char, 6> kThousands = {',', '.', ' ', '\'', '_', ';'};
  if (size < 2) return 0;
  const unsigned choice = bytes[0];
  const unsigned dialect = bytes[1];
  const fuzz::File file(bytes + 2, size - 2, kEndings[choice % kEndings.size()]);

  data::ReadOptions options;
  if ((choice & 4U) != 0) options.columns = {"1"};
  if ((choice & 8U) != 0) options.columns.emplace_back("2");
  if ((choice & 16U) != 0) options.nan = data::NanPolicy::omit;
  if ((choice & 32U) != 0) options.header = (choice & 64U) != 0;
  if ((choice & 128U) != 0) options.labels = options.texts = {"1"};
  if ((dialect & 1U) != 0) options.decimal = ',';
  if ((dialect & 2U) != 0) options.missing = {"-", "NA", "-999"};
  if ((dialect & 4U) != 0) options.delimiter = kDelimiters[(dialect >> 4U) % kDelimiters.size()];
  if ((dialect & 192U) == 192U) options.where = "`1` > 0 or `1` is missing";
  if ((dialect & 8U) != 0) options.thousands = kThousands[(dialect >> 4U) % kThousands.size()];
  try {
    const data::Table table = data::read(file.path(), options);
    for (std::size_t c = 0; c < table.view().columns(); ++c)
      for (std::size_t row = 0; row < table.view().rows(); ++row)
        if (!std::isfinite(table.view().column(c)[row])) std::abort();
    if (options.labels.empty() && !same_rows(table, *data::open(file.path(), options, 24)))
      std::abort();
    if (!options.labels.empty()) {
      const data::Labels& labels = table.labels();
      if (labels.rows() != table.view().rows()) std::abort();
      if (table.texts().rows() != table.view().rows() + table.omitted()) std::abort();
      for (const std::uint64_t count : labels.counts())
        if (count == 0) std::abort();
      if (!same_tables(table, data::Tables({file.path()}, options, 24))) std::abort();
    }
  } catch (const DataError&) {
  } catch (const InvalidArgument&) {
  }
  return 0;
}
