#include "study/study.h"

#include <utility>

#include "bootfold/error.h"
#include "text/concat.h"

namespace bootfold::study {

namespace {

void require_all(const RowRanges& seen, std::uint64_t rows) {
  if (seen.covers(rows)) return;
  std::string there;
  for (const RowRange& range : seen.ranges())
    there += (there.empty() ? "" : ", ") + describe(range);
  throw InvalidArgument(text::concat("the data have ", rows, " rows but the look saw ",
                                     there.empty() ? "none of them" : there,
                                     "; merge the looks at all rows"));
}

}  // namespace

void Study::look_at_columns(const Execution& execution) {
  ColumnsLook look(rows(), data().columns());
  look.see(data(), 0, execution);
  accept(std::move(look));
}

void Study::look(const LookRequest& request, const Execution& execution) {
  look_at_columns(execution);
  if (problem_.features.empty()) return;
  FeaturesLook features = empty_features_look(request.most_distinct);
  features.see(data(), 0, problem_.features, request.room, execution);
  accept(std::move(features));
}

void Study::accept(ColumnsLook look) {
  require_all(look.seen(), rows());
  columns_ = std::move(look);
  problem_.set_columns(summarize(*columns_, data(), !problem_.features.empty()));
}

FeaturesLook Study::empty_features_look(std::size_t most_distinct) const {
  return {rows(), rough_medians(problem_.features, *columns_), most_distinct};
}

void Study::accept(FeaturesLook look) {
  require_all(look.seen(), rows());
  features_ = std::move(look);
  summaries_ = summarize(*features_, rows());
}

const FixedSums& Study::fixed(double tolerance, bool all_digits) const {
  std::optional<FixedSums>& made = fixed_[all_digits ? 1 : 0];
  if (!made) made.emplace(problem_, summaries_, tolerance, all_digits);
  return *made;
}

}  // namespace bootfold::study
