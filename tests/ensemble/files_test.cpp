// Ensembles in files: the same bits after loading, and a clear message for every broken file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "bootfold/ensemble/ensemble.h"
#include "bootfold/error.h"
#include "bootfold/random.h"
#include "data/safetensors.h"
#include "data/temp_file.h"
#include "ensemble/ensemble_access.h"
#include "ensemble/spirals.h"

namespace bootfold::ensemble {
namespace files_test {

using Json = nlohmann::ordered_json;
using testing_data::contents_of;
using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

bool same(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void expect_same(const Ensemble& a, const Ensemble& b) {
  EXPECT_EQ(a.frame().loss, b.frame().loss);
  EXPECT_EQ(a.frame().inputs, b.frame().inputs);
  EXPECT_EQ(a.frame().target, b.frame().target);
  EXPECT_EQ(a.frame().classes, b.frame().classes);
  EXPECT_EQ(a.frame().input_scaling.mean, b.frame().input_scaling.mean);
  EXPECT_EQ(a.frame().input_scaling.scale, b.frame().input_scaling.scale);
  EXPECT_EQ(a.frame().input_range.low, b.frame().input_range.low);
  EXPECT_EQ(a.frame().input_range.high, b.frame().input_range.high);
  EXPECT_EQ(a.frame().target_scaling.mean, b.frame().target_scaling.mean);
  EXPECT_EQ(a.frame().target_scaling.scale, b.frame().target_scaling.scale);
  EXPECT_EQ(a.frame().noise, b.frame().noise);
  EXPECT_EQ(a.frame().temperature, b.frame().temperature);
  EXPECT_EQ(a.frame().settings, b.frame().settings);
  EXPECT_EQ(a.frame().resampling, b.frame().resampling);
  EXPECT_EQ(a.frame().seed, b.frame().seed);
  EXPECT_EQ(a.frame().rows, b.frame().rows);
  EXPECT_EQ(EnsembleAccess::fingerprint(a), EnsembleAccess::fingerprint(b));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(a.member(m).settings, b.member(m).settings);
    EXPECT_EQ(a.member(m).number, b.member(m).number);
    EXPECT_EQ(a.member(m).steps, b.member(m).steps);
    EXPECT_TRUE(same(a.member(m).loss, b.member(m).loss));
    EXPECT_TRUE(same(a.member(m).held_out_loss, b.member(m).held_out_loss));
    EXPECT_EQ(a.member(m).failure, b.member(m).failure);
    EXPECT_TRUE(same(a.parameters(m), b.parameters(m)));
  }
}

Ensemble sweep(const Spirals& spirals) {
  Training training{.members = 3, .steps = 5, .seed = 0xFEDCBA9876543210};
  training.settings.clear();
  for (const std::vector<std::size_t>& hidden :
       std::vector<std::vector<std::size_t>>{{4}, {}, {3, 2}})
    for (const Activation activation : {Activation::relu, Activation::gelu})
      for (const double rate : {1e-3, 0.1}) {
        Settings settings;
        settings.architecture = {hidden, activation, Initializer::he};
        // Without hidden layers the activation has no effect, so learning rates distinguish
        // settings.
        settings.learning_rate = activation == Activation::relu ? rate : rate / 2;
        settings.clip = 1.0 / 3;
        training.settings.push_back(settings);
      }
  return train(spirals.examples(), training);
}

TEST(Files, LoadedEnsemblePredictsTheSameBits) {
  const Spirals spirals(80);
  const TempFile file("m.safetensors");
  const Ensemble ensemble = sweep(spirals);
  ensemble.save(file.path());
  const Ensemble read = Ensemble::load(file.path());
  expect_same(ensemble, read);
  const Prediction expected = ensemble.predict(spirals.examples().inputs);
  const Prediction found = read.predict(spirals.examples().inputs);
  EXPECT_EQ(found.mean, expected.mean);
  EXPECT_EQ(found.epistemic, expected.epistemic);
  const std::string first = contents_of(file.path());
  read.save(file.path());
  EXPECT_EQ(contents_of(file.path()), first);
}

TEST(Files, StoreScalesAndNoiseOfRegressions) {
  random::Stream stream({.seed = 3});
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) {
    x.push_back(1e6 + random::normal(stream));
    y.push_back(1e-7 * random::normal(stream));
  }
  const Examples examples{DataView({ColumnView(x)}, {"caf\xC3\xA9, \"x\"\n"}), nullptr,
                          DataView({ColumnView(y), ColumnView(x)}, {"y", "x again"})};
  for (const Loss loss : {Loss::squared_error, Loss::gaussian}) {
    Training training{.members = 4, .steps = 20};
    training.loss = loss;
    const TempFile file("m.safetensors");
    const Ensemble ensemble = train(examples, training);
    ensemble.save(file.path());
    const Ensemble read = Ensemble::load(file.path());
    expect_same(ensemble, read);
    EXPECT_EQ(read.predict(examples.inputs).total, ensemble.predict(examples.inputs).total);
  }
}

TEST(Files, StoreFailedMembersWithTheirReason) {
  const Spirals spirals(40);
  Ensemble::Frame frame =
      train(spirals.examples(), {.hidden = {2}}, {.members = 1, .steps = 1}).frame();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Member> members = {
      {.number = 7, .loss = infinity, .held_out_loss = -infinity, .failure = "the loss is inf"},
      {.number = 1ULL << 63U, .loss = 0.1}};
  const std::vector<float> weights(2 * 2 + 2 + 2 * 2 + 2, std::nanf(""));
  const TempFile file("m.safetensors");
  const Ensemble ensemble = EnsembleAccess::make(frame, members, {weights, weights}, 99);
  ensemble.save(file.path());
  expect_same(ensemble, Ensemble::load(file.path()));
}

// The layout that other programs rely on.
TEST(Files, StackArraysByShapeAndActivation) {
  const Spirals spirals(80);
  const TempFile file("m.safetensors");
  const Ensemble one = train(spirals.examples(), {.hidden = {4}}, {.members = 5, .steps = 5});
  one.save(file.path());
  data::SafetensorsFile read(file.path());
  EXPECT_EQ(read.entry("layers.0.weight").shape, (std::vector<std::size_t>{5, 4, 2}));
  EXPECT_EQ(read.entry("layers.0.bias").shape, (std::vector<std::size_t>{5, 4}));
  EXPECT_EQ(read.entry("layers.1.weight").shape, (std::vector<std::size_t>{5, 2, 4}));
  EXPECT_EQ(read.entry("layers.1.bias").shape, (std::vector<std::size_t>{5, 2}));
  const std::vector<float> weights = read.floats("layers.0.weight");
  const std::vector<float> biases = read.floats("layers.1.bias");
  for (std::size_t m = 0; m < 5; ++m) {
    EXPECT_TRUE(same(std::span(weights).subspan(m * 8, 8), one.parameters(m).first(8)));
    EXPECT_TRUE(same(std::span(biases).subspan(m * 2, 2), one.parameters(m).last(2)));
  }
  EXPECT_EQ(read.words().at("format"), "bootfold ensemble 2");

  sweep(spirals).save(file.path());
  data::SafetensorsFile packs(file.path());
  EXPECT_EQ(packs.entry("pack0.layers.0.weight").shape, (std::vector<std::size_t>{6, 4, 2}));
  EXPECT_EQ(packs.entry("pack5.layers.2.weight").shape, (std::vector<std::size_t>{6, 2, 2}));
  EXPECT_FALSE(packs.has("pack6.layers.0.weight"));
  const Json words = Json::parse(packs.words().at("bootfold"));
  EXPECT_EQ(words["packs"][1]["activation"], "gelu");
  EXPECT_EQ(words["packs"][1]["members"], Json::array({6, 7, 8, 9, 10, 11}));
}

TEST(Files, RejectNamesThatAreNotUtf8) {
  const Spirals spirals(40);
  const std::vector<double>& x = spirals.x;
  const Examples examples{DataView({ColumnView(x)}, {"caf\xE9"}), &spirals.classes};
  const Ensemble ensemble = train(examples, {.hidden = {2}}, {.members = 1, .steps = 1});
  const TempFile file("m.safetensors");
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { ensemble.save(file.path()); }), "UTF-8"));
  EXPECT_EQ(contents_of(file.path()), "");
}

