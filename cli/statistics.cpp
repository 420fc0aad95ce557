#include "statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "bootfold/error.h"
#include "bootfold/mistakes.h"
#include "bootfold/sources.h"
#include "bootfold/statistic.h"

namespace bootfold::cli {
namespace {

// A column that a statistic knows by its number is called so.
std::string as_called(const std::string& name) {
  return name.find_first_not_of("0123456789") == name.npos ? "`" + name + "`" : name;
}

void add_columns(const std::vector<Statistic>& statistics, std::vector<std::string>& columns) {
  for (std::string& column : columns) column = as_called(column);
  for (const Statistic& statistic : statistics)
    for (const std::string& name : statistic.columns())
      if (std::ranges::find(columns, as_called(name)) == columns.end())
        columns.push_back(as_called(name));
}

// Throws UnknownColumn if the files have no column of this name; what else is wrong with them does
// not matter here.
void find_column(const std::string& name, const Request& request) {
  data::ReadOptions options = request.read;
  options.columns = {"`" + name + "`"};
  options.where.clear();
  try {
    if (request.files == std::vector<std::string>{"-"})
      (void)data::read(request.files, options);
    else
      (void)data::open(request.files, options);
  } catch (const UnknownColumn&) {
    throw;
  } catch (const std::exception&) {  // text, for example
  }
}

// Throws if a name that was given to an expression is that of another statistic too.
void check_names(const std::vector<std::string>& texts, const std::vector<Statistic>& all) {
  std::vector<std::string> names;
  for (const Statistic& each : all)
    names.push_back(each.columns().empty() ? each.name()
                                           : each.bind(each.columns().size()).outputs[0]);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      if (names[i] == names[j] && (names[i] != all[i].name() || names[j] != all[j].name()))
        throw InvalidArgument(
            fmt::format("--statistic has two statistics of the name '{}', '{}' and '{}'; give one "
                        "of them another name",
                        names[i], texts[i], texts[j]));
}

}  // namespace

void choose_statistics(const std::vector<std::string>& lists, Request& request) {
  std::vector<std::string> texts = split_list(lists);
  if (texts.empty()) texts = {"mean"};
  const std::vector<std::string> columns = request.read.columns;
  std::vector<Statistic> all;
  for (const std::string& text : texts)
    all.push_back(statistic::parse(text, {.chosen = columns, .find = [&](const std::string& name) {
                                            find_column(name, request);
                                          }}));
  check_names(texts, all);
  const bool named =
      std::ranges::any_of(all, [](const Statistic& each) { return !each.columns().empty(); });
  if (named) add_columns(all, request.read.columns);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Statistic& each = all[i];
    if (!named || !each.columns().empty()) {
      request.statistics.push_back(each);
    } else if (columns.empty()) {
      throw InvalidArgument(
          fmt::format("statistic '{}' has no column, beside an expression that names its own; give "
                      "--column, or write {}(COLUMN)",
                      each.name(), each.name()));
    } else if (each.of_each_column()) {
      for (const std::string& column : columns)
        request.statistics.push_back(each.with_columns({column}));
    } else {
      request.statistics.push_back(each.with_columns(columns));
    }
    request.statistic_texts.resize(request.statistics.size(), texts[i]);
  }
}

}  // namespace bootfold::cli
