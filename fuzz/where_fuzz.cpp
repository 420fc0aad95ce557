// Fuzzer of expressions: any text is a condition or an InvalidArgument, a condition has a value for
// every row, and what canonical() writes is read as the same expression. Statistics likewise.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "data/where.h"
#include "expression/parser.h"

namespace {

using namespace bootfold;

void read_condition(std::string_view text) {
  const data::Where where(text);
  if (where.empty() || where.columns().empty()) std::abort();
  const std::string once = expression::canonical(expression::parse_row(text, "where"));
  if (once != expression::canonical(expression::parse_row(once, "where"))) std::abort();
  for (const char missing : {0, 1})
    for (const std::string_view word : {"", "JFK", "a"}) {
      const double number = static_cast<double>(text.size() % 3);
      const expression::Input cell{{&number, 1}, {&word, 1}, {&missing, 1}};
      const std::vector<expression::Input> cells(where.columns().size(), cell);
      expression::Scratch scratch;
      double holds = 0;
      double again = 1;
      where.run(cells, {&holds, 1}, scratch);
      where.run(cells, {&again, 1}, scratch);
      if (holds != again && holds == holds) std::abort();
    }
}

void read_statistic(std::string_view text) {
  const Statistic statistic = statistic::expression(text);
  if (statistic.bind(statistic.columns().size()).outputs.size() != 1) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  for (void (*read)(std::string_view) : {read_condition, read_statistic}) {
    try {
      read(text);
    } catch (const InvalidArgument&) {
    }
  }
  return 0;
}