/// A valid file in parts: metadata and arrays.
class BrokenFiles : public testing::Test {
 protected:
  BrokenFiles() {
    train(spirals_.examples(), {.hidden = {4}}, {.members = 3, .steps = 5}).save(file_.path());
    good_ = contents_of(file_.path());
    std::uint64_t length = 0;
    std::memcpy(&length, good_.data(), 8);
    header_ = Json::parse(good_.substr(8, length));
    words_ = Json::parse(header_["__metadata__"]["bootfold"].get<std::string>());
    arrays_ = good_.substr(8 + length);
  }

  [[nodiscard]] std::string message_for(const std::string& bytes) const {
    file_.write(bytes);
    return message_of<DataError>([&] { static_cast<void>(Ensemble::load(file_.path())); });
  }
  /// With a changed description of the ensemble.
  template <class Change>
  std::string with_words(Change&& change) {
    Json words = words_;
    change(words);
    Json header = header_;
    header["__metadata__"]["bootfold"] = words.dump();
    return message_for(assemble(header));
  }
  template <class Change>
  std::string with_header(Change&& change) {
    Json header = header_;
    change(header);
    return message_for(assemble(header));
  }
  [[nodiscard]] std::string assemble(const Json& header) const {
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes + text + arrays_;
  }

  Spirals spirals_{40};
  TempFile file_{"m.safetensors"};
  std::string good_;
  Json header_;
  Json words_;
  std::string arrays_;
};

