// What will be done, and why.
#include "bootfold/plan.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "modules.h"

namespace bootfold::python {

void bind_plan(nb::module_& m) {
  nb::class_<Plan>(m, "Plan", "What a bootstrap does, and why. `print(plan)` tells it in words.")
      .def_prop_ro(
          "path", [](const Plan& plan) { return name(plan.path); },
          "How replicates are made: stream, gather, distinct, order, blocks, weights, deletion.")
      .def_prop_ro("paths", &Plan::paths,
                   "The path, or those of all runs in words: 'stream and order'.")
      .def_prop_ro(
          "runs", [](const Plan& plan) { return plan.runs; },
          "Where statistics of different kinds run one after the other: their plans.")
      .def_rw("reason", &Plan::reason, "Why that is the cheapest way.")
      .def_ro("scheme", &Plan::scheme, "How rows are drawn, in words.")
      .def_ro("weights", &Plan::weights, "The column of weights of the statistics, or empty.")
      .def_ro("rows", &Plan::rows)
      .def_ro("units", &Plan::units,
              "Rows, clusters or blocks to draw from; 0 if not known before the run.")
      .def_ro("draws", &Plan::draws, "Rows of a replicate; where that varies, the usual number.")
      .def_ro("first_replicate", &Plan::first_replicate, "Number of the first replicate.")
      .def_ro("replicates", &Plan::replicates)
      .def_ro(
          "fingerprint", &Plan::fingerprint,
          "Identifies what defines a replicate: data, statistics, scheme, seed, path and streams.")
      .def_ro("columns", &Plan::columns, "Names of the columns that the statistics see.")
      .def_ro("outputs", &Plan::outputs, "A name for each value of a replicate.")
      .def_ro("threads", &Plan::threads)
      .def_prop_ro(
          "level", [](const Plan& plan) { return execution::name(plan.level); },
          "The instruction set: portable, avx2 or avx512 (x86-64), neon or dotprod (ARM).")
      .def_ro("working_bytes", &Plan::working_bytes, "Memory beside data and result.")
      .def_ro("memory_limit", &Plan::memory_limit, "The memory limit in bytes.")
      .def_ro("result_bytes", &Plan::result_bytes)
      .def_ro("seconds", &Plan::seconds, "About how long it takes.")
      .def_ro("arithmetic", &Plan::arithmetic, "How sums are kept.")
      .def_ro("sum_error", &Plan::sum_error,
              "Bound on the error of a folded mean / its standard error.")
      .def_ro("distinct_rows", &Plan::distinct_rows, "Path distinct: how many.")
      .def("explain", &Plan::explain, "All of it as a few lines.")
      .def("__str__", &Plan::explain)
      .def("__repr__", [](const Plan& plan) {
        return "<bootfold.Plan: " + plan.paths() + ", " + plan.reason + ">";
      });
}

}  // namespace bootfold::python
