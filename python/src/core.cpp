// The module bootfold._core: what the Python files of the package are written on.
#include "bootfold/version.h"
#include "modules.h"

NB_MODULE(_core, m) {
  using namespace bootfold::python;
  m.doc() = "The C++ library, as the Python files of bootfold use it; not for users.";
  m.attr("version") = bootfold::kVersion;
  bind_errors(m);
  bind_call(m);
  bind_plan(m);
  bind_result(m);
  bind_bootstrap(m);
  bind_batches(m);
  bind_counts(m);
  bind_influence(m);
  bind_native(m);
  bind_arrow(m);
  bind_csv(m);
  bind_compare(m);
  bind_groups(m);
  bind_contrasts(m);
  bind_encoding(m);
  bind_expressions(m);
  bind_ensemble(m);
  bind_conformal(m);
  bind_sampling(m);
  bind_exact(m);
  bind_precision(m);
  bind_batch_source(m);
  bind_shards(m);
  bind_streamed(m);
}
