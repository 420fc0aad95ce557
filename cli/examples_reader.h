// cli/examples_reader.h: reads the rows of a file as examples: input columns and target columns.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/ensemble/ensemble.h"
#include "dialect.h"
#include "target_arguments.h"

namespace bootfold::cli {

/// As typed.
struct ExampleArguments {
  std::vector<std::string> files;
  std::string where;
  TargetArguments targets;
  std::vector<std::string> inputs;
  std::vector<std::string> ignored;
  std::string weights;
  std::vector<std::string> kept;
  std::string class_weights = "none";
  std::vector<std::string> categorical;
  std::vector<std::string> dates;
  std::string levels = "32";
  std::string bins = "auto";
  std::string bin_edges = "auto";
  std::string winsorize = "auto";
  std::string periodic = "0";
  std::string periodic_scale = "0.3";
  std::string nan;  ///< empty: as the model does
  std::string header = "auto";
  DialectArguments dialect;
};

void add_example_arguments(CLI::App& command, ExampleArguments& arguments);
/// Only FILE, --nan and --where under a heading of the help page, --header and the dialect.
void add_file_arguments(CLI::App& command, ExampleArguments& arguments, const char* group);

/// Whether rows with missing inputs are used: neither --nan error nor --nan omit. Throws
/// InvalidArgument.
[[nodiscard]] bool encodes_missing(const ExampleArguments& arguments);
/// The codes with which a model reads its inputs, which are the first columns; null if all of them
/// are plain numbers. Throws InvalidArgument.
[[nodiscard]] std::shared_ptr<data::FieldCodes> codes_of(const ExampleArguments& arguments,
                                                         const ensemble::Ensemble::Frame& frame);
/// How files are read, but for the columns. Throws InvalidArgument.
[[nodiscard]] data::ReadOptions read_options(const ExampleArguments& arguments);
/// What messages call the files.
[[nodiscard]] std::string file_words(const ExampleArguments& arguments);
/// Throws InvalidArgument unless the first columns are the inputs of a model, by their names.
void check_inputs(const ExampleArguments& arguments, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& columns);

/// Some columns of a table, with their names.
[[nodiscard]] DataView columns_of(const data::Table& table, std::size_t first, std::size_t count);
/// Throws InvalidArgument unless FILE is given.
void check_file(const ExampleArguments& arguments);

/// Rows of a file for a trained ensemble, in memory: its inputs by name, the target, and a column
/// of weights.
class ModelExamples {
 public:
  ModelExamples(const ExampleArguments& arguments, const ensemble::Ensemble::Frame& frame);

  [[nodiscard]] const DataView& inputs() const noexcept { return inputs_; }
  /// The true classes, numbered as in the ensemble.
  [[nodiscard]] const std::vector<std::uint32_t>& classes() const noexcept { return classes_; }
  [[nodiscard]] const DataView& targets() const noexcept { return targets_; }
  /// Of --weights, if it names a column.
  [[nodiscard]] const std::optional<ColumnView>& weights() const noexcept { return weights_; }
  [[nodiscard]] const data::Table& table() const noexcept { return table_; }
  [[nodiscard]] std::size_t omitted() const noexcept { return table_.omitted(); }
  /// What reading assumed about the file.
  [[nodiscard]] const std::string& note() const noexcept { return table_.note(); }

 private:
  data::Table table_;
  DataView inputs_;
  DataView targets_;
  std::optional<ColumnView> weights_;
  std::vector<std::uint32_t> classes_;
};

}  // namespace bootfold::cli
