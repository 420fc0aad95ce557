// cli/scheme.h: --scheme and the options that belong to it, and the columns of weights.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/repeated.h"
#include "bootfold/scheme.h"

namespace bootfold::cli {

/// As typed.
struct SchemeArguments {
  std::string scheme;
  std::string size;
  std::string rescale;
  std::string strata;   // one column, or several separated by commas
  std::string cluster;  // also several
  bool two_stage = false;
  std::string block_length;
  std::string weights;
  std::string frequencies;
  std::string probabilities;
};

void add_scheme_arguments(CLI::App& command, SchemeArguments& arguments);

/// The combinations of all labels of a table, of which `count` columns were read.
[[nodiscard]] data::Labels all_labels(const data::Table& table, std::size_t count);

/// What was meant: which columns it takes to make a scheme, and the scheme.
class SchemeRequest {
 public:
  SchemeRequest() = default;
  /// Throws InvalidArgument for options that do not go together.
  explicit SchemeRequest(const SchemeArguments& arguments);

  /// Asks for the columns of labels, weights, frequencies and probabilities, which come behind
  /// those of the statistic.
  void extend(data::ReadOptions& options) const;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }

  /// Whether --weights names a column, so that the statistics are weighted.
  [[nodiscard]] bool weighted() const noexcept { return !weights_.empty(); }

  /// Whether --strata, or --cluster without --two-stage, is all that it takes columns for: pieces
  /// of the rows can then be added up by themselves (bootfold/shards.h).
  [[nodiscard]] bool has_strata_alone() const noexcept {
    return has_labels_alone() && std::holds_alternative<scheme::Stratified>(without_data_);
  }
  [[nodiscard]] bool has_clusters_alone() const noexcept {
    const auto* cluster = std::get_if<scheme::Cluster>(&without_data_);
    return has_labels_alone() && cluster != nullptr && !cluster->two_stage;
  }

  /// Whether --frequencies names a column, so that rows are written out.
  [[nodiscard]] bool repeated() const noexcept { return !frequencies_.empty(); }

  /// Whether it takes columns beside those of the statistic.
  [[nodiscard]] bool has_columns() const noexcept {
    return weighted() || repeated() || !strata_.empty() || !clusters_.empty() ||
           !probabilities_.empty();
  }

  /// The scheme with empty labels and probabilities: enough to check what does not go with it.
  [[nodiscard]] const Scheme& without_data() const noexcept { return without_data_; }

  /// Whether formulas give the standard errors of resamples, for statistics that have one.
  [[nodiscard]] bool one_by_one() const noexcept { return facts_.formula && facts_.studentized; }

  /// Whether rows are drawn together with others, so that none has a weight of its own, which ABC
  /// intervals need.
  [[nodiscard]] bool together() const noexcept { return facts_.together; }

  /// Whether there are no resamples: one row, or one cluster, is left out at a time.
  [[nodiscard]] bool jackknife() const noexcept { return facts_.deletes; }

  /// The table as a scheme and the statistic see it. Refers to the table, and to itself.
  class View {
   public:
    View(const SchemeRequest& request, const data::Table& table);
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    [[nodiscard]] const Scheme& scheme() const noexcept { return scheme_; }
    /// The columns of the statistic, then that of the weights; rows are written out as often as
    /// --frequencies says.
    [[nodiscard]] const DataView& data() const noexcept { return data_; }
    /// Names of the columns of the statistic.
    [[nodiscard]] const std::vector<std::string>& columns() const noexcept { return columns_; }
    /// Labels of the table for the rows of data().
    [[nodiscard]] data::Labels labels(const data::Labels& of_table) const;

   private:
    /// Throws InvalidArgument, which names the cluster, if one has rows in several strata.
    static void check_clusters(const SchemeRequest& request, const data::Table& table);

    std::vector<std::string> columns_;
    std::vector<double> probabilities_;
    data::Labels strata_;  // of several columns, or of rows that are written out
    data::Labels clusters_;
    std::optional<data::Repeated> repeated_;
    DataView data_;
    Scheme scheme_;
  };

 private:
  [[nodiscard]] bool has_labels_alone() const noexcept {
    return strata_.empty() != clusters_.empty() && !weighted() && !repeated() &&
           probabilities_.empty();
  }

  scheme::Spec spec_;  // with labels and probabilities that are not read yet
  std::string name_ = "iid";
  Scheme without_data_;
  scheme::Facts facts_;
  std::vector<std::string> strata_;  // columns
  std::vector<std::string> clusters_;
  std::string weights_;
  std::string frequencies_;
  std::string probabilities_;
};

}  // namespace bootfold::cli
