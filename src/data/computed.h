// data/computed.h: columns that are computed from others as rows are read: "log(price)".
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "data/columns.h"
#include "expression/program.h"

namespace bootfold::data {

struct Batch;

/// A column of a file that is an expression of others.
struct Computed {
  std::string name;       ///< the expression, as it was written
  std::size_t place = 0;  ///< among all chosen columns
  expression::Program program = {};
  std::vector<std::size_t> inputs = {};  ///< among the columns that conditions use
};

/// The columns of numbers that are meant: those of the file, and computed ones between them.
struct ColumnChoice {
  std::vector<std::size_t> numbers = {};  ///< positions in the file
  std::vector<Computed> computed = {};    ///< `inputs` are positions in the file here

  [[nodiscard]] std::size_t count() const noexcept { return numbers.size() + computed.size(); }
  /// Calls of_file(number) or computed(column) for each, in their order.
  template <class OfFile, class OfComputed>
  void visit(const OfFile& of_file, const OfComputed& of_computed) const {
    std::size_t next = 0;
    std::size_t number = 0;
    for (std::size_t place = 0; place < count(); ++place) {
      if (next < computed.size() && computed[next].place == place)
        of_computed(computed[next++]);
      else
        of_file(numbers[number++]);
    }
  }
};

/// Whether a name that a file does not have as a column is an expression.
[[nodiscard]] bool is_expression(const std::string& name);

/// The column that an expression computes. Throws InvalidArgument that points at the mistake, or at
/// the column that `file` does not have.
[[nodiscard]] Computed compute_column(const ColumnNames& columns, const std::string& text,
                                      const std::string& file);

/// The positions of the columns of an expression. Throws InvalidArgument that points at the one
/// that `file` does not have.
[[nodiscard]] std::vector<std::size_t> find_inputs(const ColumnNames& columns,
                                                   std::span<const expression::Column> wanted,
                                                   std::string_view what, const std::string& text,
                                                   const std::string& file);

/// The rows of some columns as inputs of expressions: numbers as doubles.
class Inputs {
 public:
  /// Refers to the batch. Only columns that `uses` names as numbers are converted.
  void read(const Batch& batch);
  [[nodiscard]] std::span<const expression::Input> all() const noexcept { return inputs_; }
  [[nodiscard]] std::vector<expression::Input> some(std::span<const std::size_t> columns) const;

 private:
  std::vector<std::vector<double>> numbers_;
  std::vector<expression::Input> inputs_;
};

/// What cannot be compared with each other.
[[nodiscard]] std::string unlike_columns(const std::string& left, const char* left_kind,
                                         const std::string& right, const char* right_kind);

/// Puts the computed columns between those of a batch. Throws InvalidArgument if text is used as
/// numbers or numbers as text.
void add_computed(std::span<const Computed> computed, const std::string& file, Batch& batch);

/// Throws InvalidArgument if a column of text is used as a number or the other way round, or
/// compared with a column of another kind.
/// `inputs`: where columns are in the condition of the batch.
void check_uses(const expression::Program& program, std::span<const std::size_t> inputs,
                const Batch& batch, std::string_view what, const std::string& text,
                const std::string& file);

}  // namespace bootfold::data
