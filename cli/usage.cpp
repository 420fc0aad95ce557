#include "usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "bootfold/error.h"
#include "text/nearest.h"

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

/// Options that had another name before, and what to write now.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRenamed{
    {{"--inner", "--nested-replicates"},
     {"--only", "--groups"},
     {"--raw", "--standardize no"},
     {"--resample", "--resampling"}}};

[[noreturn]] void refuse_option(const CLI::App& app, const std::string& given) {
  const std::string option = given.substr(0, given.find('='));
  const std::vector<std::string> known = option_names(app);
  for (const auto& [before, now] : kRenamed)
    if (option == before &&
        std::find(known.begin(), known.end(), now.substr(0, now.find(' '))) != known.end())
      throw InvalidArgument(fmt::format("{} is now {}", before, now));
  const std::string guess = text::nearest(option, known);
  if (!guess.empty())
    throw InvalidArgument(fmt::format("unknown option '{}'; did you mean {}?", option, guess));
  for (const CLI::App* child : children(app)) {
    const std::vector<std::string> theirs = option_names(*child);
    if (std::find(theirs.begin(), theirs.end(), option) != theirs.end())
      throw InvalidArgument(fmt::format("option {} must follow the command: {} ... {}", option,
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
  const std::string guess = text::nearest(word, commands);
  if (!guess.empty())
    throw InvalidArgument(
        fmt::format("unknown command '{}'; did you mean {} {}?", word, full_name(app), guess));
  throw InvalidArgument(fmt::format("unknown command '{}'; there {} {} ({} --help shows examples)",
                                    word, commands.size() == 1 ? "is" : "are",
                                    fmt::join(commands, ", "), full_name(app)));
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

}  // namespace bootfold::cli
