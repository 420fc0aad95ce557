// distributed/link.h: what connects the processes of a group.
//
// Messages between two processes are all that a connection has to provide; group.cpp makes the rest
// of them. Two sources define connect(), and a build has one of them: mpi.cpp, and no_mpi.cpp for
// builds without MPI (BOOTFOLD_MPI).
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "bootfold/distributed/group.h"

namespace bootfold::distributed {

/// Processes with ranks. Used by one thread at a time.
class Link {
 public:
  virtual ~Link() = default;
  [[nodiscard]] virtual Launch place() const noexcept = 0;
  /// The lowest rank on the same machine.
  [[nodiscard]] virtual int node() const noexcept = 0;
  /// Messages between two processes arrive in the order in which they were sent. Both functions
  /// throw DistributedError, and Cancelled if `stop` asks for it.
  virtual void send(int to, std::string_view bytes, const std::stop_token& stop) = 0;
  [[nodiscard]] virtual std::string receive(int from, const std::stop_token& stop) = 0;
  [[noreturn]] virtual void abort(int code) = 0;
};

/// Connects the processes of a launch. Throws DistributedError.
[[nodiscard]] std::shared_ptr<Link> connect(const Launch& launch);

}  // namespace bootfold::distributed
