#include "ensemble_work.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <sstream>

#include "text/concat.h"

namespace bootfold::bench {
namespace {

using ensemble::Ensemble;
using ensemble::Resampling;
using ensemble::Training;

constexpr std::size_t kFoldPoints = 100;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Columns that live as long as the work.
struct Data {
  Data(std::size_t rows, std::size_t inputs, std::size_t groups) {
    random::Stream stream({.seed = 1});
    columns.assign(inputs, std::vector<float>(rows));
    for (std::size_t row = 0; row < rows; ++row) {
      const double radius = std::sqrt(static_cast<double>(row) / static_cast<double>(rows - 1));
      const double sign = random::uniform(stream) < 0.5 ? -1 : 1;
      const double angle = 2 * std::numbers::pi * radius;
      for (std::size_t c = 0; c < inputs; ++c) {
        // Two inputs are spirals; more are noise, which takes as long to learn from.
        const double centre =
            inputs == 2 ? radius * sign * (c == 0 ? std::cos(angle) : std::sin(angle)) : 0;
        const double noise = inputs == 2 ? 0.05 : 1;
        columns[c][row] = static_cast<float>(centre + noise * random::normal(stream));
      }
      codes.push_back(groups == 2 ? (sign > 0 ? 1 : 0) : static_cast<std::int32_t>(row % groups));
    }
    labels = data::labels(std::span<const std::int32_t>(codes));
  }

  [[nodiscard]] DataView view() const {
    return std::vector<ColumnView>(columns.begin(), columns.end());
  }

  std::vector<std::vector<float>> columns;
  std::vector<std::int32_t> codes;
  data::Labels labels;
};

Training training_of(const EnsembleWork& work, const Execution& execution, std::size_t times = 1) {
  Training training;
  training.members = work.members;
  training.steps = work.steps() * times;
  training.resampling = work.batch == 0 ? Resampling::none : Resampling::bootstrap;
  training.settings[0].batch_size = work.batch;
  training.settings[0].learning_rate = 1e-3;
  training.settings[0].schedule = ensemble::Schedule::constant;
  training.settings[0].architecture.hidden.assign(work.layers.begin() + 1, work.layers.end() - 1);
  training.execution = execution;
  return training;
}

}  // namespace

std::size_t EnsembleWork::steps() const {
  constexpr std::size_t kSteps = 100;
  return all_rows == 0 || batch == 0 ? kSteps : (all_rows + batch - 1) / batch;
}

double EnsembleWork::examples() const {
  const auto count = static_cast<double>(members);
  if (kind == Kind::predict) return count * static_cast<double>(points);
  return count * static_cast<double>(steps()) * static_cast<double>(batch == 0 ? rows() : batch);
}

double EnsembleWork::flops() const {
  double weights = 0;
  for (std::size_t i = 0; i + 1 < layers.size(); ++i)
    weights += static_cast<double>(layers[i] * layers[i + 1]);
  const auto first = static_cast<double>(layers[0] * layers[1]);
  // Forwards, gradient of weights, gradient of what came in (which inputs do not need).
  return examples() * (kind == Kind::predict ? 2 * weights : 6 * weights - 2 * first);
}

std::optional<EnsembleWork> parse_ensemble_work(const std::string& name) {
  using Kind = EnsembleWork::Kind;
  const std::vector<std::string> parts = split(name, ':');
  EnsembleWork work;
  if (parts.empty()) return std::nullopt;
  if (parts[0] == "train") {
    work.kind = Kind::train;
  } else if (parts[0] == "predict") {
    work.kind = Kind::predict;
  } else if (parts[0] == "fold") {
    work.kind = Kind::fold;
  } else {
    return std::nullopt;
  }
  if (parts.size() != 4 && parts.size() != 5)
    throw InvalidArgument(text::concat(name, " has ", parts.size(),
                                       " parts but needs 4, as train:2-32-2:full:100 does, or 5"));
  for (const std::string& units : split(parts[1], '-')) work.layers.push_back(std::stoul(units));
  if (work.layers.size() < 2)
    throw InvalidArgument(text::concat(name, " has no layers; 2-32-2 names three"));
  if (work.kind == Kind::predict)
    work.points = static_cast<std::size_t>(std::stod(parts[2]));
  else if (parts[2] != "full")
    work.batch = std::stoul(parts[2]);
  work.members = static_cast<std::size_t>(std::stod(parts[3]));
  if (parts.size() == 5) work.all_rows = static_cast<std::size_t>(std::stod(parts[4]));
  return work;
}

std::function<void(std::size_t)> prepare(const EnsembleWork& work, const Execution& execution) {
  using Kind = EnsembleWork::Kind;
  const auto make = [&](std::size_t rows) {
    return std::make_shared<const Data>(rows, work.layers[0], work.layers.back());
  };
  const auto data = make(work.rows());
  if (work.kind == Kind::train)
    return [=](std::size_t times) {
      static_cast<void>(
          ensemble::train({data->view(), &data->labels}, training_of(work, execution, times)));
    };
  if (work.kind == Kind::fold) {
    const auto points = make(kFoldPoints);
    return [=](std::size_t times) {
      static_cast<void>(ensemble::train_and_predict(
          {data->view(), &data->labels}, training_of(work, execution, times), points->view()));
    };
  }
  const auto points = make(work.points);
  const auto trained = std::make_shared<const Ensemble>(
      ensemble::train({data->view(), &data->labels}, training_of(work, execution)));
  return [=](std::size_t) { static_cast<void>(trained->predict(points->view(), execution)); };
}

}  // namespace bootfold::bench
