#include "training_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "arguments.h"
#include "bootfold/error.h"
#include "number.h"

namespace bootfold::cli {
namespace {

using ensemble::Settings;

constexpr const char* kNetworks = "The networks";
constexpr const char* kTraining =
    "How they are trained (several values, separated by commas, are all tried)";
constexpr std::size_t kMostSettings = 100'000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double parse_positive(const char* option, const std::string& text, const char* example) {
  return parse_between(option, text, 0, kInfinity, example);
}

// Also 0.
double parse_not_negative(const char* option, const std::string& text, const char* example) {
  return text == "0" ? 0 : parse_between(option, text, -1e-300, kInfinity, example);
}

// At least 0 and below 1.
double parse_share(const char* option, const std::string& text, const char* example) {
  return text == "0" ? 0 : parse_between(option, text, 0, 1, example);
}

// "512,512" -> two layers; "none" -> a linear model.
std::vector<std::size_t> parse_hidden(const std::string& text) {
  std::vector<std::size_t> layers;
  if (text == "none") return layers;
  for (const std::string& units : split_list({text}))
    layers.push_back(parse_whole("--hidden", units, 1, 65'536,
                                 " units in each layer (none makes a linear model)"));
  return layers;
}

// Every setting with every value; a value that comes twice would train the same members twice.
template <class Value, class Set>
void multiply(const char* option, std::vector<Settings>& grid, const std::vector<Value>& values,
              Set set) {
  if (values.empty()) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i), values[i]) !=
        values.begin() + static_cast<std::ptrdiff_t>(i))
      throw InvalidArgument(fmt::format(
          "{} names the same value twice; members with equal settings and seed are equal", option));
  if (grid.size() * values.size() > kMostSettings)
    throw InvalidArgument(
        fmt::format("the lists make more than {} settings; shorten them", kMostSettings));
  std::vector<Settings> larger;
  for (const Settings& settings : grid)
    for (const Value& value : values) set(larger.emplace_back(settings), value);
  grid = std::move(larger);
}

template <class Parse>
auto parse_all(const std::vector<std::string>& texts, Parse parse) {
  std::vector<decltype(parse(std::string()))> values;
  for (const std::string& text : split_list(texts)) values.push_back(parse(text));
  return values;
}

std::vector<Settings> grid_of(const TrainingArguments& arguments) {
  using std::string;
  std::vector<Settings> grid(1);
  grid[0].architecture.initializer = ensemble::parse_initializer(arguments.initializer);
  grid[0].architecture.layer_norm = arguments.layer_norm;
  grid[0].architecture.residual = arguments.residual;
  std::vector<std::vector<std::size_t>> hidden;
  for (const string& layers : arguments.hidden) hidden.push_back(parse_hidden(layers));
  multiply("--hidden", grid, hidden,
           [](Settings& s, const auto& value) { s.architecture.hidden = value; });
  multiply("--activation", grid,
           parse_all(arguments.activation,
                     [](const string& text) { return ensemble::parse_activation(text); }),
           [](Settings& s, auto value) { s.architecture.activation = value; });
  multiply("--optimizer", grid,
           parse_all(arguments.optimizer,
                     [](const string& text) { return ensemble::parse_optimizer(text); }),
           [](Settings& s, auto value) { s.optimizer = value; });
  multiply("--learning-rate", grid,
           parse_all(arguments.learning_rate,
                     [](const string& text) {
                       return text == "auto"
                                  ? ensemble::kAutomatic
                                  : parse_positive("--learning-rate", text, "1e-3 (or auto)");
                     }),
           [](Settings& s, double value) { s.learning_rate = value; });
  multiply("--schedule", grid,
           parse_all(arguments.schedule,
                     [](const string& text) { return ensemble::parse_schedule(text); }),
           [](Settings& s, auto value) { s.schedule = value; });
  multiply("--warmup", grid,
           parse_all(arguments.warmup,
                     [](const string& text) { return parse_share("--warmup", text, "0.05"); }),
           [](Settings& s, double value) { s.warmup = value; });
  multiply("--dropout", grid,
           parse_all(arguments.dropout,
                     [](const string& text) { return parse_share("--dropout", text, "0.1"); }),
           [](Settings& s, double value) { s.dropout = value; });
  multiply("--average", grid,
           parse_all(arguments.average,
                     [](const string& text) {
                       return text == "none" ? 0 : parse_share("--average", text, "0.999");
                     }),
           [](Settings& s, double value) { s.average = value; });
  multiply("--weight-decay", grid,
           parse_all(arguments.weight_decay,
                     [](const string& text) {
                       return parse_not_negative("--weight-decay", text, "1e-4");
                     }),
           [](Settings& s, double value) { s.weight_decay = value; });
  multiply("--momentum", grid,
           parse_all(arguments.momentum,
                     [](const string& text) {
                       return text == "0" ? 0 : parse_between("--momentum", text, 0, 1, "0.9");
                     }),
           [](Settings& s, double value) { s.momentum = value; });
  multiply("--clip", grid,
           parse_all(arguments.clip,
                     [](const string& text) {
                       return text == "none" ? 0 : parse_positive("--clip", text, "1 (or none)");
                     }),
           [](Settings& s, double value) { s.clip = value; });
  multiply("--batch-size", grid,
           parse_all(arguments.batch_size,
                     [](const string& text) {
                       if (text == "full") return Settings::kFullBatch;
                       if (text == "auto") return Settings::kAutomaticBatch;
                       return std::size_t{parse_whole("--batch-size", text, 1, std::size_t{1} << 40,
                                                      ", auto or full", " (or auto, or full)")};
                     }),
           [](Settings& s, std::size_t value) { s.batch_size = value; });
  multiply("--subsample", grid,
           parse_all(arguments.subsample,
                     [](const string& text) {
                       return text == "1" ? 1.0 : parse_between("--subsample", text, 0, 1, "0.5");
                     }),
           [](Settings& s, double value) { s.subsample = value; });
  return grid;
}

