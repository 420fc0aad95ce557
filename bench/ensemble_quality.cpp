// Trains an ensemble on one .npy file and says what it thinks of the rows of another: what
// bench/same_networks.py judges. The last column of both files is the target.
//
//     ensemble_quality '{"train": "train.npy", "test": "test.npy", "output": "said.npy",
//                        "columns": 65, "classes": true, "members": 50, "resample": "bootstrap",
//                        "hidden": [64], "steps": 4500, "batch_size": 32, "learning_rate": 0.001,
//                        "seed": 1, "calibrate": false}'
//
// The output has a row for each of the test: probabilities of the classes, or mean and total
// standard deviation. Without resamples there are no rows that members did not see; then the
// deviation is that of training residuals.
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bootfold/bootfold.h"
#include "bootfold/ensemble/ensemble.h"

namespace {

using namespace bootfold;
using ensemble::Initializer;
using ensemble::Prediction;
using ensemble::Resampling;
using ensemble::Training;

data::Table read(const std::string& path, std::size_t columns) {
  data::ReadOptions options;
  for (std::size_t c = 1; c <= columns; ++c) options.columns.push_back(std::to_string(c));
  return data::read(path, options);
}

/// All columns but the last.
DataView inputs_of(const data::Table& table) {
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c + 1 < table.view().columns(); ++c)
    columns.push_back(table.view().column(c));
  return columns;
}

Training training_of(const nlohmann::json& wanted) {
  Training training;
  training.members = wanted.at("members");
  training.steps = wanted.at("steps");
  training.seed = wanted.at("seed");
  training.reshuffle = true;
  training.resampling = wanted.at("resample") == "none" ? Resampling::none : Resampling::bootstrap;
  ensemble::Settings& settings = training.settings[0];
  settings.architecture.hidden = wanted.at("hidden").get<std::vector<std::size_t>>();
  settings.architecture.initializer = Initializer::glorot;
  settings.batch_size = wanted.at("batch_size");
  settings.learning_rate = wanted.at("learning_rate");
  settings.schedule = ensemble::Schedule::constant;
  return training;
}

/// Of the rows that it learned from.
double residual_deviation(const ensemble::Ensemble& trained, const DataView& inputs,
                          const ColumnView& target) {
  const Prediction said = trained.predict(inputs);
  double sum = 0;
  for (std::size_t row = 0; row < said.rows; ++row) {
    const double residual = target[row] - said.mean[row];
    sum += residual * residual;
  }
  return std::sqrt(sum / static_cast<double>(said.rows));
}

}  // namespace

int main(int count, char** words) try {
  if (count != 2) throw InvalidArgument("give one JSON object; bench/same_networks.py does");
  const auto wanted = nlohmann::json::parse(words[1]);
  const std::size_t columns = wanted.at("columns");
  const data::Table train = read(wanted.at("train"), columns);
  const data::Table test = read(wanted.at("test"), columns);
  const ColumnView& target = train.view().column(columns - 1);
  const bool classes = wanted.at("classes");
  const data::Labels labels = classes ? data::labels(target) : data::Labels{};
  const ensemble::Examples examples =
      classes ? ensemble::Examples{inputs_of(train), &labels}
              : ensemble::Examples{inputs_of(train), nullptr, DataView(target)};
  ensemble::Ensemble trained = ensemble::train(examples, training_of(wanted));
  if (wanted.at("calibrate")) trained = ensemble::calibrate(std::move(trained), examples);
  const Prediction said = trained.predict(inputs_of(test));
  std::vector<double> values = said.mean;
  if (!classes) {
    const bool resampled = wanted.at("resample") != "none";
    const double own = resampled ? 0 : residual_deviation(trained, inputs_of(train), target);
    values.clear();
    for (std::size_t row = 0; row < said.rows; ++row)
      values.insert(values.end(), {said.mean[row], resampled ? said.total[row] : own});
  }
  data::write_npy(wanted.at("output"), values,
                  std::vector<std::size_t>{said.rows, values.size() / said.rows});
  return 0;
} catch (const std::exception& error) {
  std::cerr << "ensemble_quality: " << error.what() << "\n";
  return 1;
}
