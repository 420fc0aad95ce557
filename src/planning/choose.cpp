#include "planning/choose.h"

#include <algorithm>

#include "bootfold/error.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::planning {

namespace {

/// Below this the replicates of a group share too little.
constexpr std::size_t kSmallGroup = 8;

[[noreturn]] void refuse(const PathEntry& entry, const std::string& why) {
  throw InvalidArgument(text::concat("path '", entry.name, "' is not available: ", why,
                                     "; omit the path and the plan chooses one"));
}

bool better(const Estimate& a, const Estimate& b) {
  return a.tier != b.tier ? a.tier < b.tier : a.replicate_nanoseconds < b.replicate_nanoseconds;
}

/// Fewer replicates at a time, then fewer threads, until the work fits the memory.
void fit_memory(Choice& choice, std::size_t memory) {
  const Estimate& estimate = choice.estimate;
  const auto need = [&] {
    return kProgramBytes + estimate.shared_bytes +
           choice.threads * (estimate.thread_bytes + choice.group * estimate.replicate_bytes);
  };
  while (need() > memory && estimate.replicate_bytes > 0 && choice.group > kSmallGroup)
    choice.group /= 2;
  while (need() > memory && choice.threads > 1) --choice.threads;
  choice.working_bytes = need();
  if (choice.working_bytes > memory)
    throw InvalidArgument(text::concat("memory is ", text::bytes(static_cast<double>(memory)),
                                       " but path '", choice.entry->name, "' needs at least ",
                                       (choice.working_bytes >> 20) + 1,
                                       " MiB in addition to the data and the result"));
}

}  // namespace

std::vector<const PathEntry*> serving(const Question& question, std::optional<Path> forced,
                                      std::span<const PathEntry> table) {
  std::vector<const PathEntry*> entries;
  std::string general;  // why the most general path, the last, does not serve
  for (const PathEntry& entry : table) {
    if (forced && entry.id != *forced) continue;
    const std::string why = entry.serves(question);
    if (why.empty()) {
      entries.push_back(&entry);
    } else if (forced) {
      refuse(entry, why);
    }
    general = why;
  }
  if (entries.empty()) throw InvalidArgument(general);
  return entries;
}

Choice choose(const Question& question, std::span<const PathEntry* const> entries,
              unsigned threads) {
  Choice best;
  std::string refusal;
  for (const PathEntry* entry : entries) {
    Estimate estimate = entry->estimate(question);
    if (!estimate.refusal.empty()) {
      if (question.forced) refuse(*entry, estimate.refusal);
      refusal = estimate.refusal;
      continue;
    }
    if (best.entry != nullptr && !better(estimate, best.estimate)) continue;
    best.entry = entry;
    best.estimate = std::move(estimate);
  }
  if (best.entry == nullptr) throw InvalidArgument(refusal);
  best.threads = threads;
  best.group = best.estimate.group;
  fit_memory(best, question.memory);
  return best;
}

unsigned looking_threads(const study::Problem& problem, std::size_t memory, unsigned threads) {
  const std::size_t features = problem.features.count();
  const std::size_t worker = problem.data.columns() * study::kTileRows * sizeof(double) +
                             features * (study::feature_tile_rows(features) * sizeof(double) +
                                         3 * sizeof(study::FeatureLook)) +
                             65536;
  const std::size_t room = memory > kProgramBytes ? (memory - kProgramBytes) / 2 : 0;
  return static_cast<unsigned>(std::clamp<std::size_t>(room / worker, 1, threads));
}

std::size_t tile_bytes(const study::Problem& problem, std::size_t features) {
  return (problem.data.columns() * study::kTileRows +
          (features + 2) * study::feature_tile_rows(features)) *
         sizeof(double);
}

}  // namespace bootfold::planning
