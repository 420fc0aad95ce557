#include "ensemble/input_rows.h"

#include <algorithm>
#include <limits>

#include "bootfold/error.h"
#include "ensemble/scaling.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::ensemble {

namespace {

[[noreturn]] void throw_other_rows(const Examples& examples, const char* more, std::size_t rows) {
  throw InvalidArgument(text::concat("the source of the inputs gives ", more, text::grouped(rows),
                                     " rows but there are ", text::grouped(examples.rows()),
                                     examples.classes != nullptr ? " classes" : " targets",
                                     "; the numbers must be equal"));
}

void check_chunk(const Examples& examples, std::size_t first, const DataView& chunk) {
  if (chunk.columns() != examples.columns())
    throw InvalidArgument(text::concat("the source of the inputs has ", examples.columns(),
                                       " columns but gives ", chunk.columns()));
  if (chunk.rows() > examples.rows() - first)
    throw_other_rows(examples, "at least ", first + chunk.rows());
}

}  // namespace

std::size_t Examples::rows() const noexcept {
  if (source == nullptr) return inputs.rows();
  return classes != nullptr ? classes->rows() : targets.rows();
}

std::size_t Examples::columns() const noexcept {
  return source == nullptr ? inputs.columns() : source->names().size();
}

std::string Examples::name(std::size_t column) const {
  return source == nullptr ? inputs.name(column) : source->names().at(column);
}

std::size_t bytes_of_rows(std::uint64_t rows, std::size_t columns) noexcept {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const std::size_t each = columns * sizeof(float);
  return each > 0 && rows > kMost / each ? kMost : static_cast<std::size_t>(rows) * each;
}

std::size_t row_memory_limit(std::size_t asked) {
  return asked != 0 ? asked : 2 * execution::default_memory();
}

void for_each_chunk(const Examples& examples,
                    const std::function<void(std::size_t, const DataView&)>& see) {
  if (examples.source == nullptr) return see(0, examples.inputs);
  const std::unique_ptr<data::Pass> pass = examples.source->open();
  std::size_t first = 0;
  while (const std::optional<data::Chunk> chunk = pass->next()) {
    if (chunk->view.rows() == 0) continue;
    check_chunk(examples, first, chunk->view);
    see(first, chunk->view);
    first += chunk->view.rows();
  }
  if (first != examples.rows()) throw_other_rows(examples, "", first);
}

InputReader::InputReader(const Examples& examples, const Ensemble::Frame& frame) : encoder_(frame) {
  if (examples.source != nullptr)
    pass_ = examples.source->open();
  else
    chunk_.view = examples.inputs;
}

void InputReader::read(std::size_t rows, float* out) {
  while (rows > 0) {
    if (next_ == chunk_.view.rows()) {
      std::optional<data::Chunk> chunk = pass_ ? pass_->next() : std::nullopt;
      if (!chunk)
        throw InvalidArgument(
            "the source of the inputs ends early; it must give the same rows in every pass");
      chunk_ = std::move(*chunk);
      next_ = 0;
      continue;
    }
    const std::size_t count = std::min(rows, chunk_.view.rows() - next_);
    encoder_.encode(chunk_.view, next_, count, out);
    next_ += count;
    rows -= count;
    out += count * encoder_.columns();
  }
}

}  // namespace bootfold::ensemble
