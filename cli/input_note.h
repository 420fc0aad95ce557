// cli/input_note.h: what reading a file assumed, on standard error.
#pragma once

#include <string>

namespace bootfold::cli {

/// Writes data::Table::note() to standard error, unless it is empty or `silent` (--quiet, --json).
void print_input_note(const std::string& note, bool silent);

}  // namespace bootfold::cli
