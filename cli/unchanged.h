// cli/unchanged.h: input that somebody else writes to.
#pragma once

#include <string>
#include <utility>

#include "bootfold/checkpoint.h"
#include "bootfold/data.h"
#include "bootfold/error.h"
#include "failure.h"

namespace bootfold::cli {

/// Throws Failure if the file of a table was changed since it was read. The checkpoint is then
/// deleted: its replicates may be of data that never existed as a whole.
inline void check_unchanged(const data::Table& table, const std::string& checkpoint) {
  try {
    table.check_unchanged();
  } catch (const DataError& error) {
    if (!checkpoint.empty()) remove_checkpoint(checkpoint);
    throw Failure(error.what());
  }
}

/// What `work()` returns, if the file of the table was not changed meanwhile.
template <class Work>
auto while_unchanged(const data::Table& table, const std::string& checkpoint, Work&& work) {
  try {
    auto found = std::forward<Work>(work)();
    check_unchanged(table, checkpoint);
    return found;
  } catch (const Failure&) {
    throw;
  } catch (...) {
    check_unchanged(table, checkpoint);
    throw;
  }
}

/// Ends the program with a message when a mapped file becomes shorter, in place of SIGBUS.
void catch_lost_input();

}  // namespace bootfold::cli
