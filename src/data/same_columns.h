// data/same_columns.h: several files must have the same columns.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"

namespace bootfold::data {

/// Throws DataError that names the file whose columns are not those of the first.
void check_same_names(const std::string& first, const std::vector<std::string>& names_of_first,
                      const std::string& file, const std::vector<std::string>& names);
void check_same_types(const std::string& first, const std::vector<Type>& types_of_first,
                      const std::string& file, const std::vector<Type>& types,
                      const std::vector<std::string>& names);

/// What messages call several files of which `first` is the first: "a.csv and 3 other files".
[[nodiscard]] std::string name_of_all(const std::string& first, std::size_t files);

}  // namespace bootfold::data
