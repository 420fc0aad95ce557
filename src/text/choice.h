// text/choice.h: a choice by its name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/error.h"

namespace bootfold::text {

/// "schedule is 'cosin' but must be one of constant, cosine; did you mean 'cosine'?"
[[nodiscard]] std::string unknown_choice(std::string_view option, std::string_view word,
                                         std::span<const std::string> names);

/// The one of `choices` that is called `word`, by the function name() of its type. Throws
/// InvalidArgument that lists all names.
template <class Choices>
[[nodiscard]] auto choose(std::string_view option, std::string_view word, const Choices& choices) {
  std::vector<std::string> names;
  for (const auto choice : choices) {
    if (name(choice) == word) return choice;
    names.emplace_back(name(choice));
  }
  throw InvalidArgument(unknown_choice(option, word, names));
}

}  // namespace bootfold::text
