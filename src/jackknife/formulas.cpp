// Influences of formulas: the value without a row is the formula of the terms without that row.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "jackknife/influence.h"
#include "numeric/moments.h"

namespace bootfold::jackknife {

namespace {

/// The changes of all terms may take so much. A fixed number, because the memory limit never
/// changes a result.
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

/// Whether the changes that single rows make to each term are known.
bool by_terms(const study::Formulas& formulas, const study::Study& study,
              const resample::Design& design) {
  const std::uint64_t rows = study.rows();
  const resample::Traits traits = design.traits(rows);
  const auto of_rows = [&](const study::Part& part) {
    return std::holds_alternative<statistic::Sums>(part.bound.body) ||
           std::holds_alternative<statistic::Order>(part.bound.body) ||
           !evaluated(part, Units(rows)) || rows <= study::kMostDeletedRows;
  };
  return rows > 1 && design.clusters().empty() && (traits.iid || traits.exchangeable) &&
         rows <= kMostBytes / sizeof(double) / formulas.term_values() &&
         std::ranges::all_of(study.problem().parts, of_rows);
}

/// As a study of functions of the resample: each formula is one.
study::Study drawn_out(const study::Formulas& formulas, const study::Study& study) {
  return {study.data(), formulas.statistics()};
}

/// The values of the terms without a row.
class WithoutRow {
 public:
  WithoutRow(const Findings& terms, std::uint64_t rows) : terms_(terms), rows_(rows) {}

  void fill(std::uint64_t row, std::span<double> values) const {
    const auto others = static_cast<double>(rows_ - 1);
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = terms_.influences[k].mean - terms_.changes[k * rows_ + row] / others;
  }

 private:
  const Findings& terms_;
  std::uint64_t rows_;
};

}  // namespace

Findings find(const study::Formulas& formulas, const study::Study& study,
              const resample::Design& design, const Request& request) {
  if (!formulas.any()) return find(study, design, request);
  const auto evaluate = [&] {
    study::Study whole = drawn_out(formulas, study);
    whole.look({.room = request.memory / 2}, request.execution);
    return find(whole, design, request);
  };
  if (!by_terms(formulas, study, design)) return evaluate();
  Request of_terms = request;
  of_terms.outputs = formulas.term_values();
  of_terms.influences = of_terms.changes = true;
  Findings terms = find(study, design, of_terms);
  // Changes that are not finite are not kept.
  for (const Influence& each : terms.influences)
    if (each.undefined > 0) return evaluate();

  const std::uint64_t rows = study.rows();
  const WithoutRow without(terms, rows);
  std::vector<double> values(formulas.term_values());
  Findings found;
  for (std::size_t output = 0; output < request.outputs; ++output) {
    const study::Formulas::Output& source = formulas.sources()[output];
    if (source.formula == nullptr) {
      if (request.influences) found.influences.push_back(terms.influences[source.first]);
      if (request.curves) found.curves.push_back(terms.curves[source.first]);
      if (request.changes) {
        const auto own = std::span(terms.changes).subspan(source.first * rows, rows);
        found.changes.insert(found.changes.end(), own.begin(), own.end());
      }
      continue;
    }
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = terms.influences[k].estimate;
    const double estimate = source.of(values);
    const auto others = static_cast<double>(rows - 1);
    numeric::Moments moments;
    std::vector<double> changes;
    for (std::uint64_t row = 0; row < rows; ++row) {
      without.fill(row, values);
      const double change = others * (estimate - source.of(values));
      moments.add(change);
      if (request.changes) changes.push_back(change);
    }
    if (request.changes) {
      centre(changes);
      found.changes.insert(found.changes.end(), changes.begin(), changes.end());
    }
    if (request.curves) {
      found.curves.emplace_back();
      found.curves.back().problem = "abc is for functions of sums only";
    }
    if (!request.influences) continue;
    Influence one;
    one.method = "delete-one of each term";
    one.rows = static_cast<double>(rows);
    one.estimate = estimate;
    one.shift = -moments.mean() / others;
    one.mean = estimate + one.shift;
    conclude(Spread(moments), one);
    if (design.draws(rows) != rows) rescale(design, rows, one);
    found.influences.push_back(std::move(one));
  }
  return found;
}

std::uint64_t evaluations(const study::Formulas& formulas, const study::Study& study,
                          const resample::Design& design, std::size_t outputs) {
  if (!formulas.any()) return evaluations(study.problem(), design, outputs);
  if (by_terms(formulas, study, design))
    return evaluations(study.problem(), design, formulas.term_values());
  return evaluations(drawn_out(formulas, study).problem(), design, outputs);
}

}  // namespace bootfold::jackknife
