// Ensembles in files: parameters as stacked arrays, everything else as JSON (docs/ensembles.md).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "data/safetensors.h"
#include "ensemble/files/encoding_json.h"
#include "ensemble/files/scores_json.h"
#include "ensemble/prediction/prediction_sums.h"
#include "ensemble/shape.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "bootfold ensemble 2";
constexpr const char* kEncodedFormat = "bootfold ensemble 3";  // has an encoding of the inputs
/// Has layers, losses, transforms of targets or shared weights that older versions would misread.
constexpr const char* kExtendedFormat = "bootfold ensemble 4";
constexpr const char* kTemperedFormat = "bootfold ensemble 5";  // temperatures of targets
constexpr const char* kFormatStart = "bootfold ensemble ";
constexpr std::size_t kMostUnits = 65'536;                      // of a layer, as in training
constexpr std::uint64_t kMostMembers = std::uint64_t{1} << 32;  // of a group

/// The file is not as save() writes it.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void require(bool good, const std::string& what) {
  if (!good) throw Malformed(what);
}

// JSON has no numbers that are not finite.
Json json_of(double number) {
  if (std::isfinite(number)) return number;
  if (std::isnan(number)) return nullptr;
  return number > 0 ? "inf" : "-inf";
}

double number_of(const Json& json) {
  if (json.is_null()) return Member::kUnknown;
  if (json.is_string()) {
    const auto& word = json.get_ref<const std::string&>();
    require(word == "inf" || word == "-inf", "a number is a text");
    return (word == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
  }
  require(json.is_number(), "a number is missing or of another type");
  return json.get<double>();
}

std::uint64_t whole_of(const Json& json) {
  require(json.is_number_unsigned(), "a whole number is missing or of another type");
  return json.get<std::uint64_t>();
}

std::string text_of(const Json& json) {
  require(json.is_string(), "a text is missing or of another type");
  return json.get<std::string>();
}

/// Every entry of a list, through `read`.
template <class Read>
auto list_of(const Json& json, Read read) {
  require(json.is_array(), "a list is missing or of another type");
  std::vector<decltype(read(json))> values;
  values.reserve(json.size());
  for (const Json& each : json) values.push_back(read(each));
  return values;
}

Json json_of(const std::vector<double>& numbers) {
  Json list = Json::array();
  for (const double number : numbers) list.push_back(json_of(number));
  return list;
}

Json json_of(const Scaling& scaling) {
  return {{"mean", json_of(scaling.mean)}, {"scale", json_of(scaling.scale)}};
}

Scaling scaling_from(const Json& json, std::size_t columns) {
  Scaling scaling{list_of(json.at("mean"), number_of), list_of(json.at("scale"), number_of)};
  require(scaling.mean.size() == columns && scaling.scale.size() == columns,
          "the number of scales is not the number of columns");
  for (std::size_t c = 0; c < columns; ++c)
    require(
        std::isfinite(scaling.mean[c]) && std::isfinite(scaling.scale[c]) && scaling.scale[c] > 0,
        text::concat("column ", c + 1, " has mean ", scaling.mean[c], " and scale ",
                     scaling.scale[c]));
  return scaling;
}

Json json_of(const Range& range) {
  return {{"low", json_of(range.low)}, {"high", json_of(range.high)}};
}

Range range_from(const Json& json, std::size_t columns) {
  Range range{list_of(json.at("low"), number_of), list_of(json.at("high"), number_of)};
  require(range.low.size() == columns && range.high.size() == columns,
          "the number of ranges is not the number of columns");
  for (std::size_t c = 0; c < columns; ++c)
    require(
        std::isfinite(range.low[c]) && std::isfinite(range.high[c]) &&
            range.low[c] <= range.high[c],
        text::concat("column ", c + 1, " has a range from ", range.low[c], " to ", range.high[c]));
  return range;
}

/// What has not been there from the beginning is stored where it is used.
void add_extended(const Architecture& architecture, Json& json) {
  if (architecture.layer_norm) json["layer_norm"] = true;
  if (architecture.residual) json["residual"] = true;
}

bool is_extended(const Architecture& architecture) {
  return architecture.layer_norm || architecture.residual;
}

Json json_of(const Settings& settings) {
  Json json{{"hidden", settings.architecture.hidden},
            {"activation", name(settings.architecture.activation)},
            {"initializer", name(settings.architecture.initializer)},
            {"optimizer", name(settings.optimizer)},
            {"learning_rate", json_of(settings.learning_rate)},
            {"schedule", name(settings.schedule)},
            {"weight_decay", json_of(settings.weight_decay)},
            {"momentum", json_of(settings.momentum)},
            {"beta2", json_of(settings.beta2)},
            {"epsilon", json_of(settings.epsilon)},
            {"clip", json_of(settings.clip)},
            {"batch_size", settings.batch_size},
            {"subsample", json_of(settings.subsample)}};
  add_extended(settings.architecture, json);
  if (settings.warmup != 0) json["warmup"] = json_of(settings.warmup);
  if (settings.dropout != 0) json["dropout"] = json_of(settings.dropout);
  if (settings.average != 0) json["average"] = json_of(settings.average);
  return json;
}

bool flag_of(const Json& json, const char* key) {
  if (!json.contains(key)) return false;
  require(json.at(key).is_boolean(), "a flag is of another type");
  return json.at(key).get<bool>();
}

Settings settings_of(const Json& json) {
  Settings settings;
  settings.architecture.hidden = list_of(json.at("hidden"), whole_of);
  for (const std::size_t units : settings.architecture.hidden)
    require(units > 0 && units <= kMostUnits, text::concat("a hidden layer has ", units, " units"));
  settings.architecture.activation = parse_activation(text_of(json.at("activation")));
  settings.architecture.initializer = parse_initializer(text_of(json.at("initializer")));
  settings.optimizer = parse_optimizer(text_of(json.at("optimizer")));
  settings.learning_rate = number_of(json.at("learning_rate"));
  settings.schedule = parse_schedule(text_of(json.at("schedule")));
  settings.weight_decay = number_of(json.at("weight_decay"));
  settings.momentum = number_of(json.at("momentum"));
  settings.beta2 = number_of(json.at("beta2"));
  settings.epsilon = number_of(json.at("epsilon"));
  settings.clip = number_of(json.at("clip"));
  settings.batch_size = whole_of(json.at("batch_size"));
  settings.subsample = number_of(json.at("subsample"));
  settings.architecture.layer_norm = flag_of(json, "layer_norm");
  settings.architecture.residual = flag_of(json, "residual");
  if (json.contains("warmup")) settings.warmup = number_of(json.at("warmup"));
  if (json.contains("dropout")) settings.dropout = number_of(json.at("dropout"));
  if (json.contains("average")) settings.average = number_of(json.at("average"));
  return settings;
}

/// Whether older versions know the losses of the targets, which have no transforms.
bool has_older_losses(const Ensemble::Frame& frame) {
  return frame.transforms.empty() &&
         (frame.loss == Loss::cross_entropy || frame.loss == Loss::squared_error ||
          frame.loss == Loss::gaussian);
}

Json json_of(const FittedTransform& transform) {
  Json json{{"kind", name(transform.kind)}};
  if (transform.kind == TargetTransform::none) return json;
  json["least"] = json_of(transform.least);
  json["most"] = json_of(transform.most);
  if (transform.kind == TargetTransform::yeo_johnson) json["lambda"] = json_of(transform.lambda);
  if (transform.kind == TargetTransform::quantile) {
    json["from"] = json_of(transform.from);
    json["to"] = json_of(transform.to);
  }
  return json;
}

FittedTransform transform_from(const Json& json) {
  FittedTransform transform{.kind = parse_target_transform(text_of(json.at("kind")))};
  if (transform.kind == TargetTransform::none) return transform;
  transform.least = number_of(json.at("least"));
  transform.most = number_of(json.at("most"));
  require(std::isfinite(transform.least) && std::isfinite(transform.most) &&
              transform.least <= transform.most,
          text::concat("a transform is of targets from ", transform.least, " to ", transform.most));
  if (transform.kind == TargetTransform::yeo_johnson) {
    transform.lambda = number_of(json.at("lambda"));
    require(std::isfinite(transform.lambda), "the power of a transform is not finite");
  }
  if (transform.kind != TargetTransform::quantile) return transform;
  transform.from = list_of(json.at("from"), number_of);
  transform.to = list_of(json.at("to"), number_of);
  require(!transform.from.empty() && transform.from.size() == transform.to.size() &&
              transform.from.size() <= FittedTransform::kMostKnots,
          text::concat("a transform has ", transform.from.size(), " and ", transform.to.size(),
                       " knots"));
  for (const auto* knots : {&transform.from, &transform.to})
    for (std::size_t k = 0; k < knots->size(); ++k)
      require(std::isfinite((*knots)[k]) && (k == 0 || (*knots)[k] > (*knots)[k - 1]),
              "the knots of a transform do not ascend");
  return transform;
}

/// What is known of the targets beside their names and scales.
Json json_of_targets(const Ensemble::Frame& frame) {
  Json json;
  if (!frame.losses.empty()) {
    json["losses"] = Json::array();
    for (const Loss loss : frame.losses) json["losses"].push_back(name(loss));
  }
  if (!frame.quantiles.empty()) json["quantiles"] = json_of(frame.quantiles);
  if (frame.huber_delta != 1) json["huber_delta"] = json_of(frame.huber_delta);
  if (!frame.pos_weight.empty()) json["pos_weight"] = json_of(frame.pos_weight);
  if (!frame.transforms.empty()) {
    json["transforms"] = Json::array();
    for (const FittedTransform& each : frame.transforms)
      json["transforms"].push_back(json_of(each));
  }
  return json.is_null() ? Json::object() : json;
}

/// Reads these, after the names of the targets and the loss.
void read_targets(const Json& json, Ensemble::Frame& frame) {
  const std::size_t count = frame.classes.size();
  if (json.contains("losses"))
    frame.losses = list_of(json.at("losses"), [](const Json& each) {
      const Loss loss = parse_loss(text_of(each));
      require(loss != Loss::cross_entropy && loss != Loss::multi_label && loss != Loss::mixed,
              text::concat("the loss of a target is ", name(loss)));
      return loss;
    });
  require(frame.losses.size() == (frame.loss == Loss::mixed ? count : 0),
          text::concat("it has ", frame.losses.size(), " losses of ", count, " targets"));
  if (json.contains("quantiles")) frame.quantiles = list_of(json.at("quantiles"), number_of);
  const bool uses =
      frame.loss == Loss::pinball || std::ranges::count(frame.losses, Loss::pinball) > 0;
  require(uses == !frame.quantiles.empty() && frame.quantiles.size() <= kMostUnits,
          text::concat("it has ", frame.quantiles.size(), " quantiles"));
  for (std::size_t i = 0; i < frame.quantiles.size(); ++i)
    require(frame.quantiles[i] > 0 && frame.quantiles[i] < 1 &&
                (i == 0 || frame.quantiles[i] > frame.quantiles[i - 1]),
            text::concat("quantile ", i + 1, " is ", frame.quantiles[i]));
  if (json.contains("huber_delta")) frame.huber_delta = number_of(json.at("huber_delta"));
  require(std::isfinite(frame.huber_delta) && frame.huber_delta > 0,
          text::concat("huber_delta is ", frame.huber_delta));
  if (json.contains("pos_weight")) frame.pos_weight = list_of(json.at("pos_weight"), number_of);
  const std::size_t weights = has_classes(frame.loss) ? 1 : count;
  require(frame.pos_weight.empty() || frame.pos_weight.size() == weights,
          text::concat("it has ", frame.pos_weight.size(), " values of pos_weight"));
  for (const double weight : frame.pos_weight)
    require(std::isfinite(weight) && weight > 0, text::concat("pos_weight is ", weight));
  if (json.contains("transforms"))
    frame.transforms = list_of(json.at("transforms"), transform_from);
  require(frame.transforms.empty() || frame.transforms.size() == count,
          text::concat("it has ", frame.transforms.size(), " transforms of ", count, " targets"));
}

Json json_of(const Ensemble::Frame& frame, std::uint64_t fingerprint) {
  Json settings = Json::array();
  for (const Settings& each : frame.settings) settings.push_back(json_of(each));
  Json json{{"loss", name(frame.loss)}, {"inputs", frame.inputs}};
  if (!frame.encoding.empty()) json["encoding"] = json_of(frame.encoding);
  const Json others{{"target", frame.target},
                    {"classes", frame.classes},
                    {"input_scaling", json_of(frame.input_scaling)},
                    {"input_range", json_of(frame.input_range)},
                    {"target_scaling", json_of(frame.target_scaling)},
                    {"noise", json_of(frame.noise)},
                    {"temperature", json_of(frame.temperature)},
                    {"resampling", name(frame.resampling)},
                    {"seed", frame.seed},
                    {"rows", frame.rows},
                    {"fingerprint", fingerprint},
                    {"settings", std::move(settings)}};
  json.update(others);
  json.update(json_of_targets(frame));
  if (!frame.temperatures.empty()) json["temperatures"] = json_of(frame.temperatures);
  if (frame.conformal.rows != ScoreRows::none) json["conformal"] = json_of(frame.conformal);
  if (frame.share > 0) json["share"] = frame.share;
  return json;
}

void read_temperatures(const Json& json, Ensemble::Frame& frame) {
  frame.temperatures = list_of(json, number_of);
  require(!has_classes(frame.loss) && frame.temperatures.size() == frame.classes.size(),
          text::concat("it has ", frame.temperatures.size(), " temperatures of targets"));
  for (const double each : frame.temperatures)
    require(std::isfinite(each) && each > 0, text::concat("a temperature is ", each));
}

Ensemble::Frame frame_from(const Json& json) {
  Ensemble::Frame frame;
  frame.loss = parse_loss(text_of(json.at("loss")));
  frame.inputs = list_of(json.at("inputs"), text_of);
  frame.target = text_of(json.at("target"));
  frame.classes = list_of(json.at("classes"), text_of);
  const bool classifies = has_classes(frame.loss);
  require(!frame.inputs.empty(), "it has no inputs");
  require(frame.classes.size() >= (classifies ? 2 : 1), "it has too few classes or targets");
  require(frame.loss != Loss::binary || frame.classes.size() == 2,
          text::concat("its loss is binary but it has ", frame.classes.size(), " classes"));
  read_targets(json, frame);
  if (json.contains("encoding"))
    frame.encoding = encoding_from(json.at("encoding"), frame.inputs.size());
  frame.input_scaling = scaling_from(json.at("input_scaling"), frame.inputs.size());
  frame.input_range = range_from(json.at("input_range"), frame.inputs.size());
  frame.target_scaling =
      scaling_from(json.at("target_scaling"), classifies ? 0 : frame.classes.size());
  frame.noise = list_of(json.at("noise"), number_of);
  require(frame.noise.empty() || (!classifies && frame.noise.size() == frame.classes.size()),
          "the number of noise values is not the number of targets");
  for (const double noise : frame.noise)
    require(std::isfinite(noise) && noise >= 0, text::concat("the noise of a target is ", noise));
  frame.temperature = number_of(json.at("temperature"));
  require(std::isfinite(frame.temperature) && frame.temperature > 0,
          text::concat("the temperature is ", frame.temperature));
  if (json.contains("temperatures")) read_temperatures(json.at("temperatures"), frame);
  if (json.contains("conformal")) frame.conformal = scores_from(json.at("conformal"), frame);
  frame.resampling = parse_resampling(text_of(json.at("resampling")));
  if (json.contains("share")) {
    frame.share = whole_of(json.at("share"));
    require(frame.share > 1 && frame.share <= kMostMembers,
            text::concat("its members share weights in groups of ", frame.share));
  }
  frame.seed = whole_of(json.at("seed"));
  frame.rows = whole_of(json.at("rows"));
  frame.settings = list_of(json.at("settings"), settings_of);
  return frame;
}

/// One list for each property, which takes a third of the text of a list of members.
Json json_of(const std::vector<Member>& members) {
  Json json;
  for (const char* key : {"settings", "number", "steps", "loss", "held_out_loss", "failure"})
    json[key] = Json::array();
  for (const Member& member : members) {
    json["settings"].push_back(member.settings);
    json["number"].push_back(member.number);
    json["steps"].push_back(member.steps);
    json["loss"].push_back(json_of(member.loss));
    json["held_out_loss"].push_back(json_of(member.held_out_loss));
    json["failure"].push_back(member.failure);
  }
  return json;
}

std::vector<Member> members_of(const Json& json, std::size_t settings) {
  const auto setting = list_of(json.at("settings"), whole_of);
  const auto number = list_of(json.at("number"), whole_of);
  const auto steps = list_of(json.at("steps"), whole_of);
  const auto loss = list_of(json.at("loss"), number_of);
  const auto held_out = list_of(json.at("held_out_loss"), number_of);
  auto failure = list_of(json.at("failure"), text_of);
  const std::size_t count = setting.size();
  require(count > 0, "it has no members");
  require(number.size() == count && steps.size() == count && loss.size() == count &&
              held_out.size() == count && failure.size() == count,
          "the lists of its members differ in length");
  std::vector<Member> members(count);
  for (std::size_t m = 0; m < count; ++m) {
    require(setting[m] < settings,
            text::concat("member ", m, " has settings ", setting[m], " of ", settings));
    members[m] = {setting[m], number[m], steps[m], loss[m], held_out[m], std::move(failure[m])};
  }
  return members;
}

/// Members whose parameters are stacked in the same arrays.
struct Stack {
  std::string prefix;  // of the names of arrays
  Architecture architecture;
  std::vector<std::size_t> members;
};

/// One for each architecture, whatever its initializer, in the order of the settings.
std::vector<Stack> stacks_of(const Ensemble::Frame& frame, const std::vector<Member>& members) {
  std::vector<Stack> stacks;
  std::vector<std::size_t> stack_of;
  std::map<std::tuple<std::vector<std::size_t>, Activation, bool, bool>, std::size_t> known;
  for (const Settings& settings : frame.settings) {
    const Architecture& own = settings.architecture;
    const auto [found, fresh] = known.try_emplace(
        {own.hidden, own.activation, own.layer_norm, own.residual}, stacks.size());
    if (fresh) stacks.push_back({"", own, {}});
    stack_of.push_back(found->second);
  }
  for (std::size_t m = 0; m < members.size(); ++m)
    stacks[stack_of[members[m].settings]].members.push_back(m);
  std::erase_if(stacks, [](const Stack& stack) { return stack.members.empty(); });
  for (std::size_t i = 0; stacks.size() > 1 && i < stacks.size(); ++i)
    stacks[i].prefix = text::concat("pack", i, ".");
  return stacks;
}

Json json_of(const std::vector<Stack>& stacks) {
  Json list = Json::array();
  for (const Stack& stack : stacks) {
    list.push_back({{"prefix", stack.prefix},
                    {"hidden", stack.architecture.hidden},
                    {"activation", name(stack.architecture.activation)},
                    {"members", stack.members}});
    add_extended(stack.architecture, list.back());
  }
  return list;
}

/// An array of a stack: the weights, biases, gains or offsets of one layer of each member.
struct Piece {
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t first;  // among the parameters of a member
  std::size_t count;
};

std::vector<Piece> pieces_of(const Stack& stack, const Shape& shape) {
  std::vector<Piece> pieces;
  for (std::size_t l = 0; l < shape.layers.size(); ++l) {
    const Layer& layer = shape.layers[l];
    const std::string name = text::concat(stack.prefix, "layers.", l);
    pieces.push_back({name + ".weight",
                      {stack.members.size(), layer.out, layer.in},
                      layer.weights,
                      layer.out * layer.in});
    const std::vector<std::size_t> units = {stack.members.size(), layer.out};
    pieces.push_back({name + ".bias", units, layer.bias, layer.out});
    if (!layer.normalized) continue;
    pieces.push_back({name + ".gain", units, layer.gain, layer.out});
    pieces.push_back({name + ".offset", units, layer.offset, layer.out});
  }
  return pieces;
}

}  // namespace