TEST_F(BrokenFiles, OtherFormatsAndVersions) {
  EXPECT_TRUE(says(message_for("x,y\n1,2\n"), "m.safetensors"));
  EXPECT_TRUE(says(with_header([](Json& h) { h.erase("__metadata__"); }),
                   "not contain a bootfold ensemble"));
  EXPECT_TRUE(says(with_header([](Json& h) { h["__metadata__"]["format"] = "bootfold result 1"; }),
                   "not contain a bootfold ensemble"));
  for (const char* other : {"bootfold ensemble 1", "bootfold ensemble 6"})
    EXPECT_TRUE(says(with_header([&](Json& h) { h["__metadata__"]["format"] = other; }), other,
                     "'bootfold ensemble 2' to 'bootfold ensemble 5'", "train again"));
  EXPECT_TRUE(
      says(with_header([](Json& h) { h["__metadata__"]["bootfold"] = "{"; }), "is damaged"));
  EXPECT_TRUE(
      says(with_header([](Json& h) { h["__metadata__"]["bootfold"] = "[]"; }), "is damaged"));
}

TEST_F(BrokenFiles, EveryKeyIsRequiredWithItsType) {
  for (const auto& item : words_.items()) {
    const std::string& key = item.key();
    if (key == "packs") continue;  // for other programs
    SCOPED_TRACE(key);
    if (key != "conformal") {  // older files have none
      EXPECT_NE(with_words([&](Json& w) { w.erase(key); }), "");
    }
    EXPECT_NE(with_words([&](Json& w) { w[key] = Json::object({{"a", -1}}); }), "");
    EXPECT_NE(with_words([&](Json& w) { w[key] = -1.5; }), "");
  }
  for (const auto& item : words_["settings"][0].items()) {
    const std::string& key = item.key();
    SCOPED_TRACE(key);
    EXPECT_NE(with_words([&](Json& w) { w["settings"][0].erase(key); }), "");
    EXPECT_NE(with_words([&](Json& w) { w["settings"][0][key] = "strange"; }), "");
  }
  for (const auto& item : words_["members"].items()) {
    const std::string& key = item.key();
    SCOPED_TRACE(key);
    EXPECT_NE(with_words([&](Json& w) { w["members"].erase(key); }), "");
    EXPECT_NE(with_words([&](Json& w) { w["members"][key].push_back(w["members"][key][0]); }), "");
    EXPECT_NE(with_words([&](Json& w) { w["members"][key] = Json::array(); }), "");
    EXPECT_NE(with_words([&](Json& w) { w["members"][key][1] = Json::array(); }), "");
  }
}

