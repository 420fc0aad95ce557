// Tables as delimited text.
#include <cmath>
#include <string>

#include "bootfold/write.h"
#include "data/parquet.h"
#include "data/shortest.h"
#include "data/whole_rows.h"
#include "text/output_file.h"

namespace bootfold::data {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string field_of(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == name.npos) return name;
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace

void write_csv(const std::string& path, const std::vector<std::string>& names,
               std::span<const double> values) {
  check_whole_rows(names, values.size());
  text::OutputFile output(path);
  std::string piece;
  for (const std::string& name : names) piece += (piece.empty() ? "" : ",") + field_of(name);
  piece += '\n';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) piece += shortest(values[i]);
    piece += (i + 1) % names.size() == 0 ? '\n' : ',';
    if (piece.size() < kPiece) continue;
    output.write(piece.data(), piece.size());
    piece.clear();
  }
  output.write(piece.data(), piece.size());
  output.commit();
}

namespace {

std::string cell_of(double number) { return std::isnan(number) ? "" : shortest(number); }
std::string cell_of(std::int64_t number) { return std::to_string(number); }
std::string cell_of(const std::string& text) { return field_of(text); }

}  // namespace

void write_table(const std::string& path, const std::vector<NamedColumn>& columns) {
  const std::size_t rows = rows_of(columns);
  if (path.ends_with(".parquet")) return write_parquet(path, columns);
  std::string text;
  for (const NamedColumn& column : columns)
    text += (text.empty() ? "" : ",") + field_of(column.name);
  text += '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (c > 0) text += ',';
      text +=
          std::visit([&](const auto& values) { return cell_of(values[row]); }, columns[c].values);
    }
    text += '\n';
  }
  text::write_file(path, text);
}

}  // namespace bootfold::data
