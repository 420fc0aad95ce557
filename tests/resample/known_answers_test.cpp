// Counts, row numbers, top-ups and blocks are those of tests/random/vectors.txt, at every SIMD
// level.
#include "bootfold/resample.h"
#include "random/vectors.h"
#include "resample/blocks.h"
#include "resample/reference.h"
#include "resample/rows.h"

namespace bootfold::resample {
namespace known_answers_test {

TEST(KnownAnswers, OfPoissonThresholds) {
  for (const auto& vector : vectors("thresholds")) {
    const Poisson poisson(count_mean(vector.number("rows"), kMargin));
    ASSERT_EQ(vector.answers.size(), poisson.thresholds().size()) << vector.line;
    for (std::size_t k = 0; k < vector.answers.size(); ++k) {
      const std::string& answer = vector.answers[k];  // 20 hexadecimal digits
      EXPECT_EQ(poisson.thresholds()[k].first, std::stoull(answer.substr(0, 4), nullptr, 16));
      EXPECT_EQ(poisson.thresholds()[k].last, std::stoull(answer.substr(4), nullptr, 16));
    }
  }
}

TEST(KnownAnswers, OfCounts) {
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("counts"))
      EXPECT_TRUE(
          answers(vector, counts(vector.number("rows"),
                                 {vector.number("seed"), vector.number("replicate")}, level)))
          << execution::name(level);
}

// The vectors really contain what is rare: ties, void attempts, several blocks.
TEST(KnownAnswers, OfCountsCoverTiesVoidAttemptsAndBlocks) {
  std::uint64_t ties = 0;
  std::uint64_t blocks = 0;
  std::uint64_t voids[2] = {};  // with one block, with several
  for (const auto& vector : vectors("counts")) {
    const std::uint64_t rows = vector.number("rows");
    Replicates replicates(rows);
    replicates.counts(vector.number("seed"), vector.number("replicate"));
    EXPECT_EQ(replicates.attempt().number, vector.number("void")) << vector.line;
    ties += vector.number("ties");
    blocks = std::max(blocks, (rows + kBlockRows - 1) / kBlockRows);
    voids[static_cast<int>(rows > kBlockRows)] += vector.number("void");
  }
  EXPECT_GT(ties, 50U);
  EXPECT_GT(blocks, 3U);
  EXPECT_GT(voids[0], 3U);
  EXPECT_GT(voids[1], 0U);
}

TEST(KnownAnswers, OfIndices) {
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("indices")) {
      const std::uint64_t draws = vector.number("draws");
      std::vector<std::uint32_t> found(draws + kSideBySide);
      draw_rows(level, vector.number("seed"), vector.number("replicate"),
                static_cast<std::uint32_t>(vector.number("rows")), {found.data(), draws});
      found.resize(draws);
      EXPECT_TRUE(answers(vector, found)) << execution::name(level);
      if (draws == vector.number("rows")) {
        EXPECT_EQ(found,
                  indices(draws, {vector.number("seed"), vector.number("replicate")}, level));
      }
    }
}

TEST(KnownAnswers, OfTopUpsAmongSeveralBlocks) {
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("top_up")) {
      const Attempt attempt{vector.number("seed"), vector.number("replicate"),
                            static_cast<std::uint8_t>(vector.number("attempt"))};
      std::vector<std::uint64_t> found(vector.answers.size());
      TopUp(level, attempt, vector.number("rows"), {}).draw(found);
      EXPECT_EQ(vector.numbers(), found) << vector.line;
    }
}

TEST(KnownAnswers, OfBlocks) {
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("blocks")) {
      const double length = std::stod(vector.names.at("length"));
      BlockKind kind = BlockKind::stationary;
      if (vector.names.at("scheme") == "moving") kind = BlockKind::moving;
      if (vector.names.at("scheme") == "circular") kind = BlockKind::circular;
      const BlockLaw law(kind, length, vector.number("rows"), level);
      std::vector<std::uint32_t> found;
      law.for_each(vector.number("seed"), vector.number("replicate"), [&](const BlockList& blocks) {
        for (std::size_t i = 0; i < blocks.starts.size(); ++i) {
          found.push_back(blocks.starts[i]);
          found.push_back(blocks.lengths[i]);
        }
      });
      EXPECT_TRUE(answers(vector, found)) << execution::name(level);
    }
}

}  // namespace known_answers_test
}  // namespace bootfold::resample
