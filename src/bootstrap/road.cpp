#include "bootstrap/road.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/random.h"
#include "bootfold/version.h"
#include "bootstrap/fingerprint.h"
#include "jackknife/cumulants.h"
#include "jackknife/influence.h"
#include "jackknife/linear_parts.h"
#include "numeric/moments.h"
#include "paths/entry.h"
#include "paths/estimates.h"
#include "planning/memory.h"
#include "study/content_hash.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold {

namespace {

using text::bytes;
using text::grouped;

void check(const Options& options, std::size_t outputs) {
  if (options.replicates == 0)
    throw InvalidArgument("replicates is 0 but must be at least 1; 10000 is a good start");
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InvalidArgument(
        text::concat("tolerance is ", options.tolerance,
                     " but must be above 0 and below 1: the error of a sum as a share "
                     "of its standard error"));
  if (!(options.rescale >= 0 && options.rescale <= 1))
    throw InvalidArgument(
        text::concat("rescale is ", options.rescale,
                     " but must be from 0 to 1: 0.5 for statistics that converge like a mean, 0 to "
                     "keep the deviations of the rows drawn"));
  if (options.first_replicate > ~std::uint64_t{0} - options.replicates)
    throw InvalidArgument(text::concat(
        "first_replicate is ", grouped(options.first_replicate), " and ",
        grouped(options.replicates), " replicates from there run past the last number, 2^64 - 1"));
  if (options.execution.level) execution::check_available(*options.execution.level);
  const double wanted =
      8.0 * static_cast<double>(options.replicates) * static_cast<double>(outputs);
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) *  // NOLINT(concurrency-mt-unsafe)
      static_cast<double>(sysconf(_SC_PAGESIZE));     // NOLINT(concurrency-mt-unsafe)
  if (wanted > there)
    throw InvalidArgument(text::concat("replicates is ", grouped(options.replicates),
                                       " but their values would take ", bytes(wanted),
                                       " and this machine has ", bytes(there), "; ask for fewer"));
}

/// Progress that begins at `before` and has `after` to come.
Execution stage(const Execution& execution, double before, double after) {
  Execution staged = execution;
  if (execution.progress)
    staged.progress = [tell = execution.progress, before, after](execution::Progress progress) {
      tell({before + progress.done, before + progress.total + after});
    };
  return staged;
}

/// Splits values [replicate][outputs, errors] in two, and leaves the outputs in place.
std::vector<double> split_errors(std::vector<double>& values, std::size_t outputs) {
  std::vector<double> errors(values.size() / 2);
  const auto at = [](std::vector<double>& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  for (std::size_t first = 0; first < errors.size(); first += outputs) {
    std::copy_n(at(values, 2 * first + outputs), outputs, at(errors, first));
    std::copy_n(at(values, 2 * first), outputs, at(values, first));
  }
  values.resize(errors.size());
  values.shrink_to_fit();
  return errors;
}

/// What values without each unit say of one output.
Influence influence_of(std::span<const double> values, std::size_t outputs, std::size_t output,
                       double estimate) {
  const std::size_t units = values.size() / outputs;
  const auto count = static_cast<double>(units);
  numeric::Moments moments;
  for (std::size_t unit = 0; unit < units; ++unit)
    moments.add((count - 1) * (estimate - values[unit * outputs + output]));
  Influence found;
  found.method = "delete-one";
  found.rows = count;
  found.estimate = estimate;
  found.shift = -moments.mean() / (count - 1);
  found.mean = estimate + found.shift;
  jackknife::conclude(jackknife::Spread(moments), found);
  return found;
}

}  // namespace

Road::Road(const DataView& data, std::span<const Statistic> statistics, const Options& options,
           Rows rows, std::span<const planning::PathEntry> table)
    : Road(data, nullptr, std::nullopt, statistics, options, rows, table) {}

