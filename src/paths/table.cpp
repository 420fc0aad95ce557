#include "paths/table.h"

#include <array>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold {

std::span<const planning::PathEntry> paths::table() {
  static const std::array kEntries = {order::entry(),  distinct::entry(), deletion::entry(),
                                      blocks::entry(), weights::entry(),  stream::entry(),
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
  for (std::size_t i = 0; i < paths::table().size(); ++i) {
    const std::string_view known = name(static_cast<Path>(i));
    if (known == text) return static_cast<Path>(i);
    const bool last = i + 1 == paths::table().size();
    names += i == 0 ? "" : last ? " and " : ", ";
    names += known;
  }
  throw InvalidArgument(text::concat("unknown path '", text, "'; there are ", names,
                                     "; omit it and the plan chooses one"));
}

}  // namespace bootfold
