#include "resample/weighted_places.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "bootfold/random.h"
#include "numeric/compensated.h"

namespace bootfold::resample {

namespace {

using random::Purpose;
using simd::kCountTile;

/// A place gets at most so many draws on average.
constexpr double kMostMean = 2;

// In place of an attempt: streams of purpose `weighted`.
constexpr std::uint8_t kLate = 1;
constexpr std::uint8_t kCounted = 2;

double sum_of(std::span<const double> weights) {
  numeric::Compensated sum;
  for (const double weight : weights) sum.add(weight);
  return sum.value();
}

/// Expected draws of a row, and the places among which they are shared.
struct Expected {
  Expected(double weight, double sum, std::uint64_t draws)
      : all(weight / sum * static_cast<double>(draws)),
        places(all > kMostMean ? std::ceil(all / kMostMean)
               : weight > 0    ? 1
                               : 0) {}
  [[nodiscard]] double mean() const { return places > 1 ? all / places : all; }

  double all;
  double places;
};

/// Rounded down to seven significant bits, so that few laws serve all tiles.
double rounded_down(double mean) {
  int exponent = 0;
  const double part = std::frexp(mean, &exponent);
  return std::ldexp(std::floor(std::ldexp(part, 7)), exponent - 7);
}

/// The first half of a double that is not negative: larger numbers have no smaller one.
std::uint32_t key_of(double mean) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(mean) >> 32);
}

/// The words of a lane stream in order.
class Words {
 public:
  Words(const random::StreamId& id, std::uint64_t number) : lanes_(id, number) {}

  std::uint64_t operator()() {
    if (at_ == random::Lanes::kLanes) {
      words_ = lanes_();
      at_ = 0;
    }
    return words_[at_++];
  }

 private:
  random::Lanes lanes_;
  std::array<std::uint64_t, random::Lanes::kLanes> words_{};
  std::size_t at_ = random::Lanes::kLanes;
};

/// A number below `bound`, and a uniform fraction of what is left of the word.
struct Scaled {
  Scaled(std::uint64_t word, std::uint32_t bound) {
    const auto product = static_cast<unsigned __int128>(word) * bound;
    number = static_cast<std::uint32_t>(product >> 64);
    fraction = static_cast<double>(static_cast<std::uint64_t>(product) >> 11) * 0x1p-53;
  }
  std::uint32_t number;
  double fraction;
};

}  // namespace

std::uint64_t WeightedPlaces::count(std::span<const double> weights, std::uint64_t draws) {
  const double sum = sum_of(weights);
  std::uint64_t places = 0;
  for (const double weight : weights)
    places += static_cast<std::uint64_t>(Expected(weight, sum, draws).places);
  return places;
}

WeightedPlaces::WeightedPlaces(std::span<const double> weights, std::uint64_t draws,
                               const Sizes& sizes)
    : draws_(draws), blocks_(0) {
  sort(weights);
  blocks_ = SuperBlocks(rows_.size(), sizes.block_places);
  all_.resize(blocks_.count());
  std::vector<double> expected;
  for (std::uint64_t b = 0; b < blocks_.count(); ++b) expected.push_back(prepare(b, sizes));
  left_share_.resize(blocks_.count());
  split(expected, 0, blocks_.count());
}

/// By falling means, to the first half of their bits, and equal ones in the order of the rows: a
/// radix sort of two passes.
void WeightedPlaces::sort(std::span<const double> weights) {
  struct Entry {
    std::uint32_t key;
    std::uint32_t row;
  };
  const double sum = sum_of(weights);
  std::vector<Entry> entries;
  entries.reserve(count(weights, draws_));
  for (std::uint32_t row = 0; row < weights.size(); ++row) {
    const Expected expected(weights[row], sum, draws_);
    entries.insert(entries.end(), static_cast<std::size_t>(expected.places),
                   {~key_of(expected.mean()), row});
  }
  std::vector<Entry> sorted(entries.size());
  for (const int shift : {0, 16}) {
    const auto digit = [shift](const Entry& entry) { return entry.key >> shift & 0xFFFFU; };
    std::vector<std::size_t> first(65537);
    for (const Entry& entry : entries) ++first[digit(entry) + 1];
    for (std::size_t d = 0; d < 65536; ++d) first[d + 1] += first[d];
    for (const Entry& entry : entries) sorted[first[digit(entry)]++] = entry;
    std::swap(entries, sorted);
  }
  sorted = std::vector<Entry>();  // `{}` would keep the memory
  rows_.reserve(entries.size());
  means_.reserve(entries.size());
  for (const Entry& entry : entries) {
    rows_.push_back(entry.row);
    means_.push_back(Expected(weights[entry.row], sum, draws_).mean());
  }
}

