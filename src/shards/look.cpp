#include <algorithm>

#include "bootfold/error.h"
#include "data/archive.h"
#include "planning/choose.h"
#include "shards/batches.h"
#include "shards/contents.h"
#include "study/absent_rows.h"
#include "study/study.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::shards {

namespace {

/// Distinct rows that are worth counting before it is known how many rows there are.
std::size_t most_distinct(std::size_t features) {
  return features == 0 ? 0 : std::min<std::size_t>(65536, 1'000'000 / (features + 2));
}

std::vector<std::string> names_of(const DataView& rows) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < rows.columns(); ++c) names.push_back(rows.name(c));
  return names;
}

KeptRows::Piece copy_of(const DataView& rows, std::uint64_t first, const data::Labels* labels) {
  KeptRows::Piece piece{first, {}, {}};
  if (labels != nullptr)
    for (const std::uint32_t code : labels->codes) piece.labels.push_back(labels->names[code]);
  for (std::size_t c = 0; c < rows.columns(); ++c) {
    piece.columns.emplace_back(rows.rows());
    rows.column(c).read(0, piece.columns.back());
  }
  return piece;
}

void check_first(const LookOptions& options) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // rows behind it can still be numbered
  if (options.first > kMost)
    throw InvalidArgument(text::concat("first is ", options.first, " but must be at most ", kMost,
                                       ": the number of the first row, from 0"));
}

/// The labels of a shard, and what they stand for.
std::pair<Labelled, const data::Labels*> labels_of(const LookOptions& options, std::uint64_t rows) {
  if (options.strata != nullptr && options.clusters != nullptr)
    throw InvalidArgument("strata and clusters are both given; rows have either, not both");
  const data::Labels* const labels = options.strata != nullptr ? options.strata : options.clusters;
  if (labels == nullptr) return {Labelled::no, nullptr};
  check_labels(*labels, rows);
  return {options.strata != nullptr ? Labelled::strata : Labelled::clusters, labels};
}

std::string list(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

std::string describe(const Statistic& statistic) {
  std::string text = statistic.name();
  for (const double parameter : statistic.parameters())
    text += text::concat(text == statistic.name() ? ":" : ",", parameter);
  return statistic.weighted() ? text + " with weights" : text;
}

void check_added(std::span<const Statistic> statistics) {
  for (const Statistic& statistic : statistics)
    if (const std::string why = obstacle({&statistic, 1}, {}); !why.empty())
      throw InvalidArgument(text::concat(
          "statistic '", describe(statistic), "' needs all rows in one place: ", why,
          ", unless there are at most ", text::grouped(KeptRows::kMost),
          " in all shards; use bootstrap where all rows are, or a random part of the rows"));
}

void check_labels(const data::Labels& labels, std::uint64_t rows) {
  if (labels.rows() == rows) return;
  throw InvalidArgument(text::concat("there are ", text::grouped(labels.rows()),
                                     " labels but the shard has ", text::grouped(rows),
                                     " rows; every row needs one"));
}

void KeptRows::merge(const KeptRows& other) {
  pieces.insert(pieces.end(), other.pieces.begin(), other.pieces.end());
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.first < b.first; });
  // Pieces that touch become one, so that it does not matter how rows were cut.
  std::vector<Piece> joined;
  for (Piece& piece : pieces) {
    if (piece.rows() == 0) continue;
    if (joined.empty() || joined.back().first + joined.back().rows() != piece.first) {
      joined.push_back(std::move(piece));
      continue;
    }
    for (std::size_t c = 0; c < piece.columns.size(); ++c)
      joined.back().columns[c].insert(joined.back().columns[c].end(), piece.columns[c].begin(),
                                      piece.columns[c].end());
    joined.back().labels.insert(joined.back().labels.end(), piece.labels.begin(),
                                piece.labels.end());
  }
  pieces = std::move(joined);
}

Look::Look(Contents contents) : contents_(std::make_unique<Contents>(std::move(contents))) {}
Look::Look(const Look& other) : contents_(std::make_unique<Contents>(*other.contents_)) {}
Look::Look(Look&& other) noexcept = default;
Look& Look::operator=(Look other) noexcept {
  contents_ = std::move(other.contents_);
  return *this;
}
Look::~Look() = default;

