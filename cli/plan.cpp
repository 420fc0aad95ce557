// cli/plan.cpp: `bootfold plan *.look ... > p.plan`: how shards are added up.
#include "bootfold/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "arguments.h"
#include "bootfold/error.h"
#include "bootfold/shards.h"
#include "command.h"
#include "console.h"
#include "number.h"
#include "shard_files.h"
#include "shard_words.h"
#include "usage.h"

namespace bootfold::cli {
namespace {

/// The option of bootfold look that a word of its look stands for.
std::string option_of(const std::string& word) {
  if (word == "statistics" || word == "columns of statistics") return "--statistic";
  if (word == "labels") return "column of --strata or --cluster";
  return word == "columns" ? "--column" : "--" + word;
}

/// On one line, as the command line takes lists.
std::string value_of(std::string meaning) {
  while (meaning.ends_with('\n')) meaning.pop_back();
  std::replace(meaning.begin(), meaning.end(), '\n', ',');
  return meaning;
}

/// How the files of a look are read, and the look itself for messages.
struct Reading {
  std::string look;
  shards::Words words;
};

/// Files may be told by other names on other machines; all else must agree.
void check_alike(const Reading& first, Reading other) {
  shards::Words words = first.words;
  words.erase("file");
  other.words.erase("file");
  set_left_out(words, {});
  set_left_out(other.words, {});
  for (const auto& word : other.words) words.try_emplace(word.first);
  for (const auto& [word, meaning] : words)
    if (other.words[word] != meaning)
      throw InvalidArgument(fmt::format(
          "{} and {} were made with a different {}: '{}' and '{}'; look at all shards alike",
          first.look, other.look, option_of(word), value_of(meaning), value_of(other.words[word])));
}

/// The looks one after the other, and in the words of the result where each shard lies.
shards::Look joined(const std::vector<std::string>& files) {
  std::optional<shards::Look> all;  // one look is read at a time
  std::optional<Reading> reading;   // of the first look that tells it; those of Python do not
  std::vector<Shard> places;
  std::optional<LeftOut> left_out = LeftOut{};
  for (const std::string& file : files) {
    shards::Look look =
        from_file(file, [](const std::string& bytes) { return shards::Look::from_bytes(bytes); });
    const shards::Words& words = look.words();
    const auto name = words.find("file");
    const std::uint64_t first = all ? all->rows() : 0;
    places.push_back({name == words.end() ? file : name->second, first, look.rows()});
    const std::optional<LeftOut> own = left_out_of(words);
    if (left_out && own)
      left_out = {left_out->omitted + own->omitted, left_out->filtered + own->filtered};
    else
      left_out = std::nullopt;
    if (tells_reading(words)) {
      if (reading) check_alike(*reading, {file, words});
      if (!reading) reading = {file, words};
    }
    if (all) try {
        look.shift(first);
        *all |= look;
      } catch (const InvalidArgument& error) {
        throw InvalidArgument(fmt::format("{}: {}", file, error.what()));
      }
    else
      all = std::move(look);
  }
  shards::Words words = all->words();
  words.erase("file");
  set_shards(words, places);
  set_left_out(words, left_out);
  all->set_words(std::move(words));
  return std::move(*all);
}

void run_plan(const Arguments& arguments, const std::string& scheme, const std::string& size) {
  if (arguments.files.empty())
    throw InvalidArgument(
        "no FILE given; name the files that bootfold look wrote, in the order of "
        "their rows");
  check_shard_output(arguments.output, arguments.files);
  Options options;
  if (!arguments.replicates.empty())
    options.replicates = parse_whole("--replicates", arguments.replicates, 1);
  options.first_replicate = parse_whole("--first-replicate", arguments.first_replicate, 0);
  options.seed = parse_whole("--seed", arguments.seed, 0);
  options.tolerance = parse_between("--tolerance", arguments.tolerance, 0, 1, "1e-5");
  if (one_of("--scheme", scheme, {"iid", "poisson"}) == "poisson") {
    if (!size.empty()) throw InvalidArgument("--size is for --scheme iid; poisson draws by chance");
    options.scheme = scheme::Poisson{};
  } else {
    options.scheme = scheme::Iid{.size = size.empty() ? 0 : parse_whole("--size", size, 1)};
  }
  const shards::Look look = joined(arguments.files);
  const shards::Plan plan(look, statistics_of(look.words()), options);
  write_bytes(arguments.output, plan.to_bytes(), "plan");
  if (!arguments.quiet) fmt::print(stderr, "{}", plan.plan().explain());
  if (!arguments.quiet && !plan.needs_parts())
    fmt::print(stderr, "parts       none needed: the looks have all that bootfold merge needs\n");
}

}  // namespace

void add_plan(CLI::App& root, Task& task) {
  CLI::App* command =
      root.add_subcommand("plan", "Shards, step 2: plans a bootstrap from the looks at all shards");
  auto arguments = std::make_shared<Arguments>();
  auto scheme = std::make_shared<std::string>("iid");
  auto size = std::make_shared<std::string>();
  command
      ->add_option("FILE", arguments->files,
                   "Files that bootfold look wrote, in the order of their rows")
      ->option_text(" ");
  add_text(*command, "--replicates", arguments->replicates, "N", "Resamples to draw [10000]")
      ->group(kWhat);
  add_text(*command, "--first-replicate", arguments->first_replicate, "I",
           "Number of the first replicate [0]")
      ->group(kWhat);
  add_seed(*command, *arguments);
  add_text(*command, "--scheme", *scheme, "iid|poisson", "How rows are drawn [iid]")->group(kWhat);
  add_text(*command, "--size", *size, "M", "Rows that a resample draws [as many as there are]")
      ->group(kWhat);
  add_text(*command, "--tolerance", arguments->tolerance, "X",
           "Largest error of a sum, as a fraction of the standard error [1e-5]")
      ->group(kHow);
  add_text(*command, "--output", arguments->output, "FILE", "Write to a file [standard output]")
      ->group(kShown);
  command->add_flag("--quiet", arguments->quiet, "Do not explain the plan")
      ->group(kShown)
      ->disable_flag_override();
  command->footer([] {
    return examples({{"bootfold plan *.look --replicates 1e4 --seed 7 > prices.plan",
                      "plan 10,000 replicates of all rows"},
                     {"ls day*.csv | xargs -P8 -I{} sh -c 'bootfold part prices.plan {} > {}.part'",
                      "add up the shards in eight processes"}});
  });
  command->callback([arguments, scheme, size, &task] {
    task = [arguments, scheme, size](Interrupt&) { run_plan(*arguments, *scheme, *size); };
  });
}

}  // namespace bootfold::cli
