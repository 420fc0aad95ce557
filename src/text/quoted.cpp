#include "text/quoted.h"

#include <cstddef>

namespace bootfold::text {
namespace {

constexpr std::size_t kShown = 40;

// Bytes of the well-formed UTF-8 character at the front of `text`, 0 if there is none
// (Unicode standard, table 3-7).
std::size_t character_size(std::string_view text) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  return size;
}

}  // namespace

std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string shown = "'";
  while (!text.empty()) {
    if (shown.size() > kShown) {
      shown += "...";
      break;
    }
    const std::size_t size = character_size(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (size == 0 || byte < 0x20 || byte == 0x7F) {
      shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
      text.remove_prefix(1);
    } else {
      shown += text.substr(0, size);
      text.remove_prefix(size);
    }
  }
  shown += '\'';
  return shown;
}

}  // namespace bootfold::text