void Ensemble::save(const std::string& path) const {
  if (members_.empty()) throw InvalidArgument("the ensemble has no members to save");
  const std::vector<Stack> stacks = stacks_of(frame_, members_);
  std::vector<std::vector<float>> arrays;
  std::vector<data::Tensor> tensors;
  for (const Stack& stack : stacks) {
    const Shape shape(network_inputs(frame_), stack.architecture, network_outputs(frame_));
    for (const std::size_t m : stack.members)
      if (parameters_[m].size() != shape.parameters)
        throw InvalidArgument(text::concat("member ", m, " has ", parameters_[m].size(),
                                           " parameters but its network has ", shape.parameters));
    for (const Piece& piece : pieces_of(stack, shape)) {
      std::vector<float>& values = arrays.emplace_back();
      values.reserve(stack.members.size() * piece.count);
      for (const std::size_t m : stack.members) {
        const float* first = parameters_[m].data() + piece.first;
        values.insert(values.end(), first, first + piece.count);
      }
      tensors.push_back(data::Tensor::of_floats(piece.name, piece.shape, values));
    }
  }
  Json words = json_of(frame_, fingerprint_);
  words["members"] = json_of(members_);
  words["packs"] = json_of(stacks);
  std::string text;
  try {
    text = words.dump();
  } catch (const Json::exception&) {
    throw InvalidArgument(
        "the name of a column or class is not UTF-8, so it cannot be stored in a file; rename it");
  }
  const char* format = frame_.encoding.empty() ? kFormat : kEncodedFormat;
  if (!has_older_losses(frame_) || frame_.share > 0 ||
      std::ranges::any_of(frame_.settings,
                          [](const Settings& each) { return is_extended(each.architecture); }))
    format = kExtendedFormat;
  if (!frame_.temperatures.empty()) format = kTemperedFormat;
  data::write_safetensors(path, {{"format", format}, {"bootfold", text}}, tensors);
}

