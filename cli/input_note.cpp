#include "input_note.h"

#include <fmt/format.h>

#include "console.h"
#include "options.h"
#include "text.h"

namespace bootfold::cli {

void print_input_note(const std::string& note, bool silent) {
  if (!note.empty() && !silent) complain(with_command_options(note));
}

void print_where_note(std::size_t filtered, std::size_t all, bool silent) {
  if (filtered == 0 || silent) return;
  complain(fmt::format("--where left out {} of {} rows", grouped(filtered), grouped(all)));
}

void print_where_note(const data::Table& table, bool silent) {
  print_where_note(table.filtered(), table.view().rows() + table.omitted() + table.filtered(),
                   silent);
}

}  // namespace bootfold::cli