TEST_F(BrokenFiles, InvalidNumbers) {
  const auto set = [&](const char* a, const char* b, std::size_t i, const Json& value) {
    return with_words([&](Json& w) { w[a][b][i] = value; });
  };
  for (const Json& bad : {Json(nullptr), Json("inf"), Json(0), Json(-1), Json("1")})
    EXPECT_TRUE(says(set("input_scaling", "scale", 1, bad), "m.safetensors")) << bad;
  EXPECT_TRUE(says(set("input_scaling", "mean", 0, nullptr), "mean nan"));
  for (const Json& bad : {Json(nullptr), Json("inf"), Json("1"), Json(-1e300)})
    EXPECT_TRUE(says(set("input_range", "high", 1, bad), "m.safetensors")) << bad;
  EXPECT_TRUE(says(set("input_range", "low", 0, 1e300), "column 1", "from 1e+300 to"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["input_range"]["low"].push_back(0.0); }), "ranges"));
  EXPECT_TRUE(says(set("members", "settings", 2, 1), "member 2", "settings 1 of 1"));
  EXPECT_TRUE(
      says(set("members", "settings", 2, std::numeric_limits<std::uint64_t>::max()), "member 2"));
  EXPECT_TRUE(says(set("members", "number", 2, -3), "whole number"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["noise"] = {1.0}; }), "noise"));
  for (const Json& wrong : {Json(0.0), Json(-1.0), Json("inf"), Json(nullptr)})
    EXPECT_TRUE(says(with_words([&](Json& w) { w["temperature"] = wrong; }), "temperature"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["inputs"] = Json::array(); }), "no inputs"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["inputs"].push_back("z"); }), "scale"));
  EXPECT_TRUE(
      says(with_words([](Json& w) { w["classes"] = {"a"}; }), "too few classes or targets"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["loss"] = "gaussian"; }), "scale"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["classes"].push_back("third"); }), "layers.1"));
}

