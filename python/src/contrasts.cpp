// A comparison from the replicates of its groups.
#include "bootfold/contrasts.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <utility>

#include "comparison_options.h"
#include "modules.h"
#include "result.h"

namespace bootfold::python {

namespace {

using namespace nb::literals;

/// The groups of a comparison, and their replicates in that order.
class GroupContrasts {
 public:
  GroupContrasts(std::vector<std::string> names, const std::vector<std::uint64_t>& rows,
                 std::string column, const std::string& statistic, std::size_t columns,
                 std::uint64_t seed, comparison::Options options)
      : labels_{{}, std::move(names), std::move(column)}, options_(std::move(options)) {
    options_.seed = seed;
    chosen_ =
        comparison::choose_groups(labels_, rows, statistic::parse(statistic), columns, options_);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  [[nodiscard]] std::uint64_t seed_of(std::uint32_t code) const {
    return comparison::group_seed(options_.seed, labels_.names.at(code));
  }

  void add(const Handle& replicates, std::uint64_t clusters) {
    comparison::Sample sample{labels_.names.at(chosen_.at(added_++)),
                              replicates.reading([](const Result& found) { return found; }),
                              clusters};
    if (contrasts_)
      contrasts_->add(sample);
    else
      contrasts_.emplace(std::move(sample), chosen_.size() - 1, options_);
  }

  [[nodiscard]] Comparison finish() { return contrasts_.value().finish(); }

 private:
  data::Labels labels_;
  comparison::Options options_;
  std::vector<std::uint32_t> chosen_;
  std::size_t added_ = 0;
  std::optional<comparison::Contrasts> contrasts_;
};

std::unique_ptr<GroupContrasts> make(std::vector<std::string> names,
                                     const std::vector<std::uint64_t>& rows, std::string column,
                                     const std::string& statistic, std::size_t columns,
                                     std::uint64_t seed, std::optional<std::string> control,
                                     std::vector<std::string> groups, const std::string& difference,
                                     const std::string& interval, const std::string& correction,
                                     double confidence, const std::string& alternative,
                                     std::uint64_t replicates) {
  return std::make_unique<GroupContrasts>(
      std::move(names), rows, std::move(column), statistic, columns, seed,
      comparison_options(std::move(control), std::move(groups), difference, interval, correction,
                         confidence, alternative, replicates));
}

}  // namespace

void bind_contrasts(nb::module_& m) {
  m.attr("most_groups") = comparison::kMostGroups;
  nb::class_<GroupContrasts>(m, "GroupContrasts", "Differences of groups from a control.")
      .def_prop_ro("chosen", &GroupContrasts::chosen)
      .def("seed_of", &GroupContrasts::seed_of, "code"_a)
      .def("add", &GroupContrasts::add, "replicates"_a, "clusters"_a)
      .def("finish", &GroupContrasts::finish);
  m.def("group_contrasts", &make, "names"_a, "rows"_a, "column"_a, "statistic"_a, "columns"_a,
        "seed"_a, "control"_a.none(), "groups"_a, "difference"_a, "interval"_a, "correction"_a,
        "confidence"_a, "alternative"_a, "replicates"_a);
}

}  // namespace bootfold::python
