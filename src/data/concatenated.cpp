// Several sources, one after the other.
#include <algorithm>
#include <atomic>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/file_source.h"
#include "data/same_columns.h"
#include "data/sieve.h"
#include "data/slice.h"

namespace bootfold::data {

struct Concatenated::State {
  std::vector<Part> parts;
  std::string label;
  std::string note;
  bool may_be_empty = false;
  bool several = false;                    // messages tell the row of all files
  std::uint64_t rows_before = 0;           // of files before a slice
  std::atomic<std::uint64_t> omitted = 0;  // of the last complete pass
  std::atomic<std::uint64_t> filtered = 0;
};

namespace {

class ConcatenatedPass final : public Pass {
 public:
  explicit ConcatenatedPass(std::shared_ptr<Concatenated::State> state)
      : state_(std::move(state)), rows_before_(state_->rows_before) {}

  std::optional<Chunk> next() override {
    while (part_ < state_->parts.size()) {
      if (!pass_) start();
      std::optional<Chunk> chunk = pass_->next();
      if (chunk) {
        rows_ += chunk->view.rows();
        return chunk;
      }
      end();
    }
    if (!finished_) finish();
    return std::nullopt;
  }

 private:
  void start() {
    const Source& source = *state_->parts[part_].source;
    const auto* file = dynamic_cast<const FileSource*>(&source);
    file_pass_ = nullptr;
    if (file == nullptr) {
      pass_ = source.open();
      return;
    }
    std::unique_ptr<FilePass> pass =
        file->open_behind(state_->several ? std::optional(rows_before_) : std::nullopt);
    file_pass_ = pass.get();
    pass_ = std::move(pass);
    rows_of_parts_ = rows_;
  }

  void end() {
    if (file_pass_ != nullptr) {
      rows_before_ += file_pass_->rows_read();
      omitted_ += file_pass_->omitted();
      filtered_ += file_pass_->filtered();
    } else {
      rows_before_ += rows_ - rows_of_parts_;
    }
    rows_of_parts_ = rows_;
    pass_.reset();
    ++part_;
  }

  void finish() {
    finished_ = true;
    state_->omitted = omitted_;
    state_->filtered = filtered_;
    if (rows_ == 0 && !state_->may_be_empty)
      throw DataError(no_rows_left(state_->label, omitted_, filtered_, false));
  }

  std::shared_ptr<Concatenated::State> state_;
  std::size_t part_ = 0;
  std::unique_ptr<Pass> pass_;
  const FilePass* file_pass_ = nullptr;  // pass_, if it is over a file
  std::uint64_t rows_ = 0;               // handed out
  std::uint64_t rows_of_parts_ = 0;      // handed out by the parts before this one
  std::uint64_t rows_before_;            // of the parts before this one, also those left out
  std::uint64_t omitted_ = 0;
  std::uint64_t filtered_ = 0;
  bool finished_ = false;
};

/// The sum over all parts, if it is known of each.
std::optional<std::uint64_t> total(const std::vector<Concatenated::Part>& parts,
                                   std::optional<std::uint64_t> (Source::*rows)() const noexcept) {
  std::uint64_t all = 0;
  for (const Concatenated::Part& part : parts) {
    const std::optional<std::uint64_t> some = ((*part.source).*rows)();
    if (!some) return std::nullopt;
    all += *some;
  }
  return all;
}

}  // namespace

Concatenated::Concatenated(std::vector<Part> parts, bool may_be_empty)
    : state_(std::make_shared<State>()) {
  state_->may_be_empty = may_be_empty;
  if (parts.empty()) throw InvalidArgument("there is no source to read");
  const Part& first = parts.front();
  const auto* first_file = dynamic_cast<const FileSource*>(first.source.get());
  for (const Part& part : parts) {
    check_same_names(first.name, first.source->names(), part.name, part.source->names());
    const auto* file = dynamic_cast<const FileSource*>(part.source.get());
    if (file == nullptr) continue;
    if (first_file != nullptr)
      check_same_types(first.name, first_file->types(), part.name, file->types(), file->names());
    if (state_->note.empty()) state_->note = file->note();
  }
  state_->label = name_of_all(first.name, parts.size());
  state_->several = parts.size() > 1;
  state_->parts = std::move(parts);
}

Concatenated::Concatenated(std::shared_ptr<State> state) : state_(std::move(state)) {}

Concatenated::~Concatenated() = default;

const std::vector<std::string>& Concatenated::names() const noexcept {
  return state_->parts.front().source->names();
}

std::optional<std::uint64_t> Concatenated::rows() const noexcept {
  return total(state_->parts, &Source::rows);
}

std::unique_ptr<Pass> Concatenated::open() const {
  return std::make_unique<ConcatenatedPass>(state_);
}

std::optional<std::uint64_t> Concatenated::stored_rows() const noexcept {
  return total(state_->parts, &Source::stored_rows);
}

std::unique_ptr<Source> Concatenated::slice(std::uint64_t first, std::uint64_t count) const {
  check_slice(*this, first, count);
  auto state = std::make_shared<State>();
  state->label = state_->label;
  state->note = state_->note;
  state->may_be_empty = true;
  state->several = state_->several;
  state->rows_before = state_->rows_before;
  std::uint64_t before = 0;  // stored rows of the parts so far
  for (const Part& part : state_->parts) {
    const std::uint64_t rows = part.source->stored_rows().value();
    const std::uint64_t begin = std::clamp(first, before, before + rows);
    const std::uint64_t end = std::clamp(first + count, before, before + rows);
    const bool last_chance = state->parts.empty() && &part == &state_->parts.back();
    if (begin < end || last_chance)
      state->parts.push_back({part.name, part.source->slice(begin - before, end - begin)});
    else if (state->parts.empty())
      state->rows_before += rows;
    before += rows;
  }
  return std::unique_ptr<Source>(new Concatenated(std::move(state)));
}

ReadNotes Concatenated::notes() const { return {state_->note, state_->omitted, state_->filtered}; }

}  // namespace bootfold::data
