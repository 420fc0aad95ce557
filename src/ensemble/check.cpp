#include "ensemble/check.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "ensemble/course.h"
#include "resample/rows.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

/// Throws unless `good`: "name is value but must be rule".
template <class Value>
void require(bool good, const char* name, const Value& value, const char* rule) {
  if (!good) throw InvalidArgument(text::concat(name, " is ", value, " but must be ", rule));
}

bool positive(double value) { return value > 0 && std::isfinite(value); }
bool not_negative(double value) { return value >= 0 && std::isfinite(value); }

void check_settings(const Settings& settings, const Training& training, std::size_t rows) {
  for (const std::size_t units : settings.architecture.hidden) {
    require(units > 0, "hidden", units, "at least 1 unit in each layer");
    require(units <= 65'536, "hidden", units, "at most 65536 units in each layer");
  }
  require(positive(settings.learning_rate), "learning_rate", settings.learning_rate,
          "above 0; 0.001 is usual");
  require(not_negative(settings.weight_decay), "weight_decay", settings.weight_decay, "0 or more");
  require(settings.momentum >= 0 && settings.momentum < 1, "momentum", settings.momentum,
          "from 0 to below 1; 0.9 is usual");
  require(settings.beta2 >= 0 && settings.beta2 < 1, "beta2", settings.beta2,
          "from 0 to below 1; 0.999 is usual");
  require(positive(settings.epsilon), "epsilon", settings.epsilon, "above 0; 1e-8 is usual");
  require(not_negative(settings.clip), "clip", settings.clip, "above 0, or 0 for none");
  if (training.resampling == Resampling::subsample)
    require(settings.subsample > 0 && settings.subsample <= 1, "subsample", settings.subsample,
            "a share of the rows, above 0 and at most 1");
  const std::size_t walk = rows_of(training, settings, rows);
  if (settings.batch_size > walk)
    throw InvalidArgument(text::concat("batch_size is ", settings.batch_size,
                                       " but members learn from ", walk,
                                       " rows; take at most so many, or 0 for all of them"));
}

void check_lengths(const Examples& examples) {
  const std::size_t rows = examples.inputs.rows();
  if (examples.inputs.columns() == 0) throw InvalidArgument("there are no input columns");
  if (rows < 2)
    throw DataError(
        text::concat("there are ", rows, " rows but at least 2 are needed to learn from"));
  if (rows > resample::kMostGatherRows)
    throw InvalidArgument(text::concat("there are ", rows, " rows but at most ",
                                       resample::kMostGatherRows, " can be learned from"));
  check_rows(examples);
}

void check_targets(const Examples& examples, const Training& training) {
  const bool numbers = examples.targets.columns() > 0;
  if ((examples.classes != nullptr) == numbers)
    throw InvalidArgument("give either classes or targets, one of the two");
  if (training.loss && (*training.loss == Loss::cross_entropy) == numbers)
    throw InvalidArgument(text::concat("loss is ", name(*training.loss), " but the targets are ",
                                       numbers ? "numbers; squared_error and gaussian are for those"
                                               : "classes; cross_entropy is for those"));
  if (!numbers) {
    if (examples.classes->size() < 2)
      throw DataError(text::concat("the target has one class only, '",
                                   examples.classes->size() == 1 ? examples.classes->names[0] : "",
                                   "'; there must be at least 2 to tell apart"));
    return;
  }
  for (std::size_t t = 0; t < examples.targets.columns(); ++t) {
    const ColumnView& column = examples.targets.column(t);
    bool varies = false;
    for (std::size_t row = 1; row < column.rows() && !varies; ++row)
      varies = column[row] != column[0];
    if (!varies)
      throw DataError(text::concat("target ", examples.targets.name(t), " is ", column[0],
                                   " in all rows; there is nothing to learn"));
  }
}

/// Settings without what has no effect: members are the same if these are.
Settings in_effect(Settings settings, const Training& training, std::size_t rows) {
  const Settings usual;
  if (settings.batch_size == 0) settings.batch_size = rows_of(training, settings, rows);
  if (training.resampling != Resampling::subsample) settings.subsample = usual.subsample;
  if (settings.architecture.hidden.empty())
    settings.architecture.activation = usual.architecture.activation;
  if (settings.optimizer == Optimizer::sgd) {
    settings.beta2 = usual.beta2;
    settings.epsilon = usual.epsilon;
  }
  if (settings.optimizer == Optimizer::adamw && settings.weight_decay == 0)
    settings.optimizer = Optimizer::adam;
  return settings;
}

/// Throws if two settings of a sweep would train the same networks twice.
void check_different(const Training& training, std::size_t rows) {
  std::vector<Settings> seen;
  for (const Settings& settings : training.settings) {
    const Settings own = in_effect(settings, training, rows);
    const auto same = std::ranges::find(seen, own);
    if (same != seen.end()) {
      const auto first = static_cast<std::size_t>(same - seen.begin());
      throw InvalidArgument(text::concat(
          "settings ", first, " and ", seen.size(),
          training.settings[first] == settings ? " are the same"
                                               : " differ only in what has no effect",
          ", so with one seed their members would be the same networks twice; leave one "
          "out, and ask for more members if more are wanted"));
    }
    seen.push_back(own);
  }
}

}  // namespace

