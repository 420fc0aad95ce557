#include "data/same_columns.h"

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::data {

void check_same_names(const std::string& first, const std::vector<std::string>& names_of_first,
                      const std::string& file, const std::vector<std::string>& names) {
  if (names.size() != names_of_first.size())
    throw DataError(text::concat(file, " has ", names.size(), " chosen columns but ", first,
                                 " has ", names_of_first.size(),
                                 "; choose columns that all files have"));
  for (std::size_t c = 0; c < names.size(); ++c)
    if (names[c] != names_of_first[c])
      throw DataError(text::concat(file, " has column ", text::quoted(names[c]), " where ", first,
                                   " has ", text::quoted(names_of_first[c]),
                                   "; columns=NAME chooses a column that all files have"));
}

void check_same_types(const std::string& first, const std::vector<Type>& types_of_first,
                      const std::string& file, const std::vector<Type>& types,
                      const std::vector<std::string>& names) {
  for (std::size_t c = 0; c < types.size(); ++c)
    if (types[c] != types_of_first[c])
      throw DataError(text::concat("column ", text::quoted(names[c]), " of ", file, " is of type ",
                                   name(types[c]), " but that of ", first, " is of type ",
                                   name(types_of_first[c]),
                                   "; convert one of the files, or read them apart"));
}

std::string name_of_all(const std::string& first, std::size_t files) {
  if (files < 2) return first;
  return text::concat(first, " and ", files - 1, files == 2 ? " other file" : " other files");
}

}  // namespace bootfold::data
