#include "ensemble/validate_arguments.h"

#include <algorithm>
#include <cmath>

#include "bootfold/error.h"
#include "ensemble/column_tiles.h"
#include "ensemble/heads.h"
#include "ensemble/training/training_context.h"
#include "ensemble/transform.h"
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
          "above 0, such as 0.001, or 0 to choose by the rows");
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
                                       " rows; use at most that many, or full batches"));
}

void check_share(const Training& training) {
  if (training.start != nullptr && training.start->frame().share > 0)
    throw InvalidArgument(
        "members of the given ensemble share weights, which cannot go on; train anew");
  if (training.share == 0) return;
  const std::size_t share = training.share;
  require(share > 1, "share", share, "2 members or more, or 0 for independent members");
  const std::size_t rest = training.members % share;
  if (rest > 0)
    throw InvalidArgument(
        text::concat("members is ", training.members, " but must be a multiple of share, the ",
                     share, " members of a group that shares weights: ",
                     training.members > share ? text::concat(training.members - rest, " or ") : "",
                     training.members + share - rest));
  if (training.first_member % share > 0)
    throw InvalidArgument(text::concat("first_member is ", training.first_member,
                                       " but must be a multiple of share, ", share,
                                       ": groups of members are trained as a whole"));
  if (training.start != nullptr || training.keep_optimizer)
    throw InvalidArgument(
        text::concat("share is ", share,
                     " but members that share weights cannot go on from an earlier training; set "
                     "share to 0, or train anew"));
  for (const Settings& settings : training.settings)
    if (settings.architecture.hidden.empty())
      throw InvalidArgument(
          text::concat("share is ", share,
                       " but networks without hidden layers have no weights to share; add hidden "
                       "layers, or set share to 0"));
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
    throw DataError(
        text::concat(rows == 1 ? "there is 1 row" : text::concat("there are ", rows, " rows"),
                     " but training needs at least 2"));
  if (rows > resample::kMostGatherRows)
    throw InvalidArgument(text::concat("there are ", rows, " rows but training supports at most ",
                                       resample::kMostGatherRows, " can be learned from"));
  check_rows(examples);
}

/// Losses that a target can have beside others.
bool is_target_loss(Loss loss) {
  return !(loss == Loss::cross_entropy || loss == Loss::multi_label || loss == Loss::mixed);
}

bool is_transformed(Loss loss) {
  return loss == Loss::squared_error || loss == Loss::gaussian || loss == Loss::huber ||
         loss == Loss::pinball;
}

/// The loss of a target among others.
Loss loss_of_column(const Examples& examples, const Training& training, std::size_t target) {
  const Loss loss = loss_of_training(examples, training);
  if (loss == Loss::mixed) return training.losses[target];
  return loss == Loss::multi_label ? Loss::binary : loss;
}

TargetTransform transform_of(const Training& training, Loss loss, std::size_t target) {
  const std::vector<TargetTransform>& given = training.target_transforms;
  if (given.empty() || (given.size() == 1 && !is_transformed(loss))) return TargetTransform::none;
  return given.size() == 1 ? given[0] : given[target];
}

TargetTransform start_transform(const Training& training, std::size_t target) {
  const std::vector<FittedTransform>& earlier = training.start->frame().transforms;
  return target < earlier.size() ? earlier[target].kind : TargetTransform::none;
}

