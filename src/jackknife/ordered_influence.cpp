// Influence of rows under schemes that distinguish rows: strata, weights, neighbours, two stages.
//
// The change that each row makes is found as for other schemes, but kept in the order of the rows,
// because the scheme decides which sums of changes a replicate is made of.
#include <algorithm>

#include "bootfold/error.h"
#include "jackknife/influence.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::jackknife {

namespace {

using study::Part;

/// An influence of `changes`, which are overwritten.
void conclude_in_order(const resample::Design& design, const std::string& method, double estimate,
                       std::span<double> changes, Influence& found) {
  found.deleted = false;
  found.rows = static_cast<double>(changes.size());
  found.estimate = found.mean = estimate;
  const std::optional<Spread> known = changes.size() > 1 ? spread(design, changes) : Spread();
  if (!known) {
    found.method = "none";
    found.problem = text::concat("the cumulants of replicates are not known under scheme '",
                                 design.name(), "'");
    return;
  }
  found.method = text::concat(method, ", ", design.manner());
  conclude(*known, found);
}

void sums_in_order(const Task& task, const resample::Design& design, std::size_t memory,
                   std::span<Influence> influences) {
  const auto rows = static_cast<std::size_t>(task.problem().data.rows());
  const std::vector<double> whole = at_means(task, static_cast<double>(rows));
  const std::size_t at_once = std::max<std::size_t>(1, memory / (rows * sizeof(double)));
  for (std::size_t first = 0; first < task.outputs; first += at_once) {
    const std::size_t last = std::min(task.outputs, first + at_once);
    std::vector<double> changes = changes_of_sums(task, first, last);
    for (const Part& part : task.problem().parts) {
      if (!std::holds_alternative<statistic::Sums>(part.bound.body)) continue;
      const std::size_t from = std::max(first, part.first_output);
      const std::size_t to = std::min(last, part.first_output + part.outputs());
      for (std::size_t k = from; k < to; ++k)
        conclude_in_order(design, "downdated sums", whole[k],
                          std::span(changes).subspan((k - first) * rows, rows), influences[k]);
    }
  }
}

/// Says of the outputs of a part why they have no influence.
void decline(const Part& part, const std::string& why, std::span<Influence> influences) {
  for (Influence& found : influences.subspan(part.first_output, part.outputs())) {
    found.method = "none";
    found.problem = why;
  }
}

void evaluated_in_order(const Task& task, const resample::Design& design,
                        std::span<Influence> influences) {
  const Units units(task.problem().data.rows());
  std::vector<double> values;
  std::vector<double> changes(units.count());
  for (const Part& part : task.problem().parts) {
    if (!evaluated(part, units) || part.first_output >= task.outputs) continue;
    if (units.grouped()) {
      // Random groups of rows have no stratum and no neighbours.
      decline(part,
              text::concat("there are ", text::grouped(task.problem().data.rows()),
                           " rows, but under scheme '", design.name(),
                           "' functions of the resample are evaluated without each of at most ",
                           text::grouped(study::kMostDeletedRows)),
              influences);
      continue;
    }
    if (values.empty()) values = values_without(task, units);
    for (std::size_t k = part.first_output; k < part.first_output + part.outputs(); ++k) {
      const double whole = values[units.count() * task.outputs + k];
      for (std::uint64_t row = 0; row < units.count(); ++row)
        changes[row] =
            static_cast<double>(units.count() - 1) * (whole - values[row * task.outputs + k]);
      conclude_in_order(design, "delete-one", whole, changes, influences[k]);
    }
  }
}

}  // namespace

std::vector<Influence> influences_in_order(const Task& task, const resample::Design& design,
                                           std::size_t memory) {
  std::vector<Influence> found(task.outputs);
  if (!task.problem().features.empty()) sums_in_order(task, design, memory, found);
  const bool weighted = task.measure.weighted();
  for (const Part& part : task.problem().parts) {
    if (part.first_output >= task.outputs) continue;
    const bool sums = std::holds_alternative<statistic::Sums>(part.bound.body);
    if (weighted && !sums) {
      decline(part,
              text::concat("under scheme '", design.name(),
                           "' influence values are available for functions of sums only"),
              found);
    } else if (std::holds_alternative<statistic::Order>(part.bound.body)) {
      std::vector<double> whole(part.outputs());
      auto changes = changes_of_order(task, part, whole);
      for (std::size_t k = 0; k < whole.size(); ++k)
        conclude_in_order(design, "order statistics", whole[k], changes[k],
                          found[part.first_output + k]);
    } else if (ordered_of(part) != nullptr && !evaluated(part, Units(task.study.rows()))) {
      OrderedDeletions all = ordered_deletions(task, part);
      conclude_in_order(design, "sorted rows", all.whole, all.changes, found[part.first_output]);
    }
  }
  if (!weighted) evaluated_in_order(task, design, found);
  return found;
}

}  // namespace bootfold::jackknife
