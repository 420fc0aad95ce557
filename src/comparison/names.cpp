// The choices of a comparison by name.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/compare.h"
#include "bootfold/error.h"
#include "text/concat.h"
#include "text/nearest.h"
#include "text/quoted.h"

namespace bootfold::comparison {
namespace {

template <class Choice, std::size_t kCount>
Choice parse(std::string_view what, std::string_view text, const std::array<Choice, kCount>& all) {
  std::vector<std::string> names;
  std::string list;
  for (const Choice choice : all) {
    if (name(choice) == text) return choice;
    names.emplace_back(name(choice));
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const std::string near = text::nearest(text, names);
  throw InvalidArgument(text::concat("unknown ", what, " ", text::quoted(text),
                                     near.empty() ? "" : "; did you mean '" + near + "'?",
                                     near.empty() ? "; there are " : " There are ", list));
}

}  // namespace

std::string_view name(Difference difference) noexcept {
  return difference == Difference::absolute ? "absolute" : "relative";
}

std::string_view name(Correction correction) noexcept {
  switch (correction) {
    case Correction::none:
      return "none";
    case Correction::bonferroni:
      return "bonferroni";
    case Correction::holm:
      return "holm";
    case Correction::simultaneous:
      return "simultaneous";
  }
  return "unknown";
}

Difference parse_difference(std::string_view text) {
  return parse("difference", text, std::array{Difference::absolute, Difference::relative});
}

Correction parse_correction(std::string_view text) {
  return parse("correction", text,
               std::array{Correction::none, Correction::bonferroni, Correction::holm,
                          Correction::simultaneous});
}

}  // namespace bootfold::comparison
