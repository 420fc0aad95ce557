#include "exact/discrete.h"

#include <algorithm>
#include <cmath>

#include "numeric/compensated.h"

namespace bootfold::exact {

namespace {

/// What rounding may make of equal values: sums of the same rows in another order.
double blur_of(double first, double last) {
  return 0x1p-47 * std::max(std::abs(first), std::abs(last));
}

/// Joins runs of values that are equal but for rounding; the most probable one stands for all.
std::vector<Atom> joined(std::vector<Atom> atoms) {
  std::sort(atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) {
    return a.value < b.value || (a.value == b.value && a.probability < b.probability);
  });
  const double blur = blur_of(atoms.front().value, atoms.back().value);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < atoms.size();) {
    const double start = atoms[i].value;
    Atom best = atoms[i];
    numeric::Compensated sum;
    for (; i < atoms.size() && atoms[i].value - start <= blur; ++i) {
      if (atoms[i].probability > best.probability) best = atoms[i];
      sum.add(atoms[i].probability);
    }
    atoms[kept++] = {best.value, sum.value()};
  }
  atoms.resize(kept);
  return atoms;
}

Moments moments_of(std::span<const Atom> atoms) {
  // From the middle, so that nothing cancels; scaled, so that squares neither overflow nor vanish.
  const double middle = atoms.front().value / 2 + atoms.back().value / 2;
  const double reach = atoms.back().value / 2 - atoms.front().value / 2;
  if (!(reach > 0)) return {atoms.front().value, 0};
  numeric::Compensated total;
  numeric::Compensated first;
  for (const Atom& atom : atoms) {
    total.add(atom.probability);
    first.add((atom.value - middle) / reach * atom.probability);
  }
  const double shift = first.value() / total.value();
  numeric::Compensated second;
  for (const Atom& atom : atoms) {
    const double d = (atom.value - middle) / reach - shift;
    second.add(d * d * atom.probability);
  }
  return {middle + reach * shift, reach * std::sqrt(second.value() / total.value())};
}

}  // namespace

std::shared_ptr<const Discrete> Discrete::make(std::vector<Atom> atoms, double slack,
                                               std::optional<Moments> moments) {
  atoms = joined(std::move(atoms));
  if (!moments) moments = moments_of(atoms);
  return std::make_shared<const Discrete>(std::move(atoms), slack, *moments);
}

Discrete::Discrete(std::vector<Atom> atoms, double slack, const Moments& moments)
    : Law(moments.mean, moments.deviation),
      atoms_(std::move(atoms)),
      slack_(slack),
      blur_(blur_of(atoms_.front().value, atoms_.back().value)) {
  numeric::Compensated sum;
  cumulated_.reserve(atoms_.size());
  for (const Atom& atom : atoms_) {
    sum.add(atom.probability);
    cumulated_.push_back(std::min(1.0, sum.value()));
  }
  cumulated_.back() = 1;
}

double Discrete::at_most(double x) const {
  const auto end = std::upper_bound(atoms_.begin(), atoms_.end(), x + blur_,
                                    [](double limit, const Atom& a) { return limit < a.value; });
  return end == atoms_.begin() ? 0 : cumulated_[static_cast<std::size_t>(end - atoms_.begin()) - 1];
}

double Discrete::below(double x) const {
  const auto end = std::lower_bound(atoms_.begin(), atoms_.end(), x - blur_,
                                    [](const Atom& a, double limit) { return a.value < limit; });
  return end == atoms_.begin() ? 0 : cumulated_[static_cast<std::size_t>(end - atoms_.begin()) - 1];
}

double Discrete::quantile(double p) const {
  const auto at = std::lower_bound(cumulated_.begin(), cumulated_.end(), p - slack_);
  return atoms_[static_cast<std::size_t>(at - cumulated_.begin())].value;
}

}  // namespace bootfold::exact
