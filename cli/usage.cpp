#include "usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "bootfold/error.h"

namespace bootfold::cli {
namespace {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(26);
    label("TEXT", "");
    label("Positionals", "Arguments");
    label("OPTIONS", "options");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string line = "\nUsage: " + name;
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional()) line += " " + option->get_name(true, false);
    if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) line += " COMMAND";
    return line + " [options]\n";
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = 0; (at = text.find("\n\n\n", at)) != std::string::npos;)
      text.erase(at, 1);  // CLI11 puts two empty lines between groups
    return text;
  }
};

// "bootfold bootstrap".
std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::vector<const CLI::App*> children(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> child_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* child : children(app)) names.push_back(child->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse_option(const CLI::App& app, const std::string& given) {
  const std::string option = given.substr(0, given.find('='));
  const std::vector<std::string> known = option_names(app);
  const std::string guess = nearest(option, known);
  if (!guess.empty())
    throw InvalidArgument(fmt::format("unknown option '{}'; did you mean {}?", option, guess));
  for (const CLI::App* child : children(app)) {
    const std::vector<std::string> theirs = option_names(*child);
    if (std::find(theirs.begin(), theirs.end(), option) != theirs.end())
      throw InvalidArgument(fmt::format("option {} belongs behind the command: {} ... {}", option,
                                        full_name(*child), option));
  }
  throw InvalidArgument(
      fmt::format("unknown option '{}'; there are {}", option, fmt::join(known, ", ")));
}

[[noreturn]] void refuse_word(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> commands = child_names(app);
  if (commands.empty()) {
    const bool takes_file = app.get_option_no_throw("FILE") != nullptr;
    throw InvalidArgument(
        fmt::format("unexpected argument '{}'{}", word,
                    takes_file ? "; there is one FILE, and options begin with two dashes" : ""));
  }
  const std::string guess = nearest(word, commands);
  if (!guess.empty())
    throw InvalidArgument(
        fmt::format("unknown command '{}'; did you mean {} {}?", word, full_name(app), guess));
  throw InvalidArgument(fmt::format("unknown command '{}'; there {} {} ({} --help shows examples)",
                                    word, commands.size() == 1 ? "is" : "are",
                                    fmt::join(commands, ", "), full_name(app)));
}

// Letters to change, insert, delete or swap with their neighbour to get from a to b.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1,
                         last[j - 1] + static_cast<std::size_t>(a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

void prepare(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.allow_extras();
  if (CLI::Option* help = app.set_help_flag("-h,--help", "Show this help"); help != nullptr)
    help->group("Other")->disable_flag_override();
  app.require_subcommand(0, 1);  // a second command name is a file name
  for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) {
    child->group("Commands");
    prepare(*child);
  }
}

std::string examples(const std::vector<std::pair<std::string, std::string>>& commands) {
  std::string text = "Examples:\n";
  for (const auto& [command, meaning] : commands)
    text += fmt::format("  {}\n      {}\n", command, meaning);
  text.pop_back();
  return text;
}

void check_all_taken(const CLI::App& app) {
  std::vector<std::string> left = app.remaining();
  std::erase(left, "--");  // ends the options
  // A mistyped option is the likelier mistake: its value is then left over too.
  for (const std::string& word : left)
    if (word.size() > 1 && word.front() == '-') refuse_option(app, word);
  if (!left.empty()) refuse_word(app, left.front());
  for (const CLI::App* child : app.get_subcommands()) check_all_taken(*child);
  if (app.get_subcommands().empty() && !children(app).empty())
    throw InvalidArgument(fmt::format("{} needs a command: {} ({} --help shows examples)",
                                      full_name(app), fmt::join(child_names(app), ", "),
                                      full_name(app)));
}

std::string explain_mistake(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (text.find("flag override") != std::string::npos)
    return fmt::format("option --{} takes no value", text.substr(0, text.find(' ')));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && option.starts_with("--"))
    return fmt::format("option {} needs a value", option);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr && option.starts_with("--"))
    return fmt::format("option {} {}", option, text.substr(option.size() + 2));
  return text;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // The start of a word, or a few letters wrong.
    const bool begins = word.size() >= 4 && candidate.starts_with(word);
    const std::size_t letters = begins ? 1 : distance(word, candidate);
    if (letters < fewest) {
      fewest = letters;
      best = candidate;
    }
  }
  return best;
}

}  // namespace bootfold::cli
