// bootfold/distributed/bootstrap.h: a bootstrap by several processes.
//
//     auto prices = data::open("prices.npy");
//     if (auto result = distributed::bootstrap(group, *prices, statistics, {.seed = 7}))
//       std::cout << result->standard_error();                            // on rank 0
//
// There are two ways to share the work. Rows split: each process reads its own rows and sends sums
// of integers, so that the data need not fit on one machine (bootfold/shards.h). Replicates split:
// each process has all rows and makes some of the replicates, which serves every statistic and
// every scheme but the jackknife and balanced. Both give the bits of bootstrap() in one process.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "bootfold/api.h"
#include "bootfold/bootstrap.h"
#include "bootfold/data.h"
#include "bootfold/distributed/group.h"
#include "bootfold/plan.h"
#include "bootfold/source.h"
#include "bootfold/sources.h"
#include "bootfold/statistic.h"

namespace bootfold::distributed {

/// What the processes share among them.
enum class Split {
  automatic,   ///< rows if the source can be cut and shards serve the statistics; else replicates
  rows,        ///< each process reads its own rows
  replicates,  ///< each process has all rows
};

/// The split called "rows" or "replicates". Throws InvalidArgument for another name.
[[nodiscard]] BOOTFOLD_API Split parse_split(std::string_view text);

/// Bootstraps the rows of a source, which all processes have opened: files that all machines see.
///
/// All processes call it with the same arguments; the result is on rank 0. Options::execution and
/// Options::memory are those of each process; if they are 0, the processes on a machine divide its
/// processors and its default memory limit among them. If replicates are split, one process of each
/// machine reads the rows, as doubles, into memory that all processes there share. Throws
/// DistributedError on all processes for what all can know, and otherwise as bootstrap() does on
/// the process that fails: it has to end the others (distributed::run, Group::abort). `notes`, if
/// given, gets what reading left out on all processes, on rank 0.
[[nodiscard]] BOOTFOLD_API std::optional<Result> bootstrap(
    const Group& group, const data::Source& rows, std::span<const Statistic> statistics,
    const Options& options = {}, Split split = Split::automatic, data::ReadNotes* notes = nullptr);

/// Rows split: each process passes its own rows, which follow each other in the order of ranks.
/// Some may have none. Statistics and schemes are those of shards.
[[nodiscard]] BOOTFOLD_API std::optional<Result> bootstrap_rows(
    const Group& group, const data::Source& own_rows, std::span<const Statistic> statistics,
    const Options& options = {});

/// The stratum or the cluster of each row that a process has; one of them.
struct RowLabels {
  const data::Labels* strata = nullptr;
  const data::Labels* clusters = nullptr;
};

/// Rows split, of functions of sums, within strata or by whole clusters, which names identify on
/// all processes. A cluster may have rows on several processes. Options::scheme is not used.
[[nodiscard]] BOOTFOLD_API std::optional<Result> bootstrap_rows(
    const Group& group, const DataView& own_rows, const RowLabels& labels,
    std::span<const Statistic> statistics, const Options& options = {});

/// Replicates split: each process passes all rows.
[[nodiscard]] BOOTFOLD_API std::optional<Result> bootstrap_replicates(
    const Group& group, const DataView& all_rows, std::span<const Statistic> statistics,
    const Options& options = {});

}  // namespace bootfold::distributed
