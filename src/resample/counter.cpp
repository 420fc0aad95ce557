// The public face of counting.
#include <mutex>
#include <optional>

#include "bootfold/error.h"
#include "bootfold/resample.h"
#include "resample/bayesian_weights.h"
#include "resample/counting.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

struct Counter::Shared {
  std::uint64_t rows;
  CounterOptions options;
  std::shared_ptr<const Design> design;
  Traits traits;

  /// Tables of the scheme, made when they are first needed: by then the level is known, which
  /// changes no count.
  [[nodiscard]] const Counting& counting(execution::Level level) const {
    const std::scoped_lock lock(mutex);
    if (!made) made.emplace(*design, rows, options.seed, options.replicates, level);
    return *made;
  }

  /// Throws InvalidArgument unless `size` numbers are those of replicates that there are.
  void check(std::uint64_t first, std::size_t size) const {
    if (size % rows != 0)
      throw InvalidArgument(text::concat("there is room for ", text::grouped(size),
                                         " counts but replicates have ", text::grouped(rows),
                                         " each; make room for a multiple of that"));
    const std::uint64_t end = first + size / rows;
    const std::optional<std::uint64_t> most =
        traits.endless ? std::nullopt
                       : std::optional(design->replicates(rows).value_or(options.replicates));
    if (end < first || (most && end > *most))
      throw InvalidArgument(text::concat("replicates ", text::grouped(first), " to ",
                                         text::grouped(end - 1), " are asked for but the run has ",
                                         text::grouped(most.value_or(~std::uint64_t{0}))));
  }

  template <class Count>
  void make(std::uint64_t first, std::span<Count> out, const Execution& execution) const {
    check(first, out.size());
    const execution::Level level = execution.level.value_or(execution::default_level());
    execution::check_available(level);
    counting(level).make(first, out, execution);
  }

  mutable std::mutex mutex;
  mutable std::optional<Counting> made;
};

Counter::Counter(std::uint64_t rows, const CounterOptions& options) {
  if (rows == 0) throw InvalidArgument("rows is 0 but must be at least 1: there is no row to draw");
  auto shared = std::make_shared<Shared>();
  shared->rows = rows;
  shared->options = options;
  shared->design = design(options.scheme);
  shared->design->check(rows);
  shared->traits = shared->design->traits(rows);
  shared->design->check_run(rows, 0, options.replicates);
  if (!shared->traits.endless && !shared->design->replicates(rows) && options.replicates == 0)
    throw InvalidArgument(text::concat("replicates is 0 but scheme '", shared->design->name(),
                                       "' depends on the number of replicates of the run"));
  shared_ = std::move(shared);
}

std::uint64_t Counter::rows() const noexcept { return shared_->rows; }

void Counter::counts(std::uint64_t first, std::span<std::uint8_t> out,
                     const Execution& execution) const {
  shared_->make(first, out, execution);
}

void Counter::counts(std::uint64_t first, std::span<std::uint16_t> out,
                     const Execution& execution) const {
  shared_->make(first, out, execution);
}

void Counter::counts(std::uint64_t first, std::span<std::uint32_t> out,
                     const Execution& execution) const {
  shared_->make(first, out, execution);
}

void Counter::weights(std::uint64_t first, std::span<double> out,
                      const Execution& execution) const {
  if (!shared_->traits.weighs) return shared_->make(first, out, execution);
  shared_->check(first, out.size());
  const execution::Level level = execution.level.value_or(execution::default_level());
  execution::check_available(level);
  bayesian_weights(level, shared_->options.seed, first, shared_->rows, out, execution);
}

unsigned Counter::count_bytes() const {
  return resample::count_bytes(*shared_->design, shared_->rows);
}

}  // namespace bootfold::resample