std::string hidden_text(const Settings& settings) {
  const auto& layers = settings.architecture.hidden;
  return layers.empty() ? "none" : fmt::format("{}", fmt::join(layers, ","));
}

}  // namespace

void add_training_arguments(CLI::App& command, TrainingArguments& arguments) {
  const auto add = [&](const char* group, const char* name, auto& value, auto... words) {
    if constexpr (std::is_same_v<decltype(value), bool&>)
      command.add_flag(name, value, words...)->group(group)->disable_flag_override();
    else if constexpr (std::is_same_v<decltype(value), std::string&>)
      add_text(command, name, value, words...)->group(group);
    else
      add_list(command, name, value, words...)->group(group);
  };
  add(kNetworks, "--members", arguments.members, "N",
      "Networks with each of the settings; 8 with --sample [100]");
  add(kNetworks, "--hidden", arguments.hidden, "U,U,..",
      "Units of each hidden layer, or none; repeat it to try several [32]");
  add(kNetworks, "--activation", arguments.activation, "A",
      "relu, tanh, gelu or silu; or several [relu]");
  add(kNetworks, "--initializer", arguments.initializer, "I", "lecun, glorot or he [lecun]");
  add(kNetworks, "--layer-norm", arguments.layer_norm,
      "Layer normalization before the activation of each hidden layer");
  add(kNetworks, "--residual", arguments.residual,
      "Hidden layers as wide as the one before add their input to their output");
  add(kNetworks, "--share", arguments.share, "N",
      "Members in groups of N share the weights of hidden layers, with scales of their own, and "
      "one "
      "resample; 0: independent members [0]");
  add(kNetworks, "--resampling", arguments.resampling, "R",
      "Rows of a member: bootstrap, none (all rows), subsample or bayesian [bootstrap]");
  add(kNetworks, "--subsample", arguments.subsample, "SHARE",
      "Share of the rows, drawn without replacement, or several; implies --resampling subsample "
      "[0.5]");
  add(kTraining, "--epochs", arguments.epochs, "N",
      "Passes through the rows of a member, or auto: 100, but 2,000 to 20,000 steps [auto]");
  add(kTraining, "--steps", arguments.steps, "N", "Steps of every member, instead of epochs");
  add(kTraining, "--batch-size", arguments.batch_size, "B",
      "Rows of a step, auto (about a 64th of the rows, 32 to 256) or full (all) [auto]");
  add(kTraining, "--optimizer", arguments.optimizer, "O", "adam, adamw or sgd [adam]");
  add(kTraining, "--learning-rate", arguments.learning_rate, "X",
      "Initial learning rate, above 0, or auto: 1e-2, and 3e-2 for sgd [auto]");
  add(kTraining, "--schedule", arguments.schedule, "S",
      "Learning-rate schedule: constant, cosine (decay to 0) or auto (cosine) [auto]");
  add(kTraining, "--warmup", arguments.warmup, "SHARE",
      "Linear warm-up of the learning rate: share of the steps, below 1 [0]");
  add(kTraining, "--dropout", arguments.dropout, "P",
      "Dropout: probability with which a hidden unit is 0 in a step [0]");
  add(kTraining, "--average", arguments.average, "DECAY",
      "Exponential moving average of the parameters, such as 0.999, or none [none]");
  add(kTraining, "--weight-decay", arguments.weight_decay, "X", "Weight decay, at least 0 [0]");
  add(kTraining, "--momentum", arguments.momentum, "X",
      "Momentum of sgd, or the first beta of adam [0.9]");
  add(kTraining, "--clip", arguments.clip, "X", "Largest norm of a gradient, or none [none]");
  add(kTraining, "--patience", arguments.patience, "N",
      "Early stopping after N looks at held-out rows without a lower loss; 0: none; auto: 10, or 0 "
      "with --epochs or --steps [auto]");
  add(kTraining, "--look-every", arguments.look_every, "E",
      "Epochs between looks at held-out rows, or auto: 1, or more for at most 100 looks [auto]");
  add(kTraining, "--stopping-share", arguments.stopping_share, "SHARE",
      "Share of the held-out rows, drawn at random, that stop members; the others select members "
      "and score the selection [0.25 if members are selected, otherwise 1]");
  add(kTraining, "--reshuffle", arguments.reshuffle, "Shuffle the rows in every epoch");
  add(kTraining, "--standardize", arguments.standardize, "yes|no",
      "Scale inputs, and targets of a regression, to mean 0 and variance 1 [yes]");
}

