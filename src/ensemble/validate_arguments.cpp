#include "ensemble/validate_arguments.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "ensemble/training/training_context.h"
#include "resample/rows.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::ensemble {

namespace {

/// Throws "name is value but must be rule" unless `good`.
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
          "above 0, such as 0.001");
  require(not_negative(settings.weight_decay), "weight_decay", settings.weight_decay, "0 or more");
  require(settings.momentum >= 0 && settings.momentum < 1, "momentum", settings.momentum,
          "at least 0 and below 1, such as 0.9");
  require(settings.beta2 >= 0 && settings.beta2 < 1, "beta2", settings.beta2,
          "at least 0 and below 1, such as 0.999");
  require(positive(settings.epsilon), "epsilon", settings.epsilon, "above 0, such as 1e-8");
  require(not_negative(settings.clip), "clip", settings.clip, "0 or more; 0 means no clipping");
  require(settings.warmup >= 0 && settings.warmup < 1, "warmup", settings.warmup,
          "a share of the steps, at least 0 and below 1, such as 0.05");
  require(settings.dropout >= 0 && settings.dropout <= 0.99, "dropout", settings.dropout,
          "from 0 to 0.99, such as 0.1");
  require(settings.average >= 0 && settings.average < 1, "average", settings.average,
          "at least 0 and below 1, such as 0.999; 0 means no average");
  if (training.resampling == Resampling::subsample)
    require(settings.subsample > 0 && settings.subsample <= 1, "subsample", settings.subsample,
            "a share of the rows, above 0 and at most 1");
  const std::size_t member_rows = member_row_count(training, settings, rows);
  if (settings.batch_size > member_rows)
    throw InvalidArgument(text::concat("batch_size is ", settings.batch_size, " but members have ",
                                       member_rows,
                                       " rows; use at most that many, or 0 for all of them"));
}

void check_lengths(const Examples& examples) {
  const std::size_t rows = examples.rows();
  if (examples.source != nullptr && examples.inputs.columns() > 0)
    throw InvalidArgument("inputs and a source of inputs are given; give one of the two");
  if (examples.columns() == 0) throw InvalidArgument("there are no input columns");
  if (examples.encoding != nullptr && !examples.encoding->empty() &&
      examples.encoding->inputs.size() != examples.columns())
    throw InvalidArgument(text::concat("the encoding is of ", examples.encoding->inputs.size(),
                                       " inputs but there are ", examples.columns(),
                                       "; learn it from these columns"));
  if (rows < 2)
    throw DataError(text::concat("there are ", rows, " rows but training needs at least 2"));
  if (rows > resample::kMostGatherRows)
    throw InvalidArgument(text::concat("there are ", rows, " rows but training supports at most ",
                                       resample::kMostGatherRows, " can be learned from"));
  check_rows(examples);
}

