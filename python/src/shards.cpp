// Looks, plans and parts of rows that lie in several places.
#include "bootfold/shards.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "batch_source.h"
#include "bootfold/error.h"
#include "call.h"
#include "columns.h"
#include "modules.h"
#include "result.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// A look at no more rows is over in a moment.
constexpr std::size_t kBriefRows = 4096;

/// The statistics travel as their names, one a line.
constexpr const char* kStatistics = "statistics";

std::vector<Statistic> parse(const std::string& lines) {
  std::vector<Statistic> statistics;
  for (std::size_t at = 0; at <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    statistics.push_back(statistic::parse(std::string_view(lines).substr(at, end - at)));
    at = end + 1;
  }
  return statistics;
}

std::string names_of(const shards::Words& words) {
  const auto found = words.find(kStatistics);
  if (found == words.end())
    throw InvalidArgument(
        "the statistics of this plan are not known by name; it was not made by "
        "bootfold.shards");
  if (words.contains("columns of statistics"))
    throw InvalidArgument(
        "the look names statistics beside expressions, with columns that only the program knows; "
        "look again with the columns in every statistic, as in mean(x)");
  return found->second;
}

nb::bytes as_bytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string_view text_of(const nb::bytes& bytes) {
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

/// Of a DataView or a source.
template <class Rows>
shards::Look look_with(const Rows& rows, const std::string& statistics, shards::LookOptions options,
                       unsigned threads, bool brief = false) {
  const Call call{.execution = {.threads = threads}, .brief = brief};
  options.words = {{kStatistics, statistics}};
  return without_gil(call, [&](const Execution& execution) {
    options.execution = execution;
    return shards::look(rows, parse(statistics), options);
  });
}

shards::Look look_at_source(const BatchSource& source, const std::string& statistics,
                            std::uint64_t first, std::size_t memory, unsigned threads) {
  return look_with(source, statistics, {.first = first, .memory = memory}, threads);
}

/// Codes of labels, and the names of the codes.
using Coded = std::pair<Codes, std::vector<std::string>>;

std::optional<data::Labels> labels_of(const std::optional<Coded>& coded) {
  if (!coded) return std::nullopt;
  const auto& [codes, names] = *coded;
  data::Labels labels{{codes.data(), codes.data() + codes.size()}, names};
  for (const std::uint32_t code : labels.codes)
    if (code >= names.size()) throw InvalidArgument("a code of a label has no name");
  return labels;
}

shards::Look look(std::vector<std::vector<Array>> arrays, std::vector<std::string> names,
                  const std::optional<Coded>& strata, const std::optional<Coded>& clusters,
                  const std::string& statistics, std::uint64_t first, std::size_t memory,
                  unsigned threads) {
  const Columns columns(std::move(arrays), std::move(names));
  const std::optional<data::Labels> stratum = labels_of(strata);
  const std::optional<data::Labels> cluster = labels_of(clusters);
  return look_with(columns.view(), statistics,
                   {.first = first,
                    .strata = stratum ? &*stratum : nullptr,
                    .clusters = cluster ? &*cluster : nullptr,
                    .memory = memory},
                   threads, columns.view().rows() <= kBriefRows);
}

/// A plan with the names of its statistics.
struct ShardPlan {
  ShardPlan(const shards::Look& look, const Options& options)
      : statistics(names_of(look.words())), plan(look, parse(statistics), options) {}
  explicit ShardPlan(std::string_view bytes, std::size_t memory, unsigned threads)
      : statistics(names_of(shards::Plan::words_of(bytes))),
        plan(shards::Plan::from_bytes(bytes, parse(statistics), memory, {.threads = threads})) {}

  std::string statistics;
  shards::Plan plan;
};

std::unique_ptr<ShardPlan> make_plan(const shards::Look& look, std::uint64_t replicates,
                                     std::uint64_t first_replicate, std::uint64_t seed,
                                     bool poisson, std::uint64_t size, double tolerance,
                                     double rescale, std::size_t memory, unsigned threads) {
  Options options;
  options.replicates = replicates;
  options.first_replicate = first_replicate;
  options.seed = seed;
  if (poisson)
    options.scheme = scheme::Poisson{};
  else
    options.scheme = scheme::Iid{.size = size};
  options.tolerance = tolerance;
  options.rescale = rescale;
  options.memory = memory;
  options.execution.threads = threads;
  const nb::gil_scoped_release released;
  return std::make_unique<ShardPlan>(look, options);
}

using Range = std::optional<std::pair<std::uint64_t, std::uint64_t>>;

/// Of a DataView or a source.
template <class Rows>
shards::Part part_with(const ShardPlan& plan, const Rows& rows, std::uint64_t first,
                       shards::PartOptions options, unsigned threads) {
  const Call call{.execution = {.threads = threads}};
  return without_gil(call, [&](const Execution& execution) {
    options.execution = execution;
    return plan.plan.part(rows, first, options);
  });
}

shards::Part part_of_source(const ShardPlan& plan, const BatchSource& source, std::uint64_t first,
                            const Range& replicates, unsigned threads) {
  return part_with(plan, source, first, {.replicates = replicates}, threads);
}

shards::Part part(const ShardPlan& plan, std::vector<std::vector<Array>> arrays,
                  std::vector<std::string> names, const std::optional<Coded>& labels,
                  std::uint64_t first, const Range& replicates, unsigned threads) {
  const Columns columns(std::move(arrays), std::move(names));
  const std::optional<data::Labels> coded = labels_of(labels);
  return part_with(plan, columns.view(), first,
                   {.replicates = replicates, .labels = coded ? &*coded : nullptr}, threads);
}

}  // namespace

