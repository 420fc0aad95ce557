#include "program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace bootfold::cli {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// Ours, with the given ones in their place; a fixed locale and width.
std::vector<std::string> environment(const std::vector<std::string>& variables) {
  std::vector<std::string> all = {"LC_ALL=C", "TERM=xterm", "COLUMNS=80"};
  for (const std::string& variable : variables) {
    std::erase_if(all, [&](const std::string& old) {
      return old.starts_with(variable.substr(0, variable.find('=') + 1));
    });
    all.push_back(variable);
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string name = std::string(*variable).substr(0, std::string(*variable).find('=') + 1);
    if (std::none_of(all.begin(), all.end(),
                     [&](const std::string& own) { return own.starts_with(name); }))
      all.emplace_back(*variable);
  }
  return all;
}

/// Seconds of processor time that a running process has used.
double cpu_seconds_of(pid_t process) {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Whether a process has begun to wait for `signal`: until then the signal would simply end it.
bool blocks(pid_t process, int signal) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:"))
      return (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1U) != 0;
  return false;
}

/// Waits until the program listens to the signal and has worked for a while.
void wait_for_work(pid_t process, const Surroundings& surroundings) {
  using Clock = std::chrono::steady_clock;
  const auto ended = [&] {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == process;
  };
  const auto wait_until = [&](Clock::time_point end, auto&& reached) {
    while (!reached() && !ended() && Clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const auto end = Clock::now() + std::chrono::seconds(60);
  if (surroundings.signal != 0 && surroundings.signal != SIGKILL)
    wait_until(end, [&] { return blocks(process, surroundings.signal); });
  const std::chrono::duration<double> work = surroundings.patience;
  if (surroundings.hanging_input)
    std::this_thread::sleep_for(surroundings.patience);
  else
    wait_until(end, [&] { return cpu_seconds_of(process) >= work.count(); });
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "bootfold_cli_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Folder::path(const std::string& name) const { return (folder_ / name).string(); }

std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name);
}

std::vector<std::string> Folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

Outcome run(const std::vector<std::string>& arguments, const Surroundings& surroundings) {
  const Folder folder;
  const std::string in = folder.write("in", surroundings.input);
  const std::string out =
      surroundings.output.empty() ? folder.write("out", "") : surroundings.output;
  const std::string err = folder.write("err", "");
  int hanging[2] = {-1, -1};
  if (surroundings.hanging_input && pipe2(hanging, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe");

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (surroundings.hanging_input)
    posix_spawn_file_actions_adddup2(&files, hanging[0], STDIN_FILENO);
  else
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), O_WRONLY, 0);

  // A test that runs in the background may itself ignore Ctrl-C; the program must not inherit it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&signals, signal);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  std::vector<std::string> words = {BOOTFOLD_CLI};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment(surroundings.variables);
  pid_t process = 0;
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  if (surroundings.file_limit > 0) {  // the program inherits it
    const rlimit limit{surroundings.file_limit, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  const int error = posix_spawn(&process, BOOTFOLD_CLI, &files, &attributes, pointers(words).data(),
                                pointers(variables).data());
  if (surroundings.file_limit > 0) setrlimit(RLIMIT_FSIZE, &before);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw std::runtime_error("cannot run " BOOTFOLD_CLI);

  double before_signal = 0;
  if (surroundings.signal != 0 || surroundings.meanwhile) wait_for_work(process, surroundings);
  if (surroundings.meanwhile) surroundings.meanwhile();
  const auto signalled = std::chrono::steady_clock::now();
  if (surroundings.signal != 0) {
    before_signal = cpu_seconds_of(process);
    kill(process, surroundings.signal);
  }
  int status = 0;
  rusage usage{};
  wait4(process, &status, 0, &usage);
  if (surroundings.seconds_after_signal != nullptr)
    *surroundings.seconds_after_signal =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - signalled).count();
  if (surroundings.cpu_after_signal != nullptr) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    *surroundings.cpu_after_signal =
        seconds(usage.ru_utime) + seconds(usage.ru_stime) - before_signal;
  }
  if (surroundings.hanging_input) {
    close(hanging[0]);
    close(hanging[1]);
  }
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = surroundings.output.empty() ? read_file(out) : "",
          .err = read_file(err)};
}

std::string seen_on_terminal(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), BOOTFOLD_CLI);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  winsize size{};
  size.ws_row = 40;
  size.ws_col = 120;
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, nullptr, &size);
  if (process == 0) {
    execv(BOOTFOLD_CLI, words.data());
    _exit(127);
  }
  std::string seen;
  std::array<char, 4096> part{};
  // When the program has ended, reading fails.
  for (ssize_t count = read(terminal, part.data(), part.size()); count > 0;
       count = read(terminal, part.data(), part.size()))
    seen.append(part.data(), static_cast<std::size_t>(count));
  close(terminal);
  int status = 0;
  waitpid(process, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << seen;
  return seen;
}

std::string two_columns(std::size_t rows) {
  std::ostringstream text;
  text << "price,volume\n";
  for (std::size_t row = 0; row < rows; ++row)
    text << static_cast<double>(row * row % 1009) / 8 << ',' << row + row * row % 7 << '\n';
  return text.str();
}

}  // namespace bootfold::cli
