#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "bootstrap/assembly.h"
#include "bootstrap/cluster_road.h"
#include "bootstrap/joined.h"
#include "bootstrap/road.h"
#include "data/archive.h"
#include "shards/batches.h"
#include "shards/contents.h"
#include "shards/stored_options.h"
#include "shards/strata_rows.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::shards {

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;

void check_statistics(const Look& look, std::span<const Statistic> statistics) {
  std::vector<std::string> asked;
  for (const Statistic& statistic : statistics) asked.push_back(describe(statistic));
  const std::vector<std::string>& seen = look.contents().statistics;
  if (asked == seen) return;
  const auto list = [](const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    return all;
  };
  throw InvalidArgument(text::concat("the look is for ", list(seen), " but the plan is for ",
                                     list(asked), "; look for the same statistics"));
}

void check_scheme(const Look& look, const Options& options) {
  const auto* iid = std::get_if<scheme::Iid>(&options.scheme);
  if (look.contents().labels.kind != Labelled::no && (iid == nullptr || iid->size != 0))
    throw InvalidArgument(
        text::concat("scheme is '", name(options.scheme), "' but the looks have ",
                     look.contents().labels.kind == Labelled::strata ? "strata" : "clusters",
                     ", within which rows are drawn; leave the scheme and its size out"));
  if (!std::holds_alternative<scheme::Iid>(options.scheme) &&
      !std::holds_alternative<scheme::Poisson>(options.scheme))
    throw InvalidArgument(text::concat("scheme is '", name(options.scheme),
                                       "' but shards are drawn by iid or poisson; for others all "
                                       "rows have to be in one place"));
}

}  // namespace

struct Plan::State {
  State(Look seen, std::span<const Statistic> statistics, const Options& options)
      : look(std::move(seen)), stored(options) {
    const Look::Contents& contents = look.contents();
    const std::uint64_t rows = look.rows();
    if (rows == 0)
      throw InvalidArgument("all shards are empty; a bootstrap needs at least one row");
    if (rows > kMostRows)
      throw InvalidArgument(text::concat("the look has ", text::grouped(rows),
                                         " rows but shards may have ", text::grouped(kMostRows),
                                         " in all"));
    if (!contents.look.seen().covers(rows))
      throw InvalidArgument(text::concat("the look lacks rows: it saw ",
                                         study::describe(contents.look.seen().ranges().front()),
                                         " and others, with gaps; merge the looks at all rows, "
                                         "shifted to where they lie"));
    // Whatever a file says, the look is one for these statistics at these columns.
    empty_look(contents.names, statistics).look |= contents.look;
    if (contents.kept) {
      take_rows(statistics, options);
      return;
    }
    check_added(statistics);
    if (!contents.kinds.empty() && !options.joint && !options.path) {
      split(statistics, options);
      return;
    }
    absent = std::make_shared<const study::AbsentRows>(rows, contents.names);
    if (contents.labels.kind == Labelled::clusters) {
      clusters = std::make_unique<ClusterRoad>(absent, contents.look, contents.labels.content,
                                               statistics, options);
      return;
    }
    Options own = options;
    if (contents.labels.kind == Labelled::strata) {
      strata = std::make_unique<const StrataRows>(contents.labels);
      own.scheme = scheme::Custom{strata->design()};
    }
    road = std::make_unique<Road>(absent, contents.look, statistics, own);
    if (strata) road->add_labels_to_fingerprint(contents.labels.content);
    const std::size_t used = road->plan().working_bytes;
    engine = road->part_engine(road->options().memory > used ? road->options().memory - used : 0);
    if (engine->wants_read())
      throw InvalidArgument(
          "too many values lie so close to a quantile that the look cannot tell them apart; "
          "subtract a constant near the quantile from all values, or raise memory");
  }

  [[nodiscard]] bool needs_parts() const {
    return clusters || (engine && engine->needs_rows()) ||
           std::ranges::any_of(kinds, &Plan::needs_parts);
  }
  [[nodiscard]] const bootfold::Plan& plan() const {
    if (whole) return whole->plan();
    return !kinds.empty() ? joined_plan : clusters ? clusters->plan() : road->plan();
  }
  [[nodiscard]] std::size_t memory() const {
    return !kinds.empty() ? kinds[0].state_->memory()
                          : (clusters ? clusters->options() : road->options()).memory;
  }

  [[nodiscard]] planning::PartialSums empty_part(std::uint64_t first,
                                                 std::uint64_t replicates) const {
    return clusters ? clusters->empty_part() : road->empty_part(*engine, first, replicates);
  }
  void add(const DataView& rows, std::uint64_t first, const data::Labels* given,
           planning::PartialSums& part, const Execution& execution) const {
    if (clusters)
      clusters->add(rows, first, *given, part, execution);
    else if (strata)
      strata->add(*road, *engine, rows, first, *given, part, execution);
    else
      road->add(*engine, rows, first, part, execution);
    if (given != nullptr) part.content += label_hash(*given, first);
  }
  [[nodiscard]] Result finish(planning::PartialSums part) const {
    if (needs_parts()) part.content -= look.contents().labels.content;
    return clusters ? clusters->finish(part) : road->finish(*engine, part);
  }