Road::Road(const DataView& data, std::shared_ptr<const study::AbsentRows> absent,
           std::optional<study::ColumnsLook> given, std::span<const Statistic> statistics,
           const Options& options, Rows rows, std::span<const planning::PathEntry> table)
    : absent_(std::move(absent)),
      data_(data),
      options_(options),
      rows_(rows),
      design_(resample::design(options.scheme, data)) {
  formulas_.emplace(data, statistics);
  asked_ = formulas_->outputs().size();
  design_->check(data.rows());
  options_.memory = planning::memory_limit(options);
  options_.replicates = design_->replicates(data.rows()).value_or(options.replicates);
  if (options.standard_errors) {
    errors_.emplace(data, statistics, *design_, options_);
    formulas_.emplace(data, errors_->statistics);
  }
  study_ = std::make_unique<study::Study>(data, formulas_->terms());
  check(options_, study_->problem().outputs.size());
  design_->check_run(data.rows(), options_.first_replicate, options_.replicates);

  const bool clusters = !design_->clusters().empty() && !study_->problem().features.empty();
  if (clusters) {
    const std::size_t count = design_->groups()->count();
    planning::ClusterSums::check_memory(study_->problem(), count, options_.memory);
    if (study_->problem().all<statistic::Sums>() ||
        (paths::of_counts(study_->problem()) && !deletes())) {
      Execution execution = options_.execution;
      execution.threads = planning::looking_threads(study_->problem(), options_.memory,
                                                    execution::thread_count(execution));
      study_->look_at_columns({}, execution);
      cluster_sums_.emplace(*study_, design_->clusters(), *design_->groups(), execution);
      const Statistic statistic = cluster_sums_->statistic();
      sums_study_ = std::make_unique<study::Study>(cluster_sums_->view(),
                                                   std::span<const Statistic>(&statistic, 1));
      sums_design_ = resample::design(design_->of_clusters());
    }
  }
  const auto entries = planning::serving(question(), options_.path, table);
  if (rows == Rows::known) {
    look(entries, std::move(given));
  } else {
    study::ColumnsLook look(data.columns(), {}, 0);
    look.see(data, 0, {}, options_.memory / 2, options_.execution);
    data_fingerprint_ = look.fingerprint();
  }
  choice_ = planning::choose(question(), entries, execution::thread_count(options_.execution));
  describe();
}

void Road::look(std::span<const planning::PathEntry* const> entries,
                std::optional<study::ColumnsLook> given) {
  study::Study& study = only_cluster_sums() ? *sums_study_ : *study_;
  study::LookRequest request;
  for (const planning::PathEntry* entry : entries)
    if (entry->most_distinct != nullptr)
      request.most_distinct = std::max(request.most_distinct, entry->most_distinct(question()));
  request.room = options_.memory / 2;
  Execution execution = options_.execution;
  execution.threads = planning::looking_threads(study.problem(), options_.memory,
                                                execution::thread_count(execution));
  if (given)
    study.accept(std::move(*given));
  else
    study.look(request, execution);
  set_drawing(study, execution);
  if (cluster_sums_ && !only_cluster_sums()) sums_study_->look({.room = request.room}, execution);
  data_fingerprint_ = study_->columns().fingerprint();
}

void Road::set_drawing(study::Study& study, const Execution& execution) const {
  const planning::Question asked = question();
  study.set_drawing(
      {.even = asked.traits.exchangeable || asked.traits.deletes || asked.traits.within_strata,
       .draws = asked.draws,
       .weights = asked.design.weights()},
      execution);
}

planning::Question Road::question() const {
  return only_cluster_sums() ? question(*sums_study_, *sums_design_) : question(*study_, *design_);
}

planning::Question Road::question(const study::Study& study, const resample::Design& design) const {
  const std::uint64_t rows = study.rows();
  return {.study = study,
          .design = design,
          .traits = design.traits(rows),
          .rows = rows,
          .draws = design.draws(rows),
          .replicates = options_.replicates,
          .first = options_.first_replicate,
          .seed = options_.seed,
          .tolerance = options_.tolerance,
          .forced = options_.path.has_value(),
          .memory = options_.memory,
          .cluster_sums = only_cluster_sums() ? nullptr : sums_study_.get()};
}

