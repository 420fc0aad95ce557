#include "shards/strata_rows.h"

#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "data/label_order.h"
#include "paths/sum_parts.h"
#include "resample/groups.h"
#include "resample/schemes/stratum_sizes.h"
#include "study/tile.h"
#include "text/concat.h"
#include "text/quoted.h"

namespace bootfold::shards {

namespace {

/// Rows of a stratum that are copied at a time: a super-block, whose counts are drawn as a whole.
constexpr std::size_t kTogether = resample::kSuperBlockRows;

/// Copies of some rows, side by side.
class Copied {
 public:
  Copied(const DataView& data, std::span<const std::uint32_t> rows) : columns_(data.columns()) {
    study::TileReader reader(data, study::kTileRows);
    for (std::size_t from = 0; from < rows.size(); from += study::kTileRows) {
      const statistic::Tile tile = reader.gather(
          rows.subspan(from, std::min<std::size_t>(study::kTileRows, rows.size() - from)));
      for (std::size_t c = 0; c < columns_.size(); ++c)
        columns_[c].insert(columns_[c].end(), tile.column(c).begin(), tile.column(c).end());
    }
    std::vector<ColumnView> views;
    for (const std::vector<double>& column : columns_) views.emplace_back(column);
    view_ = DataView(std::move(views));
  }
  [[nodiscard]] const DataView& view() const noexcept { return view_; }

 private:
  std::vector<std::vector<double>> columns_;
  DataView view_;
};

}  // namespace

StrataRows::StrataRows(LabelsLook look)
    : look_(std::move(look)), sizes_(look_.sizes()), numbers_(look_.names.size()) {
  const std::vector<std::uint32_t> order = data::label_order(look_.names);
  for (std::size_t number = 0; number < order.size(); ++number) numbers_[order[number]] = number;
}

std::shared_ptr<const resample::Design> StrataRows::design() const {
  std::vector<std::uint64_t> sizes(sizes_.size());
  for (std::size_t name = 0; name < sizes.size(); ++name) sizes[numbers_[name]] = sizes_[name];
  return std::make_shared<const resample::StratumSizesDesign>(std::move(sizes));
}

std::size_t StrataRows::find(const std::string& name) const {
  const auto found = std::lower_bound(look_.names.begin(), look_.names.end(), name);
  if (found == look_.names.end() || *found != name)
    throw InvalidArgument(text::concat("the shard has stratum ", text::quoted(name),
                                       ", which no look has; look at the rows that are added up"));
  return static_cast<std::size_t>(found - look_.names.begin());
}

void StrataRows::add(const Road& road, const planning::PartEngine& engine, const DataView& rows,
                     std::uint64_t first, const data::Labels& labels, planning::PartialSums& part,
                     const Execution& execution) const {
  const std::vector<std::uint64_t> before = look_.before(first);
  const resample::Groups groups(labels.codes);
  std::vector<std::uint32_t> codes(labels.codes);  // those that occur, as the groups number them
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  for (std::size_t g = 0; g < groups.count(); ++g) {
    const std::size_t name = find(labels.names[codes[g]]);
    if (groups.rows(g).size() > sizes_[name] - before[name])
      throw planning::rows_changed("the look and the parts");
  }
  road.see(rows, first, part, execution);
  double done = 0;
  for (std::size_t g = 0; g < groups.count(); ++g) {
    const std::size_t name = find(labels.names[codes[g]]);
    const std::span<const std::uint32_t> own = groups.rows(g);
    for (std::size_t from = 0; from < own.size(); from += kTogether) {
      const std::size_t size = std::min(kTogether, own.size() - from);
      const Copied copied(rows, own.subspan(from, size));
      engine.add({copied.view(), before[name] + from, numbers_[name]}, part,
                 paths::stage_of(execution, done, static_cast<double>(size),
                                 static_cast<double>(rows.rows())));
      done += static_cast<double>(size);
    }
  }
}

}  // namespace bootfold::shards
