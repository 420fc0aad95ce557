// cli/group_labels.h: the groups of --by, by one column or several.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "scheme.h"

namespace bootfold::cli {

/// Throws InvalidArgument if --by names a column twice.
void check_by(const std::vector<std::string>& by);

/// The last `count` of all labels of a table, for the rows of the view.
[[nodiscard]] std::vector<data::Labels> labels_of_groups(const SchemeRequest::View& view,
                                                         const data::Table& table, std::size_t all,
                                                         std::size_t count);

/// Groups as data::combined() names them, of the items of a list: with several columns a group is
/// one item for each ("UA,1"), or one in quotes ("\"UA, 1\""). Throws InvalidArgument for too few.
[[nodiscard]] std::vector<std::string> names_of_groups(const std::vector<std::string>& items,
                                                       std::size_t columns, const char* option);

}  // namespace bootfold::cli