Companions Road::jackknife(const planning::Engine& engine, std::span<const double> estimates,
                           std::span<const double> values) const {
  Companions companions;
  companions.jackknife = true;
  const auto known = engine.influences();
  for (std::size_t output = 0; output < estimates.size(); ++output) {
    const study::Formulas::Output& source = formulas_->sources()[output];
    companions.influences.push_back(
        known && source.formula == nullptr
            ? (*known)[source.first]
            : influence_of(values, estimates.size(), output, estimates[output]));
  }
  return companions;
}

void Road::add_influences(Result& result, const Execution& execution) const {
  const bool jackknife = deletes();
  const auto drawing = [&](const resample::Design& design) {
    return jackknife ? resample::design(design.drawing_what_is_deleted()) : nullptr;
  };
  jackknife::Request request{.outputs = asked_,
                             .influences = options_.influence && !jackknife,
                             .curves = options_.influence,
                             .changes = finds_linear_parts(),
                             .memory = options_.memory,
                             .execution = stage(execution, 0, linear_rows())};
  jackknife::Findings found;
  if (only_cluster_sums()) {
    const auto drawn = drawing(*sums_design_);
    found = jackknife::find_by_cluster(*sums_study_, drawn ? *drawn : *sums_design_, request);
  } else {
    const auto drawn = drawing(*design_);
    const resample::Design& design = drawn ? *drawn : *design_;
    // Where rows are drawn together no output has a curve, and the result says so by having none.
    request.curves =
        request.curves && (!design.traits(data_.rows()).together || !design.clusters().empty());
    found = jackknife::find(*formulas_, *study_, design, request);
  }
  if (options_.influence)
    result.add_influences(jackknife ? result.companions().influences : std::move(found.influences),
                          std::move(found.curves));
  if (!finds_linear_parts()) return;
  result.add_linear_parts(jackknife::linear_parts(
      {*design_, data_.rows(), options_.seed, options_.replicates}, result.replicates(),
      std::move(found.changes), stage(execution, evaluated_rows(), 0)));
}

bool Road::finds_linear_parts() const {
  return design_->traits(data_.rows()).balanced && rows_ == Rows::known &&
         jackknife::serves_linear_parts(data_.rows(), asked_);
}

double Road::linear_rows() const {
  if (!finds_linear_parts()) return 0;
  return static_cast<double>(options_.replicates) * static_cast<double>(data_.rows()) *
         jackknife::linear_passes(data_.rows(), asked_, options_.replicates);
}

double Road::evaluated_rows() const {
  if (!options_.influence || deletes()) return 0;
  return static_cast<double>(data_.rows()) *
         static_cast<double>(jackknife::evaluations(*formulas_, *study_, *design_, asked_));
}

std::vector<data::Fact> Road::facts() const {
  const auto list = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
    return text;
  };
  std::vector<data::Fact> facts = {
      {"the version of bootfold", kVersion},
      {"the version of random streams", text::concat(random::kStreamVersion)},
      {"the number of rows", grouped(plan_.rows)},
      {"the list of columns", list(plan_.columns)},
      {"the list of statistics", list(plan_.outputs)},
      {"the scheme", plan_.scheme},
      {"the seed", text::concat(options_.seed)},
      {"the path", std::string(name(plan_.path))},
      {"the tolerance", text::shortest(options_.tolerance)},
      {"the standard error of resamples", errors_ ? errors_->method : "none"},
      {"#the data differ", text::hexadecimal(data_fingerprint_)},
  };
  if (!design_->traits(data_.rows()).endless)
    facts.insert(facts.end() - 1, {"the number of replicates", grouped(options_.replicates)});
  facts.push_back(
      {"#labels, weights or other options differ", text::hexadecimal(plan_.fingerprint)});
  return facts;
}

