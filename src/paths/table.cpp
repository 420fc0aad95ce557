#include "paths/table.h"

#include <array>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold {

std::span<const planning::PathEntry> paths::table() {
  static const std::array kEntries = {order::entry(),   distinct::entry(), deletion::entry(),
                                      blocks::entry(),  weights::entry(),  stream::entry(),
                                      gather::entry()};
  return kEntries;
}

std::string_view name(Path path) noexcept {
  for (const planning::PathEntry& entry : paths::table())
    if (entry.id == path) return entry.name;
  return "custom";
}

Path parse_path(std::string_view text) {
  std::string names;
  for (const planning::PathEntry& entry : paths::table()) {
    if (entry.name == text) return entry.id;
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InvalidArgument(text::concat("unknown path '", text, "'; there are ", names,
                                     ", and without one the plan chooses"));
}

}  // namespace bootfold