  Look look;
  StoredOptions stored;
  data::Labels labels = {};         // of kept rows
  std::vector<ColumnView> columns;  // of kept rows
  std::shared_ptr<const study::AbsentRows> absent;
  std::unique_ptr<const StrataRows> strata;
  std::unique_ptr<ClusterRoad> clusters;  // in place of a road and its engine
  std::unique_ptr<Road> road;
  std::unique_ptr<planning::PartEngine> engine;
  std::unique_ptr<Assembly> whole;  // of kept rows, in place of a road
  // Statistics of different kinds: a plan for each, in place of a road.
  std::vector<Family> families = {};
  std::vector<Plan> kinds = {};
  std::vector<std::vector<std::size_t>> outputs = {};  // of each kind, among all
  bootfold::Plan joined_plan = {};

 private:
  void split(std::span<const Statistic> statistics, const Options& options) {
    const Look::Contents& contents = look.contents();
    families = kinds_of(contents.names, statistics, contents.labels.kind);
    if (families.size() != contents.kinds.size())
      throw InvalidArgument(text::concat("the look has ", contents.kinds.size(),
                                         " kinds of statistics but the plan has ", families.size(),
                                         "; look for the same statistics"));
    Options own = options;  // parts hold the sums of all kinds at once
    own.memory = execution::memory_limit(options.memory) / families.size();
    std::vector<bootfold::Plan> plans;
    std::size_t working_bytes = 0;
    for (std::size_t k = 0; k < families.size(); ++k) {
      kinds.emplace_back(Look(contents.kinds[k]), families[k].statistics, own);
      plans.push_back(kinds.back().plan());
      outputs.push_back(families[k].outputs);
      working_bytes += plans.back().working_bytes;
    }
    const study::AbsentRows rows(1, contents.names);
    joined_plan = joined(std::move(plans), outputs, contents.names,
                         study::Problem(rows.view(), statistics).outputs);
    joined_plan.working_bytes = working_bytes;
    joined_plan.memory_limit = execution::memory_limit(options.memory);
  }

  /// A bootstrap of all rows, which the look kept.
  void take_rows(std::span<const Statistic> statistics, Options options) {
    const Look::Contents& contents = look.contents();
    const KeptRows::Piece& rows = contents.kept->pieces.at(0);
    for (const auto& column : rows.columns) columns.emplace_back(column);
    labels = data::labels(std::span<const std::string>(rows.labels));
    if (contents.labels.kind == Labelled::strata) options.scheme = scheme::Stratified{labels.codes};
    if (contents.labels.kind == Labelled::clusters) options.scheme = scheme::Cluster{labels.codes};
    whole = std::make_unique<Assembly>(DataView(columns, contents.names), statistics, options);
  }
};

Plan::Plan(Look look, std::span<const Statistic> statistics, const Options& options) {
  check_statistics(look, statistics);
  check_scheme(look, options);
  state_ = std::make_unique<State>(std::move(look), statistics, options);
}
Plan::Plan(Look look, const Statistic& statistic, const Options& options)
    : Plan(std::move(look), std::span<const Statistic>(&statistic, 1), options) {}
Plan::Plan(Plan&& other) noexcept = default;
Plan& Plan::operator=(Plan&& other) noexcept = default;
Plan::~Plan() = default;

const bootfold::Plan& Plan::plan() const { return state_->plan(); }
const Words& Plan::words() const { return state_->look.words(); }
const Look& Plan::look() const { return state_->look; }
const std::vector<std::string>& Plan::columns() const { return state_->look.columns(); }
bool Plan::needs_parts() const { return state_->needs_parts(); }

Part Plan::empty() const {
  Part::Contents contents{plan().fingerprint};
  for (const Plan& kind : state_->kinds) contents.kinds.push_back(*kind.empty().contents_);
  return Part(std::move(contents));
}

/// Sums of no row yet, and how to add some.
struct Plan::Adding {
  Adding(const Plan& plan, std::size_t columns, const PartOptions& options)
      : state(*plan.state_), labels(options.labels), execution(options.execution) {
    const std::uint64_t begin = plan.plan().first_replicate;
    const std::uint64_t end = begin + plan.plan().replicates;
    const auto [from, to] = options.replicates.value_or(std::pair(begin, end));
    if (from < begin || to > end || from >= to)
      throw InvalidArgument(text::concat("the range of replicates is ", from, " to ", to,
                                         " but must lie in ", begin, " to ", end,
                                         ", the end excluded, and not be empty"));
    if (columns != plan.columns().size())
      throw InvalidArgument(text::concat("the shard has ", columns, " columns but the plan is for ",
                                         plan.columns().size()));
    replicates = to - from;
    for (const Plan& kind : state.kinds)
      kinds.push_back(std::make_unique<Adding>(kind, kind.columns().size(), options));
    if (!state.needs_parts() || !kinds.empty()) return;
    if ((labels != nullptr) != (state.clusters || state.strata))
      throw InvalidArgument(labels != nullptr
                                ? "labels are given but the looks had none; leave them out"
                                : "labels are missing: the looks had strata or clusters; give "
                                  "those of the shard to part() as well");
    if (state.clusters && (from != begin || to != end))
      throw InvalidArgument(
          "a range of replicates is given but parts of clusters serve all replicates; leave it "
          "out");
    sums = state.empty_part(from, to - from);
    if (!execution.level) execution.level = plan.plan().level;
    if (execution.threads == 0) execution.threads = plan.plan().threads;
  }

