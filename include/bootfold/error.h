// bootfold/error.h: who is at fault decides the type.
//
// The library never prints and never aborts: it throws, and the message names the value, the rule
// and the remedy.
#pragma once

#include <stdexcept>

#include "bootfold/api.h"

namespace bootfold {

/// The caller asked for something that cannot be: an argument out of range, an unknown name.
class BOOTFOLD_API InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The data cannot be used: unreadable file, text in a numeric column, NaN. The message says where.
class BOOTFOLD_API DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's stop token asked the work to end; nothing was produced.
class BOOTFOLD_API Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled before the work was done") {}
};

}  // namespace bootfold
