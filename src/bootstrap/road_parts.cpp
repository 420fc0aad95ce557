// Roads of rows that are elsewhere: from a look, by parts, to the result.
#include <utility>

#include "bootfold/error.h"
#include "bootstrap/road.h"
#include "paths/estimates.h"
#include "study/content_hash.h"
#include "text/concat.h"

namespace bootfold {

namespace {

constexpr const char* kNotInMemory =
    "rows that do not fit in memory, or are spread over shards, are added up piece by piece. Give "
    "a memory in which all rows fit (shards: bring them to one place), or take a part of them";

/// The options of a run over rows that are elsewhere. Throws InvalidArgument for what needs all
/// rows.
const Options& without_rows(const Options& options) {
  const auto refuse = [](const std::string& what) {
    throw InvalidArgument(text::concat(what, " all rows; ", kNotInMemory));
  };
  if (!std::holds_alternative<scheme::Iid>(options.scheme) &&
      !std::holds_alternative<scheme::Poisson>(options.scheme) &&
      !std::holds_alternative<scheme::Custom>(options.scheme))
    refuse(text::concat("scheme '", name(options.scheme), "' needs"));
  if (options.influence) refuse("influences (BCa and ABC intervals) need");
  if (options.standard_errors) refuse("standard errors of resamples (studentized intervals) need");
  return options;
}

}  // namespace

Road::Road(std::shared_ptr<const study::AbsentRows> rows, study::ColumnsLook look,
           std::span<const Statistic> statistics, const Options& options)
    : Road(rows->view(), rows, std::move(look), statistics, without_rows(options), Rows::known,
           paths::table()) {
  const planning::PathEntry& entry = *choice_.entry;
  const std::string why = entry.no_parts == nullptr
                              ? text::concat("path '", entry.name, "' looks single rows up")
                              : entry.no_parts(question());
  if (!why.empty()) throw InvalidArgument(text::concat(why, "; ", kNotInMemory));
}

std::unique_ptr<planning::PartEngine> Road::part_engine(std::size_t room) const {
  Execution execution = options_.execution;
  execution.threads = plan_.threads;
  execution.level = plan_.level;
  return choice_.entry->prepare_parts(question(), {execution, choice_.group, room});
}

planning::PartialSums Road::empty_part(const planning::PartEngine& engine, std::uint64_t first,
                                       std::uint64_t replicates) const {
  planning::PartialSums part;
  part.first = first;
  part.replicates = replicates;
  part.sums.resize(replicates * engine.limbs());
  if (engine.limbs() > 0) part.drawn.resize(replicates);
  if (first != options_.first_replicate || !engine.needs_rows()) return part;
  if (!study_->problem().features.empty()) part.features = study_->empty_features_look();
  part.windows.resize(engine.windows());
  return part;
}

void Road::see(const DataView& piece, std::uint64_t first, planning::PartialSums& part,
               const Execution& execution) const {
  part.rows.merge(study::RowRanges({first, first + piece.rows()}));
  part.content += study::content_hash(piece, first, execution);
  if (part.features)
    part.features->see(piece, first, study_->problem().features, options_.memory / 4, execution);
}

void Road::add(const planning::PartEngine& engine, const DataView& piece, std::uint64_t first,
               planning::PartialSums& part, const Execution& execution) const {
  see(piece, first, part, execution);
  engine.add({piece, first}, part, execution);
}

Result Road::finish(const planning::PartEngine& engine, const planning::PartialSums& part) const {
  Execution execution = options_.execution;
  execution.threads = plan_.threads;
  execution.level = plan_.level;
  if (engine.needs_rows() && part.content != data_fingerprint_)
    throw planning::rows_changed("the look and the parts");
  std::vector<double> estimates = engine.estimates(part);
  if (estimates.empty()) {
    study::Study study = *study_;
    study::FeaturesLook features = study.empty_features_look();
    features |= *part.features;  // throws if it is about other features
    study.accept(std::move(features));
    estimates = paths::estimates(study, *design_, execution);
  }
  const Make make = [&](std::uint64_t first, std::span<double> values, const planning::Made& made) {
    engine.finish(part, first, values, execution, made);
  };
  // Sums are finished in a moment, and have a checkpoint of their own.
  std::vector<double> values =
      engine.limbs() > 0 ? make_values(estimates.size(), make, {}) : values_by(make, {});
  return {plan_, options_.seed, formulas_->apply(std::move(estimates)),
          formulas_->apply(std::move(values))};
}

}  // namespace bootfold
