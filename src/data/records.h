// data/records.h: delimited text, record by record.
//
// The file is read in blocks. A record is handed out as a piece of the block, so nothing is copied
// on the way to the number parser; only the unfinished record at the end of a block moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bootfold::data {

class TextInput;

/// What a space stands for as delimiter.
inline constexpr std::string_view kBlanks = " \t";

/// One record: a line, or several when a quoted field holds line ends. Valid until the next one.
struct Record {
  std::string_view text;  // without its line end
  std::size_t line = 0;   // where it starts, from 1
  bool has_quotes = false;

  [[nodiscard]] bool is_blank() const { return text.find_first_not_of(' ') == text.npos; }
};

/// Reads plain or gzip text; a UTF-8 byte order mark is skipped.
class Records {
 public:
  /// `path` "-" is standard input. `label` names the file in messages. Throws DataError.
  Records(const std::string& path, std::string label);
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// Returns false at the end of the file. Throws DataError if the file cannot be read, gzip data
  /// are damaged, a quote is never closed or a record exceeds kLongestRecord.
  bool next(Record& record);

  /// What was read of the file before the first call of next(): up to kBlock bytes.
  [[nodiscard]] std::string_view start() const noexcept {
    return {begin_, static_cast<std::size_t>(end_ - begin_)};
  }
  /// Whether start() is the whole file.
  [[nodiscard]] bool start_is_all() const noexcept { return finished_; }
  /// Shows the records that follow and are in memory, until `see` returns false. next() starts
  /// where it would have without.
  template <class See>
  void peek(See&& see);
  /// `tell` is called with the bytes of the file that were read, for every block.
  void watch(std::function<void(std::uint64_t)> tell) { tell_ = std::move(tell); }
  /// Before the first call of next().
  void set_delimiter(char delimiter) noexcept { delimiter_ = delimiter; }

  static constexpr std::size_t kBlock = std::size_t{1} << 18;
  static constexpr std::size_t kLongestRecord = std::size_t{1} << 26;

 private:
  void refill();
  void hand_out(const char* stop, Record& record);
  [[nodiscard]] std::size_t read_block(char* out, std::size_t room, std::size_t left);
  const char* find_end();
  const char* find_end_past_quotes();
  [[noreturn]] void throw_open_quote(std::size_t field) const;

  std::string label_;
  char delimiter_ = ',';
  std::unique_ptr<TextInput> input_;
  std::vector<char> block_;
  const char* begin_ = nullptr;  // of what is left in block_
  const char* end_ = nullptr;
  const char* quote_ = nullptr;  // the first quote at or after begin_, or end_
  std::size_t line_ = 1;
  std::function<void(std::uint64_t)> tell_;
  bool finished_ = false;  // the file has no more bytes than those in block_
};

template <class See>
void Records::peek(See&& see) {
  const char* const begin = begin_;
  const char* const quote = quote_;
  const std::size_t line = line_;
  Record record;
  for (const char* stop = find_end(); stop != nullptr && begin_ != end_; stop = find_end()) {
    hand_out(stop, record);
    if (!see(static_cast<const Record&>(record))) break;
  }
  begin_ = begin;
  quote_ = quote;
  line_ = line;
}

/// Splits a record into fields. With a space as delimiter, a run of spaces and tabs counts once,
/// and not at the ends of the record.
///
///     for (Fields fields(record, ','); fields.next();) use(fields.index(), fields.text(scratch));
class Fields {
 public:
  Fields(const Record& record, char delimiter)
      : rest_(record.text),
        delimiter_(delimiter),
        special_(record.has_quotes || delimiter == ' ') {}

  /// Moves to the next field. Returns false after the last.
  bool next();
  /// From 0.
  [[nodiscard]] std::size_t index() const noexcept { return count_ - 1; }
  /// Number of fields so far.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// The field without its quotes; `scratch` holds it if it had doubled quotes inside.
  [[nodiscard]] std::string_view text(std::string& scratch) const;
  /// The field stands in quotes.
  [[nodiscard]] bool quoted() const noexcept { return quoted_; }
  /// A closing quote is followed by something other than a delimiter.
  [[nodiscard]] bool malformed() const noexcept { return malformed_; }

 private:
  bool next_quoted();
  void trim_spaces();

  std::string_view rest_;
  std::string_view field_;
  std::size_t count_ = 0;
  char delimiter_;
  bool special_;  // there may be quotes, or runs of spaces to skip
  bool quoted_ = false;
  bool malformed_ = false;
  bool done_ = false;
};

inline bool Fields::next() {
  if (done_) return false;
  ++count_;
  if (special_) {
    if (delimiter_ == ' ') trim_spaces();
    if (!rest_.empty() && rest_[0] == '"') return next_quoted();
  }
  quoted_ = false;
  const std::size_t size =
      delimiter_ == ' ' ? rest_.find_first_of(kBlanks) : rest_.find(delimiter_);
  field_ = rest_.substr(0, size);
  done_ = size == std::string_view::npos;
  if (!done_) rest_.remove_prefix(size + 1);
  return true;
}

}  // namespace bootfold::data
