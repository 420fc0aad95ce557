#include "scheme.h"

namespace bootfold::python {

namespace {

std::span<const std::uint32_t> span(const Codes& codes) { return {codes.data(), codes.size()}; }

}  // namespace

Scheme make_scheme(const SchemeArguments& arguments) {
  scheme::Spec spec;
  spec.name = arguments.name;
  if (arguments.strata) spec.strata = span(*arguments.strata);
  if (arguments.clusters) spec.clusters = span(*arguments.clusters);
  if (arguments.weights) spec.weights = {arguments.weights->data(), arguments.weights->size()};
  spec.block_length = arguments.block_length;
  spec.size = arguments.size;
  spec.two_stage = arguments.two_stage;
  return bootfold::make_scheme(spec);
}

}  // namespace bootfold::python