ensemble::Training parse_training(const TrainingArguments& arguments) {
  ensemble::Training training;
  training.members = parse_whole("--members", arguments.members.empty() ? "100" : arguments.members,
                                 1, 1'000'000'000);
  training.settings = grid_of(arguments);
  if (!arguments.steps.empty() && !arguments.epochs.empty())
    throw InvalidArgument("--steps and --epochs say the same in two ways; give one of them");
  if (!arguments.steps.empty()) training.steps = parse_whole("--steps", arguments.steps, 1);
  if (!arguments.epochs.empty() && arguments.epochs != "auto")
    training.epochs = parse_positive("--epochs", arguments.epochs, "100 (or auto)");
  training.share =
      parse_whole("--share", arguments.share, 0, 1'000'000'000, "; 0: independent members");
  training.resampling = ensemble::parse_resampling(arguments.resampling);
  if (!arguments.subsample.empty()) {
    if (arguments.resampling != "bootstrap" && arguments.resampling != "subsample")
      throw InvalidArgument(fmt::format("--subsample is for --resampling subsample, not for {}",
                                        arguments.resampling));
    training.resampling = ensemble::Resampling::subsample;
  }
  if (!arguments.patience.empty() && arguments.patience != "auto")
    training.stopping.patience = parse_whole("--patience", arguments.patience, 0, 1'000'000'000,
                                             " looks, or auto", " (or auto)");
  if (!arguments.look_every.empty() && arguments.look_every != "auto") {
    const bool has_length = training.steps > 0 || training.epochs != ensemble::kAutomatic;
    if (training.stopping.patience == 0 ||
        (training.stopping.patience == ensemble::Stopping::kAutomaticPatience && has_length))
      throw InvalidArgument("--look-every is for --patience; without it no validation is done");
    training.stopping.look_every =
        parse_positive("--look-every", arguments.look_every, "1 (or auto)");
  }
  if (!arguments.stopping_share.empty())
    training.stopping.share_of_rows =
        arguments.stopping_share == "1"
            ? 1
            : parse_between("--stopping-share", arguments.stopping_share, 0, 1, "0.25");
  training.reshuffle = arguments.reshuffle;
  training.standardize = one_of("--standardize", arguments.standardize, {"yes", "no"}) == "yes";
  return training;
}

std::vector<std::pair<std::string, std::vector<std::string>>> properties(
    const std::vector<Settings>& settings, bool all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  const auto add = [&](const char* name, const auto& text) {
    std::vector<std::string> values;
    for (const Settings& each : settings) values.push_back(text(each));
    if (all || std::any_of(values.begin(), values.end(),
                           [&](const std::string& value) { return value != values[0]; }))
      found.emplace_back(name, std::move(values));
  };
  add("hidden", hidden_text);
  add("activation", [](const Settings& s) { return std::string(name(s.architecture.activation)); });
  const auto add_flag = [&](const char* name, bool ensemble::Architecture::*flag) {
    if (std::any_of(settings.begin(), settings.end(),
                    [&](const Settings& each) { return each.architecture.*flag; }))
      add(name, [&](const Settings& each) {
        return std::string(each.architecture.*flag ? "yes" : "no");
      });
  };
  add_flag("layer norm", &ensemble::Architecture::layer_norm);
  add_flag("residual", &ensemble::Architecture::residual);
  add("optimizer", [](const Settings& s) { return std::string(name(s.optimizer)); });
  add("learning rate", [](const Settings& s) { return fmt::format("{}", s.learning_rate); });
  add("schedule", [](const Settings& s) { return std::string(name(s.schedule)); });
  // Options that are seldom used are told where they are.
  const auto add_used = [&](const char* name, double Settings::*value) {
    if (std::any_of(settings.begin(), settings.end(),
                    [&](const Settings& each) { return each.*value != 0; }))
      add(name, [&](const Settings& each) { return fmt::format("{}", each.*value); });
  };
  add_used("warmup", &Settings::warmup);
  add_used("dropout", &Settings::dropout);
  add_used("average", &Settings::average);
  add("weight decay", [](const Settings& s) { return fmt::format("{}", s.weight_decay); });
  add("momentum", [](const Settings& s) { return fmt::format("{}", s.momentum); });
  add("clip", [](const Settings& s) { return s.clip == 0 ? "none" : fmt::format("{}", s.clip); });
  add("batch size", [](const Settings& s) {
    return s.batch_size == 0 ? "full" : fmt::format("{}", s.batch_size);
  });
  add("subsample", [](const Settings& s) { return fmt::format("{}", s.subsample); });
  return found;
}

}  // namespace bootfold::cli
