// expression/other_words.h: what words of other languages are called here.
#pragma once

#include <string>
#include <string_view>

namespace bootfold::expression {

/// What to write in place of a word that is no function here but one in Python, R, SQL or Excel:
/// "missing(x)" for "isna", "p90" for "q90". Empty if the word is not known.
[[nodiscard]] std::string other_word(std::string_view word);

}  // namespace bootfold::expression
