#include "data/records.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "bootfold/error.h"
#include "data/text_input.h"
#include "text/concat.h"

namespace bootfold::data {
namespace {

const char* find_char(const char* begin, const char* end, char wanted) {
  if (begin == end) return end;
  const void* found = std::memchr(begin, wanted, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

}  // namespace

Records::Records(const std::string& path, std::string label)
    : label_(std::move(label)), input_(std::make_unique<TextInput>(path, label_)), block_(kBlock) {
  begin_ = end_ = quote_ = block_.data();
  refill();
  const std::string_view start(begin_, static_cast<std::size_t>(end_ - begin_));
  if (start.substr(0, 3) == "\xEF\xBB\xBF") begin_ += 3;
  if (start.substr(0, 2) == "\xFF\xFE" || start.substr(0, 2) == "\xFE\xFF")
    throw DataError(text::concat(label_, " is UTF-16 text; save it as UTF-8"));
}

Records::~Records() = default;

// Moves what is left to the front and fills the rest of the block, which doubles if it is full.
void Records::refill() {
  const auto left = static_cast<std::size_t>(end_ - begin_);
  if (left == block_.size()) {
    if (left >= kLongestRecord)
      throw DataError(text::concat(label_, ":", line_, ": a row of more than ",
                                   kLongestRecord >> 20,
                                   " MiB; check for an unclosed quote or a different delimiter"));
    block_.resize(2 * left);
    begin_ = block_.data();
  } else if (left > 0) {
    std::memmove(block_.data(), begin_, left);
  }
  const std::size_t room = block_.size() - left;
  const std::size_t got = read_block(block_.data() + left, room, left);
  finished_ = got < room;
  begin_ = block_.data();
  end_ = begin_ + left + got;
  quote_ = find_char(begin_, end_, '"');
  if (tell_) tell_(input_->position());
}

// The next bytes of the file, behind `left` bytes that stand before them.
std::size_t Records::read_block(char* out, std::size_t room, std::size_t left) {
  try {
    return input_->read(out, room, label_);
  } catch (const DataError& error) {
    const auto lines = static_cast<std::size_t>(std::count(out - left, out, '\n')) + line_ - 1;
    if (lines == 0) throw;
    throw DataError(text::concat(error.what(), " (after line ", lines, ")"));
  }
}

bool Records::next(Record& record) {
  const char* stop = find_end();
  while (stop == nullptr) {
    refill();
    stop = find_end();
  }
  if (begin_ == end_) return false;
  hand_out(stop, record);
  return true;
}

// The record from begin_ to `stop`.
void Records::hand_out(const char* stop, Record& record) {
  record.line = line_;
  record.has_quotes = quote_ < stop;
  const char* text_end = stop > begin_ && stop[-1] == '\r' ? stop - 1 : stop;
  record.text = {begin_, static_cast<std::size_t>(text_end - begin_)};
  if (record.has_quotes) {
    line_ += static_cast<std::size_t>(std::count(begin_, stop, '\n'));
    quote_ = find_char(stop, end_, '"');
  }
  ++line_;
  begin_ = stop == end_ ? end_ : stop + 1;
}

// Where the record at begin_ ends: its line feed, or end_ if it is the last one. Null: not in this
// block.
const char* Records::find_end() {
  const char* stop = find_char(begin_, end_, '\n');
  if (quote_ < stop) return find_end_past_quotes();
  return stop == end_ && !finished_ ? nullptr : stop;
}

// The same when a quote may hide line feeds. A quote counts only at the start of a field.
const char* Records::find_end_past_quotes() {
  bool field_starts = true;
  std::size_t field = 1;
  for (const char* at = begin_; at < end_;) {
    if (field_starts && *at == '"') {
      ++at;
      for (;;) {
        at = find_char(at, end_, '"');
        if (at == end_) {
          if (finished_) throw_open_quote(field);
          return nullptr;
        }
        if (at + 1 == end_ && !finished_) return nullptr;  // perhaps the first of two
        if (at + 1 == end_ || at[1] != '"') break;
        at += 2;
      }
      ++at;
      field_starts = false;
      continue;
    }
    if (*at == '\n') return at;
    field_starts = *at == delimiter_ || (delimiter_ == ' ' && *at == '\t');
    if (field_starts) ++field;
    ++at;
  }
  return finished_ ? end_ : nullptr;
}

void Records::throw_open_quote(std::size_t field) const {
  throw DataError(
      text::concat(label_, ":", line_, ":", field,
                   ": the quote that opens this field is never closed; add one or double it"));
}

bool Fields::next_quoted() {
  quoted_ = true;
  std::size_t at = 1;
  for (;;) {  // Records has made sure that there is a closing quote
    at = rest_.find('"', at);
    if (at == std::string_view::npos || at + 1 >= rest_.size() || rest_[at + 1] != '"') break;
    at += 2;
  }
  if (at == std::string_view::npos) {
    malformed_ = done_ = true;
    field_ = rest_;
    quoted_ = false;
    return true;
  }
  field_ = rest_.substr(1, at - 1);
  rest_.remove_prefix(at + 1);
  done_ = rest_.empty();
  if (done_) return true;
  if (rest_[0] != delimiter_ && !(delimiter_ == ' ' && rest_[0] == '\t')) malformed_ = done_ = true;
  rest_.remove_prefix(1);
  return true;
}

void Fields::trim_spaces() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
  rest_.remove_suffix(rest_.size() - (rest_.find_last_not_of(kBlanks) + 1));
}

std::string_view Fields::text(std::string& scratch) const {
  if (!quoted_ || field_.find('"') == std::string_view::npos) return field_;
  scratch.clear();
  for (std::size_t i = 0; i < field_.size(); ++i) {
    scratch += field_[i];
    if (field_[i] == '"') ++i;  // doubled
  }
  return scratch;
}

}  // namespace bootfold::data
