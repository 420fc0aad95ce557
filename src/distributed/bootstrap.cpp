// The two splits, over the public functions of shards and results.
#include "bootfold/distributed/bootstrap.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "distributed/node_rows.h"
#include "distributed/node_share.h"
#include "resample/design.h"
#include "text/choice.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::distributed {
namespace {

using Cause = DistributedError::Cause;

/// Progress of this rank, shown as if all ranks were as far as this one.
void show_for_all(const Group& group, Execution& execution) {
  if (!execution.progress) return;
  execution.progress = [tell = execution.progress,
                        all = static_cast<double>(group.size())](execution::Progress progress) {
    tell({progress.done * all, progress.total * all});
  };
}

/// The options for the replicates of one rank: the first ranks have one more if they do not divide.
/// None if there are fewer replicates than ranks.
std::optional<Options> own_replicates(const Group& group, const Options& options) {
  const auto size = static_cast<std::uint64_t>(group.size());
  const auto rank = static_cast<std::uint64_t>(group.rank());
  const std::uint64_t each = options.replicates / size;
  const std::uint64_t more = options.replicates % size;
  Options own = options;
  own.first_replicate += each * rank + std::min(rank, more);
  own.replicates = each + (rank < more ? 1 : 0);
  show_for_all(group, own.execution);
  if (own.replicates == 0) return std::nullopt;
  return own;
}

/// What a rank sends of its result.
struct Header {
  std::uint64_t fingerprint = 0;
  std::uint64_t values = 0;  // of all replicates; standard errors follow, as many or none
};

std::string bytes_of(const std::optional<Result>& result) {
  Header header;
  std::string bytes(sizeof header, '\0');
  if (!result) return bytes;
  header = {result->fingerprint(), result->replicates().size()};
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto add = [&bytes](std::span<const double> values) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  };
  add(result->replicates());
  add(result->companions().replicate_errors);
  return bytes;
}

/// Puts the results of all ranks together, on rank 0.
std::optional<Result> collect(const Group& group, std::optional<Result> own) {
  if (group.rank() != 0) {
    group.send(0, bytes_of(own));
    return std::nullopt;
  }
  std::vector<double> replicates;
  Companions companions;
  for (int rank = 1; rank < group.size(); ++rank) {
    const std::string bytes = group.receive(rank);
    Header header;
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.values == 0) continue;
    if (header.fingerprint != own->fingerprint())
      throw DataError(text::concat("rank ", rank, " has other data or options than rank 0 (",
                                   "fingerprints ", text::hexadecimal(header.fingerprint), " and ",
                                   text::hexadecimal(own->fingerprint()),
                                   "): all machines must see the same files"));
    std::vector<double> values((bytes.size() - sizeof header) / sizeof(double));
    std::memcpy(values.data(), bytes.data() + sizeof header, values.size() * sizeof(double));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(header.values);
    replicates.insert(replicates.end(), values.begin(), middle);
    companions.replicate_errors.insert(companions.replicate_errors.end(), middle, values.end());
  }
  if (replicates.empty()) return own;
  Plan plan = own->plan();
  plan.first_replicate += own->count();
  plan.replicates = replicates.size() / own->outputs();
  plan.result_bytes = plan.result_bytes / own->count() * plan.replicates;
  plan.seconds = 0;  // at the same time as those of rank 0
  std::vector<double> estimates;
  for (std::size_t output = 0; output < own->outputs(); ++output)
    estimates.push_back(own->estimate(output));
  own->append(Result(std::move(plan), own->seed(), std::move(estimates), std::move(replicates),
                     std::move(companions)));
  return own;
}

void check_no_checkpoint(const Options& options) {
  if (!options.checkpoint.empty())
    throw InvalidArgument(
        "checkpoint is given but several processes have none; make the run in parts (shards), or "
        "use one process");
}

void check_endless(const Options& options, std::uint64_t rows) {
  if (!resample::design(options.scheme)->traits(rows).endless)
    throw InvalidArgument(text::concat("scheme is '", name(options.scheme),
                                       "', whose replicates belong together, so that several "
                                       "processes cannot share them; use one process"));
  check_no_checkpoint(options);
}

/// The rows of a rank, and what shards do with them.
class OwnRows {
 public:
  explicit OwnRows(const data::Source& rows) : source_(&rows) {}
  OwnRows(const DataView& rows, const RowLabels& labels) : view_(&rows), labels_(labels) {}