std::vector<double> Road::make_values(std::size_t outputs, const Make& make,
                                      const Kept& kept) const {
  std::vector<double> values(options_.replicates * outputs);
  if (kept.checkpoint == nullptr) {
    make(options_.first_replicate, values, {});
    return values;
  }
  ReplicateCheckpoint& checkpoint = *kept.checkpoint;
  std::vector<data::Fact> identity = facts();
  if (!kept.identity.empty()) identity.insert(identity.begin(), {"the function", kept.identity});
  const std::uint64_t there =
      checkpoint.begin(kept.section, std::move(identity),
                       {options_.first_replicate, options_.replicates, outputs}, values);
  try {
    if (there < options_.replicates)
      make(options_.first_replicate + there, std::span(values).subspan(there * outputs),
           [&](std::uint64_t made) { checkpoint.made(made); });
  } catch (...) {
    checkpoint.stop();
    throw;
  }
  checkpoint.end(kept.others);
  return values;
}

Result Road::run() const {
  return with_checkpoint([&](ReplicateCheckpoint* checkpoint) { return make({checkpoint}); });
}

std::vector<double> Road::values_by(const Make& make, const std::string& identity) const {
  return with_checkpoint([&](ReplicateCheckpoint* checkpoint) {
    return make_values(errors_ ? asked_ : formulas_->term_values(), make,
                       {.checkpoint = checkpoint, .identity = identity});
  });
}

Result Road::run(ReplicateCheckpoint& checkpoint, const std::string& section) const {
  return make({&checkpoint, section, true});
}

Result Road::make(const Kept& kept) const {
  const planning::Question asked = question();
  Execution execution = options_.execution;
  execution.threads = plan_.threads;
  execution.level = plan_.level;
  const std::size_t room =
      options_.memory > plan_.working_bytes ? options_.memory - plan_.working_bytes : 0;
  const auto engine = choice_.entry->prepare(asked, {execution, choice_.group, room});
  std::vector<double> estimates = engine->estimates().value_or(std::vector<double>());
  if (estimates.empty()) estimates = paths::estimates(asked.study, asked.design, execution);
  std::vector<double> centres = paths::centres(asked.study, asked.design, estimates, execution);

  const double later = evaluated_rows() + linear_rows();
  const std::size_t outputs = estimates.size();
  const auto make = [&](std::uint64_t first, std::span<double> values, const planning::Made& made) {
    const auto before = static_cast<double>(first - options_.first_replicate);
    planning::make_replicates(
        *engine, first, values.size() / outputs, outputs, values,
        stage(execution, before * static_cast<double>(engine->steps()), later), made);
  };
  std::vector<double> values = formulas_->apply(make_values(outputs, make, kept));
  estimates = formulas_->apply(std::move(estimates));

  Companions companions;
  if (deletes()) companions = jackknife(*engine, estimates, values);
  companions.centres = formulas_->apply(std::move(centres));
  if (errors_) {
    companions.error_method = errors_->method;
    companions.replicate_errors = split_errors(values, asked_);
    companions.estimate_errors.assign(estimates.begin() + static_cast<std::ptrdiff_t>(asked_),
                                      estimates.end());
    estimates.resize(asked_);
    if (!companions.centres.empty()) companions.centres.resize(asked_);
    // A bootstrap of the data is at hand, with more replicates than a nested one has. But resamples
    // of another size are bootstrapped at theirs, so the data must be at their own.
    const resample::Traits traits = design_->traits(data_.rows());
    const bool same_size = traits.exchangeable || traits.within_strata;
    for (const bool nested : errors_->nested)
      companions.errors_from.push_back(nested && same_size ? ErrorSource::replicates
                                                           : ErrorSource::data);
  }
  Result result(plan_, options_.seed, std::move(estimates), std::move(values),
                std::move(companions));
  const double made =
      static_cast<double>(options_.replicates) * static_cast<double>(engine->steps());
  if (options_.influence || finds_linear_parts())
    add_influences(result, stage(options_.execution, made, 0));
  return result;
}

}  // namespace bootfold
