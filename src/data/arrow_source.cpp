// Streams of record batches that other libraries make, as a source.
#include <utility>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "data/arrow_columns.h"
#include "data/column_source.h"

namespace bootfold::data {
namespace {

constexpr const char* kArrowLabel = "the Arrow stream";

Concatenated make_arrow_source(std::function<void(ArrowArrayStream*)> open,
                               const ReadOptions& options) {
  if (!open) throw InvalidArgument("there is no function that opens the Arrow stream");
  if (!options.labels.empty() || !options.texts.empty())
    throw InvalidArgument("labels and texts are given but a source has columns of numbers only");
  const Where where = options.where.empty() ? Where() : Where(options.where);
  const auto file = arrow_columns(
      kArrowLabel,
      [open = std::move(open)](const std::vector<std::size_t>*, RowSpan, ArrowArrayStream* stream) {
        open(stream);
        if (stream->release == nullptr) throw DataError("the Arrow stream was not opened");
      },
      options, where, {});
  std::vector<Concatenated::Part> parts;
  parts.push_back({kArrowLabel, column_source(file, where, options.nan)});
  return Concatenated(std::move(parts));
}

}  // namespace

ArrowSource::ArrowSource(std::function<void(ArrowArrayStream*)> open, const ReadOptions& options)
    : source_(make_arrow_source(std::move(open), options)) {}

ArrowSource::~ArrowSource() = default;

const std::vector<std::string>& ArrowSource::names() const noexcept { return source_.names(); }

std::optional<std::uint64_t> ArrowSource::rows() const noexcept { return source_.rows(); }

std::unique_ptr<Pass> ArrowSource::open() const { return source_.open(); }

ReadNotes ArrowSource::notes() const { return source_.notes(); }

}  // namespace bootfold::data
