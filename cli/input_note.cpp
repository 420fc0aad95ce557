#include "input_note.h"

#include "console.h"
#include "options.h"

namespace bootfold::cli {

void print_input_note(const std::string& note, bool silent) {
  if (!note.empty() && !silent) complain(with_command_options(note));
}

}  // namespace bootfold::cli