  [[nodiscard]] shards::Look look(std::span<const Statistic> statistics,
                                  shards::LookOptions options) const {
    if (source_ != nullptr) return shards::look(*source_, statistics, options);
    options.strata = labels_.strata;
    options.clusters = labels_.clusters;
    return shards::look(*view_, statistics, options);
  }
  [[nodiscard]] shards::Part part(const shards::Plan& plan, std::uint64_t first,
                                  shards::PartOptions options) const {
    if (source_ != nullptr) return plan.part(*source_, first, options);
    options.labels = labels_.strata != nullptr ? labels_.strata : labels_.clusters;
    return plan.part(*view_, first, options);
  }

 private:
  const data::Source* source_ = nullptr;  // or a view with labels
  const DataView* view_ = nullptr;
  RowLabels labels_;
};

/// Each rank's rows, from the look to the result.
class RowsRun {
 public:
  RowsRun(const Group& group, const OwnRows& rows, std::span<const Statistic> statistics,
          const Options& options)
      : group_(group), rows_(rows), statistics_(statistics), options_(options) {}

  /// Throws DistributedError on all ranks if shards do not serve this.
  void plan() {
    shards::Look look =
        rows_.look(statistics_, {.memory = options_.memory, .execution = options_.execution});
    std::uint64_t before = 0;
    const std::vector<std::string> rows = group_.all_gather(std::to_string(look.rows()));
    for (int rank = 0; rank < group_.rank(); ++rank)
      before += std::stoull(rows[static_cast<std::size_t>(rank)]);
    first_ = before;
    look.shift(first_);
    const std::string merged =
        group_.reduce(look.to_bytes(), [](std::string_view a, std::string_view b) {
          return (shards::Look::from_bytes(a) | shards::Look::from_bytes(b)).to_bytes();
        });
    const std::string whole = group_.broadcast(merged);
    group_.agree([&] {
      shards::Look all = shards::Look::from_bytes(whole);
      if (all.rows() == 0)
        throw DataError("no rows are left on any rank; a bootstrap needs at least one");
      plan_.emplace(std::move(all), statistics_, options_);
    });
  }

  std::optional<Result> finish() {
    const shards::Plan& plan = plan_.value();
    if (!plan.needs_parts()) {  // the looks have all that is needed: replicates are split
      std::optional<Result> own;
      if (const auto some = own_replicates(group_, options_))
        own = shards::Plan(plan.look(), statistics_, *some).finish();
      return collect(group_, std::move(own));
    }
    Execution execution = options_.execution;
    show_for_all(group_, execution);
    const std::string merged = group_.reduce(
        rows_.part(plan, first_, {.execution = execution}).to_bytes(),
        [](std::string_view a, std::string_view b) {
          return (shards::Part::from_bytes(a) + shards::Part::from_bytes(b)).to_bytes();
        });
    if (group_.rank() != 0) return std::nullopt;
    return plan.finish(shards::Part::from_bytes(merged));
  }

 private:
  const Group& group_;
  const OwnRows& rows_;
  std::span<const Statistic> statistics_;
  const Options& options_;
  std::uint64_t first_ = 0;
  std::optional<shards::Plan> plan_;
};

/// Rows that each rank has.
std::optional<Result> run_rows(const Group& group, const OwnRows& rows,
                               std::span<const Statistic> statistics, const Options& options) {
  group.agree([&] {
    check_no_checkpoint(options);
    const std::string reason = shards::obstacle(statistics, options);
    if (!reason.empty())
      throw InvalidArgument(
          text::concat("rows cannot be split: ", reason, "; split=replicates serves it"));
  });
  const Options own = with_node_share(group, options);
  RowsRun run(group, rows, statistics, own);
  run.plan();
  return run.finish();
}

/// Throws DistributedError on all ranks unless the source is the same on all, as far as it is known
/// before it is read.
void check_same(const Group& group, const data::Source& rows) {
  std::string own = rows.stored_rows() ? text::grouped(*rows.stored_rows()) + " rows" : "text";
  own += rows.names().size() == 1 ? " of column " : " of columns ";
  for (const std::string& name : rows.names())
    own += (&name == &rows.names()[0] ? "" : ", ") + name;
  const std::string first = group.broadcast(own);
  group.agree([&] {
    if (first != own)
      throw DataError(text::concat("the source has ", own, " here but ", first,
                                   " on rank 0; all machines must see the same files"));
  });
}

