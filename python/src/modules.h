// The parts of the module bootfold._core; core.cpp lists them, each has a file of its own.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace bootfold::python {

namespace nb = nanobind;

/// A message of the library with its options in the words of Python: nan='omit'.
[[nodiscard]] std::string in_words_of_python(std::string_view message);

void bind_errors(nb::module_& m);        // errors.cpp
void bind_call(nb::module_& m);          // call.cpp
void bind_plan(nb::module_& m);          // plan.cpp
void bind_result(nb::module_& m);        // result.cpp
void bind_bootstrap(nb::module_& m);     // bootstrap.cpp
void bind_batches(nb::module_& m);       // batches.cpp
void bind_counts(nb::module_& m);        // counts.cpp
void bind_influence(nb::module_& m);     // influence.cpp
void bind_native(nb::module_& m);        // native.cpp
void bind_arrow(nb::module_& m);         // arrow.cpp
void bind_csv(nb::module_& m);           // csv.cpp
void bind_compare(nb::module_& m);       // compare.cpp
void bind_groups(nb::module_& m);        // groups.cpp
void bind_conformal(nb::module_& m);     // conformal.cpp
void bind_contrasts(nb::module_& m);     // contrasts.cpp
void bind_encoding(nb::module_& m);      // encoding.cpp
void bind_expressions(nb::module_& m);   // expressions.cpp
void bind_ensemble(nb::module_& m);      // ensemble.cpp
void bind_exact(nb::module_& m);         // exact.cpp
void bind_precision(nb::module_& m);     // precision.cpp
void bind_batch_source(nb::module_& m);  // batch_source.cpp
void bind_sampling(nb::module_& m);      // sampling.cpp
void bind_shards(nb::module_& m);        // shards.cpp
void bind_streamed(nb::module_& m);      // streamed.cpp

}  // namespace bootfold::python
