// data/whole_rows.h: a check of tables that are written row by row.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::data {

inline void check_whole_rows(const std::vector<std::string>& names, std::size_t values) {
  if (names.empty()) throw InvalidArgument("a table without columns cannot be written");
  if (values % names.size() != 0)
    throw InvalidArgument(text::concat("there are ", values, " values for ", names.size(),
                                       " columns, but every row must be complete"));
}

}  // namespace bootfold::data
