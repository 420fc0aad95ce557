// All that a bootstrap is asked for: data, statistics, scheme and options, checked once.
//
// A Python result keeps its request, so that it can be extended, and what some intervals need can
// be found when they are first asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bootfold/bootstrap.h"
#include "call.h"
#include "columns.h"
#include "scheme.h"

namespace bootfold::python {

/// How a run is made.
struct Setting {
  std::uint64_t seed = 0;
  std::size_t memory = 0;               ///< 0: the default
  unsigned threads = 0;                 ///< 0: all cores
  double tolerance = 0;                 ///< 0: the default
  std::uint64_t nested_replicates = 0;  ///< 0: the default
  std::optional<std::string> path = std::nullopt;
  bool joint = false;               ///< statistics of all kinds on the same resamples
  double rate = Options{}.rescale;  ///< of rescaling
};

/// Weights of rows, one for each.
struct RowWeights {
  std::optional<Doubles> weights = std::nullopt;      ///< of the statistics
  std::optional<Doubles> frequencies = std::nullopt;  ///< equal rows that a row stands for
};

class Request {
 public:
  Request(Columns columns, SchemeArguments scheme, RowWeights weights, const Setting& setting);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Adds a statistic by its name ("quantile:0.9"), with the weights if there are some.
  /// `columns`: for a statistic that does not name its own; empty: all.
  void add_named(const std::string& name, const std::vector<std::string>& columns = {});
  /// Why expressions are undefined on the data, each reason once; empty if none is.
  [[nodiscard]] std::vector<std::string> undefined_reasons() const;
  /// Adds one of the user's own, which may take its time.
  void add_own(const Statistic& statistic) {
    add(statistic);
    own_ = true;
  }

  /// The rows of all columns, behind which stand the weights.
  [[nodiscard]] const DataView& data() const noexcept { return data_; }
  /// Labels of the rows of the arrays, for the rows of data().
  [[nodiscard]] std::vector<std::uint32_t> codes(const Codes& codes) const;
  [[nodiscard]] const Scheme& scheme() const noexcept { return scheme_; }
  [[nodiscard]] const std::vector<Statistic>& statistics() const noexcept { return statistics_; }
  [[nodiscard]] Options options(std::uint64_t replicates, std::uint64_t first = 0) const;

  /// File of the checkpoint of a run; empty: none.
  void set_checkpoint(std::string path) { checkpoint_ = std::move(path); }
  [[nodiscard]] const std::string& checkpoint() const noexcept { return checkpoint_; }

  /// How many values a replicate has.
  [[nodiscard]] std::size_t outputs() const;
  /// Has every column its own values, one for each statistic?
  [[nodiscard]] bool by_column() const;
  /// Which values see one of the marked columns; the weights are not among these.
  [[nodiscard]] std::vector<bool> outputs_of(const std::vector<bool>& columns) const;

  /// How to call the engine for so many replicates.
  [[nodiscard]] Call call(std::uint64_t replicates, nb::object progress) const;

 private:
  void add(const Statistic& statistic);

  Columns columns_;
  SchemeArguments scheme_arguments_;
  RowWeights weights_;
  Setting setting_;
  std::optional<data::Repeated> repeated_;
  WrittenCodes codes_;  // if rows are repeated
  DataView data_;
  Scheme scheme_;
  std::vector<Statistic> statistics_;
  std::vector<std::string> expressions_;  // texts of those that are
  bool own_ = false;
  std::string checkpoint_;
};

}  // namespace bootfold::python