/// Tiles, their laws and what is left of the weights; returns the expected draws.
double WeightedPlaces::prepare(std::uint64_t b, const Sizes& sizes) {
  Block& block = all_[b];
  const std::span<const double> means =
      std::span(means_).subspan(blocks_.first_row(b), blocks_.rows(b));
  numeric::Compensated all;
  for (const double mean : means) all.add(mean);
  // The rates of the counts, as a share of those of the draws that are counted.
  const bool counts = all.value() >= sizes.least_draws;
  const double below = counts ? std::max(0.5, 1 - sizes.margin / std::sqrt(all.value())) : 0;
  numeric::Compensated counted;
  numeric::Compensated left;
  std::vector<double> rate_weights;
  std::vector<double> left_weights;
  bool counting = counts;
  for (std::size_t first = 0; first < means.size(); first += kCountTile) {
    const std::span<const double> own =
        means.subspan(first, std::min(kCountTile, means.size() - first));
    const auto [least, most] = std::minmax_element(own.begin(), own.end());
    const auto size = static_cast<std::uint32_t>(own.size());
    const double mean = rounded_down(below * *least);
    counting = counting && mean >= sizes.least_mean;  // those behind it have smaller ones
    const double rate = counting ? mean / below : 0;
    block.tiles.push_back(
        {counting ? laws_(mean, size).all : nullptr, rate, std::max(0.0, *most - rate), size});
    if (counting) block.counted += size;
    counted.add(size * rate);
    for (const double each : own) left.add(std::max(0.0, each - rate));
    rate_weights.push_back(size * rate);
    left_weights.push_back(size * block.tiles.back().most_left);
  }
  block.share = counted.value() / (counted.value() + left.value());
  if (counted.value() > 0) block.rate_tile.emplace(rate_weights);
  if (left.value() > 0) block.left_tile.emplace(left_weights);
  return all.value();
}

/// The shares of the nodes of the tree above some super-blocks; returns what they expect together.
double WeightedPlaces::split(std::span<const double> expected, std::uint64_t first,
                             std::uint64_t last) {
  if (last - first < 2) return expected[first];
  const std::uint64_t middle = first + (last - first) / 2;
  const double left = split(expected, first, middle);
  const double right = split(expected, middle, last);
  left_share_[middle] = left / (left + right);
  return left + right;
}

WeightedPlaces::Draws WeightedPlaces::draws(std::uint64_t seed, std::uint64_t replicate,
                                            std::uint64_t block) const {
  Draws found;
  found.all = blocks_.draws(
      seed, replicate, draws_, block,
      [&](std::uint64_t, std::uint64_t middle, std::uint64_t) { return left_share_[middle]; });
  if (all_[block].counted > 0) {
    random::Stream stream({seed, replicate, Purpose::weighted, kCounted},
                          block << SuperBlocks::kNodeBits);
    found.counted = random::binomial(stream, found.all, all_[block].share);
  }
  return found;
}

void WeightedPlaces::draw_late(std::uint64_t seed, std::uint64_t replicate, std::uint64_t b,
                               std::uint64_t counted, std::uint64_t rest,
                               std::vector<std::uint32_t>& places) const {
  const Block& block = all_[b];
  const double* const means = means_.data() + blocks_.first_row(b);
  Words words({seed, replicate, Purpose::weighted, kLate}, b);
  places.resize(counted + rest);
  for (std::uint64_t i = 0; i < counted; ++i) {
    const std::uint32_t tile = block.rate_tile->row(words());
    places[i] = tile * static_cast<std::uint32_t>(kCountTile) +
                Scaled(words(), block.tiles[tile].places).number;
  }
  // The others by rejection, some tries at a time, so that the look-ups do not wait for each other.
  constexpr std::size_t kTries = 64;
  std::array<std::uint32_t, kTries> place;
  std::array<double, kTries> least;  // a place that has more left than this is accepted
  for (std::uint64_t made = counted; made < places.size();) {
    for (std::size_t i = 0; i < kTries; ++i) {
      const std::uint32_t number = block.left_tile->row(words());
      const Tile& tile = block.tiles[number];
      const Scaled scaled(words(), tile.places);
      place[i] = number * static_cast<std::uint32_t>(kCountTile) + scaled.number;
      least[i] = tile.rate + scaled.fraction * tile.most_left;
    }
    for (std::size_t i = 0; i < kTries && made < places.size(); ++i) {
      places[made] = place[i];
      made += static_cast<std::uint64_t>(means[place[i]] > least[i]);
    }
  }
}

}  // namespace bootfold::resample
