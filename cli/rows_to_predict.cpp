#include "rows_to_predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "arguments.h"
#include "bootfold/ensemble/range.h"
#include "bootfold/error.h"
#include "text.h"

namespace bootfold::cli {

namespace {

std::string quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kListedNames = 20;
  const std::size_t shown = std::min(names.size(), kListedNames);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", one_line(names[i]));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

// The names of all columns; none of standard input, which is read once.
std::vector<std::string> all_names(const ExampleArguments& arguments) {
  const std::vector<std::string>& files = arguments.files;
  std::error_code ignored;
  for (const std::string& file : files)
    if (!std::filesystem::is_regular_file(file, ignored)) return {};
  try {
    data::ReadOptions options = read_options(arguments);
    options.where.clear();
    options.all_but = std::vector<std::string>();
    return data::Tables(files, options).names();
  } catch (const std::exception&) {
    return {};
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Throws if several inputs are not there: the message of the first names that one alone.
void check_missing(const ExampleArguments& arguments, const std::vector<std::string>& inputs) {
  const std::vector<std::string> names = all_names(arguments);
  if (names.empty()) return;
  std::vector<std::string> missing;
  for (const std::string& input : inputs) {
    if (contains(names, input)) continue;
    try {  // it may be computed
      data::ReadOptions options = read_options(arguments);
      options.where.clear();
      options.columns = {input};
      if (data::Tables(arguments.files, options).names() == std::vector{input}) continue;
    } catch (const std::exception&) {
    }
    missing.push_back(input);
  }
  if (missing.size() > 1)
    throw InvalidArgument(fmt::format("{} has no columns {}, which the model needs; it has {}",
                                      file_words(arguments), quoted(missing), quoted(names)));
}

// The columns of the file that a model does not know. None if inputs are computed from columns.
std::vector<std::string> unknown_names(const ExampleArguments& arguments,
                                       const ensemble::Ensemble::Frame& frame) {
  const std::vector<std::string> names = all_names(arguments);
  for (const std::string& input : frame.inputs)
    if (!contains(names, input)) return {};
  const std::vector<std::string> kept = split_list(arguments.kept);
  const bool classes = ensemble::has_classes(frame.loss);
  std::vector<std::string> unknown;
  for (const std::string& name : names)
    if (!contains(frame.inputs, name) && !contains(kept, name) &&
        !(classes ? name == frame.target : contains(frame.classes, name)))
      unknown.push_back(name);
  return unknown;
}

// The place in the file, from 1, of a complete row of a table.
std::size_t row_in_file(const data::Table& table, std::size_t before, std::size_t row) {
  for (const std::size_t omitted : table.omitted_rows())
    if (omitted <= row) ++row;
  return before + row + 1;
}

}  // namespace

RowsToPredict::RowsToPredict(const ExampleArguments& arguments,
                             const ensemble::Ensemble::Frame& frame, std::size_t table_bytes)
    : tables_([&] {
        data::ReadOptions options = read_options(arguments);
        options.columns = frame.inputs;
        options.codes = codes_of(arguments, frame);
        options.texts = split_list(arguments.kept);
        try {
          return data::Tables(arguments.files, options, table_bytes);
        } catch (const InvalidArgument&) {
          check_missing(arguments, frame.inputs);
          throw;
        }
      }()) {
  check_inputs(arguments, frame.inputs, tables_.names());
  if (const std::vector<std::string> unknown = unknown_names(arguments, frame); !unknown.empty())
    note_ = fmt::format("{} {} not used, because the model does not know {}", quoted(unknown),
                        unknown.size() == 1 ? "is" : "are",
                        unknown.size() == 1 ? "this column" : "these columns");
  const std::size_t kept = split_list(arguments.kept).size();
  const std::unique_ptr<data::TablePass> pass = tables_.open();
  while (const std::optional<data::Table> table = pass->next()) {
    for (std::size_t c = kept_.size(); c < kept; ++c) kept_.push_back(table->texts(c).column());
    for (const std::size_t row : table->omitted_rows())
      if (first_omitted_.size() < kListed) first_omitted_.push_back(rows_ + row);
    if (const auto far = ensemble::find_far_value(frame, table->view()))
      throw DataError(fmt::format("{}: row {}, column {}: {}", file_words(arguments),
                                  row_in_file(*table, rows_, far->row),
                                  one_line(frame.inputs[far->column]), far_value_words(*far)));
    rows_ += table->view().rows() + table->omitted();
    omitted_ += table->omitted();
    filtered_ += table->filtered();
  }
}

}  // namespace bootfold::cli
