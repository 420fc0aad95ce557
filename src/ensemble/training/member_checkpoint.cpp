#include "ensemble/training/member_checkpoint.h"

#include <algorithm>

#include "bootfold/random.h"
#include "bootfold/version.h"
#include "ensemble/files/encoding_json.h"
#include "ensemble/fingerprint.h"
#include "ensemble/shape.h"
#include "ensemble/validate_arguments.h"
#include "text/concat.h"
#include "text/output_file.h"
#include "text/quantity.h"

namespace bootfold::ensemble {

namespace {

using data::CheckpointFile;
using text::concat;
using text::grouped;
using text::hexadecimal;
using text::shortest;

/// Counts changes of the bits of trained members.
constexpr int kArithmetic = 2;

std::string list_of_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string in_words(const Settings& settings) {
  std::string hidden;
  for (const std::size_t units : settings.architecture.hidden)
    hidden += concat(hidden.empty() ? "" : "x", units);
  std::string more;
  if (settings.architecture.layer_norm) more += ", layer norm";
  if (settings.architecture.residual) more += ", residual";
  if (settings.warmup > 0) more += ", warmup " + shortest(settings.warmup);
  if (settings.dropout > 0) more += ", dropout " + shortest(settings.dropout);
  if (settings.average > 0) more += ", average " + shortest(settings.average);
  return concat("hidden ", hidden.empty() ? "none" : hidden, " ",
                name(settings.architecture.activation), " ",
                name(settings.architecture.initializer), ", ", name(settings.optimizer), " ",
                shortest(settings.learning_rate), " ", name(settings.schedule), ", decay ",
                shortest(settings.weight_decay), ", momentum ", shortest(settings.momentum), ", ",
                shortest(settings.beta2), ", ", shortest(settings.epsilon), ", clip ",
                shortest(settings.clip), ", batch ", settings.batch_size, ", subsample ",
                shortest(settings.subsample), more);
}

std::string in_words(const std::vector<Settings>& settings) {
  std::string text;
  for (const Settings& each : settings) text += (text.empty() ? "" : " | ") + in_words(each);
  return text;
}

/// Of what the networks learn: classes or numbers, and the weights of the rows.
std::string fingerprint_of_targets(const Examples& examples) {
  std::string text;
  if (examples.classes != nullptr) {
    const auto& codes = examples.classes->codes;
    const DataView view(
        {ColumnView(codes.data(), data::Type::uint32, codes.size(), sizeof(std::uint32_t))},
        {"class"});
    text = hexadecimal(fingerprint_of(view));
  } else {
    text = hexadecimal(fingerprint_of(examples.targets));
  }
  if (examples.weights)
    text += " " + hexadecimal(fingerprint_of(DataView({*examples.weights}, {"weight"})));
  return text;
}

std::vector<double> numbers_of(
    const std::map<std::pair<std::uint64_t, std::uint64_t>, TrainedMember>& members,
    auto&& number) {
  std::vector<double> numbers;
  for (const auto& [key, member] : members)
    numbers.push_back(static_cast<double>(number(key, member)));
  return numbers;
}

std::string list_of_numbers(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += concat(text.empty() ? "" : " ", shortest(number));
  return text;
}

std::string loss_words(const Examples& examples, const Training& training) {
  const Loss loss = loss_of_training(examples, training);
  std::string text(name(loss));
  if (loss == Loss::mixed)
    for (const Loss each : training.losses) text += concat(" ", name(each));
  const auto uses = [&](Loss one) {
    return loss == one || (loss == Loss::mixed && std::ranges::count(training.losses, one) > 0);
  };
  if (uses(Loss::pinball)) text += ", quantiles " + list_of_numbers(training.quantiles);
  if (uses(Loss::huber)) text += ", delta " + shortest(training.huber_delta);
  if (!training.pos_weight.empty()) text += ", pos_weight " + list_of_numbers(training.pos_weight);
  return text;
}

std::string transform_words(const std::vector<TargetTransform>& transforms) {
  std::string text;
  for (const TargetTransform each : transforms) text += concat(text.empty() ? "" : " ", name(each));
  return text.empty() ? "none" : text;
}

std::string encoding_words(const Encoding& encoding) {
  return json_of(encoding).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::vector<data::Fact> training_facts(const Examples& examples, const TrainingContext& context,
                                       std::uint64_t fingerprint) {
  const Training& training = context.training;
  std::vector<std::string> inputs;
  for (std::size_t c = 0; c < examples.columns(); ++c) inputs.push_back(examples.name(c));
  return {
      {"the version of bootfold", kVersion},
      {"the version of random streams", concat(random::kStreamVersion)},
      {"the revision of the networks' arithmetic", concat(kArithmetic)},
      {"the number of rows", grouped(examples.rows())},
      {"the list of inputs", list_of_names(inputs)},
      {"#the encoding of the inputs differs",
       examples.encoding == nullptr ? "none" : encoding_words(*examples.encoding)},
      {"the list of classes",
       examples.classes != nullptr ? list_of_names(examples.classes->names) : "none"},
      {"the loss", loss_words(examples, training)},
      {"the list of transforms of targets", transform_words(training.target_transforms)},
      {"the seed", concat(training.seed)},
      {"the resampling", std::string(name(training.resampling))},
      {"the number of members that share weights", concat(training.share)},
      {"the length of training", training.steps > 0 ? concat(training.steps, " steps")
                                                    : concat(shortest(training.epochs), " epochs")},
      {"early stopping",
       training.stopping.patience == 0
           ? "none"
           : concat("patience ", training.stopping.patience, ", every ",
                    shortest(training.stopping.look_every), " epochs",
                    training.stopping.share_of_rows < 1
                        ? concat(", share ", shortest(training.stopping.share_of_rows))
                        : "")},
      {"reshuffle", training.reshuffle ? "yes" : "no"},
      {"standardize", training.standardize ? "yes" : "no"},
      {"the loss curve", training.curves ? "kept" : "not kept"},
      {"the list of settings", in_words(training.settings)},
      {"#the inputs differ", hexadecimal(fingerprint)},
      {"#the targets or weights differ", fingerprint_of_targets(examples)},
      {"#the validation rows differ", training.validation == nullptr
                                          ? "none"
                                          : hexadecimal(fingerprint_of(*training.validation)) +
                                                fingerprint_of_targets(*training.validation)},
  };
}

MemberCheckpoint::MemberCheckpoint(const TrainingContext& context, std::vector<data::Fact> facts)
    : context_(context),
      file_(context.training.checkpoint, "ensemble"),
      facts_(std::move(facts)),
      writes_(context.training.execution, "training") {
  load();
  text::check_writable(file_.path());
}

std::size_t MemberCheckpoint::parameters_of(std::uint64_t settings) const {
  return Shape(context_.matrix.columns, context_.training.settings[settings].architecture,
               context_.outputs)
      .parameters;
}

void MemberCheckpoint::load() {
  auto stored = file_.read();
  if (!stored) return;
  if (stored->sections.size() != 1) stored->file.fail("it does not have one section");
  data::CheckpointSection& section = stored->sections[0];
  file_.check_facts(section, facts_);
  const auto numbers = [&](const char* name) {
    return stored->file.doubles(CheckpointFile::array_name(0, name));
  };
  const std::vector<double> settings = numbers("settings");
  const std::vector<double> number = numbers("number");
  const std::vector<double> steps = numbers("steps");
  const std::vector<double> loss = numbers("loss");
  const std::vector<double> held_out_loss = numbers("held_out_loss");
  const std::vector<double> points = numbers("curve_points");
  const std::vector<float> parameters =
      stored->file.floats(CheckpointFile::array_name(0, "parameters"));
  const std::string curve_name = CheckpointFile::array_name(0, "curves");
  const std::vector<float> curves =
      stored->file.has(curve_name) ? stored->file.floats(curve_name) : std::vector<float>();
  const std::size_t count = settings.size();
  for (const std::size_t size : {number.size(), steps.size(), loss.size(), held_out_loss.size(),
                                 points.size(), section.texts.size()})
    if (size != count) stored->file.fail("the shape of its arrays is invalid");
  std::span<const float> rest = parameters;
  std::span<const float> curve = curves;
  for (std::size_t i = 0; i < count; ++i) {
    const bool known =
        settings[i] >= 0 && settings[i] < static_cast<double>(context_.training.settings.size());
    const auto place = known ? static_cast<std::uint64_t>(settings[i]) : 0;
    const std::size_t size = parameters_of(place);
    const auto length =
        points[i] >= 0 && points[i] < 1e9 ? static_cast<std::size_t>(points[i]) : ~std::size_t{0};
    if (!known || size > rest.size() || length > curve.size() || !(number[i] >= 0) ||
        number[i] > 0x1p53 || !(steps[i] >= 0) || steps[i] > 0x1p53)
      stored->file.fail("the shape of its arrays is invalid");
    TrainedMember member;
    member.steps = static_cast<std::uint64_t>(steps[i]);
    member.loss = loss[i];
    member.held_out_loss = held_out_loss[i];
    member.failure = section.texts[i];
    member.parameters.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    member.curve.assign(curve.begin(), curve.begin() + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(size);
    curve = curve.subspan(length);
    members_[{place, static_cast<std::uint64_t>(number[i])}] = std::move(member);
  }
  in_file_ = members_.size();
  if (!stored->problem.empty())
    writes_.tell(true, concat(stored->problem, "; ", file_.path(), ".previous is used instead"));
  writes_.tell(false,
               concat(file_.path(), " holds ", amount(), "; the training goes on from there"));
}

MemberCheckpoint::Key MemberCheckpoint::key_of(const Job& job) const {
  return {static_cast<std::uint64_t>(job.settings - context_.training.settings.data()),
          job.id.number};
}

std::optional<std::vector<TrainedMember>> MemberCheckpoint::find(
    const std::vector<Job>& jobs) const {
  const std::scoped_lock lock(mutex_);
  std::vector<TrainedMember> found;
  for (const Job& job : jobs) {
    const auto member = members_.find(key_of(job));
    if (member == members_.end()) return std::nullopt;
    found.push_back(member->second);
  }
  return found;
}

void MemberCheckpoint::add(const std::vector<Job>& jobs,
                           const std::vector<TrainedMember>& trained) {
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < jobs.size(); ++i) members_[key_of(jobs[i])] = trained[i];
  if (writes_.due()) try_to_write();
}

void MemberCheckpoint::save() {
  const std::scoped_lock lock(mutex_);
  if (members_.size() > in_file_) try_to_write();
}

void MemberCheckpoint::try_to_write() {
  writes_.attempt([&] { write(); }, [&] { return in_file_ == 0 ? "" : amount(); });
}

void MemberCheckpoint::write() {
  const std::size_t count = members_.size();
  std::vector<std::pair<std::string, std::vector<double>>> numbers;
  const auto add = [&](const char* name, auto&& number) {
    numbers.emplace_back(CheckpointFile::array_name(0, name), numbers_of(members_, number));
  };
  add("settings", [](const Key& key, const TrainedMember&) { return key.first; });
  add("number", [](const Key& key, const TrainedMember&) { return key.second; });
  add("steps", [](const Key&, const TrainedMember& member) { return member.steps; });
  add("loss", [](const Key&, const TrainedMember& member) { return member.loss; });
  add("held_out_loss",
      [](const Key&, const TrainedMember& member) { return member.held_out_loss; });
  add("curve_points", [](const Key&, const TrainedMember& member) { return member.curve.size(); });
  std::vector<data::Tensor> tensors;
  for (const auto& [name, values] : numbers)
    tensors.emplace_back(name, std::vector{count}, std::span<const double>(values));
  const auto add_floats = [&](const char* name, std::vector<float> TrainedMember::*part) {
    std::size_t size = 0;
    data::Tensor tensor =
        data::Tensor::of_floats(CheckpointFile::array_name(0, name), {0}, std::span<float>());
    for (const auto& [key, member] : members_) {
      size += (member.*part).size();
      tensor.more.push_back(std::as_bytes(std::span(member.*part)));
    }
    tensor.shape = {size};
    if (size > 0) tensors.push_back(std::move(tensor));
  };
  add_floats("parameters", &TrainedMember::parameters);
  add_floats("curves", &TrainedMember::curve);
  data::CheckpointSection section{.facts = facts_};
  for (const auto& [key, member] : members_) section.texts.push_back(member.failure);
  file_.write({&section, 1}, tensors);
  in_file_ = count;
}

std::string MemberCheckpoint::amount() const {
  const std::size_t total = context_.training.members * context_.training.settings.size();
  return concat(grouped(in_file_), total >= in_file_ ? concat(" of ", grouped(total)) : "",
                " members");
}

Cancelled MemberCheckpoint::cancelled() const {
  return writes_.cancelled(in_file_ == 0 ? "" : amount(), file_.path());
}

}  // namespace bootfold::ensemble