void check_rows(const Examples& examples) {
  const std::size_t rows = examples.inputs.rows();
  if (rows == 0) throw DataError("there are no rows; give at least one");
  const auto same = [&](const char* what, std::size_t found) {
    if (found != rows)
      throw InvalidArgument(text::concat("there are ", rows, " rows of inputs but ", found, " of ",
                                         what, "; there must be as many"));
  };
  if (examples.classes != nullptr) same("classes", examples.classes->rows());
  if (examples.targets.columns() > 0) same("targets", examples.targets.rows());
  if (examples.weights) same("weights", examples.weights->rows());
}

void check_columns(const Ensemble::Frame& frame, const DataView& inputs) {
  if (inputs.columns() != frame.inputs.size())
    throw InvalidArgument(text::concat("the rows have ", inputs.columns(),
                                       " columns but the ensemble learned from ",
                                       frame.inputs.size(), "; give it the same columns"));
}

void check(const Examples& examples, const Training& training) {
  check_lengths(examples);
  check_targets(examples, training);
  require(training.members > 0, "members", training.members, "at least 1");
  if (training.settings.empty()) throw InvalidArgument("there are no settings to train with");
  if (training.steps == 0) require(positive(training.epochs), "epochs", training.epochs, "above 0");
  require(training.stopping.patience == 0 || positive(training.stopping.look_every), "look_every",
          training.stopping.look_every, "above 0 epochs");
  if (training.stopping.patience > 0 && training.validation == nullptr &&
      (training.resampling == Resampling::none || training.resampling == Resampling::bayesian))
    throw InvalidArgument(text::concat(
        "patience is ", training.stopping.patience, " but under resampling ",
        name(training.resampling),
        " members see every row, so none is left to look at; give validation rows, or take "
        "bootstrap or subsample, which leave some out"));
  for (const Settings& settings : training.settings)
    check_settings(settings, training, examples.inputs.rows());
  check_different(training, examples.inputs.rows());
}

void check_weights(const Prediction& prediction, const std::optional<ColumnView>& weights) {
  if (!weights) return;
  if (weights->rows() != prediction.rows)
    throw InvalidArgument(text::concat("there are ", prediction.rows, " rows of predictions but ",
                                       weights->rows(), " weights; there must be as many"));
  for (std::size_t row = 0; row < weights->rows(); ++row)
    if (const double weight = (*weights)[row]; !(weight >= 0) || !std::isfinite(weight))
      throw DataError(text::concat("the weight of row ", row + 1, " is ", weight,
                                   " but must be a number that is not negative"));
}

}  // namespace bootfold::ensemble
