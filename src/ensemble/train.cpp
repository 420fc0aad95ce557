// Members to packs, packs to threads, and what they say of rows they did not see.
#include <algorithm>
#include <cmath>

#include "bootfold/ensemble.h"
#include "bootfold/error.h"
#include "ensemble/check.h"
#include "ensemble/fold.h"
#include "ensemble/pack.h"
#include "ensemble/single.h"
#include "ensemble/table.h"

namespace bootfold::ensemble {

using simd::kPoints;

namespace {

/// Members that one worker takes at a time. Part of the definition: sums over members are made chunk
/// by chunk.
constexpr std::size_t kChunk = 16;
/// The same where members may stop early and others take their lanes.
constexpr std::size_t kLongChunk = 64;

struct Job {
  std::size_t member;  // in the ensemble
  MemberId id;
  const Settings* settings;
};

/// Whether members may share a pack.
bool alike(const Settings& a, const Settings& b) {
  return a.architecture == b.architecture && a.optimizer == b.optimizer &&
         a.batch_size == b.batch_size && (a.batch_size != 0 || a.subsample == b.subsample);
}

/// The members in chunks of those that may share a pack.
std::vector<std::vector<Job>> chunks_of(const Training& training) {
  const std::size_t size = training.stopping.patience > 0 ? kLongChunk : kChunk;
  std::vector<std::vector<Job>> chunks;
  std::vector<bool> taken(training.settings.size());
  for (std::size_t s = 0; s < training.settings.size(); ++s) {
    if (taken[s]) continue;
    std::vector<Job> jobs;
    for (std::size_t other = s; other < training.settings.size(); ++other) {
      if (taken[other] || !alike(training.settings[s], training.settings[other])) continue;
      taken[other] = true;
      for (std::size_t i = 0; i < training.members; ++i)
        jobs.push_back({other * training.members + i,
                        {training.seed, training.first_member + i},
                        &training.settings[other]});
    }
    for (std::size_t first = 0; first < jobs.size(); first += size)
      chunks.emplace_back(
          jobs.begin() + static_cast<std::ptrdiff_t>(first),
          jobs.begin() + static_cast<std::ptrdiff_t>(std::min(first + size, jobs.size())));
  }
  return chunks;
}

/// Side by side or one by one, whichever is faster; the bits are the same.
std::vector<Trained> train_chunk(const Run& run, std::span<const MemberId> ids,
                                 std::span<const Settings* const> settings,
                                 const execution::Worker& worker) {
  const Settings& like = *settings[0];
  const Shape shape(run.table.columns, like.architecture, run.outputs);
  if (!better_alone(shape, batch_of(run.training, like, run.table.rows)))
    return Pack(run, like).train(ids, settings, worker);
  Single single(run, like);
  std::vector<Trained> trained;
  for (std::size_t i = 0; i < ids.size(); ++i)
    trained.push_back(single.train(ids[i], *settings[i], worker));
  return trained;
}

/// Asks members about the rows that they did not see.
class OutOfBag {
 public:
  OutOfBag(const Run& run) : run_(run), blocks_((run.table.rows + kPoints - 1) / kPoints) {
    points_.resize(blocks_ * kPoints * run.table.columns);
    transpose_points(run.table.inputs.data(), run.table.rows, run.table.columns, points_.data());
  }

  [[nodiscard]] std::vector<Fold> empty() const {
    return std::vector<Fold>(blocks_, Fold(run_.loss, run_.outputs));
  }

  /// Adds one member; returns its loss on those rows.
  double add(const Job& job, const std::vector<float>& parameters, std::vector<Fold>& folds) const {
    const Table& table = run_.table;
    const Shape shape(table.columns, job.settings->architecture, run_.outputs);
    const simd::Kernels& kernels = simd::kernels(run_.level);
    std::vector<float> held_out =
        MemberRows(job.id, run_.training.resampling, table.rows, job.settings->subsample, false,
                   execution::simd::kernels(run_.level))
            .held_out();
    held_out.resize(blocks_ * kPoints);
    double loss = 0;
    double weight = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const float* weights = held_out.data() + b * kPoints;
      folds[b].add(kernels, shape, parameters.data(), points_.data() + b * kPoints * table.columns,
                   weights);
      for (std::size_t p = 0; p < kPoints; ++p) {
        const std::size_t row = b * kPoints + p;
        if (weights[p] == 0) continue;
        const double own = table.weights.empty() ? 1 : table.weights[row];
        weight += own;
        loss += own * loss_at(folds[b], p, row);
      }
    }
    return loss / weight;
  }

