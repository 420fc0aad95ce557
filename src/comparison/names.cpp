// The choices of a comparison by name.
#include <array>
#include <string_view>

#include "bootfold/compare.h"
#include "text/choice.h"

namespace bootfold::comparison {
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

std::string_view name(Test test) noexcept {
  return test == Test::bootstrap ? "bootstrap" : "permutation";
}

Difference parse_difference(std::string_view text) {
  return text::choose("difference", text, std::array{Difference::absolute, Difference::relative});
}

Correction parse_correction(std::string_view text) {
  return text::choose("correction", text,
                      std::array{Correction::none, Correction::bonferroni, Correction::holm,
                                 Correction::simultaneous});
}

Test parse_test(std::string_view text) {
  return text::choose("test", text, std::array{Test::bootstrap, Test::permutation});
}

}  // namespace bootfold::comparison
