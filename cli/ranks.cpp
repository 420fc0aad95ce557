#include "ranks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "bootfold/error.h"
#include "console.h"
#include "ending.h"
#include "interrupt.h"

namespace bootfold::cli {
namespace {

/// Scripts that mpirun starts may run the program with arguments of their own in each process.
void check_same_arguments(const distributed::Group& group, int count, char** words) {
  std::string own;
  for (int i = 1; i < count; ++i) own += std::string(words[i]) + '\0';
  const std::string first = group.broadcast(own);
  group.agree([&] {
    if (own != first)
      throw InvalidArgument(
          "its arguments are not those of rank 0, but mpirun makes all processes share one run; "
          "set "
          "the variable BOOTFOLD_MPI=off to let each process work for itself");
  });
}

void work_together(int count, char** words, const std::function<Command(int, char**)>& parse,
                   const distributed::Group& group, Interrupt& interrupt) {
  check_same_arguments(group, count, words);
  Command command;
  group.agree([&] {
    command = parse(count, words);
    if (command.text.empty() && !command.task.together)
      throw InvalidArgument(fmt::format(
          "'{}' does not share its work among processes, as bootstrap does; run it without mpirun, "
          "or set the variable BOOTFOLD_MPI=off to let each process work for itself",
          words[1]));
  });
  if (command.text.empty()) return command.task.together(interrupt, group);
  if (group.rank() == 0) print(command.text);
}

/// The processes, or none if they cannot be connected; then rank 0 has told why.
std::optional<distributed::Group> connect(Interrupt& interrupt, int& code) {
  try {
    return distributed::Group::world(interrupt.token());
  } catch (...) {
    const Ending how = ending();
    code = how.code;
    // The launcher ends all processes when the first one ends badly; rank 0 must be the first.
    if (distributed::launch().rank == 0)
      complain(how.text);
    else
      std::this_thread::sleep_for(std::chrono::seconds(1));
    return std::nullopt;
  }
}

}  // namespace

int run_in_group(int count, char** words, const std::function<Command(int, char**)>& parse) {
  Interrupt interrupt;  // before the threads of MPI, which must not get its signals
  // The launcher sends SIGTERM to the others when one process fails, and tells why itself.
  interrupt.be_silent();
  int code = 0;
  const std::optional<distributed::Group> group = connect(interrupt, code);
  if (!group) return code;
  try {
    work_together(count, words, parse, *group, interrupt);
  } catch (const DistributedError& error) {
    const Ending how = ending();
    if (error.cause() != DistributedError::Cause::connection) {  // on all processes
      if (group->rank() == 0) complain(how.text);
      return how.code;
    }
    complain(fmt::format("rank {}: {}", group->rank(), how.text));
    group->abort(how.code);
  } catch (const Cancelled&) {
    _exit(Interrupt::exit_code());
  } catch (...) {
    const Ending how = ending();
    complain(fmt::format("rank {}: {}", group->rank(), how.text));
    group->abort(how.code);
  }
  return 0;
}

}  // namespace bootfold::cli