 private:
  [[nodiscard]] double loss_at(const Fold& fold, std::size_t point, std::size_t row) const {
    const Table& table = run_.table;
    if (run_.loss == Loss::cross_entropy) {
      const auto label = static_cast<std::size_t>(table.targets[row]);
      return -std::log(std::max(static_cast<double>(fold.last()[label * kPoints + point]), 1e-38));
    }
    double loss = 0;
    for (std::size_t t = 0; t < table.targets_each; ++t) {
      const double error = fold.last_outputs()[t * kPoints + point] -
                           static_cast<double>(table.targets[row * table.targets_each + t]);
      if (run_.loss == Loss::squared_error) {
        loss += error * error;
      } else {
        const double spread = fold.last_outputs()[(table.targets_each + t) * kPoints + point];
        loss += 0.5 * (spread + error * error * std::exp(-spread));
      }
    }
    return loss / static_cast<double>(table.targets_each);
  }

  const Run& run_;
  std::size_t blocks_;
  std::vector<float> points_;
};

Ensemble::Frame frame_of(const Examples& examples, const Training& training) {
  Ensemble::Frame frame;
  frame.loss = training.loss.value_or(examples.classes != nullptr ? Loss::cross_entropy
                                                                  : Loss::squared_error);
  for (std::size_t c = 0; c < examples.inputs.columns(); ++c)
    frame.inputs.push_back(examples.inputs.name(c));
  if (examples.classes != nullptr) {
    frame.classes = examples.classes->names;
    frame.target = examples.classes->column;
  } else {
    for (std::size_t t = 0; t < examples.targets.columns(); ++t)
      frame.classes.push_back(examples.targets.name(t));
  }
  const auto scaled = [&](const DataView& data) {
    return training.standardize ? scaling_of(data) : no_scaling(data.columns());
  };
  frame.input_scaling = scaled(examples.inputs);
  frame.target_scaling = scaled(examples.targets);
  frame.settings = training.settings;
  frame.resampling = training.resampling;
  frame.seed = training.seed;
  frame.rows = examples.inputs.rows();
  return frame;
}

}  // namespace

Ensemble train(const Examples& examples, const Training& training) {
  check(examples, training);
  Ensemble::Frame frame = frame_of(examples, training);
  std::size_t longest = 0;
  for (const Settings& settings : training.settings)
    longest = std::max(longest, settings.batch_size == 0 ? 0 : settings.batch_size);
  const Table table(examples, frame.input_scaling, frame.target_scaling, longest);
  const Run run{table, training, frame.loss,
                frame.classes.size() * (frame.loss == Loss::gaussian ? 2 : 1),
                training.execution.level.value_or(execution::default_level())};

  const std::vector<std::vector<Job>> chunks = chunks_of(training);
  const std::size_t count = training.members * training.settings.size();
  std::vector<Member> members(count);
  std::vector<std::vector<float>> parameters(count);
  const bool leaves_out =
      training.resampling == Resampling::bootstrap || training.resampling == Resampling::subsample;
  std::optional<OutOfBag> out_of_bag;
  if (leaves_out) out_of_bag.emplace(run);

  using Folds = std::vector<Fold>;
  const Folds folds = map_reduce(
      {0, chunks.size(), 1}, Folds{},
      [&](Folds& sums, std::size_t chunk, const execution::Worker& worker) {
        const std::vector<Job>& jobs = chunks[chunk];
        std::vector<MemberId> ids;
        std::vector<const Settings*> settings;
        for (const Job& job : jobs) {
          ids.push_back(job.id);
          settings.push_back(job.settings);
        }
        std::vector<Trained> trained = train_chunk(run, ids, settings, worker);
        if (out_of_bag) sums = out_of_bag->empty();
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          Member& member = members[jobs[i].member];
          member.settings = static_cast<std::size_t>(jobs[i].settings - training.settings.data());
          member.number = jobs[i].id.number;
          member.steps = trained[i].steps;
          member.loss = trained[i].loss;
          member.failure = trained[i].failure;
          if (out_of_bag && member.failure.empty())
            member.held_out_loss = out_of_bag->add(jobs[i], trained[i].parameters, sums);
          parameters[jobs[i].member] = std::move(trained[i].parameters);
        }
      },
      [](Folds& sums, Folds&& later) {
        if (sums.empty()) {
          sums = std::move(later);
          return;
        }
        for (std::size_t b = 0; b < later.size(); ++b) sums[b].merge(later[b]);
      },
      training.execution, static_cast<double>(count));

  Prediction said;
  if (out_of_bag) {
    said = empty_prediction(frame.loss, table.rows, frame.classes.size());
    const auto finish = [&] {
      for (std::size_t b = 0; b < folds.size(); ++b)
        folds[b].finish(frame, b * kPoints, std::min(kPoints, table.rows - b * kPoints), said);
    };
    finish();
    if (frame.loss == Loss::squared_error) {
      frame.noise = noise_of(said, examples.targets);
      finish();
    }
  }
  Ensemble ensemble(std::move(frame), std::move(members), std::move(parameters));
  ensemble.set_out_of_bag(std::move(said));
  return ensemble;
}

Ensemble train(const Examples& examples, const Architecture& architecture, Training training) {
  for (Settings& settings : training.settings) settings.architecture = architecture;
  return train(examples, training);
}

}  // namespace bootfold::ensemble
