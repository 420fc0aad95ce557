// bootfold/checkpoint.h: runs that go on after they were interrupted.
//
//     Options options = {.replicates = 10'000'000, .checkpoint = "run.checkpoint"};
//     auto result = bootstrap(prices, statistic::mean(), options);   // killed? run it again
//     result.save("run.safetensors");
//     remove_checkpoint("run.checkpoint");
//
// A run with a checkpoint stores what it has made in a file, as often as costs less than 1 % of its
// time. The same call goes on from there, and its result has the same bits as that of a run
// without interruption. A checkpoint of other data, options or versions is refused, and the message
// names what differs. Files and format: docs/long-runs.md.
#pragma once

#include <string>

#include "bootfold/api.h"

namespace bootfold {

/// Deletes the files of a checkpoint: `path`, and beside it `path`.previous, `path`.tail and
/// `path`.new. Call it once the result is in a safe place. Files that are not there are no error,
/// and a file that is not a checkpoint is left alone.
BOOTFOLD_API void remove_checkpoint(const std::string& path);

}  // namespace bootfold
