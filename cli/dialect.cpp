#include "dialect.h"

#include <fmt/format.h>

#include "arguments.h"
#include "bootfold/error.h"
#include "text.h"
#include "text/separator.h"

namespace bootfold::cli {
namespace {

char parse(const char* option, const std::string& word, const char* known) {
  const std::optional<char> separator = text::parse_separator(word);
  if (separator) return *separator;
  throw InvalidArgument(fmt::format("{} is '{}' but must be one character, or one of {}", option,
                                    one_line(word), known));
}

}  // namespace

void add_dialect_arguments(CLI::App& command, DialectArguments& arguments, const char* group) {
  add_text(command, "--delimiter", arguments.delimiter, "C",
           "Character between fields: ';', or comma, semicolon, tab, space, pipe [by the file]")
      ->group(group);
  add_text(command, "--decimal", arguments.decimal, "C",
           "Decimal separator: ',' reads 1,5 as 1.5 [by the file]")
      ->group(group);
  add_text(command, "--thousands", arguments.thousands, "C",
           "Separator of thousands: ',' reads 1,234,567 as a number; also '.', space, apostrophe, "
           "underscore or none [by the file]")
      ->group(group);
  add_list(command, "--missing", arguments.missing, "LIST",
           "Fields that stand for missing values beside the empty one: NA,-,. [NA,N/A,NaN,null]")
      ->group(group);
}

void set_dialect(const DialectArguments& arguments, data::ReadOptions& options) {
  if (!arguments.delimiter.empty())
    options.delimiter =
        parse("--delimiter", arguments.delimiter, "comma, semicolon, tab, space and pipe");
  if (!arguments.decimal.empty())
    options.decimal = parse("--decimal", arguments.decimal, "point and comma");
  if (arguments.thousands == "none")
    options.thousands = data::kNoSeparator;
  else if (!arguments.thousands.empty())
    options.thousands = parse("--thousands", arguments.thousands,
                              "comma, point, space, apostrophe, underscore and none");
  if (!arguments.missing.empty()) options.missing = split_list(arguments.missing);
}

}  // namespace bootfold::cli
