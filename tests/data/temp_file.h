// Files that tests read, and the messages they expect.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace bootfold::testing_data {

/// A file with given contents in a folder of its own; both go when it goes.
class TempFile {
 public:
  explicit TempFile(const std::string& name, std::string_view contents = {}) {
    std::string folder = testing::TempDir() + "/bootfold-XXXXXX";
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder for " + name);
    folder_ = folder;
    path_ = folder + "/" + name;
    write(contents);
  }
  ~TempFile() { std::filesystem::remove_all(folder_); }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  void write(std::string_view contents) const {
    std::filesystem::remove(path_);  // file systems hurry to save a file that was cut to nothing
    std::ofstream(path_, std::ios::binary) << contents;
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
  std::string path_;
};

inline std::string contents_of(const std::string& path) {
  std::ostringstream contents;
  contents << std::ifstream(path, std::ios::binary).rdbuf();
  return contents.str();
}

/// Runs `act`, which must throw Exception, and returns the message; it must be one line, and
/// two more that mark a place in an expression.
template <class Exception, class Act>
std::string message_of(Act&& act) {
  try {
    act();
  } catch (const Exception& error) {
    const std::string message = error.what();
    const std::size_t end = message.find('\n');
    const bool marks = message.find("\n  ", end) == end && message.find('^', end) != message.npos;
    EXPECT_TRUE(end == message.npos || marks) << message;
    EXPECT_LT(message.size(), 2000U);
    return message;
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

/// All of `parts` occur in `message`, in this order.
template <class... Parts>
testing::AssertionResult says(const std::string& message, const Parts&... parts) {
  std::size_t from = 0;
  bool found = true;
  for (const std::string_view part : {std::string_view(parts)...}) {
    const std::size_t at = message.find(part, from);
    found = found && at != std::string::npos;
    if (found) from = at + part.size();
  }
  if (found) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "the message is: " << message;
}

}  // namespace bootfold::testing_data
