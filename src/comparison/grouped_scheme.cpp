#include "comparison/grouped_scheme.h"

#include "bootfold/error.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::comparison {

GroupedScheme::GroupedScheme(const Scheme& scheme, const GroupedRows& rows, std::size_t count)
    : scheme_(scheme), rows_(rows), design_(resample::design(scheme)) {
  const auto arrange = [&](const auto& values, auto& storage) {
    if (values.empty()) return values;
    if (values.size() != count)
      throw InvalidArgument(
          text::concat("scheme '", design_->name(), "' has ", text::grouped(values.size()),
                       " labels or weights but the data have ", text::grouped(count),
                       " rows; every row needs exactly one"));
    return rows_.arrange(values, storage);
  };
  in_order_ = {arrange(design_->labels(), label_copies_),
               arrange(design_->weights(), weight_copies_),
               arrange(design_->cluster_strata(), strata_copies_)};
}

template <class Part>
Scheme GroupedScheme::of(const Part& part) const {
  if (in_order_.labels.empty() && in_order_.weights.empty()) return scheme_;
  const auto own = [&](const auto& all) { return all.empty() ? all : part(all); };
  return design_->subset(
      {own(in_order_.labels), own(in_order_.weights), own(in_order_.cluster_strata)});
}

Scheme GroupedScheme::of_group(std::size_t group) const {
  return of([&](const auto& all) { return rows_.of_group(all, group); });
}

Scheme GroupedScheme::of_all() const {
  return of([&](const auto& all) { return rows_.of_all(all); });
}

}  // namespace bootfold::comparison
