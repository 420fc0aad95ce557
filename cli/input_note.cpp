#include "input_note.h"

#include <fmt/format.h>

#include "console.h"
#include "options.h"
#include "text.h"

namespace bootfold::cli {

void print_input_note(const std::string& note, bool silent) {
  if (!note.empty() && !silent) complain(with_command_options(note));
}

void print_where_note(const data::Table& table, bool silent) {
  if (table.filtered() == 0 || silent) return;
  const std::size_t all = table.view().rows() + table.omitted() + table.filtered();
  complain(fmt::format("--where left out {} of {} rows", grouped(table.filtered()), grouped(all)));
}

}  // namespace bootfold::cli
