#include "bootstrap_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "bootfold/distributed/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "bootfold/sources.h"
#include "input_note.h"
#include "origin.h"
#include "progress.h"
#include "streamed.h"
#include "timer.h"
#include "unchanged.h"

namespace bootfold::cli {
namespace {

void check_for_group(const Arguments& arguments, const Request& request) {
  const char* remedy = "; give a number of replicates, or run it without mpirun";
  if (request.precision || request.exact)
    throw InvalidArgument(fmt::format("--replicates is '{}' but several processes share a number",
                                      arguments.replicates) +
                          remedy);
  if (!arguments.checkpoint.empty())
    throw InvalidArgument(
        "--checkpoint is not available under mpirun; make the run in parts (bootfold look, plan, "
        "part, merge), or run it without mpirun");
  if (std::find(request.files.begin(), request.files.end(), "-") != request.files.end())
    throw InvalidArgument(
        "FILE is '-' but only one of several processes has the standard input; name a file");
}

/// Files that are mapped, so that the processes of a machine share them without more ado.
bool are_mapped(const Request& request) {
  const std::vector<std::string> files = data::expand(request.files);
  return request.read.where.empty() && request.read.nan == data::NanPolicy::error &&
         files.size() == 1 && files[0].ends_with(".npy");
}

/// The terminal of the person who typed mpirun, if there is one on this machine. mpirun gives its
/// processes pipes in place of standard error.
class Terminal {
 public:
  Terminal() : descriptor_(open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC)) {}
  ~Terminal() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

/// The run of one process.
class GroupRun {
 public:
  GroupRun(const Arguments& arguments, Interrupt& interrupt, const distributed::Group& group)
      : arguments_(arguments), interrupt_(interrupt), group_(group) {}

  void run() {
    group_.agree([&] { prepare(); });
    const Interrupt::Work work(interrupt_);
    const Timer computing;
    std::optional<Result> result;
    data::ReadNotes notes;
    {
      const Terminal terminal;
      ProgressBar bar(request_.quiet || group_.rank() != 0, "rows x replicates", {},
                      terminal.descriptor());
      options_.execution.stop = interrupt_.token();
      options_.execution.progress = bar.callback();
      result = source_ ? distributed::bootstrap(group_, *source_, request_.statistics, options_,
                                                split_, &notes)
                       : of_table();
    }
    if (!result) return;
    result->set_origin(origin_of(arguments_));
    print_input_note(source_ ? notes.note : table_->note(), request_.quiet || request_.json);
    Run run{.result = *result,
            .columns = source_ ? source_->names() : view_->columns(),
            .intervals = {},
            .omitted = source_ ? notes.omitted : table_->omitted(),
            .filtered = source_ ? notes.filtered : table_->filtered(),
            .seconds = computing.seconds()};
    add_intervals(run, request_.methods, request_.interval);
    report(run, request_);
  }

 private:
  /// Mistakes that all processes see.
  void prepare() {
    request_ = check(arguments_);
    check_for_group(arguments_, request_);
    if (!arguments_.split.empty()) split_ = distributed::parse_split(arguments_.split);
    if (group_.rank() == 0) check_files(request_);
    options_ = options_for_source(request_);
    std::string obstacle =
        shards::obstacle(request_.statistics, request_.read.columns.size(), options_);
    if (!has_numbers_only(request_)) obstacle = "its options need columns of all rows";
    if (split_ == distributed::Split::rows && !obstacle.empty())
      throw InvalidArgument(fmt::format(
          "--split is 'rows' but rows cannot be split: {}; use --split replicates", obstacle));
    const bool rows = split_ != distributed::Split::replicates && obstacle.empty();
    if (has_numbers_only(request_) && (rows || !are_mapped(request_))) {
      source_ = data::open(request_.files, request_.read);
      if (!rows) options_.influence = request_.options.influence;
      return;
    }
    table_ = data::read(request_.files, request_.read);
    view_.emplace(request_.scheme, *table_);
    options_ = request_.options;
    options_.scheme = view_->scheme();
  }

  std::optional<Result> of_table() {
    return while_unchanged(*table_, "", [&] {
      return distributed::bootstrap_replicates(group_, view_->data(), request_.statistics,
                                               options_);
    });
  }

  const Arguments& arguments_;
  Interrupt& interrupt_;
  const distributed::Group& group_;
  Request request_;
  distributed::Split split_ = distributed::Split::automatic;
  Options options_;
  std::unique_ptr<data::Source> source_;  // or a table
  std::optional<data::Table> table_;
  std::optional<SchemeRequest::View> view_;
};

}  // namespace

void bootstrap_in_group(const Arguments& arguments, Interrupt& interrupt,
                        const distributed::Group& group) {
  GroupRun(arguments, interrupt, group).run();
}

}  // namespace bootfold::cli
