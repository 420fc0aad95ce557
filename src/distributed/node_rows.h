// distributed/node_rows.h: the rows of a source in memory that the processes of a machine share.
#pragma once

#include <vector>

#include "bootfold/data.h"
#include "bootfold/distributed/group.h"
#include "bootfold/source.h"
#include "data/storage.h"

namespace bootfold::distributed {

/// One process of the machine reads the source and writes each column, as doubles, to a file
/// without a name: in /dev/shm, or in the temporary folder where there is no room. All processes
/// map these files, so that the machine has one copy. Nothing is left behind however the processes
/// end.
class NodeRows {
 public:
  /// All processes of the group call it. Throws DistributedError on all of them if one cannot read
  /// the rows.
  NodeRows(const Group& group, const data::Source& source);

  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  std::vector<data::Mapping> columns_;
  DataView view_;
};

}  // namespace bootfold::distributed
