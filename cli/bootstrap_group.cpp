#include "bootstrap_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bootfold/distributed/bootstrap.h"
#include "bootfold/error.h"
#include "bootfold/precision.h"
#include "bootfold/shards.h"
#include "bootfold/sources.h"
#include "input_note.h"
#include "origin.h"
#include "progress.h"
#include "reading.h"
#include "streamed.h"
#include "timer.h"
#include "unchanged.h"

namespace bootfold::cli {
namespace {

void check_for_group(const Arguments& arguments, const Request& request) {
  if (!arguments.by.empty())
    throw InvalidArgument(
        "--by is not available under mpirun; run it without mpirun, or one group in each process "
        "(--where)");
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
    if (request_.exact)  // takes seconds; the others wait
      return group_.agree([&] {
        if (group_.rank() == 0) run_bootstrap(arguments_, interrupt_);
      });
    const Interrupt::Work work(interrupt_);
    const Timer computing;
    std::optional<Reached> reached;
    {
      const Terminal terminal;
      ProgressBar bar(request_.quiet || group_.rank() != 0, "rows x replicates", {},
                      terminal.descriptor());
      options_.execution.stop = interrupt_.token();
      options_.execution.progress = bar.callback();
      reached = request_.precision ? to_precision() : to_number();
    }
    if (!reached) return;
    reached->result.set_origin(origin_of(arguments_));
    print_input_note(notes_.note, request_.quiet || request_.json);
    Run run{.result = reached->result,
            .columns = source_  ? source_->names()
                       : piece_ ? piece_->names()
                                : view_->columns(),
            .intervals = {},
            .omitted = notes_.omitted,
            .filtered = notes_.filtered,
            .seconds = computing.seconds()};
    add_intervals(run, request_.methods, request_.interval);
    if (request_.precision)
      run.effort = {*request_.precision, reached->precision, reached->met, reached->rounds};
    report(run, request_);
  }

 private:
  /// Mistakes that all processes see.
  void prepare() {
    request_ = check(arguments_);
    check_for_group(arguments_, request_);
    if (!arguments_.split.empty()) split_ = distributed::parse_split(arguments_.split);
    if (group_.rank() == 0) check_files(request_);
    if (request_.exact) return;
    if (request_.precision) (void)first_replicates(precision(), request_.scheme.without_data());
    options_ = options_for_source(request_);
    const bool labelled =
        request_.scheme.has_strata_alone() || request_.scheme.has_clusters_alone();
    if (labelled) options_.scheme = scheme::Iid{};
    std::string obstacle = shards::obstacle(request_.statistics, options_);
    if (!has_numbers_only(request_) && !labelled) obstacle = "its options need columns of all rows";
    if (labelled && obstacle.empty() && split_ != distributed::Split::replicates) {
      piece_ =
          data::read_piece(request_.files, request_.read, static_cast<std::uint64_t>(group_.rank()),
                           static_cast<std::uint64_t>(group_.size()));
      if (!piece_)
        obstacle =
            "the files can only be read from their beginning (.npy and Parquet files can be cut)";
    }
    if (split_ == distributed::Split::rows && !obstacle.empty())
      throw InvalidArgument(fmt::format(
          "--split is 'rows' but rows cannot be split: {}; use --split replicates", obstacle));
    const bool rows = split_ != distributed::Split::replicates && obstacle.empty();
    if (has_numbers_only(request_) && (rows || !are_mapped(request_))) {
      source_ = open_rows(request_);
      if (!rows) options_.influence = request_.options.influence;
      return;
    }
    if (!piece_) read_all();
  }

  /// For replicates that are split.
  void read_all() {
    table_ = read_rows(request_);
    view_.emplace(request_.scheme, *table_);
    options_ = request_.options;
    options_.scheme = view_->scheme();
    notes_ = {table_->note(), table_->omitted(), table_->filtered()};
  }

  /// One run of all processes; the result is on rank 0.
  std::optional<Result> once(std::uint64_t first, std::uint64_t count) {
    Options options = options_;
    options.first_replicate = first;
    options.replicates = count;
    if (request_.precision && first > 0) options.influence = false;  // the first round has it
    if (source_)
      return distributed::bootstrap(group_, *source_, request_.statistics, options, split_,
                                    &notes_);
    if (piece_) {
      auto [done, result] = of_piece(options);
      return done ? std::move(result) : once(first, count);
    }
    return while_unchanged(*table_, "", [&] {
      return distributed::bootstrap_replicates(group_, view_->data(), request_.statistics, options);
    });
  }

  /// Each process has its own rows, with their labels. False if only the look could tell that all
  /// rows are needed; every process then has them.
  std::pair<bool, std::optional<Result>> of_piece(const Options& options) {
    const data::Labels labels = all_labels(*piece_, request_.read.labels.size());
    const bool strata = request_.scheme.has_strata_alone();
    try {
      auto result = distributed::bootstrap_rows(
          group_, piece_->view(),
          {.strata = strata ? &labels : nullptr, .clusters = strata ? nullptr : &labels},
          request_.statistics, options);
      add_notes();
      return {true, std::move(result)};
    } catch (const DistributedError& error) {
      if (split_ == distributed::Split::rows || error.cause() != DistributedError::Cause::argument)
        throw;
    }
    piece_.reset();
    group_.agree([&] { read_all(); });
    return {false, std::nullopt};
  }

  /// What reading left out on all processes, on rank 0.
  void add_notes() {
    notes_ = {piece_->note(), 0, 0};
    for (const std::string& one :
         group_.gather(fmt::format("{} {}", piece_->omitted(), piece_->filtered()))) {
      notes_.omitted += std::stoull(one);
      notes_.filtered += std::stoull(one.substr(one.find(' ')));
    }
  }

  [[nodiscard]] Precision precision() const {
    return {.precision = *request_.precision,
            .method = request_.methods.front(),
            .interval = request_.interval};
  }

  /// Rank 0 decides how many replicates a round has, and tells the others.
  std::optional<Reached> to_precision() {
    while (group_.rank() != 0) {
      const std::string round = group_.broadcast("");
      if (round.empty()) return std::nullopt;
      (void)once(std::stoull(round), std::stoull(round.substr(round.find(' '))));
    }
    Reached reached = bootstrap_to_precision(
        [&](std::uint64_t first, std::uint64_t count) {
          (void)group_.broadcast(fmt::format("{} {}", first, count));
          return once(first, count).value();
        },
        precision(), request_.scheme.without_data());
    (void)group_.broadcast("");
    return reached;
  }

  std::optional<Reached> to_number() {
    std::optional<Result> result = once(options_.first_replicate, options_.replicates);
    if (!result) return std::nullopt;
    return Reached{std::move(*result)};
  }

  const Arguments& arguments_;
  Interrupt& interrupt_;
  const distributed::Group& group_;
  Request request_;
  distributed::Split split_ = distributed::Split::automatic;
  Options options_;
  std::unique_ptr<data::Source> source_;  // the rows
  std::optional<data::Table> piece_;      // or own rows with labels
  std::optional<data::Table> table_;      // or all rows
  data::ReadNotes notes_;
  std::optional<SchemeRequest::View> view_;
};

}  // namespace

void bootstrap_in_group(const Arguments& arguments, Interrupt& interrupt,
                        const distributed::Group& group) {
  GroupRun(arguments, interrupt, group).run();
}

}  // namespace bootfold::cli