std::uint64_t Look::rows() const { return contents_->look.seen().count(); }
const Words& Look::words() const { return contents_->words; }
void Look::set_words(Words words) { contents_->words = std::move(words); }
const std::vector<std::string>& Look::columns() const { return contents_->names; }

namespace {

void shift(Look::Contents& look, std::uint64_t rows) {
  look.look.shift(rows);
  look.labels.shift(rows);
  if (look.kept)
    for (KeptRows::Piece& piece : look.kept->pieces) piece.first += rows;
  for (Look::Contents& kind : look.kinds) shift(kind, rows);
}

void merge_rows(Look::Contents& own, const Look::Contents& its) {
  own.look |= its.look;
  own.labels.merge(its.labels);
  if (own.kept && its.kept && own.look.seen().count() <= KeptRows::kMost)
    own.kept->merge(*its.kept);
  else
    own.kept.reset();
  for (std::size_t k = 0; k < own.kinds.size(); ++k) merge_rows(own.kinds[k], its.kinds.at(k));
}

/// A look at no row yet, with one for each kind of statistics if there are several.
Look::Contents fresh_look(std::vector<std::string> names, std::span<const Statistic> statistics,
                          std::span<const Family> kinds) {
  Look::Contents look = empty_look(std::move(names), statistics);
  look.kept.emplace();
  if (kinds.size() < 2) return look;
  for (const Family& kind : kinds) {
    std::vector<std::string> own;
    for (const std::uint32_t c : kind.columns) own.push_back(look.names[c]);
    look.kinds.push_back(empty_look(std::move(own), kind.statistics));
  }
  return look;
}

/// Sees rows first, first + 1, ... for all kinds, and keeps them while there are few.
void see_all(Look::Contents& look, std::span<const Statistic> statistics,
             std::span<const Family> kinds, const DataView& rows, std::uint64_t first,
             const data::Labels* labels, std::size_t memory, const Execution& execution) {
  see(look, statistics, rows, first, memory, execution);
  for (std::size_t k = 0; k < look.kinds.size(); ++k)
    see(look.kinds[k], kinds[k].statistics, kinds[k].view(rows), first, memory, execution);
  if (look.kept && look.look.seen().count() <= KeptRows::kMost) {
    look.kept->merge({{copy_of(rows, first, labels)}});
    return;
  }
  check_added(statistics);
  look.kept.reset();
}

}  // namespace

std::vector<Family> kinds_of(const std::vector<std::string>& names,
                             std::span<const Statistic> statistics, Labelled labelled) {
  if (labelled != Labelled::no) return {};
  const study::AbsentRows absent(1, names);
  return families(absent.view(), statistics, {});
}

bool Look::Contents::operator==(const Contents& other) const {
  return names == other.names && statistics == other.statistics && look == other.look &&
         labels == other.labels && kept == other.kept && kinds == other.kinds;
}

void Look::shift(std::uint64_t rows) { shards::shift(*contents_, rows); }

Look& Look::operator|=(const Look& other) {
  Contents& own = *contents_;
  const Contents& its = *other.contents_;
  if (own.names != its.names)
    throw InvalidArgument(text::concat("one look is at the columns ", list(own.names),
                                       " and another at ", list(its.names),
                                       "; all shards need the same columns in the same order"));
  if (own.statistics != its.statistics)
    throw InvalidArgument(text::concat("one look is for ", list(own.statistics),
                                       " and another for ", list(its.statistics),
                                       "; look at all shards for the same statistics"));
  const auto labelled = [](const Contents& look) { return look.labels.kind; };
  if (labelled(own) != labelled(its))
    throw InvalidArgument(
        "some looks have strata or clusters and others do not; look at all shards in the same way");
  const auto column = [](const Contents& look) {
    const auto word = look.words.find("labels");
    return word == look.words.end() ? std::string("none") : word->second;
  };
  if (labelled(own) != Labelled::no && column(own) != column(its))
    throw InvalidArgument(text::concat("labels are of the column ", column(own),
                                       " in one look and of ", column(its),
                                       " in another, and the program and Python give labels "
                                       "different names; look at all shards in the same way"));
  if (own.kinds.size() != its.kinds.size())
    throw InvalidArgument(
        "one look has statistics by kind and another has not; look at all shards "
        "with the same version of bootfold");
  merge_rows(own, its);
  own.words.insert(its.words.begin(), its.words.end());
  return *this;
}

