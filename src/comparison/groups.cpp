#include "comparison/groups.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "bootstrap/road.h"
#include "comparison/by_group.h"
#include "comparison/contrast.h"
#include "comparison/group_sums.h"
#include "comparison/joint_sums.h"
#include "study/problem.h"
#include "text/concat.h"
#include "text/quantity.h"
#include "text/quoted.h"

namespace bootfold::comparison {
namespace {

using text::grouped;

/// Whether clusters are drawn, whole or in two stages.
bool has_clusters(const resample::Design& design) {
  return !design.labels().empty() && design.stratum_labels().empty();
}

}  // namespace

Groups::Groups(const DataView& values, const data::Labels& labels, const Statistic& statistic,
               const Options& options, ReplicateCheckpoint* checkpoint)
    : labels_(labels),
      statistic_(statistic),
      options_(options),
      checkpoint_(checkpoint),
      counts_(labels.counts()),
      codes_(choose_groups(labels, counts_, statistic, values.columns(), options)),
      rows_(values, labels, places(), sizes(), has_clusters(*resample::design(options.scheme)),
            options.execution.stop),
      scheme_(options.scheme, rows_, labels.rows()) {
  for (const std::uint64_t size : sizes()) total_ += work(size);
  if (options.test == Test::permutation)
    for (std::size_t group = 1; group < this->size(); ++group)
      total_ += work(counts_[codes_[group]] + counts_[codes_[0]]);
  if (has_clusters(scheme_.design())) count_clusters();
  if (options.paired) check_pairs();
}

template <class Work>
auto Groups::on_rows_of(std::size_t group, const Work& work) const {
  try {
    return work(rows_.view(group));
  } catch (const DataError& error) {
    throw DataError(text::concat("group ", text::quoted(name(group)),
                                 ", counting its own rows: ", error.what()));
  }
}

void Groups::count_clusters() {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t kSeveral = kNone - 1;
  number_ = resample::Numbering(rows_.of_all(scheme_.labels()));
  std::vector<std::uint32_t> last(number_.count(), kNone);   // group in which a cluster was seen
  std::vector<std::uint32_t> known(number_.count(), kNone);  // group, or several
  own_clusters_.resize(size());
  for (std::uint32_t group = 0; group < size(); ++group)
    for (const std::uint32_t label : rows_.of_group(scheme_.labels(), group)) {
      const std::uint32_t cluster = number_(label);
      if (std::exchange(last[cluster], group) == group) continue;
      ++own_clusters_[group];
      known[cluster] = known[cluster] == kNone ? group : kSeveral;
    }
  if (!scheme_.cluster_strata().empty()) {
    joint_strata_.resize(number_.count());
    const auto labels = rows_.of_all(scheme_.labels());
    const auto strata = rows_.of_all(scheme_.cluster_strata());
    for (std::size_t row = 0; row < labels.size(); ++row)
      joint_strata_[number_(labels[row])] = strata[row];
  }
  clusters_.all = number_.count();
  clusters_.shared = static_cast<std::uint64_t>(std::ranges::count(known, kSeveral));
}

void Groups::check_pairs() const {
  if (scheme_.design().clusters().empty())
    throw InvalidArgument(
        "paired is true but the scheme has no clusters, which name the pairs; give clusters with "
        "one label for each pair");
  for (std::size_t group = 0; group < size(); ++group) {
    std::map<std::uint32_t, std::uint64_t> counts;
    for (const std::uint32_t label : rows_.of_group(scheme_.labels(), group)) ++counts[label];
    const auto twice =
        std::ranges::find_if(counts, [](const auto& entry) { return entry.second > 1; });
    if (twice != counts.end() || counts.size() != clusters_.all)
      throw InvalidArgument(text::concat(
          "group ", text::quoted(name(group)), " has ",
          twice != counts.end() ? text::concat(twice->second, " rows of one pair")
                                : text::concat("no row for ", clusters_.all - counts.size(),
                                               " of the ", grouped(clusters_.all), " pairs"),
          " but pairs need exactly one row in every group; name the column as clusters instead, "
          "which may have any number of rows"));
  }
}

Scheme Groups::scheme_of_joint_clusters() const {
  if (joint_strata_.empty()) return {};
  return scheme::Stratified{joint_strata_};
}

bootfold::Options Groups::options_of(std::size_t group) const {
  return {.replicates = options_.replicates,
          .seed = joint() ? options_.seed : group_seed(options_.seed, name(group)),
          .scheme = joint() ? scheme_of_joint_clusters() : scheme_.of_group(group),
          .memory = options_.memory,
          .tolerance = options_.tolerance,
          .influence = options_.interval == interval::Method::bca,
          .standard_errors = options_.interval == interval::Method::studentized,
          .nested_replicates = options_.nested_replicates,
          .rescale = options_.rescale,
          .execution = options_.execution};
}

Sample Groups::run(std::size_t group) {
  if (joint() && !joint_) run_jointly();
  bootfold::Options options = options_of(group);
  if (options_.execution.progress)
    options.execution.progress = [this, before = done_](execution::Progress progress) {
      options_.execution.progress({before + progress.done, total_});
    };
  Result result = joint() ? part_of_joint(group, group) : bootstrap_group(group, options);
  done_ += work(result.plan().rows);
  return {name(group), std::move(result), own_clusters_.empty() ? 0 : own_clusters_[group]};
}

Joint Groups::joined(std::size_t group, const Result& result, const Result& control) const {
  // What groups share cancels in their difference; what was rounded does not.
  return {part_of_joint(size() + group - 1, group,
                        difference_resolution(result, control, options_.difference)),
          relabelling(group).ways(), clusters_.all, clusters_.shared};
}

Relabelling Groups::relabelling(std::size_t group) const {
  Relabelling found{rows_.view(group), rows_.view(0)};
  if (clusters_.all > 0) {
    found.group_clusters = rows_.of_group(scheme_.labels(), group);
    found.control_clusters = rows_.of_group(scheme_.labels(), 0);
  }
  return found;
}

PermutationResult Groups::permute(std::size_t group, double difference) {
  bootfold::Options options = options_of(group);
  options.seed = group_seed(options_.seed, name(group));
  const double own = work(rows_.view(group).rows() + rows_.view(0).rows());
  if (options_.execution.progress)
    options.execution.progress = [this, before = done_, own](execution::Progress progress) {
      options_.execution.progress({before + own * progress.done / progress.total, total_});
    };
  const PermutationResult found =
      permutation_test(relabelling(group), statistic_, difference, options_.alternative, options);
  done_ += own;
  return found;
}

void Groups::run_jointly() {
  const bool sums =
      std::holds_alternative<statistic::Sums>(statistic_.bind(rows_.view(0).columns()).body);
  // Where rows are drawn within clusters too there are no sums to draw.
  if (sums && !scheme_.design().clusters().empty() &&
      options_.interval != interval::Method::studentized)
    bootstrap_sums();
  else
    bootstrap_rows();
}

void Groups::bootstrap_sums() {
  std::vector<ClusteredRows> groups;
  for (std::size_t group = 0; group < size(); ++group)
    groups.push_back(
        {rows_.view(group), rows_.of_group(scheme_.labels(), group), scales_of_group(group)});
  bootfold::Options options = options_of(0);
  options.memory = execution::memory_limit(options.memory);
  const JointSums sums(groups, number_, statistic_, options_.difference, options.memory,
                       options.execution);
  options.memory -= sums.bytes();
  joint_ = bootstrap_kept(sums.view(), sums.statistic(), options, "all groups");
  joint_plan_ = joint_->plan();
  joint_plan_.reason =
      text::concat("sums of ", grouped(clusters_.all), " clusters: ", joint_plan_.reason);
  joint_plan_.scheme = scheme_.design().describe(0);
  joint_plan_.memory_limit += sums.bytes();
  joint_plan_.working_bytes += sums.bytes();
  std::vector<Influence> influences = joint_->companions().influences;
  if (influences.empty()) return;
  for (Influence& influence : influences) {
    influence.method += ", by cluster";
    influence.unit = Influence::Unit::cluster;
  }
  joint_->add_influences(std::move(influences));
}

void Groups::bootstrap_rows() {
  const std::vector<std::uint16_t> group_of_each = rows_.group_of_each();
  std::vector<ColumnView> columns = rows_.all();
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns.size(); ++c) names.push_back(rows_.view(0).name(c));
  columns.emplace_back(group_of_each.data(), data::Type::uint16, group_of_each.size(),
                       sizeof(std::uint16_t));
  names.emplace_back("group");
  std::vector<std::vector<statistic::Scale>> scales;
  for (std::size_t group = 0; group < size(); ++group) scales.push_back(scales_of_group(group));
  bootfold::Options options = options_of(0);
  options.scheme = scheme_.of_all();
  options.memory = execution::memory_limit(options.memory);
  const std::size_t bytes = group_of_each.size() * sizeof(std::uint16_t);
  if (bytes > options.memory / 2)
    throw InvalidArgument(text::concat(
        "memory is ", text::bytes(static_cast<double>(options.memory)), " but the groups of ",
        grouped(group_of_each.size()), " rows whose clusters are drawn jointly need at least ",
        (2 * bytes >> 20) + 1, " MiB in addition to the data; raise memory"));
  options.memory -= bytes;
  joint_ = bootstrap_kept(DataView(std::move(columns), std::move(names)),
                          by_group(statistic_, scales, options_.difference), options, "all groups");
  joint_plan_ = joint_->plan();
  joint_plan_.memory_limit += bytes;
  joint_plan_.working_bytes += bytes;
}

