// text/nearest.h: "did you mean".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace bootfold::text {

/// The candidate that is most like `word`, or an empty string if none is close. Swapped
/// neighbours, a missing, an extra or a wrong letter count as one mistake each, and so does the
/// missing rest of a word of which four letters or more are there ("repl"); about one mistake per
/// three letters is close. Upper and lower case are alike; the first of equals wins.
///
///     text::nearest("medain", names)   // "median"
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace bootfold::text
