// What rows do to values, where only the acceleration of a BCa interval is wanted.
#include "bootfold/influence.h"

#include <nanobind/stl/vector.h>

#include "modules.h"
#include "request.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// One for each value; NaN where there is none, such as for constant data.
std::vector<double> accelerations(const Request& request) {
  const Call call = request.call(1000, nb::none());
  return without_gil(call, [&](const Execution& execution) {
    Options options = request.options(1);
    options.execution = execution;
    std::vector<double> found;
    for (const Influence& one : influence(request.data(), request.statistics(), options))
      found.push_back(one.acceleration());
    return found;
  });
}

}  // namespace

void bind_influence(nb::module_& m) { m.def("accelerations", &accelerations, "request"_a); }

}  // namespace bootfold::python
