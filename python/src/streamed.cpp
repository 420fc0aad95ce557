// Bootstraps of tables that are larger than memory: Python makes batches, the engine adds them up.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "bootfold/bootstrap.h"
#include "bootfold/source.h"
#include "call.h"
#include "columns.h"
#include "modules.h"
#include "result.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// One iterator of Python. The thread that reads has no lock of the interpreter, so it takes it for
/// each batch, and where the arrays of a batch are given up.
class IteratorPass final : public data::Pass {
 public:
  explicit IteratorPass(nb::object iterator) : iterator_(std::move(iterator)) {}
  ~IteratorPass() override {
    const nb::gil_scoped_acquire locked;
    iterator_.reset();
  }

  [[nodiscard]] std::optional<data::Chunk> next() override {
    const nb::gil_scoped_acquire locked;
    const nb::object batch = nb::steal(PyIter_Next(iterator_.ptr()));
    if (!batch.is_valid()) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return std::nullopt;
    }
    std::shared_ptr<const Columns> columns(
        new Columns(nb::cast<std::vector<std::vector<Array>>>(batch), {}),
        [](const Columns* owned) {
          const nb::gil_scoped_acquire again;
          delete owned;
        });
    return data::Chunk{columns->view(), columns};
  }

 private:
  nb::object iterator_;
};

/// Batches that a function of Python makes anew for each pass. Lives in a Python object, so the
/// function is given up with the lock held.
class BatchSource final : public data::Source {
 public:
  BatchSource(std::vector<std::string> names, std::optional<std::uint64_t> rows, nb::object open)
      : names_(std::move(names)), rows_(rows), open_(std::move(open)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return rows_; }
  [[nodiscard]] std::unique_ptr<data::Pass> open() const override {
    const nb::gil_scoped_acquire locked;
    return std::make_unique<IteratorPass>(nb::iter(open_()));
  }

 private:
  std::vector<std::string> names_;
  std::optional<std::uint64_t> rows_;
  nb::object open_;
};

struct Streamed {
  BatchSource source;
  std::vector<Statistic> statistics;
  Options options;

  [[nodiscard]] bool by_column() const {
    return std::all_of(statistics.begin(), statistics.end(),
                       [](const Statistic& statistic) { return statistic.of_each_column(); });
  }
};

std::vector<Statistic> parse_all(const std::vector<std::string>& names) {
  std::vector<Statistic> statistics;
  for (const std::string& name : names) statistics.push_back(statistic::parse(name));
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
  return without_gil(call, [&](const Execution& execution) {
    Options options = streamed.options;
    options.replicates = replicates;
    options.execution = execution;
    options.checkpoint = checkpoint;
    return std::make_unique<Handle>(bootstrap(streamed.source, streamed.statistics, options));
  });
}

Plan explain_streamed(const Streamed& streamed, std::uint64_t replicates) {
  const Call call{.execution = streamed.options.execution};
  return without_gil(call, [&](const Execution& execution) {
    Options options = streamed.options;
    options.replicates = replicates;
    options.execution = execution;
    return plan(streamed.source, streamed.statistics, options);
  });
}

}  // namespace

void bind_streamed(nb::module_& m) {
  nb::class_<Streamed>(m, "Streamed", "A bootstrap of batches that are made anew for each pass.")
      .def(
          "__init__",
          [](Streamed* self, std::vector<std::string> names, std::optional<std::uint64_t> rows,
             nb::object open, const std::vector<std::string>& statistics, bool poisson,
             std::uint64_t size, std::uint64_t seed, std::size_t memory, unsigned threads,
             double tolerance, double rescale) {
            Options options;
            options.seed = seed;
            if (poisson)
              options.scheme = scheme::Poisson{};
            else
              options.scheme = scheme::Iid{.size = size};
            options.memory = memory;
            if (tolerance != 0) options.tolerance = tolerance;
            options.rescale = rescale;
            options.execution.threads = threads;
            new (self) Streamed{BatchSource(std::move(names), rows, std::move(open)),
                                parse_all(statistics), std::move(options)};
          },
          "names"_a, "rows"_a.none(), "open"_a, "statistics"_a, "poisson"_a, "size"_a, "seed"_a,
          "memory"_a, "threads"_a, "tolerance"_a, "rescale"_a)
      .def_prop_ro("by_column", &Streamed::by_column)
      .def("run", &run_streamed, "replicates"_a, "progress"_a.none(), "checkpoint"_a)
      .def("explain", &explain_streamed, "replicates"_a);
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
