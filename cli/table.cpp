#include "table.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "console.h"
#include "text.h"

namespace bootfold::cli {
namespace {

// Letters of a name that are shown; the rest is cut.
constexpr std::size_t kLongestName = 24;

std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string display_name(const std::string& name) {
  std::string text = one_line(name);
  std::size_t end = 0;
  std::size_t letters = 0;
  while (end < text.size() && (letters < kLongestName || (text[end] & 0xC0) == 0x80)) {
    if ((text[end] & 0xC0) != 0x80) ++letters;
    ++end;
  }
  return end < text.size() ? text.substr(0, end) + ".." : text;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], length(row[c]));
  }
  std::size_t all = 2 + 3 * (widths.size() - 1);
  for (const std::size_t cell : widths) all += cell;
  const std::string gap(all > width(STDOUT_FILENO) ? 2 : 3, ' ');
  std::string text;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string blanks(widths[c] - length(row[c]), ' ');
      line += c == 0 ? " " + row[c] + blanks : gap + blanks + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace bootfold::cli
