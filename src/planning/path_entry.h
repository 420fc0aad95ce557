// A path is an entry in a table: whether it serves, what it costs, and how it is made.
//
// src/paths/table.cpp lists the entries; choose() picks one. A path of your own is one file with
// one entry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bootfold/plan.h"
#include "planning/engine.h"
#include "planning/part_engine.h"
#include "resample/design.h"
#include "study/study.h"

namespace bootfold::planning {

/// All that the choice of a path may depend on. Nothing of it follows the machine but `memory`,
/// which never decides the path.
struct Question {
  const study::Study& study;
  const resample::Design& design;
  resample::Traits traits;
  std::uint64_t rows = 0;
  std::uint64_t draws = 0;       ///< rows of a replicate
  std::uint64_t replicates = 0;  ///< of the run
  std::uint64_t first = 0;       ///< number of its first replicate
  std::uint64_t seed = 0;
  double tolerance = 0;
  bool forced = false;     ///< the caller named the path
  std::size_t memory = 0;  ///< working memory in bytes
  /// Where whole clusters are drawn and some statistics are functions of sums: these, with a row
  /// for each cluster.
  const study::Study* cluster_sums = nullptr;

  [[nodiscard]] const study::Problem& problem() const { return study.problem(); }
};

/// How much of a resample has to be drawn. Less is better, whatever the costs say.
enum class Tier {
  shortcut,    ///< neither rows nor counts: a few numbers stand for them
  counts,      ///< counts or row numbers
  resample,    ///< the rows themselves, drawn out
  last_resort  ///< serves, but a resample that is drawn out is better
};

/// What a path would cost for a question that it serves.
struct Estimate {
  std::string refusal = {};  ///< why the data do not suit the path after all; empty: they do
  Tier tier = Tier::counts;
  double replicate_nanoseconds = 0;  ///< on one thread of the reference machine
  double start_nanoseconds = 0;      ///< once for a run
  std::string reason = {};           ///< for a person
  // Working memory: shared + threads * (thread + group * replicate) bytes.
  std::size_t shared_bytes = 0;
  std::size_t thread_bytes = 0;
  std::size_t replicate_bytes = 0;
  std::size_t group = 1;        ///< replicates handled together; fewer if memory is short
  std::string arithmetic = {};  ///< how sums are kept; empty: there are none
  int digits = 0;
  double sum_error = 0;
  std::uint64_t distinct_rows = 0;
};

/// What a plan grants an engine; nothing here changes a replicate.
struct Resources {
  Execution execution;    ///< threads and level as planned
  std::size_t group = 1;  ///< replicates handled together
  std::size_t room = 0;   ///< bytes of memory that are free while the engine is prepared

  [[nodiscard]] execution::Level level() const { return *execution.level; }
  [[nodiscard]] unsigned threads() const { return execution.threads; }
};

struct PathEntry {
  Path id;
  std::string_view name;
  std::string_view meaning;  ///< in a few words, for help texts

  /// Why the path does not serve, from what is known before any row is read; empty: it serves.
  std::string (*serves)(const Question& question);
  /// The distinct rows that are worth counting for this path; null: none.
  std::size_t (*most_distinct)(const Question& question) = nullptr;
  /// After the rows were looked at.
  Estimate (*estimate)(const Question& question);
  std::unique_ptr<Engine> (*prepare)(const Question& question, const Resources& resources);

  /// Why replicates cannot be added up from rows that arrive in pieces; empty: they can. Null: the
  /// path needs all rows in memory.
  std::string (*no_parts)(const Question& question) = nullptr;
  std::unique_ptr<PartEngine> (*prepare_parts)(const Question& question,
                                               const Resources& resources) = nullptr;
};

}  // namespace bootfold::planning
