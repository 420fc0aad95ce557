#include <sstream>

#include "bootfold/plan.h"
#include "text/quantity.h"

namespace bootfold {

std::string Plan::explain() const {
  std::ostringstream text;
  text << "path        " << name(path) << "\n"
       << "reason      " << reason << "\n"
       << "scheme      " << scheme << "\n"
       << "work        " << text::grouped(rows) << " rows x " << text::grouped(replicates)
       << " replicates, " << outputs.size() << (outputs.size() == 1 ? " number" : " numbers")
       << " each\n"
       << "arithmetic  " << (arithmetic.empty() ? "none: no sums" : arithmetic);
  if (digits > 0 && sum_error == 0) text << "; exact";
  if (digits > 0 && sum_error > 0) text << "; error at most " << sum_error << " standard errors";
  if (reads > 0)
    text << "\n"
         << "reads       " << reads << " of all rows"
         << (reads > 1 ? ", the first one to look" : "");
  text << "\n"
       << "threads     " << threads << ", " << execution::name(level) << "\n"
       << "memory      " << text::bytes(static_cast<double>(working_bytes)) << " to work";
  if (memory_limit > 0)
    text << " of " << text::bytes(static_cast<double>(memory_limit)) << " allowed";
  text << ", " << text::bytes(static_cast<double>(result_bytes)) << " for the result\n"
       << "time        about " << text::seconds(seconds) << "\n";
  return text.str();
}

}  // namespace bootfold
