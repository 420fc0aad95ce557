#include "resample/schemes/jackknife.h"

#include "bootfold/error.h"
#include "resample/sampling_by.h"
#include "text/concat.h"
#include "text/quantity.h"

namespace bootfold::resample {

namespace {

struct RowsWithoutOne {
  std::size_t rows;
  std::shared_ptr<const Groups> clusters;  // null: row by row

  std::span<const std::uint32_t> operator()(std::uint64_t replicate, RowList& out) const {
    out.clear();
    const auto one = static_cast<std::uint32_t>(replicate);
    std::span<const std::uint32_t> left_out(&one, 1);
    if (clusters) left_out = clusters->rows(replicate);
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (!left_out.empty() && row == left_out.front())
        left_out = left_out.subspan(1);
      else
        out.push_back(row);
    }
    return out;
  }
};

}  // namespace

std::string JackknifeDesign::describe(std::uint64_t rows) const {
  return text::concat("jackknife, without one of ", text::grouped(*replicates(rows)),
                      by_row() ? " rows" : " clusters", " at a time");
}

void JackknifeDesign::check(std::uint64_t rows) const {
  if (!by_row()) check_labels(labels(), "cluster", rows);
  if (*replicates(rows) < 2)
    throw InvalidArgument(text::concat("there is only one ", by_row() ? "row" : "cluster",
                                       ", but a jackknife leaves out one of at least 2"));
}

Traits JackknifeDesign::traits(std::uint64_t) const {
  Traits facts;
  facts.fixed_size = by_row();
  facts.endless = false;
  facts.deletes = true;
  facts.together = false;
  return facts;
}

std::uint64_t JackknifeDesign::draws(std::uint64_t rows) const {
  return rows > 1 ? rows - 1 : rows;
}

std::optional<std::uint64_t> JackknifeDesign::replicates(std::uint64_t rows) const {
  return by_row() ? rows : groups()->count();
}

std::shared_ptr<const Sampling> JackknifeDesign::sampling(std::uint64_t rows, std::uint64_t,
                                                          std::uint64_t, execution::Level) const {
  return sampling_by(RowsWithoutOne{rows, groups()});
}

Scheme JackknifeDesign::subset(const OfRows& some) const { return scheme::Jackknife{some.labels}; }

Scheme JackknifeDesign::of_clusters() const {
  if (by_row()) return Design::of_clusters();
  return scheme::Jackknife{};
}

Scheme JackknifeDesign::drawing_what_is_deleted() const {
  if (by_row()) return scheme::Iid{};
  return scheme::Cluster{labels()};
}

}  // namespace bootfold::resample
