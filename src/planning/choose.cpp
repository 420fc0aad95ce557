#include "planning/choose.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "planning/cost.h"
#include "planning/memory.h"
#include "planning/ways.h"
#include "resample/groups.h"
#include "resample/late_rows.h"
#include "resample/rows.h"
#include "resample/scheme.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

namespace {

using text::bytes;
using text::grouped;

/// What the program itself and its libraries take, whatever it computes.
constexpr std::size_t kProgramBytes = std::size_t{12} << 20;

/// Planes and counts of a tile: what a first-level cache holds, or, if there are many, a second-level.
constexpr std::size_t kFirstCache = std::size_t{36} << 10;
constexpr std::size_t kSecondCache = std::size_t{192} << 10;

/// Up to here a column that fixed point cannot hold well is resampled in doubles; beyond, a bound
/// in terms of the standard error has to do.
constexpr std::uint64_t kMostCompensatedRows = 1'000'000;
constexpr double kCleanProducts = 1e-5;  // and products have five digits even where rows are small

void check(const Options& options, std::size_t outputs) {
  if (options.replicates == 0)
    throw InvalidArgument("replicates is 0 but must be at least 1; 10000 is a good start");
  if (!(options.tolerance > 0 && options.tolerance < 1))
    throw InvalidArgument(
        text::concat("tolerance is ", options.tolerance,
                     " but must be above 0 and below 1: the error of a sum as a share "
                     "of its standard error"));
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

/// What the samplers of all threads share: order of the rows, tables of probabilities.
std::size_t shared_by_samplers(const Scheme& scheme, std::size_t rows) {
  if (std::holds_alternative<scheme::Weighted>(scheme)) return 32 * rows;
  const bool grouped_rows = std::holds_alternative<scheme::Stratified>(scheme) ||
                            std::holds_alternative<scheme::Cluster>(scheme);
  return grouped_rows ? 2 * sizeof(std::uint32_t) * rows : 0;
}

Size size_of(const Problem& problem, std::uint64_t draws) {
  Size size;
  size.rows = static_cast<double>(problem.data.rows());
  size.draws = static_cast<double>(draws);
  size.columns = static_cast<double>(problem.data.columns());
  size.features = static_cast<double>(problem.features.count());
  size.planes = 4 * size.features;  // until it is known
  return size;
}

/// The windows of sorted data that path order keeps (src/bootstrap/order_data.h).
std::size_t order_bytes(const Problem& problem, std::uint64_t draws) {
  const auto rows = static_cast<double>(problem.data.rows());
  const double thin = std::max(1.0, rows / static_cast<double>(draws));
  double values = 0;
  for (const Part& part : problem.parts)
    for (const double q : std::get<statistic::Order>(part.bound.body).probabilities)
      values += 2 * std::min(rows, 20 * std::sqrt(thin * rows * q * (1 - q) + thin) + 124 * thin);
  return (std::size_t{2} << 20) + static_cast<std::size_t>(values) * sizeof(double);
}

/// Working memory: what all threads share and what each has.
struct Memory {
  std::size_t shared = 0;
  std::size_t thread = 0;
};

Memory memory_of(const Prepared& prepared) {
  const Problem& problem = prepared.problem;
  const std::size_t rows = problem.data.rows();
  // Whole clusters and Poisson counts can draw more than usual.
  const std::size_t draws = std::holds_alternative<scheme::Iid>(prepared.scheme)
                                ? prepared.plan.draws
                                : 2 * prepared.plan.draws;
  const std::size_t features = problem.features.count();
  const std::size_t columns = problem.data.columns();
  Memory memory;
  const std::size_t tile_bytes =
      (columns * kTileRows + (features + 2) * feature_tile_rows(features)) * sizeof(double);
  switch (prepared.plan.path) {
    case Path::stream: {
      std::size_t planes = 0;
      for (const FixedFeature& fixed : prepared.fixed) planes += fixed.digits;
      memory.shared = 65536 +
                      (prepared.keeps_integers() ? rows * features * sizeof(std::int64_t) : 0) +
                      shared_by_samplers(prepared.scheme, rows) +
                      (prepared.copies_strata ? rows * columns * sizeof(double) : 0);
      memory.thread = tile_bytes + (planes + 16) * prepared.tile_rows +
                      prepared.group * (256 + 64 + (planes + 2 * features) * sizeof(std::int64_t));
      if (prepared.sorts_late_rows()) memory.thread += resample::LateRows::kBytes;
      if (problem.all<statistic::Fold>())
        memory.thread +=
            static_cast<std::size_t>(16 * std::sqrt(static_cast<double>(rows)) * 8) + 8 * kTileRows;
      break;
    }
    case Path::gather:
      if (prepared.whole_resample) {
        memory.thread =
            tile_bytes + draws * (2 * sizeof(std::uint32_t) + (columns + 2) * sizeof(double));
        memory.shared = shared_by_samplers(prepared.scheme, rows);
      } else {
        memory.shared = rows * features * sizeof(std::int64_t);
        memory.thread = tile_bytes;
      }
      break;
    case Path::blocks:
      memory.shared = (rows + 1) * features * prepared.running_bytes;
      memory.thread = tile_bytes;
      break;
    case Path::weights:
      memory.thread = tile_bytes + kTileRows * sizeof(double) +
                      prepared.group * (256 + 4 * (features + 1) * sizeof(double));
      break;
    case Path::deletion:
      memory.thread = 2 * tile_bytes;
      break;
    case Path::distinct:
      memory.shared = prepared.distinct->count() * (features + 2) * 3 * sizeof(double);
      memory.thread = 4096;
      break;
    case Path::order:
      memory.shared = order_bytes(prepared.problem, prepared.plan.draws);
      memory.thread = 4096;
      break;
  }
  return memory;
}

/// Threads and group size that stay inside the budget.
void fit_memory(Prepared& prepared, const Options& options) {
  Plan& plan = prepared.plan;
  plan.threads = execution::thread_count(options.execution);
  plan.memory_limit = memory_limit(options);
  if (plan.path == Path::gather && !prepared.whole_resample) {
    const Memory table = memory_of(prepared);
    prepared.whole_resample = true;  // the same bits, without the table of features
    const Memory whole = memory_of(prepared);
    const std::size_t table_bytes = kProgramBytes + table.shared + table.thread;
    prepared.whole_resample = table_bytes > memory_limit(options) &&
                              whole.shared + whole.thread < table.shared + table.thread;
  }
  const auto need = [&](std::size_t threads) {
    const Memory memory = memory_of(prepared);
    return kProgramBytes + memory.shared + threads * memory.thread;
  };
  const bool in_groups = plan.path == Path::stream || plan.path == Path::weights;
  while (need(plan.threads) > memory_limit(options) && in_groups && prepared.group > 8)
    prepared.group /= 2;
  while (need(plan.threads) > memory_limit(options) && plan.threads > 1) --plan.threads;
  plan.working_bytes = need(plan.threads);
  if (plan.working_bytes > memory_limit(options))
    throw InvalidArgument(
        text::concat("memory is ", bytes(static_cast<double>(memory_limit(options))), " but path '",
                     name(plan.path), "' needs at least ", (plan.working_bytes >> 20) + 1,
                     " MiB beside the data and the result"));
}

/// Are the fixed-point sums good enough for the tolerance? Third and fourth powers reach so far
/// that they are held to their own size, not to its standard error. So are all products of many rows,
/// to less: a replicate without the one huge row that made the standard error must still have digits.
bool accurate(const Prepared& prepared, double tolerance) {
  const Problem& problem = prepared.problem;
  const bool large = problem.data.rows() > kMostCompensatedRows;
  for (std::size_t f = 0; f < prepared.fixed.size(); ++f) {
    const FixedFeature& fixed = prepared.fixed[f];
    const std::size_t order = problem.features.order(f);
    const double error = order > 2 ? fixed.clean : fixed.relative;
    const bool will_do =
        large && fixed.linear <= tolerance && (order == 1 || fixed.clean <= kCleanProducts);
    if (error > tolerance && !will_do) return false;
  }
  return true;
}

/// The products of a statistic have equally many digits, so that the error of none is large against
/// what the others leave when they are subtracted from each other.
void match_digits(Prepared& prepared) {
  const auto rows = static_cast<double>(prepared.problem.data.rows());
  for (Part& part : prepared.problem.parts) {
    std::size_t most = 0;
    for (const std::uint32_t f : part.features)
      if (prepared.fixed[f].error > 0) most = std::max(most, prepared.fixed[f].digits);
    for (const std::uint32_t f : part.features)
      lengthen(prepared.fixed[f], prepared.features[f], prepared.problem.features.order(f), most,
               rows);
  }
  // What two statistics fold alike is folded once; the digits do not depend on who else is there.
  std::vector<std::size_t> digits;
  for (const FixedFeature& fixed : prepared.fixed) digits.push_back(fixed.digits);
  const std::vector<std::uint32_t> places = prepared.problem.features.merge_equal(digits);
  if (prepared.distinct) prepared.distinct->move_features(places);
  for (std::size_t f = 0; f < places.size(); ++f) {
    prepared.fixed[places[f]] = prepared.fixed[f];
    prepared.features[places[f]] = prepared.features[f];
  }
  prepared.fixed.resize(prepared.problem.features.count());
  prepared.features.resize(prepared.problem.features.count());
  for (Part& part : prepared.problem.parts)
    for (std::uint32_t& f : part.features) f = places[f];
  for (Part& part : prepared.problem.parts) {
    part.resolution = 0;
    for (const std::uint32_t f : part.features)
      if (prepared.problem.features.is_product(f))
        part.resolution = std::max(part.resolution, prepared.fixed[f].error);
  }
}

/// Sums of blocks are differences of running sums, which wrap around without harm as long as a
/// block's sum fits.
void plan_blocks(Prepared& prepared) {
  Plan& plan = prepared.plan;
  plan.path = Path::blocks;
  prepared.whole_resample = false;
  const double length = *resample::block_length_of(prepared.scheme);
  const double blocks = std::ceil(static_cast<double>(plan.rows) / length);
  std::size_t digits = 0;
  for (const FixedFeature& fixed : prepared.fixed) digits = std::max(digits, fixed.digits);
  const double largest_sum = static_cast<double>(plan.rows) * largest(digits);
  prepared.running_bytes = largest_sum < 0x1p62 ? sizeof(std::int64_t) : sizeof(__int128);
  plan.reason = text::concat("about ", grouped(static_cast<std::uint64_t>(blocks)),
                             " blocks a replicate: two look-ups each in running sums");
  plan.seconds = 100 + blocks * (3 + 3 * static_cast<double>(prepared.fixed.size()));
}

void plan_weights(Prepared& prepared) {
  Plan& plan = prepared.plan;
  plan.path = Path::weights;
  prepared.whole_resample = false;
  plan.reason = "every row gets an exponential weight: sums stream over the rows";
  plan.seconds =
      100 + static_cast<double>(plan.rows) * (2 + static_cast<double>(prepared.fixed.size()));
}

void plan_sums(Prepared& prepared, const Options& options) {
  Problem& problem = prepared.problem;
  Plan& plan = prepared.plan;
  prepared.features = problem.features.summarize(problem.data, options.execution);
  Size size = size_of(problem, plan.draws);
  const Ways ways = ways_of(prepared.scheme, problem.data.rows());
  const bool gather_serves = problem.data.rows() <= resample::kMostGatherRows;
  const auto other_cost = [&] {
    const double stream = stream_cost(size);
    return gather_serves ? std::min(stream, gather_cost(size)) : stream;
  };

  if (ways.plain && (!options.path || *options.path == Path::distinct)) {
    const double room = static_cast<double>(memory_limit(options)) / 2 / (24 * (size.features + 2));
    const double pays = (other_cost() - distinct_cost({.distinct = 1})) /
                            (distinct_cost({.distinct = 2}) - distinct_cost({.distinct = 1})) +
                        1;
    const double most = options.path ? std::min(room, size.rows)
                                     : std::min({pays, 65536.0, 1e6 / (size.features + 2)});
    if (most >= 1)
      prepared.distinct = find_distinct(problem.data, problem.features,
                                        static_cast<std::size_t>(most), options.execution);
    if (options.path && !prepared.distinct)
      throw_cannot_serve(Path::distinct, text::concat("there are more than ",
                                                      grouped(static_cast<std::uint64_t>(most)),
                                                      " distinct rows, all that the memory holds"));
  }
  const auto fix = [&](bool all_digits) {
    prepared.fixed = fixed_features(problem.features, prepared.features, problem.data,
                                    options.tolerance, all_digits, options.execution);
    match_digits(prepared);
  };
  if (prepared.distinct) {
    fix(true);
    plan.path = Path::distinct;
    plan.distinct_rows = prepared.distinct->count();
    plan.reason =
        text::concat("only ", grouped(plan.distinct_rows), " distinct ",
                     plan.distinct_rows == 1 ? "row" : "rows", " among ",
                     grouped(problem.data.rows()), ": ", grouped(plan.distinct_rows - 1),
                     " binomial ", plan.distinct_rows == 2 ? "draw" : "draws", " a replicate");
    plan.seconds = distinct_cost({.distinct = static_cast<double>(plan.distinct_rows)});
  } else {
    fix(false);
    size.planes = 0;
    for (const FixedFeature& fixed : prepared.fixed)
      size.planes += static_cast<double>(fixed.digits);
    const bool gather = options.path ? *options.path == Path::gather
                                     : !ways.stream || (ways.plain && gather_serves &&
                                                        gather_cost(size) < stream_cost(size));
    plan.path = gather ? Path::gather : Path::stream;
    prepared.whole_resample = gather && !ways.plain;
    plan.seconds = gather ? gather_cost(size) : stream_cost(size);
    const bool blocks = ways.blocks && (!options.path || *options.path == Path::blocks);
    if (gather && !blocks) fix(true);
    const std::string what =
        text::concat(grouped(problem.data.rows()), " rows, ", problem.features.count(),
                     problem.features.count() == 1 ? " feature: " : " features: ");
    if (options.path) {
      plan.reason = what + "path asked for";
    } else if (gather) {
      plan.reason = what + (ways.plain ? "so few draws that row numbers are cheapest"
                                       : "the rows of the scheme are drawn one by one");
    } else {
      plan.reason = what + "Poisson counts with a top-up stream over the rows";
    }
    if (blocks) plan_blocks(prepared);
    if (ways.weights) plan_weights(prepared);
  }

  if (!accurate(prepared, options.tolerance)) {
    if (ways.weights) return;  // sums are in doubles anyway
    if (options.path && *options.path != Path::gather)
      throw_cannot_serve(*options.path, "fixed-point sums cannot hold these data to the tolerance");
    if (!gather_serves)
      throw InvalidArgument(
          text::concat("tolerance is ", options.tolerance,
                       " but sums of these data cannot be held to it; ask for less"));
    problem.rescale(prepared.features);
    prepared.compensated = true;
    prepared.whole_resample = true;
    prepared.distinct.reset();
    plan.path = Path::gather;
    plan.reason =
        "values too far apart for fixed-point sums at this tolerance: resamples are drawn "
        "out and summed in compensated doubles";
    plan.seconds = resample_cost(size) * (1 + size.features);
  }
}

void describe_arithmetic(Prepared& prepared) {
  Plan& plan = prepared.plan;
  if (prepared.problem.features.empty()) {
    plan.arithmetic = "none: no sums";
    return;
  }
  if (plan.path == Path::weights || plan.path == Path::deletion) {
    plan.arithmetic = "double, in a fixed order";
    plan.sum_error = 0x1p-50;
    return;
  }
  if (prepared.compensated) {
    plan.arithmetic = "compensated double";
    plan.sum_error = 0x1p-52;
    return;
  }
  std::size_t fewest = kMostDigits;
  std::size_t most = 0;
  for (const FixedFeature& fixed : prepared.fixed) {
    fewest = std::min(fewest, fixed.digits);
    most = std::max(most, fixed.digits);
    plan.sum_error = std::max(plan.sum_error, fixed.linear);
  }
  plan.digits = static_cast<int>(most);
  plan.arithmetic =
      fewest == most
          ? text::concat("fixed point, ", most, most == 1 ? " digit" : " digits", " base 256")
          : text::concat("fixed point, ", fewest, " to ", most, " digits base 256");
}

/// The same options with as many threads as the passes of planning have memory for.
Options within_memory(const Options& options, const Problem& problem) {
  const std::size_t features = problem.features.count();
  const std::size_t worker =
      problem.data.columns() * kTileRows * sizeof(double) +
      features * (feature_tile_rows(features) * sizeof(double) + 3 * kExponentBytes) + 65536;
  const std::size_t room =
      memory_limit(options) > kProgramBytes ? (memory_limit(options) - kProgramBytes) / 2 : 0;
  Options planned = options;
  planned.execution.threads = static_cast<unsigned>(
      std::clamp<std::size_t>(room / worker, 1, execution::thread_count(options.execution)));
  return planned;
}

}  // namespace

Prepared prepare(const DataView& data, std::span<const Statistic> statistics,
                 const Options& given) {
  Prepared prepared{
      Problem(data, statistics), resample::resolve(given.scheme, data), {}, {}, {}, {}};
  resample::check(prepared.scheme, data.rows());
  Options asked = given;
  asked.replicates =
      resample::jackknife_units(prepared.scheme, data.rows()).value_or(given.replicates);
  Problem& problem = prepared.problem;
  Plan& plan = prepared.plan;
  check(asked, problem.outputs.size());
  const Options options = within_memory(asked, problem);
  check_run(asked, data.rows());
  plan.rows = data.rows();
  plan.draws = resample::draws_of(prepared.scheme, data.rows());
  plan.scheme = resample::describe(prepared.scheme, data.rows());
  plan.replicates = options.replicates;
  for (std::size_t c = 0; c < data.columns(); ++c) plan.columns.push_back(data.name(c));
  plan.outputs = problem.outputs;
  plan.level = options.execution.level.value_or(execution::default_level());
  plan.result_bytes = options.replicates * problem.outputs.size() * sizeof(double);
  if (options.path) check_path(problem, prepared.scheme, *options.path);
  problem.look(options.execution);

  const Size size = size_of(problem, plan.draws);
  const Ways ways = ways_of(prepared.scheme, data.rows());
  const bool whole = options.path == Path::gather;
  const bool same_size = ways.plain && plan.draws == plan.rows;
  if (ways.deletion && !whole && sums_or_quantiles(problem)) {
    plan.path = Path::deletion;
    plan.reason = "functions of sums or quantiles: one row is taken out of what all have in common";
    plan.seconds = 50 + 20 * static_cast<double>(problem.features.count());
    if (!problem.features.empty())
      prepared.features = problem.features.summarize(data, options.execution);
  } else if (problem.all<statistic::Sums>()) {
    plan_sums(prepared, options);
  } else if (ways.plain && one_column_of_quantiles(problem) && !whole) {
    double quantiles = 0;
    for (const Part& part : problem.parts)
      quantiles +=
          static_cast<double>(std::get<statistic::Order>(part.bound.body).probabilities.size());
    plan.path = Path::order;
    plan.reason = "quantiles of one column: their positions in the sorted data are beta draws";
    plan.seconds = order_cost(quantiles) +
                   selection_cost(size, quantiles) / static_cast<double>(options.replicates);
  } else if (problem.all<statistic::Fold>() && !whole && same_size &&
             (options.path || data.rows() > resample::kShortRows)) {
    plan.path = Path::stream;
    plan.reason = "an accumulator: every row is folded with its count";
    plan.seconds = 2 * stream_cost(size) + 3 * size.rows;
  } else {
    plan.path = Path::gather;
    prepared.whole_resample = true;
    plan.reason = problem.parts.size() > 1
                      ? "statistics of different kinds over the same resamples: each is drawn out"
                      : "a function of the resample itself: each is drawn out";
    plan.seconds = resample_cost(size);
    for (const Part& part : problem.parts)
      plan.seconds +=
          size.rows * (std::holds_alternative<statistic::Sums>(part.bound.body) ? 2 : 12);
    if (ways.weights || std::holds_alternative<scheme::Weighted>(prepared.scheme))
      throw InvalidArgument(text::concat(
          "scheme '", name(prepared.scheme),
          "' weights rows and takes functions of sums only (mean, variance, "
          "regression, ...), not quantiles or functions of the resample; scheme 'iid' takes all"));
    if (options.path) check_path(problem, prepared.scheme, *options.path);
    check_path(problem, prepared.scheme, Path::gather);
    if (!problem.features.empty()) {
      prepared.features = problem.features.summarize(data, options.execution);
      prepared.fixed = fixed_features(problem.features, prepared.features, data, options.tolerance,
                                      true, options.execution);
      match_digits(prepared);
      if (!accurate(prepared, options.tolerance)) {
        prepared.compensated = true;
        problem.rescale(prepared.features);
      }
    }
  }
  describe_arithmetic(prepared);

  std::size_t planes = 0;
  for (const FixedFeature& fixed : prepared.fixed) planes += fixed.digits;
  prepared.tile_rows = std::min(kTileRows, feature_tile_rows(problem.features.count()));
  std::size_t& tile = prepared.tile_rows;
  while ((tile > 1024 && tile * (planes + 4) > kFirstCache) ||
         (tile > 64 && tile * planes > kSecondCache))
    tile /= 2;
  prepared.group = 256;
  prepared.copies_strata = std::holds_alternative<scheme::Stratified>(prepared.scheme) &&
                           plan.rows * data.columns() * sizeof(double) <= memory_limit(asked) / 4;
  fit_memory(prepared, asked);
  plan.seconds = 2e-9 * size.rows * (size.columns + 2 * size.features) +
                 plan.seconds * 1e-9 * static_cast<double>(options.replicates) *
                     level_factor(static_cast<int>(plan.level)) / plan.threads;
  return prepared;
}

}  // namespace bootfold::planning