void check_losses(const Examples& examples, const Training& training) {
  const bool numbers = examples.targets.columns() > 0;
  if (!training.losses.empty()) {
    if (training.loss && *training.loss != Loss::mixed)
      throw InvalidArgument(
          text::concat("loss is ", name(*training.loss),
                       " but losses are given for each target; give one of both"));
    if (!numbers)
      throw InvalidArgument(
          "losses are those of targets, but there are classes; a target of 0 and 1 with loss "
          "binary can stand beside others");
    if (training.losses.size() != examples.targets.columns())
      throw InvalidArgument(text::concat("there are ", training.losses.size(), " losses but ",
                                         examples.targets.columns(),
                                         " targets; give one for each"));
    for (const Loss loss : training.losses)
      if (!is_target_loss(loss))
        throw InvalidArgument(text::concat(
            "the loss of a target is ", name(loss),
            " but must be squared_error, gaussian, huber, pinball, poisson or binary"));
    return;
  }
  if (!training.loss) return;
  if (*training.loss == Loss::mixed)
    throw InvalidArgument("loss is mixed but losses are not given; name the loss of each target");
  if (has_classes(*training.loss) == numbers)
    throw InvalidArgument(text::concat(
        "loss is ", name(*training.loss), " but the targets are ",
        numbers ? "numbers; use squared_error, gaussian, huber, pinball or poisson, or multi_label "
                  "for targets of 0 and 1"
                : "classes; use cross_entropy, or binary for two classes"));
  if (*training.loss == Loss::binary && examples.classes->size() > 2)
    throw InvalidArgument(text::concat("loss is binary but there are ", examples.classes->size(),
                                       " classes; use cross_entropy"));
}

void check_quantiles(const std::vector<double>& quantiles) {
  if (quantiles.empty()) throw InvalidArgument("quantiles is empty but loss pinball needs some");
  for (std::size_t i = 0; i < quantiles.size(); ++i) {
    if (!(quantiles[i] > 0 && quantiles[i] < 1))
      throw InvalidArgument(text::concat("a quantile is ", quantiles[i],
                                         " but must be between 0 and 1, such as 0.5"));
    if (i > 0 && !(quantiles[i] > quantiles[i - 1]))
      throw InvalidArgument(text::concat("quantile ", quantiles[i], " comes after ",
                                         quantiles[i - 1], "; give them in ascending order"));
  }
}

void check_loss_options(const Examples& examples, const Training& training) {
  const std::size_t targets = std::max<std::size_t>(1, examples.targets.columns());
  if (const std::size_t given = training.target_transforms.size(); given > 1 && given != targets)
    throw InvalidArgument(text::concat("there are ", given, " transforms but ", targets,
                                       " targets; give one for all, or one for each"));
  std::size_t binary = 0;
  std::size_t transformable = 0;
  for (std::size_t t = 0; t < targets; ++t) {
    const Loss loss = loss_of_column(examples, training, t);
    if (loss == Loss::pinball) check_quantiles(training.quantiles);
    if (loss == Loss::huber)
      require(positive(training.huber_delta), "huber_delta", training.huber_delta,
              "above 0, such as 1");
    binary += loss == Loss::binary ? 1 : 0;
    transformable += is_transformed(loss) ? 1 : 0;
    if (const auto& given = training.target_transforms;
        given.size() > 1 && given[t] != TargetTransform::none && !is_transformed(loss))
      throw InvalidArgument(text::concat("the transform of target ", t + 1, " is ", name(given[t]),
                                         " but its loss is ", name(loss), ", which takes none"));
  }
  const Loss whole = loss_of_training(examples, training);
  if (const std::size_t given = training.pos_weight.size(); given > 0) {
    if (binary == 0)
      throw InvalidArgument(text::concat(
          "pos_weight is given but loss is ", name(whole), "; it is for binary and multi_label",
          whole == Loss::cross_entropy ? " (weights of rows can stand for those of classes)" : ""));
    if (given != 1 && given != targets)
      throw InvalidArgument(text::concat("there are ", given, " values of pos_weight but ", targets,
                                         " targets; give one for all, or one for each"));
    for (const double weight : training.pos_weight)
      require(positive(weight), "pos_weight", weight, "above 0, such as 5");
  }
  const bool some = std::ranges::any_of(training.target_transforms, [](TargetTransform each) {
    return each != TargetTransform::none;
  });
  if (some && transformable == 0)
    throw InvalidArgument(text::concat("target_transform is ", name(training.target_transforms[0]),
                                       " but loss is ", name(whole),
                                       ", which takes none; transforms are for squared_error, "
                                       "gaussian, huber and pinball"));
}