/// What the slices of all ranks left out, on rank 0.
data::ReadNotes total(const Group& group, data::ReadNotes own) {
  const std::vector<std::string> all = group.gather(text::concat(own.omitted, " ", own.filtered));
  own.omitted = own.filtered = 0;
  for (const std::string& one : all) {
    own.omitted += std::stoull(one);
    own.filtered += std::stoull(one.substr(one.find(' ')));
  }
  return own;
}

/// The rows of this rank.
std::unique_ptr<data::Source> own_slice(const Group& group, const data::Source& rows) {
  const std::uint64_t stored = rows.stored_rows().value();
  const auto size = static_cast<std::uint64_t>(group.size());
  const auto rank = static_cast<std::uint64_t>(group.rank());
  const auto begin = [&](std::uint64_t piece) {
    return stored / size * piece + std::min(piece, stored % size);
  };
  return rows.slice(begin(rank), begin(rank + 1) - begin(rank));
}

}  // namespace

Split parse_split(std::string_view text) {
  if (text == "rows") return Split::rows;
  if (text == "replicates") return Split::replicates;
  throw InvalidArgument(
      text::unknown_choice("split", text, std::vector<std::string>{"rows", "replicates"}));
}

std::optional<Result> bootstrap_rows(const Group& group, const data::Source& own_rows,
                                     std::span<const Statistic> statistics,
                                     const Options& options) {
  if (group.size() == 1) return bootfold::bootstrap(own_rows, statistics, options);
  return run_rows(group, OwnRows(own_rows), statistics, options);
}

std::optional<Result> bootstrap_rows(const Group& group, const DataView& own_rows,
                                     const RowLabels& labels, std::span<const Statistic> statistics,
                                     const Options& options) {
  Options plain = options;
  plain.scheme = scheme::Iid{};  // the labels say how rows are drawn
  return run_rows(group, OwnRows(own_rows, labels), statistics, plain);
}

std::optional<Result> bootstrap_replicates(const Group& group, const DataView& all_rows,
                                           std::span<const Statistic> statistics,
                                           const Options& options) {
  if (group.size() == 1) return bootfold::bootstrap(all_rows, statistics, options);
  group.agree([&] { check_endless(options, all_rows.rows()); });
  const Options share = with_node_share(group, options);
  std::optional<Options> some = own_replicates(group, share);
  std::optional<Result> own;
  if (some) {
    some->influence = options.influence && group.rank() == 0;
    own = bootfold::bootstrap(all_rows, statistics, *some);
  }
  return collect(group, std::move(own));
}

std::optional<Result> bootstrap(const Group& group, const data::Source& rows,
                                std::span<const Statistic> statistics, const Options& options,
                                Split split, data::ReadNotes* notes) {
  if (group.size() == 1) {
    Result result = bootfold::bootstrap(rows, statistics, options);
    if (notes != nullptr) *notes = data::notes(rows);
    return result;
  }
  check_same(group, rows);
  std::string reason = shards::obstacle(statistics, options);
  if (reason.empty() && !rows.stored_rows())
    reason =
        "the source can only be read from its beginning (.npy, raw and Parquet files can be "
        "cut)";
  group.agree([&] {
    check_no_checkpoint(options);
    if (split == Split::rows && !reason.empty())
      throw InvalidArgument(text::concat("split is 'rows' but rows cannot be split: ", reason,
                                         "; split=replicates serves it"));
  });
  if (split != Split::replicates && reason.empty()) {
    const std::unique_ptr<data::Source> slice = own_slice(group, rows);
    const Options own = with_node_share(group, options);
    const OwnRows own_rows(*slice);
    RowsRun run(group, own_rows, statistics, own);
    bool planned = true;
    try {
      run.plan();
    } catch (const DistributedError& error) {
      // What only the look could tell: a path that needs all rows.
      if (split == Split::rows || error.cause() != Cause::argument) throw;
      planned = false;
    }
    if (planned) {
      std::optional<Result> result = run.finish();
      const data::ReadNotes all = total(group, data::notes(*slice));
      if (notes != nullptr) *notes = all;
      return result;
    }
  }
  const NodeRows all(group, rows);
  if (notes != nullptr) *notes = data::notes(rows);
  return bootstrap_replicates(group, all.view(), statistics, options);
}

}  // namespace bootfold::distributed
