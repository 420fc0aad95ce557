// Streams of the Arrow C stream interface, made by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/sources.h"
#include "source_rows.h"
#include "temp_file.h"

namespace bootfold::data {
namespace arrow_source_test {

using testing_data::message_of;
using testing_data::Rows;
using testing_data::rows_of;
using testing_data::says;

/// A column of a batch: buffers as Arrow has them.
struct Column {
  std::vector<std::string> buffers;  // bytes; the first may be empty: all are valid
  std::int64_t nulls = 0;
  std::int64_t offset = 0;
};

template <class T>
std::string bytes(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

struct Table2 {
  std::vector<std::pair<std::string, std::string>> fields;  // name and format
  std::vector<std::pair<std::int64_t, std::vector<Column>>> batches;
  int fails_at = -1;
};

int live = 0;  // structures that were not released

void release_schema(ArrowSchema* schema) {
  for (std::int64_t c = 0; c < schema->n_children; ++c) delete schema->children[c];
  delete[] schema->children;
  schema->release = nullptr;
  --live;
}

struct Arrays {
  std::deque<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  std::deque<std::vector<const void*>> buffers;
  const void* none = nullptr;
};

void release_array(ArrowArray* array) {
  delete static_cast<Arrays*>(array->private_data);
  array->release = nullptr;
  --live;
}

struct State {
  const Table2* table;
  std::size_t next = 0;
};

void open_stream(const Table2& table, ArrowArrayStream* stream) {
  ++live;
  stream->private_data = new State{&table};
  stream->release = [](ArrowArrayStream* self) {
    delete static_cast<State*>(self->private_data);
    self->release = nullptr;
    --live;
  };
  stream->get_last_error = [](ArrowArrayStream*) { return "the network is gone\nand more"; };
  stream->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    const Table2& all = *static_cast<State*>(self->private_data)->table;
    *schema = {};
    schema->format = "+s";
    schema->name = "";
    schema->n_children = static_cast<std::int64_t>(all.fields.size());
    schema->children = new ArrowSchema*[all.fields.size()];
    for (std::size_t c = 0; c < all.fields.size(); ++c) {
      schema->children[c] = new ArrowSchema{};
      schema->children[c]->name = all.fields[c].first.c_str();
      schema->children[c]->format = all.fields[c].second.c_str();
    }
    schema->release = release_schema;
    ++live;
    return 0;
  };
  stream->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    auto& state = *static_cast<State*>(self->private_data);
    *array = {};
    if (static_cast<int>(state.next) == state.table->fails_at) return EIO;
    if (state.next == state.table->batches.size()) return 0;
    const auto& [rows, columns] = state.table->batches[state.next++];
    auto* arrays = new Arrays;
    for (const Column& column : columns) {
      auto& buffers = arrays->buffers.emplace_back();
      for (const std::string& each : column.buffers)
        buffers.push_back(buffers.empty() && each.empty() ? nullptr : each.data());
      ArrowArray& child = arrays->children.emplace_back();
      child.length = rows;
      child.null_count = column.nulls;
      child.offset = column.offset;
      child.n_buffers = static_cast<std::int64_t>(buffers.size());
      child.buffers = buffers.data();
    }
    for (ArrowArray& child : arrays->children) arrays->pointers.push_back(&child);
    array->length = rows;
    array->n_buffers = 1;
    array->buffers = &arrays->none;
    array->n_children = static_cast<std::int64_t>(columns.size());
    array->children = arrays->pointers.data();
    array->private_data = arrays;
    array->release = release_array;
    ++live;
    return 0;
  };
}

ArrowSource source_of(const Table2& table, const ReadOptions& options) {
  return ArrowSource([&table](ArrowArrayStream* stream) { open_stream(table, stream); }, options);
}

// x: 1 2 3 | none | 4 null; b (bits): 1 0 1 | 1 1; s: text.
const Table2 kTable = {
    {{"x", "g"}, {"b", "b"}, {"s", "u"}, {"i", "i"}},
    {{3,
      {{{"", bytes<double>({9, 1, 2, 3})}, 0, 1},
       {{"", "\x05"}},
       {{"", bytes<std::int32_t>({0, 1, 3, 3}), "abb"}},
       {{"", bytes<std::int32_t>({7, 8, 9})}}}},
     {0, {{{"", ""}}, {{"", ""}}, {{"", bytes<std::int32_t>({0}), ""}}, {{"", ""}}}},
     {2,
      {{{"\x01", bytes<double>({4, 5})}, 1},
       {{"", "\x03"}},
       {{"\x02", bytes<std::int32_t>({0, 1, 3}), "?bb"}, -1},
       {{"\x02", bytes<std::int32_t>({1, 2})}, 1}}}}};

TEST(ArrowSource, ReadsNumbersBitsAndNulls) {
  live = 0;
  {
    const ArrowSource source = source_of(kTable, {.columns = {"x", "b"}, .nan = NanPolicy::omit});
    EXPECT_EQ(source.names(), (std::vector<std::string>{"x", "b"}));
    EXPECT_EQ(source.rows(), std::nullopt);
    std::vector<std::size_t> chunks;
    EXPECT_EQ(rows_of(source, &chunks), (Rows{{1, 2, 3, 4}, {1, 0, 1, 1}}));
    EXPECT_EQ(chunks, (std::vector<std::size_t>{3, 1}));
    EXPECT_EQ(source.notes().omitted, 1U);
    EXPECT_EQ(rows_of(source), (Rows{{1, 2, 3, 4}, {1, 0, 1, 1}}));  // a second pass
  }
  EXPECT_EQ(live, 0);
}

TEST(ArrowSource, IntegersWithNullsBecomeDoubles) {
  const ArrowSource source = source_of(kTable, {.columns = {"i"}, .nan = NanPolicy::omit});
  const auto pass = source.open();
  EXPECT_EQ(pass->next()->view.column(0).type(), Type::int32);
  EXPECT_EQ(pass->next()->view.column(0).type(), Type::float64);
  EXPECT_EQ(rows_of(source), (Rows{{7, 8, 9, 2}}));
  EXPECT_EQ(load(source).view().column(0).type(), Type::float64);
}

TEST(ArrowSource, NullsAreErrorsUnlessTheyAreOmitted) {
  live = 0;
  {
    const ArrowSource source = source_of(kTable, {.columns = {"x"}});
    EXPECT_TRUE(says(message_of<DataError>([&] { (void)rows_of(source); }),
                     "the Arrow stream: row 5, column 'x'"));
  }
  EXPECT_EQ(live, 0);
}

TEST(ArrowSource, FiltersByTextAndNumbers) {
  const auto rows = [](const std::string& where) {
    return rows_of(source_of(kTable, {.columns = {"i"}, .nan = NanPolicy::omit, .where = where}));
  };
  EXPECT_EQ(rows("s == 'bb'"), (Rows{{8, 2}}));
  EXPECT_EQ(rows("b == true and x >= 1"), (Rows{{7, 9}}));
  EXPECT_EQ(rows("s == ''"), (Rows{{9}}));
  EXPECT_TRUE(
      says(message_of<DataError>([&] { (void)rows("s is missing"); }), "each of the 1 rows"));
}

TEST(ArrowSource, ChunksOutliveTheStream) {
  live = 0;
  std::optional<Chunk> chunk;
  {
    const ArrowSource source = source_of(kTable, {.columns = {"x"}});
    chunk = source.open()->next();
  }
  EXPECT_GT(live, 0);
  EXPECT_EQ(chunk->view.column(0)[2], 3);
  chunk.reset();
  EXPECT_EQ(live, 0);
}

TEST(ArrowSource, ErrorsOfTheStreamAreReported) {
  Table2 broken = kTable;
  broken.fails_at = 1;
  const ArrowSource source = source_of(broken, {.columns = {"x"}});
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)rows_of(source); }),
                   "cannot read the Arrow stream after row 3: the network is gone"));
  EXPECT_TRUE(says(message_of<DataError>([&] { (void)source_of(kTable, {.columns = {"s"}}); }),
                   "column 's' of the Arrow stream is text"));
  EXPECT_TRUE(says(message_of<InvalidArgument>([&] { (void)source_of(kTable, {}); }),
                   "the Arrow stream has 4 columns and none is chosen"));
}

}  // namespace arrow_source_test
}  // namespace bootfold::data