bool Look::operator==(const Look& other) const { return *contents_ == *other.contents_; }

std::string Look::to_bytes() const {
  data::ArchiveWriter writer;
  writer(*contents_);
  return data::framed("look", writer.take());
}

Look Look::from_bytes(std::string_view bytes) {
  data::ArchiveReader reader(data::unframed("look", bytes));
  Contents contents;
  reader(contents);
  if (!reader.at_end()) reader.refuse();
  return Look(std::move(contents));
}

Look::Contents empty_look(std::vector<std::string> names, std::span<const Statistic> statistics) {
  Look::Contents contents;
  contents.names = std::move(names);
  for (const Statistic& statistic : statistics) contents.statistics.push_back(describe(statistic));
  // A shard without rows has columns and statistics all the same.
  const study::AbsentRows absent(1, contents.names);
  const study::Study study(absent.view(), statistics);
  const study::Problem& problem = study.problem();
  contents.look = study.empty_columns_look(most_distinct(problem.features.count()));
  if (problem.all<statistic::Order>()) {
    std::vector<std::uint32_t> ordered;
    for (const study::Part& part : problem.parts) ordered.push_back(part.columns[0]);
    std::sort(ordered.begin(), ordered.end());
    ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
    if (ordered.size() == 1) contents.look.count_keys(ordered);
  }
  return contents;
}

void see(Look::Contents& look, std::span<const Statistic> statistics, const DataView& rows,
         std::uint64_t first, std::size_t memory, const Execution& execution) {
  const study::AbsentRows absent(1, look.names);
  const study::Study study(absent.view(), statistics);
  const study::Problem& problem = study.problem();
  Execution looking = execution;
  looking.threads = planning::looking_threads(problem, memory, execution::thread_count(execution));
  look.look.see(rows, first, problem.features, memory / 2, looking);
}

Look look(const DataView& rows, std::span<const Statistic> statistics, const LookOptions& options) {
  check_first(options);
  const auto [kind, labels] = labels_of(options, rows.rows());
  const std::vector<Family> kinds = kinds_of(names_of(rows), statistics, kind);
  Look::Contents contents = fresh_look(names_of(rows), statistics, kinds);
  contents.words = options.words;
  contents.labels.kind = kind;
  if (labels != nullptr) contents.labels = LabelsLook::of(kind, *labels, options.first);
  see_all(contents, statistics, kinds, rows, options.first, labels,
          execution::memory_limit(options.memory), options.execution);
  return Look(std::move(contents));
}

Look look(const data::Source& rows, std::span<const Statistic> statistics,
          const LookOptions& options) {
  check_first(options);
  if (options.strata != nullptr || options.clusters != nullptr)
    throw InvalidArgument("strata and clusters are for rows in memory; load the shard");
  const std::vector<Family> kinds = kinds_of(rows.names(), statistics, Labelled::no);
  Look::Contents contents = fresh_look(rows.names(), statistics, kinds);
  contents.words = options.words;
  const std::size_t memory = execution::memory_limit(options.memory);
  Batches batches(rows, batch_rows(rows.names().size(), memory), options.first);
  while (const std::unique_ptr<Batch> batch = batches.next(options.execution.stop))
    see_all(contents, statistics, kinds, batch->view(), batch->first(), nullptr, memory / 2,
            options.execution);
  return Look(std::move(contents));
}

Look look(const DataView& rows, const Statistic& statistic, const LookOptions& options) {
  return look(rows, std::span<const Statistic>(&statistic, 1), options);
}

Look join(std::span<const Look> looks) {
  if (looks.empty()) throw InvalidArgument("there is no look to join; give at least one");
  Look all = looks[0];
  for (const Look& next : looks.subspan(1)) {
    Look moved = next;
    moved.shift(all.rows());
    all |= moved;
  }
  return all;
}

}  // namespace bootfold::shards
