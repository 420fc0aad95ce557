// The streams of version 1 give the words of vectors.txt. make_vectors.py, which shares no code
// with the library, made that file, but for the lines marked `pinned`.
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>

#include "random/counter.h"
#include "random/lane_access.h"
#include "random/vectors.h"

namespace bootfold::random {
namespace known_answers_test {

TEST(KnownAnswers, OfPhiloxAsItsAuthorsPublishedThem) {
  for (const auto& vector : vectors("block")) {
    const auto found = block(vector.stream(), vector.number("position"));
    EXPECT_EQ(vector.words(), std::vector<std::uint64_t>(found.begin(), found.end()))
        << vector.line;
  }
}

TEST(KnownAnswers, OfXoshiroAsItsAuthorsPublishedThem) {
  for (const auto& vector : vectors("xoshiro")) {
    ASSERT_EQ(vector.names.at("state"), "1,2,3,4");
    Lanes lanes({}, 0);
    for (std::size_t lane = 0; lane < Lanes::kLanes; ++lane)
      for (std::size_t word = 0; word < 4; ++word) LaneAccess::state(lanes)[word][lane] = word + 1;
    for (const std::uint64_t answer : vector.words())
      for (const std::uint64_t word : lanes()) EXPECT_EQ(word, answer);
  }
}

TEST(KnownAnswers, OfStreams) {
  for (const auto& vector : vectors("stream")) {
    Stream stream(vector.stream());
    for (const std::uint64_t answer : vector.words()) EXPECT_EQ(stream(), answer) << vector.line;
  }
}

TEST(KnownAnswers, OfLanes) {
  for (const auto& vector : vectors("lanes")) {
    Lanes lanes(vector.stream(), vector.number("number"));
    std::vector<std::uint64_t> found;
    while (found.size() < vector.answers.size())
      for (const std::uint64_t word : lanes()) found.push_back(word);
    EXPECT_EQ(vector.words(), found) << vector.line;
  }
}

// The kernels seed lanes on their own, sixteen calls at once.
TEST(KnownAnswers, OfLanesSeededByEverySimdLevel) {
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("lanes")) {
      SCOPED_TRACE(testing::Message() << execution::name(level) << ", " << vector.line);
      simd::LaneState state;
      simd::kernels(level).seed(lane_counter(vector.stream(), vector.number("number")), state);
      const Lanes lanes(vector.stream(), vector.number("number"));
      EXPECT_EQ(std::memcmp(state.word, LaneAccess::state(lanes), sizeof state.word), 0);
    }
}

TEST(KnownAnswers, OfUniformIndices) {
  for (const auto& vector : vectors("uniform_index")) {
    Stream stream(vector.stream());
    for (const std::uint64_t answer : vector.numbers())
      EXPECT_EQ(uniform_index(stream, vector.number("bound")), answer) << vector.line;
  }
}

TEST(KnownAnswers, OfUniforms) {
  for (const auto& vector : vectors("uniform")) {
    Stream stream(vector.stream());
    for (const double answer : vector.reals()) EXPECT_EQ(uniform(stream), answer) << vector.line;
  }
}

std::string hexadecimal(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%a", value);
  return text;
}

/// The line as the program would write it: what to put into vectors.txt after a change on purpose.
std::string pin(const Vector& vector, const std::function<double(Stream&)>& draw) {
  Stream stream(vector.stream());
  std::string line = vector.line.substr(0, vector.line.find(':') + 1);
  for (std::size_t i = 0; i < 6; ++i) line += " " + hexadecimal(draw(stream));
  return line;
}

TEST(KnownAnswers, OfTheLawsThatBoostDraws) {
  for (const auto& vector : vectors("normal")) EXPECT_EQ(vector.line, pin(vector, normal));
  for (const auto& vector : vectors("exponential"))
    EXPECT_EQ(vector.line, pin(vector, exponential));
  for (const auto& vector : vectors("binomial")) {
    const double p = std::stod(vector.names.at("probability"));
    EXPECT_EQ(vector.line, pin(vector, [&](Stream& stream) {
                return static_cast<double>(binomial(stream, vector.number("trials"), p));
              }));
  }
  for (const auto& vector : vectors("beta")) {
    const double a = std::stod(vector.names.at("a"));
    const double b = std::stod(vector.names.at("b"));
    EXPECT_EQ(vector.line, pin(vector, [&](Stream& stream) { return beta(stream, a, b); }));
  }
}

}  // namespace known_answers_test
}  // namespace bootfold::random
