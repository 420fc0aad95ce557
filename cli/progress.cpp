#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "console.h"
#include "text.h"

namespace bootfold::cli {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(400);
constexpr auto kPause = std::chrono::milliseconds(100);

void draw(int terminal, const std::string& text) {
  const std::string line = "\r\033[K" + text;
  [[maybe_unused]] const ssize_t written = write(terminal, line.data(), line.size());
}

std::string bar(double share, std::size_t cells) {
  const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
  return std::string(full, '#') + std::string(cells - full, '.');
}

}  // namespace

ProgressBar::ProgressBar(bool quiet, std::string unit, std::function<std::string()> note,
                         int terminal)
    : unit_(std::move(unit)),
      note_(std::move(note)),
      terminal_(terminal),
      enabled_(!quiet && is_terminal(terminal)),
      next_(start_ + kFirst) {}

ProgressBar::~ProgressBar() {
  if (shown_) draw(terminal_, "");
}

std::function<void(execution::Progress)> ProgressBar::callback() {
  if (!enabled_) return {};
  return [this](execution::Progress progress) { show(progress); };
}

void ProgressBar::show(execution::Progress progress) {
  const Clock::time_point now = Clock::now();
  if (progress.done < last_) start_ = now;
  last_ = progress.done;
  if (now < next_ || progress.total <= 0 || progress.done <= 0) return;
  next_ = now + kPause;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double share = std::clamp(progress.done / progress.total, 0.0, 1.0);
  const std::size_t columns = width(terminal_) - 1;
  // The rest is text, whose length changes a little: the bar must not.
  const std::size_t text = note_ && unit_ != "bytes" ? 76 : 60;
  const std::size_t cells = std::clamp<std::size_t>(columns, text, text + 40) - text;
  const std::string note = note_ ? note_() : "";
  const std::string line = fmt::format(
      "{}{:4.1f}%{}{}  {} {}/s  {} left", cells > 0 ? "[" + bar(share, cells) + "] " : "",
      100 * share, note.empty() ? "" : "  ", note, scaled(progress.done / elapsed), unit_,
      duration(elapsed * (1 - share) / share));
  draw(terminal_, line.substr(0, columns));
}

}  // namespace bootfold::cli
