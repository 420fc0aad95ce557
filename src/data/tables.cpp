// Files as a row of tables.
#include "bootfold/tables.h"

#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "data/binary_file.h"
#include "data/csv.h"
#include "data/csv_reader.h"
#include "data/file_state.h"
#include "data/format.h"
#include "data/load.h"
#include "data/parquet.h"
#include "data/same_columns.h"
#include "data/sieve.h"
#include "data/where.h"

namespace bootfold::data {

/// One file.
class FileTables {
 public:
  virtual ~FileTables() = default;
  [[nodiscard]] virtual const std::vector<std::string>& names() const noexcept = 0;
  [[nodiscard]] virtual const std::vector<Type>& types() const noexcept = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> rows() const noexcept = 0;
  [[nodiscard]] virtual std::string note() const { return {}; }
  [[nodiscard]] virtual std::unique_ptr<TablePass> open(
      std::optional<std::uint64_t> rows_before) const = 0;
};

namespace {

class CsvTables final : public FileTables {
 public:
  CsvTables(std::string path, std::optional<char> usual, const ReadOptions& options,
            const Where& where, std::size_t chunk_bytes)
      : path_(std::move(path)),
        usual_(usual),
        options_(options),
        where_(where),
        state_(state_of(path_)) {
    const CsvReader reader(path_, usual_, options_, where_, std::nullopt);
    names_ = reader.names();
    note_ = reader.note();
    types_.assign(names_.size(), Type::float64);
    table_rows_ = std::max<std::size_t>(1, chunk_bytes / (sizeof(double) * names_.size()));
  }

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return names_; }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return types_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override { return std::nullopt; }
  [[nodiscard]] std::string note() const override { return note_; }
  [[nodiscard]] std::unique_ptr<TablePass> open(
      std::optional<std::uint64_t> rows_before) const override {
    return std::make_unique<CsvTablePass>(*this, rows_before);
  }

 private:
  class CsvTablePass final : public TablePass {
   public:
    CsvTablePass(const CsvTables& file, std::optional<std::uint64_t> rows_before)
        : file_(file), reader_(file.path_, file.usual_, file.options_, file.where_, rows_before) {
      check_file();
    }

    std::optional<Table> next() override {
      if (done_) return std::nullopt;
      done_ = !reader_.fill(file_.table_rows_);
      Table table = reader_.take_table();
      if (done_) {
        reader_.check_any_rows();
        reader_.check_first_line();
        check_file();
      }
      return table;
    }

   private:
    void check_file() const { check_unchanged(file_.state_, state_of(file_.path_), file_.path_); }

    const CsvTables& file_;
    CsvReader reader_;
    bool done_ = false;
  };

  std::string path_;
  std::optional<char> usual_;
  ReadOptions options_;
  Where where_;
  FileState state_;
  std::vector<std::string> names_;
  std::vector<Type> types_;
  std::string note_;
  std::size_t table_rows_ = 1;
};

class ColumnFileTables final : public FileTables {
 public:
  ColumnFileTables(std::shared_ptr<const ColumnFile> file, const Where& where, NanPolicy nan)
      : file_(std::move(file)), where_(where), nan_(nan) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    return file_->names();
  }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return file_->types(); }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    if (!where_.empty() || nan_ == NanPolicy::omit) return std::nullopt;
    return file_->rows();
  }
  [[nodiscard]] std::unique_ptr<TablePass> open(
      std::optional<std::uint64_t> rows_before) const override {
    return std::make_unique<ColumnTablePass>(*this, rows_before);
  }

 private:
  class ColumnTablePass final : public TablePass {
   public:
    ColumnTablePass(const ColumnFileTables& file, std::optional<std::uint64_t> rows_before)
        : tables_(file.file_, file.where_, file.nan_, rows_before) {}
    std::optional<Table> next() override {
      if (tables_.add_batch()) return tables_.take();
      tables_.check_any_rows();
      return std::nullopt;
    }

   private:
    ColumnTables tables_;
  };

  std::shared_ptr<const ColumnFile> file_;
  Where where_;
  NanPolicy nan_;
};

/// What can be read once only is kept in memory.
class HeldTables final : public FileTables {
 public:
  explicit HeldTables(Table table)
      : table_(std::move(table)), types_(table_.names().size(), Type::float64) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override {
    return table_.names();
  }
  [[nodiscard]] const std::vector<Type>& types() const noexcept override { return types_; }
  [[nodiscard]] std::optional<std::uint64_t> rows() const noexcept override {
    return table_.view().rows();
  }
  [[nodiscard]] std::string note() const override { return table_.note(); }
  [[nodiscard]] std::unique_ptr<TablePass> open(std::optional<std::uint64_t>) const override {
    return std::make_unique<HeldPass>(table_);
  }