void bind_shards(nb::module_& m) {
  nb::class_<shards::Look>(m, "ShardLook", "What is known of some rows.")
      .def_prop_ro("rows", &shards::Look::rows)
      .def_prop_ro("columns", &shards::Look::columns)
      .def_prop_ro("statistics", [](const shards::Look& look) { return names_of(look.words()); })
      .def("copy", [](const shards::Look& look) { return shards::Look(look); })
      .def("shift", &shards::Look::shift, "rows"_a)
      .def(
          "merge", [](shards::Look& look, const shards::Look& other) { look |= other; }, "other"_a)
      .def("to_bytes", [](const shards::Look& look) { return as_bytes(look.to_bytes()); })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) { return shards::Look::from_bytes(text_of(bytes)); },
          "bytes"_a);
  m.def("shard_look", &look, "columns"_a, "names"_a, "strata"_a.none(), "clusters"_a.none(),
        "statistics"_a, "first"_a, "memory"_a, "threads"_a,
        nb::sig("def shard_look(columns: collections.abc.Sequence[collections.abc.Sequence["
                "numpy.typing.NDArray[typing.Any]]], names: collections.abc.Sequence[str], strata: "
                "tuple[numpy.typing.NDArray[typing.Any], list[str]] | None, clusters: "
                "tuple[numpy.typing.NDArray[typing.Any], list[str]] | None, statistics: str, "
                "first: int, memory: int, threads: int) -> ShardLook"));
  m.def("shard_look_at_source", &look_at_source, "source"_a, "statistics"_a, "first"_a, "memory"_a,
        "threads"_a);
  nb::class_<shards::Part>(m, "ShardPart", "The sums of some rows in some replicates.")
      .def("copy", [](const shards::Part& part) { return shards::Part(part); })
      .def(
          "merge", [](shards::Part& part, const shards::Part& other) { part += other; }, "other"_a)
      .def("describe", [](const shards::Part& part) { return in_words_of_python(part.describe()); })
      .def("to_bytes", [](const shards::Part& part) { return as_bytes(part.to_bytes()); })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes) { return shards::Part::from_bytes(text_of(bytes)); },
          "bytes"_a);
  nb::class_<ShardPlan>(m, "ShardPlan", "How shards are added up.")
      .def_prop_ro("plan", [](const ShardPlan& plan) { return plan.plan.plan(); })
      .def_prop_ro("columns", [](const ShardPlan& plan) { return plan.plan.columns(); })
      .def_prop_ro("statistics", [](const ShardPlan& plan) { return plan.statistics; })
      .def_prop_ro("needs_parts", [](const ShardPlan& plan) { return plan.plan.needs_parts(); })
      .def("empty", [](const ShardPlan& plan) { return plan.plan.empty(); })
      .def("part", &part, "columns"_a, "names"_a, "labels"_a.none(), "first"_a,
           "replicates"_a.none(), "threads"_a,
           nb::sig("def part(self, columns: collections.abc.Sequence[collections.abc.Sequence["
                   "numpy.typing.NDArray[typing.Any]]], names: collections.abc.Sequence[str], "
                   "labels: tuple[numpy.typing.NDArray[typing.Any], list[str]] | None, first: int, "
                   "replicates: tuple[int, int] | None, threads: int) -> ShardPart"))
      .def("part_of_source", &part_of_source, "source"_a, "first"_a, "replicates"_a.none(),
           "threads"_a)
      .def(
          "finish",
          [](const ShardPlan& plan, const shards::Part& part) {
            const Call call;
            return without_gil(call, [&](const Execution&) {
              return std::make_unique<Handle>(plan.plan.finish(part));
            });
          },
          "part"_a)
      .def("to_bytes", [](const ShardPlan& plan) { return as_bytes(plan.plan.to_bytes()); })
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes, std::size_t memory, unsigned threads) {
            return std::make_unique<ShardPlan>(text_of(bytes), memory, threads);
          },
          "bytes"_a, "memory"_a, "threads"_a);
  m.def("shard_plan", &make_plan, "look"_a, "replicates"_a, "first_replicate"_a, "seed"_a,
        "poisson"_a, "size"_a, "tolerance"_a, "rescale"_a, "memory"_a, "threads"_a);
}

}  // namespace bootfold::python