Result Groups::part_of_joint(std::size_t output, std::size_t group,
                             std::optional<double> resolution) const {
  Plan plan = joint_plan_;
  plan.columns.clear();
  for (std::size_t c = 0; c < rows_.view(0).columns(); ++c)
    plan.columns.push_back(rows_.view(0).name(c));
  if (statistic_.weighted()) plan.weights = plan.columns.back();
  plan.outputs = study::Problem(rows_.view(0), {&statistic_, 1}).outputs;
  plan.draws = 0;
  for (const std::uint64_t rows : sizes()) plan.draws += rows;
  plan.rows = rows_.view(group).rows();
  // A difference means as much as the smaller of its two samples.
  plan.units =
      output < size() ? own_clusters_[group] : std::min(own_clusters_[group], own_clusters_[0]);
  plan.fixed_units = plan.units == 1 ? 1 : 0;
  plan.result_bytes /= joint_->outputs();
  if (resolution && joint_->standard_error(output) > 0)
    plan.sum_error = *resolution / joint_->standard_error(output);
  std::vector<double> values(joint_->count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = joint_->replicate(i, output);
  Companions companions;
  if (!joint_->companions().influences.empty())
    companions.influences = {joint_->companions().influences[output]};
  return Result(std::move(plan), joint_->seed(), {joint_->estimate(output)}, std::move(values),
                std::move(companions));
}

Result Groups::bootstrap_group(std::size_t group, const bootfold::Options& options) const {
  return on_rows_of(group, [&](const DataView& rows) {
    return bootstrap_kept(rows, statistic_, options, name(group));
  });
}

Result Groups::bootstrap_kept(const DataView& rows, const Statistic& statistic,
                              const bootfold::Options& options, const std::string& section) const {
  const Road road(rows, {&statistic, 1}, options);
  return checkpoint_ == nullptr ? road.run() : road.run(*checkpoint_, section);
}

std::vector<statistic::Scale> Groups::scales_of_group(std::size_t group) const {
  return on_rows_of(group, [&](const DataView& rows) {
    Execution execution = options_.execution;
    execution.progress = nullptr;
    return scales_of(rows, statistic_, execution);
  });
}

std::vector<std::uint32_t> Groups::places() const {
  std::vector<std::uint32_t> places(labels_.size(), GroupedRows::kLeftOut);
  for (std::uint32_t group = 0; group < codes_.size(); ++group) places[codes_[group]] = group;
  return places;
}

std::vector<std::uint64_t> Groups::sizes() const {
  std::vector<std::uint64_t> sizes;
  for (const std::uint32_t code : codes_) sizes.push_back(counts_[code]);
  return sizes;
}

std::uint64_t group_seed(std::uint64_t seed, std::string_view group) {
  // Eight bytes of the name at a time; the length goes in, so that zeros at the end count.
  std::uint64_t state = seed;
  for (std::size_t at = 0; at <= group.size(); at += 8) {
    std::uint64_t piece = 0;
    for (std::size_t i = at; i < std::min(at + 8, group.size()); ++i)
      piece |= std::uint64_t{static_cast<unsigned char>(group[i])} << (8 * (i - at));
    const auto words = random::block({state, piece, random::Purpose::group}, group.size());
    state = std::uint64_t{words[1]} << 32 | words[0];
  }
  return state;
}

}  // namespace bootfold::comparison
