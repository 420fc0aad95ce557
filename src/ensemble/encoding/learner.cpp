// Learns the encoding of input columns from training rows.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bootfold/ensemble/encoding.h"
#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/encoding/automatic.h"
#include "ensemble/encoding/column_look.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::ensemble {

struct EncodingLearner::State {
  EncodingOptions options;
  std::size_t first;
  std::vector<ColumnLook> columns = {};  // of the inputs
  std::vector<std::string> inputs = {};  // their names

  ColumnLook& input(std::size_t column) {
    if (column - first >= columns.size()) grow(column - first + 1);
    return columns[column - first];
  }
  void grow(std::size_t count) {
    const std::size_t before = columns.size();
    columns.resize(count);
    if (options.bin_edges != BinEdges::quantiles && may_have_bins(options))
      for (std::size_t c = before; c < count; ++c) columns[c].keep_rows();
  }

  [[nodiscard]] Encoding encoding(const TreeTargets* targets) const {
    const auto numbers = static_cast<std::size_t>(std::ranges::count_if(
        columns, [](const ColumnLook& look) { return look.has_three_numbers(); }));
    const std::uint64_t rows = columns.empty() ? 0 : columns[0].rows();
    EncodingOptions filled = with_automatic_values(options, rows, numbers, targets != nullptr);
    Encoding found = encoding(filled, targets);
    std::size_t most = options.memory / sizeof(float) / std::max<std::uint64_t>(rows, 1);
    most -= std::min(most, first + 2);
    if (options.memory == 0 || options.bins || filled.bins == 0U ||
        found.columns(columns.size()) <= most)
      return found;
    filled.bins = 0;
    found = encoding(filled, targets);
    const std::size_t others = std::min(found.columns(columns.size()), most);
    // Edges of b bins take b columns beside that of the number.
    const std::size_t fit = (most - others) / std::max<std::size_t>(numbers, 1);
    if (fit < kLeastAutomaticBins) return found;
    filled.bins = fit;
    return encoding(filled, targets);
  }

  [[nodiscard]] Encoding encoding(const EncodingOptions& filled, const TreeTargets* targets) const {
    Encoding encoding;
    encoding.accepts_missing = filled.missing;
    for (std::size_t c = 0; c < columns.size(); ++c)
      encoding.inputs.push_back(columns[c].encoding(filled, c, targets));
    return encoding;
  }

  void declare(const std::vector<std::string>& wanted, InputKind kind,
               const std::vector<std::string>& names) {
    const char* const option = kind == InputKind::date     ? "dates"
                               : kind == InputKind::number ? "numbers"
                                                           : "categorical";
    for (const std::string& name : wanted) {
      const auto begin = names.begin() + static_cast<std::ptrdiff_t>(std::min(first, names.size()));
      auto found = std::find(begin, names.end(), name);
      if (found == names.end()) {
        std::string known;
        for (auto each = begin; each != names.end(); ++each)
          known += (known.empty() ? "" : ", ") + *each;
        throw InvalidArgument(text::concat(option, " names ", text::quoted(name),
                                           ", which is not an input; the inputs are ", known));
      }
      ColumnLook& look = input(static_cast<std::size_t>(found - names.begin()));
      if (look.declared() && look.declared() != kind)
        throw InvalidArgument(
            text::concat("column ", text::quoted(name),
                         " is named by two of categorical, dates and numbers; name it once"));
      look.declare(kind);
    }
  }
};

EncodingLearner::EncodingLearner(EncodingOptions options, std::size_t first)
    : state_(std::make_unique<State>(State{std::move(options), first})) {
  if (state_->options.levels == 0) throw InvalidArgument("levels is 0 but must be at least 1");
  if (state_->options.hashed == 0) throw InvalidArgument("hashed is 0 but must be at least 1");
  const double share = state_->options.winsorize.value_or(0);
  if (!(share >= 0 && share < 0.5))
    throw InvalidArgument(
        text::concat("winsorize is ", share, " but must be at least 0 and below 0.5"));
  const double scale = state_->options.periodic_scale;
  if (!(scale > 0 && std::isfinite(scale)))
    throw InvalidArgument(
        text::concat("periodic_scale is ", scale, " but must be positive and finite"));
}

EncodingLearner::~EncodingLearner() = default;

void EncodingLearner::start(const std::vector<std::string>& names) {
  if (names.size() > state_->first) {
    state_->grow(names.size() - state_->first);
    state_->inputs.assign(names.begin() + static_cast<std::ptrdiff_t>(state_->first), names.end());
  }
  state_->declare(state_->options.categorical, InputKind::category, names);
  state_->declare(state_->options.dates, InputKind::date, names);
  state_->declare(state_->options.numbers, InputKind::number, names);
}

data::FieldUse EncodingLearner::use(std::size_t column) const {
  if (column < state_->first) return data::FieldUse::numbers;
  const std::optional<InputKind> declared = state_->input(column).declared();
  if (declared == InputKind::number) return data::FieldUse::numbers;
  return declared == InputKind::date ? data::FieldUse::all : data::FieldUse::texts;
}

bool EncodingLearner::keeps_missing(std::size_t column) const {
  return column >= state_->first && state_->options.missing;
}

double EncodingLearner::code(std::size_t column, std::string_view text,
                             std::optional<double> number) {
  ColumnLook& look = state_->input(column);
  if (look.declared() != InputKind::date) return look.code(text, number);
  if (const std::optional<double> seconds = parse_date(text)) return *seconds;
  throw InvalidArgument(
      text::concat(text::quoted(text), " is not a date such as 2024-01-28 or 2024-01-28 13:05:00"));
}

void EncodingLearner::add(const DataView& rows) {
  for (std::size_t c = state_->first; c < rows.columns(); ++c) {
    ColumnLook& look = state_->input(c);
    for_each_tile(rows.column(c), 0, rows.rows(), [&](std::size_t, std::span<const double> tile) {
      for (const double value : tile) look.add(value);
    });
  }
}

std::vector<std::string> EncodingLearner::notes() const {
  std::vector<std::string> notes;
  for (std::size_t c = 0; c < state_->columns.size() && c < state_->inputs.size(); ++c) {
    std::string note = state_->columns[c].note(state_->inputs[c], state_->options);
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

Encoding EncodingLearner::finish() const {
  if (may_have_bins(state_->options) && state_->options.bin_edges == BinEdges::tree)
    throw InvalidArgument(
        "bin_edges is tree, which needs the targets of the rows; give finish() the "
        "examples");
  return state_->encoding(nullptr);
}

Encoding EncodingLearner::finish(const Examples& targets) const {
  if (!may_have_bins(state_->options) || state_->options.bin_edges == BinEdges::quantiles)
    return finish();
  const std::size_t rows =
      targets.classes != nullptr ? targets.classes->rows() : targets.targets.rows();
  for (const ColumnLook& look : state_->columns)
    if (look.rows() != rows || (targets.weights && targets.weights->rows() != rows))
      throw InvalidArgument(text::concat("there are targets of ", rows, " rows but inputs of ",
                                         look.rows(), "; give those of all rows"));
  const TreeTargets outputs = tree_targets(targets);
  return state_->encoding(&outputs);
}

}  // namespace bootfold::ensemble
