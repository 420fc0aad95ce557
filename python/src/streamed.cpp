// Bootstraps of tables that are larger than memory: Python makes batches, the engine adds them up.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "batch_source.h"
#include "bootfold/bootstrap.h"
#include "call.h"
#include "modules.h"
#include "result.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

struct Streamed {
  nb::object source;  // a BatchSource
  std::vector<Statistic> statistics;
  Options options;

  [[nodiscard]] bool by_column() const {
    return std::all_of(statistics.begin(), statistics.end(),
                       [](const Statistic& statistic) { return statistic.of_each_column(); });
  }
};

/// `columns`: of statistics that do not name their own; empty: all.
std::vector<Statistic> parse_all(const std::vector<std::string>& names,
                                 const std::vector<std::string>& columns = {}) {
  std::vector<Statistic> statistics;
  for (const std::string& name : names) {
    const Statistic found = statistic::parse(name);
    if (columns.empty() || !found.columns().empty())
      statistics.push_back(found);
    else if (!found.of_each_column())
      statistics.push_back(found.with_columns(columns));
    else
      for (const std::string& column : columns) statistics.push_back(found.with_columns({column}));
  }
  return statistics;
}

template <class Family>
bool all_are(const std::vector<Statistic>& statistics) {
  return std::all_of(statistics.begin(), statistics.end(), [](const Statistic& statistic) {
    return std::holds_alternative<Family>(statistic.bind(statistic.fewest_columns()).body);
  });
}

std::unique_ptr<Handle> run_streamed(const Streamed& streamed, std::uint64_t replicates,
                                     nb::object progress, const std::string& checkpoint) {
  const Call call{.execution = streamed.options.execution, .progress = std::move(progress)};
  const auto& source = nb::cast<const BatchSource&>(streamed.source);
  return without_gil(call, [&](const Execution& execution) {
    Options options = streamed.options;
    options.replicates = replicates;
    options.execution = execution;
    options.checkpoint = checkpoint;
    return std::make_unique<Handle>(bootstrap(source, streamed.statistics, options));
  });
}

Plan explain_streamed(const Streamed& streamed, std::uint64_t replicates) {
  const Call call{.execution = streamed.options.execution};
  const auto& source = nb::cast<const BatchSource&>(streamed.source);
  return without_gil(call, [&](const Execution& execution) {
    Options options = streamed.options;
    options.replicates = replicates;
    options.execution = execution;
    return plan(source, streamed.statistics, options);
  });
}

}  // namespace

void bind_streamed(nb::module_& m) {
  nb::class_<Streamed>(m, "Streamed", "A bootstrap of batches that are made anew for each pass.")
      .def(
          "__init__",
          [](Streamed* self, const nb::typed<nb::object, BatchSource>& source,
             const std::vector<std::string>& statistics, const std::vector<std::string>& columns,
             bool poisson, std::uint64_t seed, std::size_t memory, unsigned threads,
             double tolerance) {
            Options options;
            options.seed = seed;
            if (poisson) options.scheme = scheme::Poisson{};
            options.memory = memory;
            if (tolerance != 0) options.tolerance = tolerance;
            options.execution.threads = threads;
            new (self) Streamed{source, parse_all(statistics, columns), std::move(options)};
          },
          "source"_a, "statistics"_a, "columns"_a, "poisson"_a, "seed"_a, "memory"_a, "threads"_a,
          "tolerance"_a)
      .def_prop_ro("by_column", &Streamed::by_column)
      .def("run", &run_streamed, "replicates"_a, "progress"_a.none(), "checkpoint"_a)
      .def("explain", &explain_streamed, "replicates"_a);
  m.def(
      "of_each_column",
      [](const std::string& name) { return statistic::parse(name).of_each_column(); }, "name"_a);
  m.def(
      "can_stream",
      [](const std::vector<std::string>& names, std::size_t columns) {
        const std::vector<Statistic> statistics = parse_all(names);
        return all_are<statistic::Sums>(statistics) ||
               (columns == 1 && all_are<statistic::Order>(statistics));
      },
      "statistics"_a, "columns"_a, "Whether statistics can be added up from pieces of rows.");
}

}  // namespace bootfold::python
