#include "data/where.h"

#include "bootfold/error.h"
#include "expression/parser.h"
#include "expression/tokens.h"

namespace bootfold::data {

Where::Where(std::string_view text) : text_(text) {
  const expression::Node root = expression::parse_row(text_, "where");
  program_ = expression::Program(root);
  if (program_.columns().empty())
    throw InvalidArgument(expression::complaint(
        "where", text_, root.at, root.end,
        "there is no column in it; a column's name has no quotes, and its number or a name with "
        "blanks goes in backticks: `2`"));
  if (program_.type() != expression::Type::truth)
    throw InvalidArgument(expression::complaint(
        "where", text_, text_.size(), text_.size(),
        "a column needs a comparison, such as == 'JFK', > 0, in (1, 2) or is missing"));
}

std::vector<std::string> Where::names() const {
  std::vector<std::string> names;
  for (const expression::Column& column : columns()) names.push_back(column.name);
  return names;
}

}  // namespace bootfold::data