Ensemble Ensemble::load(const std::string& path) {
  data::SafetensorsFile file(path);
  const auto format = file.words().find("format");
  if (format == file.words().end() || !format->second.starts_with(kFormatStart) ||
      !file.words().contains("bootfold"))
    file.fail("it does not contain a bootfold ensemble");
  if (format->second != kFormat && format->second != kEncodedFormat &&
      format->second != kExtendedFormat && format->second != kTemperedFormat)
    file.fail(text::concat("its format is '", format->second.substr(0, 40),
                           "' but this version reads '", kFormat, "' to '", kTemperedFormat,
                           "'; read it with the version that wrote it, or train again"));
  try {
    const Json words = Json::parse(file.words().at("bootfold"));
    Frame frame = frame_from(words);
    const bool tempered = format->second == kTemperedFormat;
    require(frame.temperatures.empty() || tempered,
            text::concat("it has temperatures of targets, but its format is ", format->second));
    require(frame.share == 0 || tempered || format->second == kExtendedFormat,
            text::concat("its members share weights, but its format is ", format->second));
    std::vector<Member> members = members_of(words.at("members"), frame.settings.size());
    std::vector<std::vector<float>> parameters(members.size());
    for (const Stack& stack : stacks_of(frame, members)) {
      // Two characters of JSON declare a layer, but its arrays take much more.
      require(stack.architecture.hidden.size() < file.arrays(),
              text::concat("a network has ", stack.architecture.hidden.size() + 1,
                           " layers but there are ", file.arrays(), " arrays"));
      const Shape shape(network_inputs(frame), stack.architecture, network_outputs(frame));
      const std::vector<Piece> pieces = pieces_of(stack, shape);
      // All shapes are checked, so that they fit in the file, before memory is allocated.
      for (const Piece& piece : pieces)
        require(file.entry(piece.name).shape == piece.shape && file.entry(piece.name).type == "F32",
                text::concat("array '", piece.name, "' does not have the shape of its layer"));
      for (const std::size_t m : stack.members) parameters[m].resize(shape.parameters);
      for (const Piece& piece : pieces) {
        const std::vector<float> values = file.floats(piece.name);
        for (std::size_t i = 0; i < stack.members.size(); ++i)
          std::copy_n(values.data() + i * piece.count, piece.count,
                      parameters[stack.members[i]].data() + piece.first);
      }
    }
    return {std::move(frame), std::move(members), std::move(parameters),
            whole_of(words.at("fingerprint"))};
  } catch (const Json::exception&) {
    file.fail("its description of the ensemble is damaged");
  } catch (const Malformed& error) {
    file.fail(error.what());
  } catch (const InvalidArgument& error) {
    file.fail(error.what());
  }
}

}  // namespace bootfold::ensemble
