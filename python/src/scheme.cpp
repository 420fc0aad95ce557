#include "scheme.h"

#include "bootfold/error.h"

namespace bootfold::python {

namespace {

std::span<const std::uint32_t> span(const Codes& codes) { return {codes.data(), codes.size()}; }

scheme::Spec spec_of(const SchemeArguments& arguments) {
  scheme::Spec spec;
  spec.name = arguments.name;
  if (arguments.strata) spec.strata = span(*arguments.strata);
  if (arguments.clusters) spec.clusters = span(*arguments.clusters);
  if (arguments.probabilities)
    spec.probabilities = {arguments.probabilities->data(), arguments.probabilities->size()};
  spec.block_length = arguments.block_length;
  spec.size = arguments.size;
  spec.two_stage = arguments.two_stage;
  return spec;
}

}  // namespace

Scheme make_scheme(const SchemeArguments& arguments) {
  return bootfold::make_scheme(spec_of(arguments));
}

Scheme make_scheme(const SchemeArguments& arguments, const data::Repeated& rows,
                   WrittenCodes& codes) {
  scheme::Spec spec = spec_of(arguments);
  if (spec.probabilities)
    throw InvalidArgument("frequencies and probabilities do not go together; write the rows out");
  if (spec.strata) spec.strata = codes.strata = rows.codes(*spec.strata);
  if (spec.clusters) spec.clusters = codes.clusters = rows.codes(*spec.clusters);
  return bootfold::make_scheme(spec);
}

}  // namespace bootfold::python