void check_targets(const Examples& examples, const Training& training) {
  const bool numbers = examples.targets.columns() > 0;
  if ((examples.classes != nullptr) == numbers)
    throw InvalidArgument("exactly one of classes and targets must be given");
  if (training.loss && (*training.loss == Loss::cross_entropy) == numbers)
    throw InvalidArgument(text::concat(
        "loss is ", name(*training.loss), " but the targets are ",
        numbers ? "numbers; use squared_error or gaussian" : "classes; use cross_entropy"));
  if (!numbers) {
    if (examples.classes->size() < 2)
      throw DataError(text::concat("the target has only one class, '",
                                   examples.classes->size() == 1 ? examples.classes->names[0] : "",
                                   "'; at least 2 are needed"));
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

/// Settings with defaults in place of values without effect: equal ones train the same members.
Settings in_effect(Settings settings, const Training& training, std::size_t rows) {
  const Settings usual;
  if (settings.batch_size == 0) settings.batch_size = member_row_count(training, settings, rows);
  if (training.resampling != Resampling::subsample) settings.subsample = usual.subsample;
  if (settings.architecture.hidden.empty()) {
    settings.architecture.activation = usual.architecture.activation;
    settings.architecture.layer_norm = usual.architecture.layer_norm;
    settings.dropout = usual.dropout;
  }
  if (std::ranges::adjacent_find(settings.architecture.hidden) ==
      settings.architecture.hidden.end())  // no layer is as wide as the one before
    settings.architecture.residual = usual.architecture.residual;
  if (settings.optimizer == Optimizer::sgd) {
    settings.beta2 = usual.beta2;
    settings.epsilon = usual.epsilon;
  }
  if (settings.optimizer == Optimizer::adamw && settings.weight_decay == 0)
    settings.optimizer = Optimizer::adam;
  return settings;
}

/// Throws if two settings of a sweep would train the same networks.
void check_different(const Training& training, std::size_t rows) {
  std::vector<Settings> seen;
  for (const Settings& settings : training.settings) {
    const Settings own = in_effect(settings, training, rows);
    const auto same = std::ranges::find(seen, own);
    if (same != seen.end()) {
      const auto first = static_cast<std::size_t>(same - seen.begin());
      throw InvalidArgument(text::concat(
          "settings ", first, " and ", seen.size(),
          training.settings[first] == settings ? " are equal"
                                               : " differ only in values without effect",
          ", so with one seed they would train the same networks twice; remove one of them, and "
          "increase members to train more networks"));
    }
    seen.push_back(own);
  }
}

}  // namespace

void check_rows(const Examples& examples) {
  const std::size_t rows = examples.rows();
  if (rows == 0) throw DataError("there are no rows; at least 1 is needed");
  const auto same = [&](const char* what, std::size_t found) {
    if (found != rows)
      throw InvalidArgument(text::concat("there are ", rows, " rows of inputs but ", found, " of ",
                                         what, "; the numbers must be equal"));
  };
  if (examples.classes != nullptr) same("classes", examples.classes->rows());
  if (examples.targets.columns() > 0) same("targets", examples.targets.rows());
  if (examples.weights) same("weights", examples.weights->rows());
}

void check_columns(const Ensemble::Frame& frame, std::size_t columns) {
  if (columns != frame.inputs.size())
    throw InvalidArgument(text::concat("the rows have ", columns,
                                       " columns but the ensemble was trained on ",
                                       frame.inputs.size(), "; give the same columns"));
}

void check_row_memory(const Examples& examples, std::size_t memory) {
  if (examples.source == nullptr) return;
  const std::size_t inputs = examples.encoding == nullptr
                                 ? examples.columns()
                                 : examples.encoding->columns(examples.columns());
  const std::size_t columns =
      inputs + std::max<std::size_t>(1, examples.targets.columns()) + (examples.weights ? 1 : 0);
  const std::size_t needed = bytes_of_rows(examples.rows(), columns);
  const std::size_t limit = row_memory_limit(memory);
  if (needed > limit)
    throw InvalidArgument(text::concat(
        text::grouped(examples.rows()), " rows of ", columns, " columns take ",
        text::bytes(static_cast<double>(needed)), " as float32 but the memory limit is ",
        text::bytes(static_cast<double>(limit)),
        "; choose fewer columns or rows, or raise the memory limit"));
}

void check_in_memory(const Examples& examples, const char* what) {
  if (examples.source != nullptr)
    throw InvalidArgument(text::concat(
        what,
        " needs the inputs in memory but they are those of a source; data::load() reads them"));
}

void check_training(const Examples& examples, const Training& training) {
  check_lengths(examples);
  check_targets(examples, training);
  require(training.members > 0, "members", training.members, "at least 1");
  if (training.settings.empty())
    throw InvalidArgument("there are no settings; at least one is needed");
  if (training.steps == 0) require(positive(training.epochs), "epochs", training.epochs, "above 0");
  require(training.stopping.patience == 0 || positive(training.stopping.look_every), "look_every",
          training.stopping.look_every, "above 0 epochs");
  if (training.stopping.patience > 0 && training.validation == nullptr &&
      (training.resampling == Resampling::none || training.resampling == Resampling::bayesian))
    throw InvalidArgument(
        text::concat("patience is ", training.stopping.patience, " but with resampling ",
                     name(training.resampling),
                     " members are trained on all rows, so none are left for validation; give "
                     "validation rows, or use resampling bootstrap or subsample"));
  if (training.share && (training.start != nullptr || training.keep_optimizer))
    throw InvalidArgument(
        "members that share weights cannot go on from an earlier training; train without share, or "
        "train a new ensemble");
  for (const Settings& settings : training.settings)
    check_settings(settings, training, examples.rows());
  check_different(training, examples.rows());
}

void check_weights(const Prediction& prediction, const std::optional<ColumnView>& weights) {
  if (!weights) return;
  if (weights->rows() != prediction.rows)
    throw InvalidArgument(text::concat("there are ", prediction.rows, " rows of predictions but ",
                                       weights->rows(), " weights; the numbers must be equal"));
  for (std::size_t row = 0; row < weights->rows(); ++row)
    if (const double weight = (*weights)[row]; !(weight >= 0) || !std::isfinite(weight))
      throw DataError(text::concat("the weight of row ", row + 1, " is ", weight,
                                   " but must be finite and not negative"));
}

}  // namespace bootfold::ensemble
