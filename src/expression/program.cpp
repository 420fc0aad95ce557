#include "expression/program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "expression/dates.h"

namespace bootfold::expression {

namespace {

constexpr std::size_t kTileRows = 256;  // so many numbers of each place of the stack stay in cache
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

template <class Value>
bool in_order(Operation operation, const Value& left, const Value& right) {
  switch (operation) {
    case Operation::equal:
      return left == right;
    case Operation::unequal:
      return left != right;
    case Operation::less:
      return left < right;
    case Operation::less_equal:
      return left <= right;
    case Operation::greater:
      return left > right;
    default:
      return left >= right;
  }
}

/// a[i] = function(a[i])
template <class Function>
void each(double* a, std::size_t rows, Function function) {
  for (std::size_t i = 0; i < rows; ++i) a[i] = function(a[i]);
}

/// a[i] = function(a[i], b[i])
template <class Function>
void each(double* a, const double* b, std::size_t rows, Function function) {
  for (std::size_t i = 0; i < rows; ++i) a[i] = function(a[i], b[i]);
}

template <class Compare>
void compare(double* a, const double* b, std::size_t rows, Compare holds) {
  each(a, b, rows, [holds](double x, double y) {
    return std::isunordered(x, y) ? kMissing : static_cast<double>(holds(x, y));
  });
}

double both_of(double x, double y) {
  if (x == 0 || y == 0) return 0;
  return std::isunordered(x, y) ? kMissing : 1;
}

double either_of(double x, double y) {
  if ((x != 0 && !std::isnan(x)) || (y != 0 && !std::isnan(y))) return 1;
  return std::isunordered(x, y) ? kMissing : 0;
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

/// Functions of one number.
void apply(Operation operation, double* a, std::size_t rows) {
  switch (operation) {
    case Operation::negative:
      return each(a, rows, [](double x) { return -x; });
    case Operation::negation:
      return each(a, rows,
                  [](double x) { return std::isnan(x) ? x : static_cast<double>(x == 0); });
    case Operation::missing:
      return each(a, rows, [](double x) { return static_cast<double>(std::isnan(x)); });
    case Operation::absolute:
      return each(a, rows, [](double x) { return std::abs(x); });
    case Operation::exponential:
      return each(a, rows, [](double x) { return std::exp(x); });
    case Operation::exponential_less_one:
      return each(a, rows, [](double x) { return std::expm1(x); });
    case Operation::logarithm:
      return each(a, rows, [](double x) { return std::log(x); });
    case Operation::logarithm_of_one_more:
      return each(a, rows, [](double x) { return std::log1p(x); });
    case Operation::logarithm_2:
      return each(a, rows, [](double x) { return std::log2(x); });
    case Operation::logarithm_10:
      return each(a, rows, [](double x) { return std::log10(x); });
    case Operation::square_root:
      return each(a, rows, [](double x) { return std::sqrt(x); });
    case Operation::round:
      return each(a, rows, [](double x) { return std::nearbyint(x); });
    case Operation::round_down:
      return each(a, rows, [](double x) { return std::floor(x); });
    case Operation::round_up:
      return each(a, rows, [](double x) { return std::ceil(x); });
    default:
      return each(a, rows, sign_of);
  }
}

/// Functions of two numbers.
void apply(Operation operation, double* a, const double* b, std::size_t rows) {
  switch (operation) {
    case Operation::add:
      return each(a, b, rows, [](double x, double y) { return x + y; });
    case Operation::subtract:
      return each(a, b, rows, [](double x, double y) { return x - y; });
    case Operation::multiply:
      return each(a, b, rows, [](double x, double y) { return x * y; });
    case Operation::divide:
      return each(a, b, rows, [](double x, double y) { return x / y; });
    case Operation::remainder:  // has the sign of the divisor, as in Python and R
      return each(a, b, rows, [](double x, double y) { return x - std::floor(x / y) * y; });
    case Operation::power:
      return each(a, b, rows, [](double x, double y) {
        return y == 2 ? x * x : std::isunordered(x, y) ? kMissing : std::pow(x, y);
      });
    case Operation::equal:
      return compare(a, b, rows, [](double x, double y) { return x == y; });
    case Operation::unequal:
      return compare(a, b, rows, [](double x, double y) { return x != y; });
    case Operation::less:
      return compare(a, b, rows, [](double x, double y) { return x < y; });
    case Operation::less_equal:
      return compare(a, b, rows, [](double x, double y) { return x <= y; });
    case Operation::greater:
      return compare(a, b, rows, [](double x, double y) { return x > y; });
    case Operation::greater_equal:
      return compare(a, b, rows, [](double x, double y) { return x >= y; });
    case Operation::both:
      return each(a, b, rows, both_of);
    case Operation::either:
      return each(a, b, rows, either_of);
    case Operation::smallest:
      return each(a, b, rows, [](double x, double y) {
        return std::isunordered(x, y) ? kMissing : std::min(x, y);
      });
    default:
      return each(a, b, rows, [](double x, double y) {
        return std::isunordered(x, y) ? kMissing : std::max(x, y);
      });
  }
}

bool is_missing(const Input& texts, std::size_t row) {
  return !texts.missing.empty() && texts.missing[row] != 0;
}

/// Whether columns are equal, or unequal, in rows first .. first + rows - 1.
void compare_columns(Operation operation, const Input& left, const Input& right, std::size_t first,
                     std::size_t rows, double* values) {
  for (std::size_t row = first; row < first + rows; ++row, ++values) {
    if (left.is_text) {
      *values = is_missing(left, row) || is_missing(right, row)
                    ? kMissing
                    : static_cast<double>(in_order(operation, left.texts[row], right.texts[row]));
      continue;
    }
    const double a = left.numbers[row];
    const double b = right.numbers[row];
    *values = std::isunordered(a, b) ? kMissing : static_cast<double>(in_order(operation, a, b));
  }
}

double constant_of(const Node& node) {
  return node.operation == Operation::negative ? -constant_of(node.children[0]) : node.number;
}

}  // namespace

Program::Program(const Node& root) : type_(type_of(root)) { compile(root); }

std::uint32_t Program::column(const Node& node) {
  for (std::size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].name == node.name) return static_cast<std::uint32_t>(c);
  columns_.push_back({node.name, false, false, false, node.at, node.end, {}, std::nullopt});
  return static_cast<std::uint32_t>(columns_.size() - 1);
}

void Program::push(Step step) {
  depth_ = depth_ + 1 - step.operands;
  deepest_ = std::max(deepest_, depth_);
  steps_.push_back(std::move(step));
}

/// Comparisons of a column with text.
bool Program::compile_text(const Node& node) {
  const bool compares = is_comparison(node.operation) || node.operation == Operation::among;
  if (!compares || std::none_of(node.children.begin(), node.children.end(), [](const Node& child) {
        return child.operation == Operation::text;
      }))
    return false;
  Step step{node.operation, true};
  for (const Node& child : node.children) {
    if (child.operation == Operation::text) continue;
    step.column = column(child);
    columns_[step.column].as_text = true;
  }
  Column& compared = columns_[step.column];
  const bool ordered = is_comparison(node.operation) && node.operation != Operation::equal &&
                       node.operation != Operation::unequal;
  for (const Node& child : node.children) {
    if (child.operation != Operation::text) continue;
    const std::optional<std::string> time = iso_time(child.name);
    if (!time && !compared.no_time) compared.no_time = {child.name, child.at, child.end};
    if (ordered) compared.bounds.push_back({child.name, child.at, child.end});
    step.texts.push_back(child.name);
    step.times.push_back(time.value_or(""));
  }
  if (node.children[0].operation == Operation::text) {  // 'JFK' < origin is origin > 'JFK'
    using enum Operation;
    step.operation = node.operation == less            ? greater
                     : node.operation == less_equal    ? greater_equal
                     : node.operation == greater       ? less
                     : node.operation == greater_equal ? less_equal
                                                       : node.operation;
  }
  push(std::move(step));
  return true;
}

/// Equality of columns, which may be numbers or text.
bool Program::compile_pair(const Node& node) {
  if (node.operation != Operation::equal && node.operation != Operation::unequal) return false;
  for (const Node& child : node.children)
    if (child.operation != Operation::column) return false;
  Step step{node.operation};
  step.pair = true;
  step.column = column(node.children[0]);
  step.other = column(node.children[1]);
  columns_[step.column].in_pair = columns_[step.other].in_pair = true;
  pairs_.push_back({step.column, step.other, node.at, node.end});
  push(std::move(step));
  return true;
}

void Program::compile(const Node& node) {
  if (compile_text(node) || compile_pair(node)) return;
  Step step{node.operation};
  switch (node.operation) {
    case Operation::number:
      step.number = node.number;
      return push(std::move(step));
    case Operation::column:
      step.column = column(node);
      columns_[step.column].as_number = true;
      return push(std::move(step));
    case Operation::missing:
      if (node.children[0].operation != Operation::column) break;
      step.column = column(node.children[0]);
      return push(std::move(step));
    case Operation::among:
      compile(node.children[0]);
      for (std::size_t i = 1; i < node.children.size(); ++i)
        step.numbers.push_back(constant_of(node.children[i]));
      step.operands = 1;
      return push(std::move(step));
    case Operation::smallest:
    case Operation::largest:
      compile(node.children[0]);
      step.operands = 2;
      for (std::size_t i = 1; i < node.children.size(); ++i) {
        compile(node.children[i]);
        push(step);
      }
      return;
    default:
      break;
  }
  for (const Node& child : node.children) compile(child);
  step.operands = static_cast<std::uint32_t>(node.children.size());
  push(std::move(step));
}

void Program::compute(const Step& step, std::span<const Input> inputs, std::size_t first,
                      std::size_t rows, double* stack) const {
  double* const top = stack - step.operands * kTileRows;  // the result goes here
  if (step.text) {
    const Input& input = inputs[step.column];
    const std::vector<std::string>& texts = input.are_times ? step.times : step.texts;
    for (std::size_t i = 0; i < rows; ++i) {
      if (is_missing(input, first + i)) {
        top[i] = kMissing;
        continue;
      }
      const std::string_view text = input.texts[first + i];
      top[i] = step.operation == Operation::among
                   ? std::find(texts.begin(), texts.end(), text) != texts.end()
                   : in_order(step.operation, text, std::string_view(texts[0]));
    }
    return;
  }
  if (step.pair)
    return compare_columns(step.operation, inputs[step.column], inputs[step.other], first, rows,
                           top);
  switch (step.operation) {
    case Operation::number:
      std::fill_n(top, rows, step.number);
      return;
    case Operation::column:
      std::copy_n(inputs[step.column].numbers.begin() + static_cast<std::ptrdiff_t>(first), rows,
                  top);
      return;
    case Operation::missing:
      if (step.operands == 0) {
        const Input& input = inputs[step.column];
        for (std::size_t i = 0; i < rows; ++i)
          top[i] = !input.missing.empty()   ? input.missing[first + i] != 0
                   : !input.numbers.empty() ? std::isnan(input.numbers[first + i])
                                            : false;
        return;
      }
      return apply(step.operation, top, rows);
    case Operation::among:
      return each(top, rows, [&](double x) {
        if (std::isnan(x)) return x;
        return static_cast<double>(std::find(step.numbers.begin(), step.numbers.end(), x) !=
                                   step.numbers.end());
      });
    case Operation::choose:
      for (std::size_t i = 0; i < rows; ++i)
        top[i] = std::isnan(top[i]) ? kMissing : top[i + (top[i] != 0 ? 1 : 2) * kTileRows];
      return;
    default:
      return step.operands == 1 ? apply(step.operation, top, rows)
                                : apply(step.operation, top, top + kTileRows, rows);
  }
}

void Program::run(std::span<const Input> inputs, std::span<double> values, Scratch& scratch) const {
  if (steps_.empty()) return std::fill(values.begin(), values.end(), 0.0);
  scratch.resize(std::max(scratch.size(), deepest_ * kTileRows));
  for (std::size_t first = 0; first < values.size(); first += kTileRows) {
    const std::size_t rows = std::min(kTileRows, values.size() - first);
    double* stack = scratch.data();
    for (const Step& step : steps_) {
      compute(step, inputs, first, rows, stack);
      stack += kTileRows;
      stack -= step.operands * kTileRows;
    }
    std::copy_n(scratch.data(), rows, values.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

}  // namespace bootfold::expression
