// The area under the ROC curve of resamples, from counts: no sorting after the first.
//
// Rows come as one number, 2 x rank of the score + class: equal scores have equal ranks. A resample
// is counted by rank and class, and one pass through the ranks adds up how many negatives each
// positive beats, ties by half.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bootfold/statistic.h"
#include "modules.h"
#include "request.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

double area(std::span<const double> rows, std::vector<std::uint32_t>& counts) {
  counts.assign(counts.size(), 0);
  for (const double row : rows) ++counts[static_cast<std::size_t>(row)];
  std::uint64_t negatives = 0;
  std::uint64_t positives = 0;
  std::uint64_t beaten = 0;  // twice: ties count a half
  for (std::size_t rank = 0; rank < counts.size(); rank += 2) {
    const std::uint64_t own = counts[rank];
    beaten += counts[rank + 1] * (2 * negatives + own);
    negatives += own;
    positives += counts[rank + 1];
  }
  if (negatives == 0 || positives == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(beaten) / 2 /
         (static_cast<double>(negatives) * static_cast<double>(positives));
}

void add_auc(Request& request, std::size_t ranks, const std::string& name) {
  request.add_own(Statistic(name, 1, 1, [ranks, name](std::size_t) {
    return statistic::Bound{
        {name},
        statistic::Call{[ranks](const statistic::Resample& resample, std::span<double> values) {
          thread_local std::vector<std::uint32_t> counts;
          counts.resize(2 * ranks);
          values[0] = area({resample.columns[0], resample.rows}, counts);
        }}};
  }));
}

}  // namespace

void bind_auc(nb::module_& m) {
  m.def("add_auc", &add_auc, "request"_a, "ranks"_a, "name"_a,
        "Adds the area under the ROC curve to a request of one column, 2 x rank + class.");
}

}  // namespace bootfold::python
