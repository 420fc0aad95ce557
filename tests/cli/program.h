// tests/cli/program.h: runs the real program and keeps what it said.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bootfold::cli {

/// How a run ended.
struct Outcome {
  int code = -1;    ///< exit code; 128 + signal if one killed it, as shells report it
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// A folder of its own for one test; gone with everything in it at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const;
  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  /// Names of the files in it, sorted.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
};

/// What the program gets beside its arguments.
struct Surroundings {
  std::string input = {};                   ///< standard input
  std::vector<std::string> variables = {};  ///< "NAME=value", added to ours
  std::string output = {};                  ///< standard output goes to this file
  bool hanging_input = false;               ///< input that never says anything
  int signal = 0;                           ///< sent after `patience`, if not 0
  /// Processor time that the program uses before the signal; with hanging input, time of day.
  std::chrono::milliseconds patience = std::chrono::milliseconds(500);
  double* cpu_after_signal = nullptr;  ///< seconds of processor time that it used after the signal
  double* seconds_after_signal = nullptr;  ///< time of day that passed until it ended
  std::size_t file_limit = 0;  ///< largest file that it can write, in bytes: a disk that is full
  std::function<void()> meanwhile = {};  ///< called after `patience`, before the signal
};

/// Runs `bootfold arguments...` and waits for it.
Outcome run(const std::vector<std::string>& arguments, const Surroundings& surroundings = {});

/// Everything that the program writes to a terminal of 120 columns, which its standard output and
/// error are.
std::string seen_on_terminal(std::vector<std::string> arguments);

/// "price,volume\n1,..": so many rows, all different in both columns.
std::string two_columns(std::size_t rows);

}  // namespace bootfold::cli
