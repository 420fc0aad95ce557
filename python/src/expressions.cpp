// Columns and statistics that are expressions.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bootfold/computed.h"
#include "bootfold/statistic.h"
#include "modules.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

using NumberColumn = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TextCodes = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ComputedValues = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

/// The values of an expression on all rows.
ComputedValues compute_column(const std::string& expression, std::vector<std::string> names,
                              const std::vector<NumberColumn>& numbers,
                              const std::vector<std::string>& text_names,
                              const std::vector<TextCodes>& codes,
                              const std::vector<std::vector<std::string>>& texts,
                              const std::vector<std::string>& times) {
  std::vector<ColumnView> columns;
  for (const NumberColumn& each : numbers)
    columns.emplace_back(std::span<const double>(each.data(), each.size()));
  std::vector<data::Labels> labels;
  for (std::size_t i = 0; i < text_names.size(); ++i)
    labels.push_back(
        {{codes[i].data(), codes[i].data() + codes[i].size()}, texts[i], text_names[i]});
  const data::WithComputed made = [&] {
    const nb::gil_scoped_release unlocked;
    return data::WithComputed(DataView(std::move(columns), std::move(names)), {expression}, labels,
                              times);
  }();
  const ColumnView& column = made.view().column(0);
  auto* const values = new double[column.rows()];
  const nb::capsule owner(values,
                          [](void* pointer) noexcept { delete[] static_cast<double*>(pointer); });
  column.read(0, {values, column.rows()});
  return ComputedValues(values, {column.rows()}, owner);
}

}  // namespace

void bind_expressions(nb::module_& m) {
  m.def(
      "statistic_columns", [](const std::string& name) { return statistic::parse(name).columns(); },
      "name"_a,
      "The columns that a statistic names, which may be expressions; empty if it names none.");
  m.def(
      "columns_used",
      [](const std::vector<std::string>& columns, const std::vector<std::string>& existing) {
        std::vector<std::tuple<std::string, bool, bool, std::optional<std::string>>> found;
        for (const data::ColumnUse& use : data::columns_used(columns, existing))
          found.emplace_back(use.name, use.as_text, use.as_number, use.no_time);
        return found;
      },
      "columns"_a, "existing"_a,
      "The columns that expressions use, whether as text and whether as numbers, and the first "
      "text they are compared with that is no date.");
  m.def("compute_column", &compute_column, "expression"_a, "names"_a, "numbers"_a, "text_names"_a,
        "codes"_a, "texts"_a, "times"_a);
  m.def(
      "mark_input",
      [](const std::vector<std::string>& columns, const std::string& input,
         const std::string& problem) { return data::mark_input(columns, input, problem); },
      "columns"_a, "input"_a, "problem"_a,
      "The problem of a column, marked in the expression of a row that names it.");
  m.def(
      "mark_column",
      [](const std::vector<std::string>& texts, const std::string& column,
         const std::string& problem) { return statistic::mark_column(texts, column, problem); },
      "texts"_a, "column"_a, "problem"_a);
}

}  // namespace bootfold::python
