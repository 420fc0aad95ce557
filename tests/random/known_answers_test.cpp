// The streams of version 2 give the words of vectors.txt. make_vectors.py, which shares no code
// with the library, made that file.
#include <cstring>

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

TEST(KnownAnswers, OfSfc64AsNumpyGivesThem) {
  for (const auto& vector : vectors("sfc64")) {
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

/// Draws one after the other from the stream of each vector of a kind.
template <class Draw>
void expect_draws(const char* kind, Draw&& draw) {
  for (const auto& vector : vectors(kind)) {
    Stream stream(vector.stream());
    for (const double answer : vector.reals())
      EXPECT_EQ(draw(stream, vector), answer) << vector.line;
  }
}

double named(const Vector& vector, const char* name) { return std::stod(vector.names.at(name)); }

TEST(KnownAnswers, OfNormalsAndExponentials) {
  expect_draws("normal", [](Stream& stream, const Vector&) { return normal(stream); });
  expect_draws("exponential", [](Stream& stream, const Vector&) { return exponential(stream); });
}

TEST(KnownAnswers, OfBinomials) {
  expect_draws("binomial", [](Stream& stream, const Vector& vector) {
    return static_cast<double>(
        binomial(stream, vector.number("trials"), named(vector, "probability")));
  });
}

TEST(KnownAnswers, OfBetas) {
  expect_draws("beta", [](Stream& stream, const Vector& vector) {
    return beta(stream, named(vector, "a"), named(vector, "b"));
  });
}

}  // namespace known_answers_test
}  // namespace bootfold::random
