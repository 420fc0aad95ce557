// Rows in memory as a source.
#include <algorithm>
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/slice.h"

namespace bootfold::data {
namespace {

class MemoryPass final : public Pass {
 public:
  MemoryPass(DataView view, std::vector<std::string> names, std::size_t chunk_rows,
             std::shared_ptr<const void> owner)
      : view_(std::move(view)),
        names_(std::move(names)),
        chunk_rows_(chunk_rows),
        owner_(std::move(owner)) {}

  std::optional<Chunk> next() override {
    if (done_ == view_.rows()) return std::nullopt;
    const std::size_t rows = std::min(chunk_rows_, view_.rows() - done_);
    std::vector<ColumnView> columns;
    for (std::size_t c = 0; c < view_.columns(); ++c)
      columns.push_back(view_.column(c).slice(done_, rows));
    done_ += rows;
    return Chunk{DataView(std::move(columns), names_), owner_};
  }

 private:
  DataView view_;
  std::vector<std::string> names_;
  std::size_t chunk_rows_;
  std::shared_ptr<const void> owner_;
  std::size_t done_ = 0;
};

}  // namespace

MemorySource::MemorySource(DataView view, std::size_t chunk_rows, std::shared_ptr<const void> owner)
    : view_(std::move(view)), chunk_rows_(chunk_rows), owner_(std::move(owner)) {
  if (chunk_rows == 0) throw InvalidArgument("chunk_rows is 0 but must be at least 1");
  if (view_.columns() == 0) throw InvalidArgument("the data have no columns");
  for (std::size_t c = 0; c < view_.columns(); ++c) names_.push_back(view_.name(c));
}

std::unique_ptr<Pass> MemorySource::open() const {
  return std::make_unique<MemoryPass>(view_, names_, chunk_rows_, owner_);
}

std::unique_ptr<Source> MemorySource::slice(std::uint64_t first, std::uint64_t count) const {
  check_slice(*this, first, count);
  std::vector<ColumnView> columns;
  for (std::size_t c = 0; c < view_.columns(); ++c)
    columns.push_back(view_.column(c).slice(first, count));
  return std::make_unique<MemorySource>(DataView(std::move(columns), names_), chunk_rows_, owner_);
}

}  // namespace bootfold::data
