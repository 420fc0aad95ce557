#include "rows_to_predict.h"

#include <memory>
#include <optional>

#include "arguments.h"

namespace bootfold::cli {

RowsToPredict::RowsToPredict(const ExampleArguments& arguments,
                             const ensemble::Ensemble::Frame& frame, std::size_t table_bytes)
    : tables_([&] {
        data::ReadOptions options = read_options(arguments);
        options.columns = frame.inputs;
        options.codes = codes_of(arguments, frame);
        options.texts = split_list(arguments.kept);
        return data::Tables(arguments.files, options, table_bytes);
      }()) {
  check_inputs(arguments, frame.inputs, tables_.names());
  const std::size_t kept = split_list(arguments.kept).size();
  const std::unique_ptr<data::TablePass> pass = tables_.open();
  while (const std::optional<data::Table> table = pass->next()) {
    for (std::size_t c = kept_.size(); c < kept; ++c) kept_.push_back(table->texts(c).column());
    for (const std::size_t row : table->omitted_rows())
      if (first_omitted_.size() < kListed) first_omitted_.push_back(rows_ + row);
    rows_ += table->view().rows() + table->omitted();
    omitted_ += table->omitted();
    filtered_ += table->filtered();
  }
}

}  // namespace bootfold::cli
