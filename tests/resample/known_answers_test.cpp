// Counts, row numbers, top-ups and blocks are those of tests/random/vectors.txt, at every SIMD
// level.
#include "bootfold/resample.h"
#include "random/vectors.h"
#include "resample/blocks.h"
#include "resample/reference.h"
#include "resample/rows.h"
#include "resample/weighted_reference.h"
#include "resample/weights.h"

namespace bootfold::resample {
namespace known_answers_test {

/// Words of 32 bits, lowest first.
void push_words(std::vector<std::uint32_t>& to, std::uint64_t number) {
  to.push_back(static_cast<std::uint32_t>(number));
  to.push_back(static_cast<std::uint32_t>(number >> 32));
}

std::string seats(const std::uint8_t* table) {
  std::string text;
  for (std::size_t i = 0; i < 16; ++i) text += "0123456789abcdef"[table[i]];
  return text;
}

TEST(KnownAnswers, OfLawsOfCounts) {
  for (const auto& vector : vectors("law")) {
    SCOPED_TRACE(vector.line);
    const CountLaw law(std::stod(vector.names.at("mean")),
                       static_cast<std::uint32_t>(vector.number("positions")));
    const simd::LayerTable& table = law.table();
    EXPECT_EQ(seats(table.dense), vector.answers[0]);
    EXPECT_EQ(seats(table.sparse), vector.answers[1]);
    std::vector<std::uint32_t> thresholds;
    for (const simd::NumberTable* number : {&table.sparse_rows, &table.rare_rows})
      for (std::uint32_t k = 0; k < number->thresholds; ++k) {
        push_words(thresholds, number->low[k]);
        push_words(thresholds, number->high[k]);
      }
    EXPECT_EQ(digest(thresholds), vector.answers[2]);
    std::vector<std::uint32_t> rare(simd::kMostCount + 1);
    std::uint32_t before = 0;
    for (std::size_t k = 0; k <= simd::kRareSteps; ++k) {
      const std::uint32_t end =
          std::min(k < simd::kRareSteps ? table.rare_end[k] : 65536, table.rare_open);
      rare.at(table.rare_first + k) = end - before;
      before = end;
    }
    for (const std::uint64_t threshold : law.rare_thresholds()) push_words(rare, threshold);
    EXPECT_EQ(digest(rare), vector.answers[3]);
  }
}

TEST(KnownAnswers, OfDrawsInSuperBlocks) {
  for (const auto& vector : vectors("split")) {
    const SuperBlocks blocks(vector.number("rows"), vector.number("size"));
    std::vector<std::uint32_t> found;
    for (std::uint64_t b = 0; b < blocks.count(); ++b)
      found.push_back(static_cast<std::uint32_t>(blocks.draws(
          vector.number("seed"), vector.number("replicate"), vector.number("rows"), b)));
    EXPECT_TRUE(answers(vector, found));
  }
}

TEST(KnownAnswers, OfCounts) {
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("counts")) {
      Replicates replicates(vector.number("rows"),
                            {.level = level, .block_rows = vector.number("size")});
      EXPECT_TRUE(
          answers(vector, replicates.counts(vector.number("seed"), vector.number("replicate"))))
          << execution::name(level);
      EXPECT_EQ(replicates.voids(), vector.number("void")) << vector.line;
    }
}

/// Row weights of the vectors.
std::vector<double> weights_of(const std::string& kind, std::size_t rows) {
  std::vector<double> weights(rows, 0.125);
  for (std::size_t i = 0; i < rows && kind != "heavy"; ++i)
    weights[i] = kind == "cycle" ? static_cast<double>(5 * i % 7) + 0.25
                                 : std::ldexp(1.0, -static_cast<int>(i % 64));
  if (kind == "heavy") {
    weights[1] = 4096;
    weights[2] = 0;
  }
  return weights;
}

TEST(KnownAnswers, OfWeightedCounts) {
  std::uint64_t voids = 0;
  for (const auto level : execution::available_levels())
    for (const auto& vector : vectors("weighted")) {
      const std::vector<double> weights =
          weights_of(vector.names.at("kind"), vector.number("rows"));
      WeightedReplicates replicates(weights, vector.number("draws"),
                                    {.block_places = vector.number("size"),
                                     .least_draws = std::stod(vector.names.at("least_draws")),
                                     .least_mean = std::stod(vector.names.at("least_mean"))},
                                    level);
      EXPECT_TRUE(
          answers(vector, replicates.counts(vector.number("seed"), vector.number("replicate"))))
          << execution::name(level);
      EXPECT_EQ(replicates.voids(), vector.number("void")) << vector.line;
      EXPECT_EQ(replicates.late(), vector.number("late")) << vector.line;
      voids += replicates.voids();
    }
  EXPECT_GT(voids, 0U);
}

// The vectors really contain what is rare: ties, void attempts, several super-blocks.
TEST(KnownAnswers, OfCountsCoverTiesVoidAttemptsAndSuperBlocks) {
  std::uint64_t ties = 0;
  std::uint64_t voids = 0;
  std::uint64_t blocks = 0;
  for (const auto& vector : vectors("counts")) {
    ties += vector.number("ties");
    voids += vector.number("void");
    blocks += static_cast<std::uint64_t>(vector.number("rows") > kSuperBlockRows);
  }
  EXPECT_GE(ties, 3U);
  EXPECT_GT(voids, 3U);
  EXPECT_GT(blocks, 0U);
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

TEST(KnownAnswers, OfBayesianWeights) {
  for (const auto level : execution::available_levels())
    for (const std::size_t piece : {16U, 4096U, 1U << 20})
      for (const auto& vector : vectors("weights")) {
        const std::size_t rows = vector.number("rows");
        std::vector<std::uint32_t> found((rows + 15) / 16 * 16);
        BayesianWeights weights(level, vector.number("seed"), vector.number("replicate"));
        for (std::size_t row = 0; row < rows; row += piece)
          weights.next(std::min(piece, rows - row), found.data() + row);
        for (std::size_t i = rows; i < found.size(); ++i) EXPECT_EQ(found[i], 0);
        found.resize(rows);
        EXPECT_TRUE(answers(vector, found)) << execution::name(level);
      }
}

}  // namespace known_answers_test
}  // namespace bootfold::resample