  void add(const DataView& rows, std::uint64_t first) {
    const std::uint64_t all = state.plan().rows;
    if (first > all || rows.rows() > all - first)
      throw InvalidArgument(text::concat("the shard has rows ", text::grouped(first + 1), " to ",
                                         text::grouped(first + rows.rows()), " but the plan has ",
                                         text::grouped(all), " rows"));
    for (std::size_t k = 0; k < kinds.size(); ++k)
      kinds[k]->add(state.families[k].view(rows), first);
    if (!sums) return;
    if (labels != nullptr) check_labels(*labels, rows.rows());
    if (rows.rows() > 0) state.add(rows, first, labels, *sums, execution);
  }

  [[nodiscard]] Part part(const Plan& plan) && {
    Part::Contents contents{plan.plan().fingerprint};
    if (sums) contents.sums.push_back(std::move(*sums));
    for (std::size_t k = 0; k < kinds.size(); ++k)
      contents.kinds.push_back(*std::move(*kinds[k]).part(state.kinds[k]).contents_);
    return Part(std::move(contents));
  }

  const State& state;
  const data::Labels* labels;
  Execution execution;
  std::uint64_t replicates = 0;
  std::optional<planning::PartialSums> sums;
  std::vector<std::unique_ptr<Adding>> kinds = {};  // of statistics of different kinds
};

Part Plan::part(const DataView& rows, std::uint64_t first, const PartOptions& options) const {
  Adding adding(*this, rows.columns(), options);
  adding.add(rows, first);
  return std::move(adding).part(*this);
}

Part Plan::part(const data::Source& rows, std::uint64_t first, const PartOptions& options) const {
  if (options.labels != nullptr)
    throw InvalidArgument("labels are for rows in memory; load the shard");
  Adding adding(*this, rows.names().size(), options);
  if (!needs_parts()) return empty();
  std::uint64_t done = 0;
  const auto progress = std::exchange(adding.execution.progress, nullptr);
  Batches batches(rows, batch_rows(rows.names().size(), state_->memory()), first);
  while (const std::unique_ptr<Batch> batch = batches.next(options.execution.stop)) {
    const auto size = static_cast<double>(adding.replicates);
    if (progress && rows.rows())
      adding.execution.progress = [&, size](execution::Progress piece) {
        progress({(static_cast<double>(done) +
                   static_cast<double>(batch->view().rows()) * piece.done / piece.total) *
                      size,
                  static_cast<double>(*rows.rows()) * size});
      };
    adding.add(batch->view(), batch->first());
    done += batch->view().rows();
  }
  return std::move(adding).part(*this);
}

Result Plan::finish(const Part& part, const Execution&) const {
  if (part.contents_->fingerprint != plan().fingerprint)
    throw InvalidArgument(text::concat("the part belongs to a plan with the fingerprint ",
                                       text::hexadecimal(part.contents_->fingerprint),
                                       " but this one has ", text::hexadecimal(plan().fingerprint),
                                       "; use the plan that the parts were made with"));
  if (state_->whole) return state_->whole->run();
  if (!state_->kinds.empty()) {
    std::vector<Result> results;
    for (std::size_t k = 0; k < state_->kinds.size(); ++k) {
      if (part.contents_->kinds.size() != state_->kinds.size())
        throw DataError("the part does not have the statistics of the plan; make it again");
      results.push_back(state_->kinds[k].finish(Part(part.contents_->kinds[k])));
    }
    return joined(plan(), std::move(results), state_->outputs);
  }
  const std::uint64_t first = plan().first_replicate;
  const std::uint64_t replicates = plan().replicates;
  if (!state_->needs_parts()) return state_->finish(state_->empty_part(first, replicates));
  return state_->finish(planning::assemble(part.contents_->sums, plan().rows, first,
                                           first + replicates, state_->empty_part(first, 1)));
}

std::string Plan::to_bytes() const {
  data::ArchiveWriter writer;
  Look::Contents look = state_->look.contents();
  writer(look, state_->stored);
  return data::framed("plan", writer.take());
}

Words Plan::words_of(std::string_view bytes) {
  data::ArchiveReader reader(data::unframed("plan", bytes));
  Look::Contents look;
  reader(look);
  return look.words;
}

Plan Plan::from_bytes(std::string_view bytes, std::span<const Statistic> statistics,
                      std::size_t memory, const Execution& execution) {
  data::ArchiveReader reader(data::unframed("plan", bytes));
  Look::Contents look;
  StoredOptions stored;
  reader(look, stored);
  if (!reader.at_end()) reader.refuse();
  Options options = stored.options();
  options.memory = memory;
  options.execution = execution;
  return {Look(std::move(look)), statistics, options};
}

}  // namespace bootfold::shards
