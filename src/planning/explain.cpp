#include <algorithm>
#include <sstream>

#include "bootfold/plan.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

/// "mean(price), sd(price)".
std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace

std::string Plan::paths() const {
  std::vector<std::string> names;
  for (const Plan& run : runs)
    if (const std::string own(name(run.path)); std::ranges::find(names, own) == names.end())
      names.push_back(own);
  if (names.empty()) return std::string(name(path));
  std::string list = names[0];
  for (std::size_t i = 1; i < names.size(); ++i)
    list += (i + 1 < names.size() ? ", " : " and ") + names[i];
  return list;
}

std::string Plan::explain() const {
  std::ostringstream text;
  for (const Plan& run : runs)
    text << "run         " << list_of(run.outputs) << "\n"
         << "  path      " << name(run.path) << "\n"
         << "  reason    " << run.reason << "\n"
         << "  time      about " << text::seconds(run.seconds) << "\n";
  if (runs.empty())
    text << "path        " << name(path) << "\n"
         << "reason      " << reason << "\n";
  text << "scheme      " << scheme << "\n";
  if (!weights.empty()) text << "weights     column " << weights << "\n";
  text << "work        " << text::grouped(rows) << " rows x " << text::grouped(replicates)
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
