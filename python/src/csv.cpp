// Text files, read by the library with its dialects.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "bootfold/execution.h"
#include "bootfold/tables.h"
#include "call.h"
#include "modules.h"
#include "text/separator.h"

namespace bootfold::python {
namespace {

using namespace nb::literals;

template <class Number>
using Array = nb::ndarray<nb::numpy, Number, nb::ndim<1>>;

template <class Number>
Array<Number> array_of(std::vector<Number> values) {
  auto kept = std::make_unique<std::vector<Number>>(std::move(values));
  Number* const data = kept->data();
  const std::size_t size = kept->size();
  nb::capsule owner(kept.release(),
                    [](void* p) noexcept { delete static_cast<std::vector<Number>*>(p); });
  return Array<Number>(data, {size}, owner);
}

std::optional<char> separator(const std::optional<std::string>& given, const char* what) {
  if (!given) return std::nullopt;
  const std::optional<char> found = text::parse_separator(*given);
  if (!found)
    throw InvalidArgument(std::string(what) + " is '" + *given +
                          "' but must be one character, or a name such as semicolon or tab");
  return found;
}

/// How text files are written.
struct Dialect {
  std::optional<bool> header;
  std::optional<std::string> delimiter;
  std::optional<std::string> decimal;
  std::optional<std::string> thousands;  ///< "none": there is none
  std::optional<std::vector<std::string>> missing;
  std::string where;

  [[nodiscard]] data::ReadOptions options(bool omit) const {
    data::ReadOptions read;
    read.nan = omit ? data::NanPolicy::omit : data::NanPolicy::error;
    read.header = header;
    read.delimiter = separator(delimiter, "delimiter");
    read.decimal = separator(decimal, "decimal");
    if (thousands && *thousands == "none")
      read.thousands = data::kNoSeparator;
    else
      read.thousands = separator(thousands, "thousands");
    read.missing = missing;
    read.where = where;
    return read;
  }
};

/// How far a pass over files that follow each other is. Reading ends where Python wants it to.
class Reading {
 public:
  explicit Reading(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      std::error_code unknown;
      const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
      if (!unknown) total_ += static_cast<double>(bytes);
    }
  }

  /// For ReadOptions: called on the thread that reads.
  void tell(execution::Progress file) {
    if (execution_ == nullptr) return;  // the first rows, before the pass
    if (execution_->stop.stop_requested()) throw Cancelled();
    if (file.done < last_.done) before_ += last_.total;  // the next file
    last_ = file;
    done_.store(before_ + file.done, std::memory_order_relaxed);
  }

  /// What `read()` returns, meanwhile `told` is called with the bytes that were read and all bytes.
  template <class Read>
  auto run(const nb::object& told, Read&& read) {
    Call call;
    if (!told.is_none())
      call.progress = nb::cpp_function(
          [this, told](double, double) { told(std::min(done_.load(), total_), total_); });
    return without_gil(call, [&](const Execution& execution) {
      execution_ = &execution;
      if (execution.progress) execution.progress({0, total_});
      auto found = read();
      execution_ = nullptr;
      return found;
    });
  }

 private:
  const Execution* execution_ = nullptr;
  double total_ = 0;
  double before_ = 0;
  execution::Progress last_;
  std::atomic<double> done_ = 0;
};

/// A pass over columns of text files.
class CsvPass {
 public:
  CsvPass(const std::vector<std::string>& paths, const std::vector<std::string>& columns,
          const std::vector<std::string>& labels, bool omit, const Dialect& dialect,
          nb::object progress)
      : progress_(std::move(progress)),
        reading_(std::make_unique<Reading>(paths)),
        tables_([&] {
          data::ReadOptions read = dialect.options(omit);
          read.progress = [reading = reading_.get()](execution::Progress p) { reading->tell(p); };
          read.columns = columns;
          read.labels = labels;
          // Codes of labels are those of one table, so all rows are one.
          return data::Tables(
              paths, read,
              labels.empty() ? data::kChunkBytes : std::numeric_limits<std::size_t>::max());
        }()),
        labels_(labels.size()),
        pass_(tables_.open()) {}

  using Labels = std::pair<Array<std::uint32_t>, std::vector<std::string>>;
  using Rows = std::pair<std::vector<Array<double>>, std::vector<Labels>>;

  std::optional<Rows> next() {
    const std::optional<data::Table> table =
        reading_->run(progress_, [&] { return pass_->next(); });
    if (!table) return std::nullopt;
    omitted_ += table->omitted();
    Rows rows;
    for (std::size_t c = 0; c < table->view().columns(); ++c) {
      std::vector<double> values(table->view().rows());
      table->view().column(c).read(0, values);
      rows.first.push_back(array_of(std::move(values)));
    }
    for (std::size_t l = 0; l < labels_; ++l) {
      const data::Labels& labels = table->labels(l);
      rows.second.emplace_back(array_of(std::vector<std::uint32_t>(labels.codes)), labels.names);
    }
    return rows;
  }

  [[nodiscard]] std::string note() const { return in_words_of_python(tables_.note()); }

 private:
  nb::object progress_;
  std::unique_ptr<Reading> reading_;
  data::Tables tables_;
  std::size_t labels_;
  std::unique_ptr<data::TablePass> pass_;
  std::uint64_t omitted_ = 0;
};

std::vector<std::string> csv_names(const std::vector<std::string>& paths, const Dialect& dialect) {
  data::ReadOptions read = dialect.options(true);
  read.all_but = std::vector<std::string>{};
  return data::Tables(paths, read).names();
}

}  // namespace

void bind_csv(nb::module_& m) {
  nb::class_<Dialect>(m, "Dialect", "How text files are written; None: as the first rows tell.")
      .def(nb::init<std::optional<bool>, std::optional<std::string>, std::optional<std::string>,
                    std::optional<std::string>, std::optional<std::vector<std::string>>,
                    std::string>(),
           "header"_a.none(), "delimiter"_a.none(), "decimal"_a.none(), "thousands"_a.none(),
           "missing"_a.none(), "where"_a);
  nb::class_<CsvPass>(m, "CsvPass", "A pass over columns of text files.")
      .def(nb::init<const std::vector<std::string>&, const std::vector<std::string>&,
                    const std::vector<std::string>&, bool, const Dialect&, nb::object>(),
           "paths"_a, "columns"_a, "labels"_a, "omit"_a, "dialect"_a, "progress"_a = nb::none(),
           "progress: a function of the bytes that were read and all bytes.")
      .def("next", &CsvPass::next, "The next rows: arrays of numbers, and codes with labels.")
      .def_prop_ro("note", &CsvPass::note, "What the first rows told.");
  m.def("csv_names", &csv_names, "paths"_a, "dialect"_a, "The columns of text files.");
}

}  // namespace bootfold::python
