#include "bootstrap/assembly.h"

#include <algorithm>
#include <utility>

#include "bootstrap/joined.h"
#include "resample/design.h"
#include "text/concat.h"

namespace bootfold {

namespace {

using Kind = Family::Kind;

/// Whether sums run by a path that others cannot share, because it needs no resamples.
bool has_own_path(const Road& sums) {
  return sums.plan().path == Path::distinct || sums.plan().path == Path::deletion;
}

}  // namespace

Assembly::Assembly(const DataView& data, std::span<const Statistic> statistics,
                   const Options& options)
    : data_(data), options_(options) {
  std::vector<Family> all = families(data, statistics, options);
  if (all.size() == 1) {
    roads_.push_back(std::make_unique<Road>(data, statistics, options));
    plan_ = roads_[0]->plan();
    return;
  }
  // Blocks have the length that suits all columns.
  if (const auto fitted = resample::design(options.scheme)->fitted(data))
    options_.scheme = scheme::Custom{fitted};
  if (options.execution.progress)
    options_.execution.progress = [tell = options.execution.progress,
                                   stage = stage_](execution::Progress progress) {
      if (!(stage->own > 0) || !(progress.total > 0)) return;
      const double share = stage->before + stage->own * progress.done / progress.total;
      tell({stage->work * share, stage->work});
    };
  const auto find = [&](Kind kind) { return std::ranges::find(all, kind, &Family::kind); };
  // Standard errors of the others take a bootstrap of every resample, those of sums a formula.
  if (!options.standard_errors && find(Kind::sums) != all.end() &&
      find(Kind::walked) != all.end()) {
    // Both are found from counts, weights or blocks of rows, which are then drawn once.
    Family& sums = *find(Kind::sums);
    if (!has_own_path(*road(sums))) {
      sums.join(*find(Kind::walked));
      all.erase(find(Kind::walked));
    }
  }
  std::vector<Plan> plans;
  std::vector<std::string> columns;
  std::vector<std::string> names = study::Problem(data, statistics).outputs;
  for (std::size_t c = 0; c < data.columns(); ++c) columns.push_back(data.name(c));
  for (const Family& family : all) {
    roads_.push_back(road(family));
    outputs_.push_back(family.outputs);
    plans.push_back(roads_.back()->plan());
  }
  if (roads_.size() == 1) {  // back in the order of the statistics
    roads_[0] = std::make_unique<Road>(data, statistics, options);
    plan_ = roads_[0]->plan();
    return;
  }
  plan_ = joined(std::move(plans), outputs_, std::move(columns), std::move(names));
}

std::unique_ptr<Road> Assembly::road(const Family& family) const {
  return std::make_unique<Road>(family.view(data_), family.statistics, options_);
}

Result Assembly::run() const {
  if (roads_.size() == 1) return roads_[0]->run();
  *stage_ = {.work = static_cast<double>(plan_.rows) * static_cast<double>(plan_.replicates)};
  std::vector<Result> results;
  const auto run_all = [&](ReplicateCheckpoint* checkpoint) {
    for (std::size_t run = 0; run < roads_.size(); ++run) {
      stage_->own = plan_.runs[run].seconds / plan_.seconds;
      results.push_back(
          checkpoint == nullptr
              ? roads_[run]->run()
              : roads_[run]->run(*checkpoint, text::concat("statistics of kind ", run + 1)));
      stage_->before += stage_->own;
    }
  };
  if (options_.checkpoint.empty()) {
    run_all(nullptr);
  } else {
    ReplicateCheckpoint checkpoint(options_.checkpoint, "bootstrap",
                                   options_.replicates * roads_.size(), options_.execution);
    checkpoint.set_runs(roads_.size());
    try {
      run_all(&checkpoint);
      checkpoint.save();
    } catch (const Cancelled&) {
      checkpoint.save();
      throw checkpoint.cancelled();
    }
  }
  return joined(plan_, std::move(results), outputs_);
}

}  // namespace bootfold
