// Exact bootstrap distributions of named statistics.
#include "bootfold/exact.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/influence.h"
#include "modules.h"
#include "request.h"
#include "text/concat.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;
using exact::Distribution;

/// One statistic on the columns that it takes, for each value of a replicate.
struct Question {
  const Statistic& statistic;
  DataView data;
  std::string label;  // names the column where there are several
};

std::vector<Question> questions(const Request& request) {
  std::vector<Question> all;
  const DataView& data = request.data();
  for (const Statistic& statistic : request.statistics()) {
    if (statistic.most_columns() > 1 || data.columns() == 1 || !statistic.columns().empty()) {
      all.push_back({statistic, data, ""});
      continue;
    }
    for (std::size_t c = 0; c < data.columns(); ++c)
      all.push_back({statistic, DataView({data.column(c)}, {data.name(c)}),
                     text::concat(statistic.name(), "(", data.name(c), ")")});
  }
  return all;
}

/// Exact distributions are those of the iid bootstrap with as many draws as rows.
void check_scheme(const Request& request) {
  const auto* iid = std::get_if<scheme::Iid>(&request.scheme());
  if (iid == nullptr || iid->size != 0)
    throw InvalidArgument(
        "replicates=exact is for the plain iid bootstrap; leave the scheme out or give a number of "
        "replicates");
}

std::string label_of(const Question& question, const std::string& output) {
  return question.label.empty() ? output : question.label;
}

/// Name and law of each value.
std::vector<std::pair<std::string, Distribution>> distributions(const Request& request) {
  check_scheme(request);
  Call call = request.call(1000, nb::none());
  call.brief = false;
  return without_gil(call, [&](const Execution& execution) {
    std::vector<std::pair<std::string, Distribution>> all;
    for (const Question& question : questions(request)) {
      Distribution law =
          exact::distribution(question.data, question.statistic, {.execution = execution});
      std::string label = label_of(question, law.output());
      all.emplace_back(std::move(label), std::move(law));
    }
    return all;
  });
}

/// Name, method and reason of each value.
std::vector<std::tuple<std::string, std::string, std::string>> outlines(const Request& request) {
  check_scheme(request);
  const Call call = request.call(1000, nb::none());
  return without_gil(call, [&](const Execution& execution) {
    std::vector<std::tuple<std::string, std::string, std::string>> all;
    for (const Question& question : questions(request)) {
      const exact::Outline outline =
          exact::outline(question.data, question.statistic, {.execution = execution});
      all.emplace_back(label_of(question, outline.output), exact::name(outline.method),
                       outline.reason);
    }
    return all;
  });
}

/// Throws InvalidArgument for a method that needs replicates.
void check_method(std::string_view method) {
  switch (interval::parse_method(method)) {
    case interval::Method::normal:
    case interval::Method::basic:
    case interval::Method::percentile:
    case interval::Method::bca:
      return;
    default:
      throw InvalidArgument(text::concat(
          "interval is '", method, "' but replicates=exact has normal, basic, percentile and bca"));
  }
}

/// `acceleration` is that of bca.
Interval interval_of(const Distribution& law, std::string_view method, double confidence,
                     std::string_view alternative, std::string_view convention,
                     std::optional<double> acceleration) {
  check_method(method);
  const exact::IntervalOptions options{confidence, interval::parse_alternative(alternative)};
  const bool strict = interval::parse_convention(convention) == interval::Convention::r;
  switch (interval::parse_method(method)) {
    case interval::Method::normal:
      return law.normal(options);
    case interval::Method::basic:
      return law.basic(options);
    case interval::Method::percentile:
      return law.percentile(options);
    default:
      break;
  }
  if (!acceleration || !(*acceleration == *acceleration))
    throw InvalidArgument(
        "a bca interval needs the influence of each row, which is not available here; take "
        "percentile");
  return law.bca(*acceleration, options, strict ? exact::Ties::strict : exact::Ties::half);
}

}  // namespace

void bind_exact(nb::module_& m) {
  nb::class_<Distribution>(m, "Distribution", "The law of one statistic over all resamples.")
      .def_prop_ro("method", [](const Distribution& law) { return exact::name(law.method()); })
      .def_prop_ro("reason", &Distribution::reason)
      .def_prop_ro("rows", &Distribution::rows)
      .def_prop_ro("estimate", &Distribution::estimate)
      .def_prop_ro("standard_error", &Distribution::standard_error)
      .def_prop_ro("bias", &Distribution::bias)
      .def_prop_ro("error_bound", &Distribution::error_bound)
      .def_prop_ro("undefined", &Distribution::undefined)
      .def("cdf", &Distribution::cdf, "x"_a)
      .def("quantile", &Distribution::quantile, "p"_a)
      .def("interval", &interval_of, "method"_a, "confidence"_a, "alternative"_a, "convention"_a,
           "acceleration"_a.none());
  m.def("exact_distributions", &distributions, "request"_a);
  m.def("check_exact_method", &check_method, "method"_a);
  m.def("exact_outlines", &outlines, "request"_a);
}

}  // namespace bootfold::python