TEST_F(BrokenFiles, ConformalScores) {
  const auto with = [&](auto change) {
    return with_words([&](Json& w) { change(w["conformal"]); });
  };
  ASSERT_EQ(words_["conformal"]["rows"], "out_of_bag");
  EXPECT_TRUE(says(with([](Json& c) { c["rows"] = "none"; }), "of no rows"));
  EXPECT_TRUE(says(with([](Json& c) { c["rows"] = "all"; }), "out_of_bag"));
  EXPECT_TRUE(says(with([](Json& c) { c["rows"] = 1; }), "not named"));
  for (const char* key : {"residuals", "scaled"}) {
    EXPECT_TRUE(says(with([&](Json& c) { c[key] = Json::array(); }), "scores of 0 targets"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key].push_back(c[key][0]); }), "scores of 2 targets"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["values"].erase(0); }), "scores"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["values"][0] = 1e300; }), "ascend"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["values"][0] = "inf"; }), "ascend"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["values"][0] = "nan"; }), "text"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["values"][0] = nullptr; }), "number"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["rows"] = -1; }), "number of rows"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["rows"] = ~std::uint64_t{0}; }),
                     "18446744073709551615"));
    EXPECT_TRUE(says(with([&](Json& c) { c[key][0]["rows"] = 1'000'000'000; }), "scores"));
    EXPECT_TRUE(says(with([&](Json& c) { c.erase(key); }), "damaged"));
    EXPECT_TRUE(says(with([&](Json& c) {
                       c[key][0] = {{"rows", 0}, {"values", Json::array()}};
                     }),
                     "0"));
  }
  EXPECT_TRUE(says(with_words([](Json& w) { w["temperatures"] = {1.0}; }), "temperatures"));
  EXPECT_TRUE(says(with_words([](Json& w) { w["share"] = 3; }), "share weights", "ensemble 2"));
  for (const std::uint64_t share : {std::uint64_t{1}, std::uint64_t{1} << 63})
    EXPECT_TRUE(says(with_words([&](Json& w) { w["share"] = share; }), "in groups of"));
  // A file of an earlier version has no scores.
  Json words = words_;
  words.erase("conformal");
  Json header = header_;
  header["__metadata__"]["bootfold"] = words.dump();
  file_.write(assemble(header));
  EXPECT_EQ(Ensemble::load(file_.path()).frame().conformal.rows, ScoreRows::none);
}

TEST_F(BrokenFiles, HugeOrMismatchedShapes) {
  const auto hidden = [&](const Json& layers) {
    return with_words([&](Json& w) { w["settings"][0]["hidden"] = layers; });
  };
  EXPECT_TRUE(says(hidden({5}), "layers.0.weight"));
  EXPECT_TRUE(says(hidden({0}), "0 units"));
  EXPECT_TRUE(says(hidden({65537}), "65537 units"));
  EXPECT_TRUE(says(hidden({1e300}), "whole number"));
  EXPECT_TRUE(says(hidden({65536, 65536, 65536}), "layers.0.weight"));
  EXPECT_TRUE(says(hidden({4, 4}), "layers.1.weight"));
  EXPECT_TRUE(says(hidden(Json::array()), "layers.0.weight"));
  EXPECT_TRUE(says(hidden(Json(std::vector<int>(1'000'000, 4))), "1000001 layers"));
  EXPECT_TRUE(says(with_header([](Json& h) { h.erase("layers.1.bias"); }), "fill"));
  EXPECT_TRUE(says(with_header([](Json& h) {
                     h["layers.0.weight"]["shape"] = {3, 2, 4};
                   }),
                   "layers.0.weight"));
  EXPECT_TRUE(
      says(with_header([](Json& h) { h["layers.0.weight"]["dtype"] = "I32"; }), "layers.0.weight"));
  // The same bytes for two arrays.
  EXPECT_TRUE(
      says(with_header([](Json& h) { h["again"] = h["layers.1.bias"]; }), "not contiguous"));
  EXPECT_TRUE(says(with_header([](Json& h) {
                     h["huge"] = {{"dtype", "F32"},
                                  {"shape", {1ULL << 40U}},
                                  {"data_offsets", {0, 1ULL << 42U}}};
                   }),
                   "was it cut?"));
}

TEST_F(BrokenFiles, TruncatedAnywhere) {
  for (std::size_t size = 0; size < good_.size(); size += 1 + good_.size() / 301)
    EXPECT_NE(message_for(good_.substr(0, size)), "") << size;
  EXPECT_TRUE(says(message_for(good_.substr(0, good_.size() - 1)), "was it cut?"));
  EXPECT_TRUE(says(message_for(good_ + "x"), "fill"));
}

// Any change of a byte of the header gives an error or an ensemble that can predict.
TEST_F(BrokenFiles, RandomChangesNeverCrash) {
  random::Stream stream({.seed = 11});
  const std::size_t header = good_.size() - arrays_.size();
  std::size_t refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good_;
    const int changes = 1 + round % 3;
    for (int i = 0; i < changes; ++i) {
      const auto at =
          static_cast<std::size_t>(random::uniform(stream) * static_cast<double>(header));
      bytes[at] = static_cast<char>(
          round % 2 == 0 ? "0123456789-.e\"[]{},:n"[static_cast<int>(random::uniform(stream) * 21)]
                         : static_cast<char>(random::uniform(stream) * 256));
    }
    file_.write(bytes);
    try {
      const Ensemble read = Ensemble::load(file_.path());
      static_cast<void>(read.predict(spirals_.examples().inputs));
    } catch (const DataError&) {
      ++refused;
    } catch (const InvalidArgument&) {  // another number of inputs, or all members failed
    }
  }
  EXPECT_GT(refused, 1000U);
}

}  // namespace files_test
}  // namespace bootfold::ensemble
