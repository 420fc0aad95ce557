#include "text/choice.h"

#include "text/concat.h"
#include "text/nearest.h"
#include "text/quoted.h"

namespace bootfold::text {

std::string unknown_choice(std::string_view option, std::string_view word,
                           std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  const std::string close = nearest(word, names);
  return concat(option, " is ", quoted(word), " but must be one of ", list,
                close.empty() ? "" : "; did you mean '" + close + "'?");
}

}  // namespace bootfold::text
