// The paths. One file each; src/paths/<name>.cpp has the entry.
#pragma once

#include <span>

#include "planning/path_entry.h"

namespace bootfold::paths {

/// All paths. The last one is the most general: its refusal is what a caller reads if none serves.
[[nodiscard]] std::span<const planning::PathEntry> table();

namespace blocks {
[[nodiscard]] planning::PathEntry entry();
}
namespace deletion {
[[nodiscard]] planning::PathEntry entry();
}
namespace distinct {
[[nodiscard]] planning::PathEntry entry();
}
namespace gather {
[[nodiscard]] planning::PathEntry entry();
}
namespace order {
[[nodiscard]] planning::PathEntry entry();
}
namespace stream {
[[nodiscard]] planning::PathEntry entry();
}
namespace weights {
[[nodiscard]] planning::PathEntry entry();
}

}  // namespace bootfold::paths
