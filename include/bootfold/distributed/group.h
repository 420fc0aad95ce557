// bootfold/distributed/group.h: processes that work together.
//
//     int main() {
//       return distributed::run([](const distributed::Group& group) {
//         auto names = group.gather("I am rank " + std::to_string(group.rank()));
//         if (group.rank() == 0) ...
//       });
//     }
//
// mpirun -n 4 ./program starts four processes, which run() connects by MPI. Started without mpirun,
// the group is this process alone, and the same code runs. MPI is loaded when it is needed, so that
// programs that never run under mpirun need no MPI library.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bootfold/api.h"

namespace bootfold::distributed {

class Link;  // between processes; internal

/// The processes that a launcher (mpirun, mpiexec, srun) started together.
struct Launch {
  int rank = 0;
  int size = 1;
};

/// What the environment variables of the launcher tell, before any connection is made. One process
/// if there is no launcher, and if the variable BOOTFOLD_MPI is "off": then each process works for
/// itself.
[[nodiscard]] BOOTFOLD_API Launch launch();

/// Processes with the ranks 0 .. size() - 1. A value; copies are the same group. Functions that
/// exchange something are called by all processes of the group in the same order, on one thread.
/// They throw DistributedError if the connection fails, and Cancelled if the stop token asks for
/// it.
class BOOTFOLD_API Group {
 public:
  /// This process alone.
  Group();
  /// The processes of launch(), connected by MPI. Throws DistributedError if they cannot be
  /// connected, for example because this library was built without MPI. The connection ends with
  /// the last copy of the group.
  [[nodiscard]] static Group world(std::stop_token stop = {});
  /// Processes that something else connects.
  explicit Group(std::shared_ptr<Link> link, std::stop_token stop = {});

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] int size() const noexcept { return size_; }

  /// The processes of this group that run on the same machine. All processes call it.
  [[nodiscard]] Group node() const;

  /// The bytes of rank 0, on all processes.
  [[nodiscard]] std::string broadcast(std::string_view bytes) const;
  /// The bytes of all processes by rank: on rank 0, and nothing elsewhere.
  [[nodiscard]] std::vector<std::string> gather(std::string_view bytes) const;
  /// The bytes of all processes by rank, on all processes.
  [[nodiscard]] std::vector<std::string> all_gather(std::string_view bytes) const;
  /// merge(merge(bytes of rank 0, of rank 1), ...) on rank 0, and nothing elsewhere. The grouping
  /// is that of a tree, the order is that of ranks, so `merge` has to be associative.
  [[nodiscard]] std::string reduce(
      std::string bytes,
      const std::function<std::string(std::string_view, std::string_view)>& merge) const;

  /// A message to another process, which receives it.
  void send(int to, std::string_view bytes) const;
  [[nodiscard]] std::string receive(int from) const;

  /// Calls `work` on all processes and waits for all of them. Where it throws on some, all throw
  /// DistributedError with the message of the first of these; it names the rank unless all ranks
  /// have the same message. Without other processes the exception stays what it is. For work that
  /// takes about equally long everywhere, such as to open files.
  void agree(const std::function<void()>& work) const;

  /// Ends all processes at once, with this exit code if the launcher can. Without other processes
  /// it ends this one.
  [[noreturn]] void abort(int code) const;

 private:
  std::shared_ptr<Link> link_;
  std::vector<int> members_;  // ranks of the link; empty: all
  std::stop_token stop_;
  int rank_ = 0;
  int size_ = 1;
};

/// The body of a program: calls `body` with Group::world() and returns the exit code, 0. If `body`
/// throws, prints the message once, with the rank, ends all processes and returns 1.
[[nodiscard]] BOOTFOLD_API int run(const std::function<void(const Group&)>& body) noexcept;

}  // namespace bootfold::distributed
