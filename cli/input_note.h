// cli/input_note.h: what reading a file assumed, on standard error.
#pragma once

#include <string>

#include "bootfold/data.h"

namespace bootfold::cli {

/// Writes data::Table::note() to standard error, unless it is empty or `silent` (--quiet, --json).
void print_input_note(const std::string& note, bool silent);

/// Says on standard error how many of all rows --where left out, if any.
void print_where_note(std::size_t filtered, std::size_t all, bool silent);
void print_where_note(const data::Table& table, bool silent);

}  // namespace bootfold::cli
