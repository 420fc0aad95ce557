#include "text/separator.h"

#include <array>

namespace bootfold::text {
namespace {

struct Separator {
  char character;
  std::string_view name;
};

constexpr std::array<Separator, 8> kSeparators = {{{',', "comma"},
                                                   {';', "semicolon"},
                                                   {'\t', "tab"},
                                                   {'|', "pipe"},
                                                   {' ', "space"},
                                                   {'.', "point"},
                                                   {'\'', "apostrophe"},
                                                   {'_', "underscore"}}};

}  // namespace

std::string separator_name(char separator) {
  for (const auto& [character, name] : kSeparators)
    if (character == separator) return std::string(name);
  return {separator};
}

std::optional<char> parse_separator(std::string_view word) {
  if (word.size() == 1) return word[0];
  if (word == "\\t") return '\t';
  for (const auto& [character, name] : kSeparators)
    if (name == word) return character;
  return std::nullopt;
}

}  // namespace bootfold::text
