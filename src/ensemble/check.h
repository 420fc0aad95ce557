// What cannot be trained, said before anything is done.
#pragma once

#include "bootfold/ensemble.h"

namespace bootfold::ensemble {

/// Throws InvalidArgument or DataError with the value, the rule and the remedy.
void check(const Examples& examples, const Training& training);

}  // namespace bootfold::ensemble
