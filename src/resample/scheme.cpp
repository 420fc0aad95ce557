// The public questions about a scheme.
#include "bootfold/scheme.h"

#include "resample/design.h"

namespace bootfold {

std::string name(const Scheme& scheme) { return std::string(resample::design(scheme)->name()); }

scheme::Facts facts(const Scheme& scheme) {
  const resample::Traits traits = resample::design(scheme)->traits(0);
  return {traits.deletes, traits.together, traits.formula,
          traits.studentized != resample::Studentized::no};
}

}  // namespace bootfold
