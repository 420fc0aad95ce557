// .npy files appear whole or not at all, and what cannot be written is said beforehand.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bootfold/data.h"
#include "bootfold/error.h"
#include "temp_file.h"
#include "text/output_file.h"

namespace bootfold::data {
namespace npy_writer_test {

using testing_data::contents_of;
using testing_data::message_of;
using testing_data::says;
using testing_data::TempFile;

using Values = std::vector<double>;
using Shape = std::vector<std::size_t>;

Values values(const Table& table, std::size_t column = 0) {
  Values out(table.view().rows());
  table.view().column(column).read(0, out);
  return out;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

std::string write_error(const std::string& path) {
  return message_of<DataError>([&] { write_npy(path, Values{1, 2}, Shape{2}); });
}

// Runs `act` in a child process that may limit itself; returns whether it returned true.
bool in_child(const std::function<bool()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool fine = false;
    try {
      fine = act();
    } catch (...) {
      fine = false;
    }
    ::_exit(fine ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// In a child process: whether `act` throws DataError with `reason`.
bool fails_with(const std::function<void()>& act, const std::string& reason) {
  try {
    act();
  } catch (const DataError& error) {
    return std::string(error.what()).find(reason) != std::string::npos;
  }
  return false;
}

TEST(WriteNpy, WhatIsWrittenIsReadBack) {
  const TempFile file("out.npy", "old contents");
  write_npy(file.path(), Values{1, 2, 3, 4, 5, 6}, Shape{3, 2});
  const Table table = read(file.path(), {.columns = {"2"}});
  EXPECT_EQ(values(table), (Values{2, 4, 6}));
  write_npy(file.path(), Values{1.5, -2.5}, Shape{2});
  EXPECT_EQ(values(read(file.path())), (Values{1.5, -2.5}));
  EXPECT_EQ(files_in(file.folder()), 1U);
}

// The bytes that numpy.save(f, numpy.array([1.0])) of NumPy 1 and 2 reads: magic, padded header
// that ends with a line feed, values from a multiple of 64.
TEST(WriteNpy, TheHeaderIsAlignedAndEndsWithALineFeed) {
  const TempFile file("out.npy");
  const double value = 1;
  const std::string one(reinterpret_cast<const char*>(&value), sizeof value);
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}, Shape{1, 1, 1, 1}}) {
    write_npy(file.path(), Values{1}, shape);
    const std::string contents = contents_of(file.path());
    EXPECT_EQ(contents.substr(0, 8), std::string_view("\x93NUMPY\1\0", 8));
    EXPECT_EQ(contents.size() % 64, 8U);
    EXPECT_EQ(contents[contents.size() - 9], '\n');
    EXPECT_EQ(contents.substr(contents.size() - 8), one);
  }
  EXPECT_TRUE(says(contents_of(file.path()), "'descr': '<f8'", "'shape': (1, 1, 1, 1)"));
}

TEST(WriteNpy, ShapeAndValuesMustAgree) {
  const TempFile file("out.npy", "old");
  auto error = [&](const Shape& shape) {
    return message_of<InvalidArgument>([&] { write_npy(file.path(), Values{1, 2}, shape); });
  };
  EXPECT_TRUE(says(error({3}), "the shape has 3 values but 2"));
  EXPECT_TRUE(says(error({std::size_t{1} << 63, 4}), "too many"));
  EXPECT_TRUE(says(error(Shape(33, 1)), "33 dimensions"));
  EXPECT_EQ(contents_of(file.path()), "old");
}

TEST(WriteNpy, PiecesMakeTheSameFile) {
  const TempFile whole("whole.npy");
  const TempFile pieces("pieces.npy");
  const Shape shape = {5, 2};
  Values all;
  for (int i = 0; i < 10; ++i) all.push_back(i);
  write_npy(whole.path(), all, shape);
  const auto next = [&, at = std::size_t{0}]() mutable {
    const std::size_t first = at;
    at = std::min(at + 3, all.size());
    return Values(all.begin() + static_cast<std::ptrdiff_t>(first),
                  all.begin() + static_cast<std::ptrdiff_t>(at));
  };
  write_npy(pieces.path(), next, shape);
  EXPECT_EQ(contents_of(pieces.path()), contents_of(whole.path()));
  // One row too few or too many: the old file stays.
  for (const std::size_t rows : {4U, 6U}) {
    EXPECT_TRUE(says(message_of<InvalidArgument>([&] {
                       write_npy(pieces.path(), next, Shape{rows, 2});
                     }),
                     "but 10 are given"));
    EXPECT_EQ(contents_of(pieces.path()), contents_of(whole.path()));
  }
}

TEST(WriteNpy, ImpossibleTargetsAreErrorsAndLeaveNothing) {
  const TempFile file("old.npy", "old");
  for (const auto& [path, why] : std::vector<std::pair<std::string, std::string>>{
           {file.folder() + "/none/x.npy", "No such file"},
           {file.folder(), "directory"},
           {file.folder() + "/x/", "slash"},
           {file.path() + "/x.npy", "Not a directory"},
           {file.folder() + "/" + std::string(300, 'x'), "too long"},
           {"", "without a name"}}) {
    EXPECT_TRUE(says(write_error(path), "cannot write", why)) << path;
    const std::string target = path;
    EXPECT_TRUE(
        says(message_of<DataError>([&] { text::check_writable(target); }), "cannot write", why));
  }
  EXPECT_EQ(files_in(file.folder()), 1U);
}

TEST(WriteNpy, FoldersAndFilesWithoutPermissionAreErrors) {
  const TempFile file("old.npy", "old");
  for (const bool folder : {true, false}) {
    const std::string target = folder ? file.folder() + "/new.npy" : file.path();
    ::chmod(folder ? file.folder().c_str() : target.c_str(), folder ? 0555 : 0444);
    EXPECT_TRUE(in_child([&] {
      if (::geteuid() == 0 && ::setuid(65534) != 0) return false;  // root may do anything
      return fails_with([&] { write_npy(target, Values{1}, Shape{1}); }, "Permission denied") &&
             fails_with([&] { text::check_writable(target); }, "Permission denied");
    }));
    ::chmod(file.folder().c_str(), 0777);
  }
  EXPECT_EQ(contents_of(file.path()), "old");
  EXPECT_EQ(files_in(file.folder()), 1U);
}

// A limit on the size of files stands in for a full disk: the write fails half way.
TEST(WriteNpy, AFullDiskKeepsTheOldFileAndLeavesNothing) {
  const TempFile file("old.npy", "old");
  EXPECT_TRUE(in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    const Values many(10'000, 1.0);
    return fails_with([&] { write_npy(file.path(), many, Shape{many.size()}); }, "File too large");
  }));
  EXPECT_EQ(contents_of(file.path()), "old");
  EXPECT_EQ(files_in(file.folder()), 1U);
  EXPECT_TRUE(says(write_error("/dev/full"), "cannot write /dev/full", "No space left"));
}

TEST(WriteNpy, DevicesAndPipesAreWrittenDirectly) {
  text::check_writable("/dev/null");
  write_npy("/dev/null", Values{1}, Shape{1});
  const TempFile file("unused");
  const std::string pipe = file.folder() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  text::check_writable(pipe);  // does not wait for a reader
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_npy(pipe, Values{1}, Shape{1});
  char received[256];
  EXPECT_EQ(::read(reader, received, sizeof received), 136);
  ::close(reader);
  EXPECT_EQ(files_in(file.folder()), 2U);
}

TEST(WriteNpy, LinksStayLinksAndPermissionsStay) {
  const TempFile file("real.npy", "old");
  const std::string link = file.folder() + "/link.npy";
  std::filesystem::create_symlink("real.npy", link);
  ::chmod(file.path().c_str(), 0640);
  write_npy(link, Values{9}, Shape{1});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(values(read(file.path())), Values{9});
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(file.path()).permissions()), 0640U);
}

TEST(CheckWritable, TouchesNothing) {
  const TempFile file("old.npy", "old");
  const auto before = std::filesystem::last_write_time(file.path());
  text::check_writable(file.path());
  text::check_writable(file.folder() + "/new.npy");
  EXPECT_EQ(contents_of(file.path()), "old");
  EXPECT_EQ(std::filesystem::last_write_time(file.path()), before);
  EXPECT_EQ(files_in(file.folder()), 1U);
}

}  // namespace npy_writer_test
}  // namespace bootfold::data
