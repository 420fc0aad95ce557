// As many replicates as a precision takes, made by a function of Python.
#include "bootfold/precision.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "modules.h"
#include "request.h"
#include "result.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

using Make = nb::typed<nb::callable, Handle(std::uint64_t, std::uint64_t)>;

Precision precision_of(double precision, std::string_view method, double confidence,
                       std::string_view alternative) {
  return {.precision = precision,
          .method = interval::parse_method(method),
          .interval = {.confidence = confidence,
                       .alternative = interval::parse_alternative(alternative)}};
}

/// make(first, count) returns a result that nobody else uses; the precision reached, and whether it
/// is what was asked for, are told with the whole result.
nb::typed<nb::tuple, Handle, double, bool> to_precision(const Request& request, const Make& make,
                                                        double precision, std::string_view method,
                                                        double confidence,
                                                        std::string_view alternative) {
  const Precision wanted = precision_of(precision, method, confidence, alternative);
  std::optional<Reached> reached;
  {
    const nb::gil_scoped_release released;
    reached = bootstrap_to_precision(
        [&](std::uint64_t first, std::uint64_t count) {
          const nb::gil_scoped_acquire acquired;
          const nb::object made = make(first, count);
          return std::move(nb::cast<Handle&>(made).result);
        },
        wanted, request.scheme());
  }
  return nb::typed<nb::tuple, Handle, double, bool>(
      nb::make_tuple(nb::cast(std::make_unique<Handle>(std::move(reached->result))),
                     reached->precision, reached->met));
}

}  // namespace

void bind_precision(nb::module_& m) {
  m.def("to_precision", &to_precision, "request"_a, "make"_a, "precision"_a, "method"_a,
        "confidence"_a, "alternative"_a);
  m.def(
      "first_replicates",
      [](const Request& request, double precision, std::string_view method, double confidence,
         std::string_view alternative) {
        return first_replicates(precision_of(precision, method, confidence, alternative),
                                request.scheme());
      },
      "request"_a, "precision"_a, "method"_a, "confidence"_a, "alternative"_a);
}

}  // namespace bootfold::python