void check_targets(const Examples& examples, const Training& training) {
  const bool numbers = examples.targets.columns() > 0;
  if ((examples.classes != nullptr) == numbers)
    throw InvalidArgument("exactly one of classes and targets must be given");
  check_losses(examples, training);
  check_loss_options(examples, training);
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
    const Loss loss = loss_of_column(examples, training, t);
    check_target_values(
        examples.targets, t, loss,
        training.start != nullptr ? start_transform(training, t) : transform_of(training, loss, t));
    if (!varies)
      throw DataError(text::concat("target ", examples.targets.name(t), " is ", column[0],
                                   " in all rows; there is nothing to learn"));
  }
}

/// Throws unless weights are finite and not negative; returns their sum.
double check_weight_values(const ColumnView& weights) {
  double sum = 0;
  for_each_tile(weights, 0, weights.rows(), [&](std::size_t row, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!not_negative(values[i]))
        throw DataError(text::concat("the weight of row ", row + i + 1, " is ", values[i],
                                     " but must be finite and not negative"));
      sum += values[i];
    }
  });
  return sum;
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

Loss loss_of_training(const Examples& examples, const Training& training) {
  if (!training.losses.empty()) {
    const Loss first = training.losses[0];
    const bool equal = std::ranges::all_of(training.losses, [&](Loss l) { return l == first; });
    if (!equal) return Loss::mixed;
    return first == Loss::binary ? Loss::multi_label : first;
  }
  return training.loss.value_or(examples.classes != nullptr ? Loss::cross_entropy
                                                            : Loss::squared_error);
}

std::vector<TargetTransform> transforms_of_training(const Examples& examples,
                                                    const Training& training,
                                                    const Ensemble::Frame& frame) {
  std::vector<TargetTransform> kinds;
  for (std::size_t t = 0; t < examples.targets.columns(); ++t)
    kinds.push_back(transform_of(training, loss_of_target(frame, t), t));
  return kinds;
}

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

namespace {

bool has_bins(const Examples& examples) {
  return examples.encoding != nullptr &&
         std::ranges::any_of(examples.encoding->inputs,
                             [](const InputEncoding& input) { return !input.bins.empty(); });
}

}  // namespace

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
        has_bins(examples)
            ? "; choose fewer bins (0: none), columns or rows, or raise the memory limit"
            : "; choose fewer columns or rows, or raise the memory limit"));
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
  if (examples.weights) static_cast<void>(total_weight(*examples.weights));
  require(training.members > 0, "members", training.members, "at least 1");
  if (training.settings.empty())
    throw InvalidArgument("there are no settings; at least one is needed");
  require(training.epochs == kAutomatic || positive(training.epochs), "epochs", training.epochs,
          "above 0, or 0 to choose by the rows");
  require(training.stopping.look_every == kAutomatic || positive(training.stopping.look_every),
          "look_every", training.stopping.look_every, "above 0 epochs, or 0 to choose by the rows");
  require(training.stopping.share_of_rows > 0 && training.stopping.share_of_rows <= 1,
          "share_of_rows", training.stopping.share_of_rows, "above 0 and at most 1, such as 0.25");
  if (training.stopping.patience > 0 && training.validation == nullptr &&
      (training.resampling == Resampling::none || training.resampling == Resampling::bayesian))
    throw InvalidArgument(
        text::concat("patience is ", training.stopping.patience, " but with resampling ",
                     name(training.resampling),
                     " members are trained on all rows, so none are left for validation; give "
                     "validation rows, or use resampling bootstrap or subsample"));
  check_share(training);
  for (const Settings& settings : training.settings)
    check_settings(settings, training, examples.rows());
  check_different(training, examples.rows());
}

double total_weight(const ColumnView& weights) {
  const double sum = check_weight_values(weights);
  if (!(sum > 0)) throw DataError("all weights are 0; at least one must be positive");
  return sum;
}

void check_weights(const Prediction& prediction, const std::optional<ColumnView>& weights) {
  if (!weights) return;
  if (weights->rows() != prediction.rows)
    throw InvalidArgument(text::concat("there are ", prediction.rows, " rows of predictions but ",
                                       weights->rows(), " weights; the numbers must be equal"));
  check_weight_values(*weights);
}

}  // namespace bootfold::ensemble
