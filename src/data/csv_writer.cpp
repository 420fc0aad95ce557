// Tables of numbers as delimited text.
#include <cmath>
#include <string>

#include "bootfold/write.h"
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

}  // namespace bootfold::data
