#include "text/option_names.h"

#include <algorithm>
#include <cstddef>

namespace bootfold::text {
namespace {

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A value goes on to a space or to the end of a clause; in quotes, to the closing one.
std::size_t value_end(std::string_view message, std::size_t at) {
  if (message[at] == '\'') return std::min(message.find('\'', at + 1), message.size() - 1) + 1;
  while (at < message.size() && (in_word(message[at]) || message[at] == '.' || message[at] == '-'))
    ++at;
  while (message[at - 1] == '.') --at;
  return at;
}

}  // namespace

std::string with_option_names(std::string_view message, std::span<const OptionName> names,
                              WriteOption write) {
  std::string text;
  std::size_t at = 0;
  for (const auto& [key, name] : names)
    if (message.starts_with(key) && message.substr(key.size()).starts_with(" is ")) {
      text = name;
      at = key.size();
      break;
    }
  while (at < message.size()) {
    const bool begins = at == 0 || !in_word(message[at - 1]);
    bool found = false;
    for (const auto& [key, name] : names) {
      const std::string_view rest = message.substr(at);
      if (!begins || !rest.starts_with(key) || !rest.substr(key.size()).starts_with('=')) continue;
      const std::size_t value = at + key.size() + 1;
      if (value == message.size() || (!in_word(message[value]) && message[value] != '\'')) continue;
      const std::size_t end = value_end(message, value);
      text += write(name, message.substr(value, end - value));
      at = end;
      found = true;
      break;
    }
    if (!found) text += message[at++];
  }
  return text;
}

}  // namespace bootfold::text
