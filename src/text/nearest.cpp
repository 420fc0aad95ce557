#include "text/nearest.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bootfold::text {
namespace {

// Names come from files too, so the work is bounded: kLongest^2 steps for each of kMost candidates.
constexpr std::size_t kLongest = 48;
constexpr std::size_t kMost = 10'000;
constexpr std::size_t kBegun = 4;  // letters that make the beginning of a word

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Optimal string alignment distance: Levenshtein with swaps of neighbours. Three rows of the table
// suffice. Both words have at most kLongest letters.
std::size_t distance(std::string_view a, std::string_view b) {
  using Row = std::array<std::size_t, kLongest + 1>;
  Row before{}, above{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > kLongest) return {};
  const std::string* best = nullptr;
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3);  // the largest distance to accept
  for (const std::string& candidate : candidates.first(std::min(candidates.size(), kMost))) {
    // One letter has to survive: "x" is not a misspelt "y".
    const std::size_t longer = std::max(word.size(), candidate.size());
    const std::size_t shorter = std::min(word.size(), candidate.size());
    const bool begun = word.size() >= kBegun && candidate.starts_with(word);
    if (!begun && (longer > kLongest || longer - shorter > limit)) continue;
    const std::size_t mistakes =
        begun ? std::min<std::size_t>(1, longer - shorter) : distance(word, candidate);
    if (mistakes > limit || mistakes >= longer) continue;
    best = &candidate;
    if (mistakes == 0) break;
    limit = mistakes - 1;
  }
  return best == nullptr ? std::string() : *best;
}

}  // namespace bootfold::text