 private:
  class HeldPass final : public TablePass {
   public:
    explicit HeldPass(const Table& table) : table_(table) {}
    std::optional<Table> next() override { return std::exchange(table_, std::nullopt); }

   private:
    std::optional<Table> table_;
  };

  Table table_;
  std::vector<Type> types_;
};

std::unique_ptr<const FileTables> open_tables(const std::string& path, const ReadOptions& options,
                                              const Where& where, std::size_t chunk_bytes) {
  const Format format = find_format(path, options);
  if (read_once(path)) return std::make_unique<HeldTables>(read(path, options));
  switch (format) {
    case Format::npy:
      return std::make_unique<ColumnFileTables>(npy_columns(path, options, where, chunk_bytes),
                                                where, options.nan);
    case Format::parquet:
      return std::make_unique<ColumnFileTables>(open_parquet(path, options, where, chunk_bytes),
                                                where, options.nan);
    case Format::tsv:
      return std::make_unique<CsvTables>(path, '\t', options, where, chunk_bytes);
    default:
      return std::make_unique<CsvTables>(path, std::nullopt, options, where, chunk_bytes);
  }
}

}  // namespace

struct Tables::State {
  std::vector<std::string> paths;
  std::vector<std::unique_ptr<const FileTables>> files;
  std::string note;
};

namespace {

class FilesPass final : public TablePass {
 public:
  explicit FilesPass(std::shared_ptr<const Tables::State> state) : state_(std::move(state)) {}

  std::optional<Table> next() override {
    for (; file_ < state_->files.size(); ++file_, pass_.reset()) {
      if (!pass_)
        pass_ = state_->files[file_]->open(
            state_->files.size() > 1 ? std::optional(rows_ + omitted_ + filtered_) : std::nullopt);
      std::optional<Table> table = pass_->next();
      if (!table) continue;
      rows_ += table->view().rows();
      omitted_ += table->omitted();
      filtered_ += table->filtered();
      return table;
    }
    if (rows_ == 0)
      throw DataError(no_rows_left(name_of_all(state_->paths[0], state_->paths.size()), omitted_,
                                   filtered_, false));
    return std::nullopt;
  }

 private:
  std::shared_ptr<const Tables::State> state_;
  std::size_t file_ = 0;
  std::unique_ptr<TablePass> pass_;
  std::uint64_t rows_ = 0;
  std::uint64_t omitted_ = 0;
  std::uint64_t filtered_ = 0;
};

}  // namespace

Tables::Tables(const std::vector<std::string>& paths, const ReadOptions& options,
               std::size_t chunk_bytes) {
  if (chunk_bytes == 0) throw InvalidArgument("chunk_bytes is 0 but must be at least 1");
  auto state = std::make_shared<State>();
  const Where where = options.where.empty() ? Where() : Where(options.where);
  state->paths = expand(paths);
  if (state->paths.empty()) throw InvalidArgument("there is no file to read; name at least one");
  for (const std::string& path : state->paths) {
    state->files.push_back(open_tables(path, options, where, chunk_bytes));
    const FileTables& first = *state->files.front();
    const FileTables& file = *state->files.back();
    check_same_names(state->paths[0], first.names(), path, file.names());
    check_same_types(state->paths[0], first.types(), path, file.types(), file.names());
    if (state->note.empty()) state->note = file.note();
  }
  state_ = std::move(state);
}

Tables::~Tables() = default;
Tables::Tables(Tables&&) noexcept = default;
Tables& Tables::operator=(Tables&&) noexcept = default;

const std::vector<std::string>& Tables::names() const noexcept { return state_->files[0]->names(); }

std::optional<std::uint64_t> Tables::rows() const noexcept {
  std::uint64_t all = 0;
  for (const auto& file : state_->files) {
    const std::optional<std::uint64_t> rows = file->rows();
    if (!rows) return std::nullopt;
    all += *rows;
  }
  return all;
}

const std::string& Tables::note() const noexcept { return state_->note; }

std::unique_ptr<TablePass> Tables::open() const { return std::make_unique<FilesPass>(state_); }

}  // namespace bootfold::data
