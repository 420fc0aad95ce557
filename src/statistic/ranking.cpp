// How well scores separate two classes: functions of the rows in the order of the scores.
#include "statistic/ranking.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "bootfold/error.h"
#include "bootfold/statistic.h"
#include "numeric/compensated.h"
#include "text/concat.h"

namespace bootfold::statistic {

namespace {

double area(std::span<const Scored> rows) {
  std::uint64_t beaten = 0;  // twice: ties count a half
  std::uint64_t negatives = 0;
  std::uint64_t positives = 0;
  for (std::size_t first = 0; first < rows.size();) {
    std::uint64_t own[2] = {};
    const double score = rows[first].score;
    for (; first < rows.size() && rows[first].score == score; ++first)
      ++own[static_cast<int>(rows[first].positive())];
    beaten += own[1] * (2 * negatives + own[0]);
    negatives += own[0];
    positives += own[1];
  }
  if (negatives == 0 || positives == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(beaten) / 2 /
         (static_cast<double>(negatives) * static_cast<double>(positives));
}

double precision(std::span<const Scored> rows) {
  double sum = 0;
  double negatives = 0;
  double positives = 0;
  for (std::size_t last = rows.size(); last > 0;) {
    double own[2] = {};
    const double score = rows[last - 1].score;
    for (; last > 0 && rows[last - 1].score == score; --last)
      ++own[static_cast<int>(rows[last - 1].positive())];
    negatives += own[0];
    positives += own[1];
    sum += own[1] * (positives / (positives + negatives));
  }
  if (positives == 0) return std::numeric_limits<double>::quiet_NaN();
  return sum / positives;
}

Statistic ranked(const std::string& name, Ranking ranking) {
  return Statistic(name, 2, Statistic::kAnyNumber, [name, ranking](std::size_t columns) {
    Bound bound;
    for (std::size_t c = 2; c <= columns; ++c)
      bound.outputs.push_back(text::concat(name, "({", c, "})"));
    for (std::size_t c = 3; c <= columns; ++c)
      bound.outputs.push_back(text::concat(name, "({2}) - ", name, "({", c, "})"));
    const auto call = [ranking](const Resample& resample, std::span<double> values) {
      const std::size_t models = resample.columns.size() - 1;
      std::vector<Scored> rows(resample.rows);
      for (std::size_t m = 0; m < models; ++m) {
        for (std::size_t i = 0; i < rows.size(); ++i)
          rows[i] = {resample.columns[m + 1][i],
                     static_cast<std::uint32_t>(positive(resample.columns[0][i]))};
        sort_by_score(rows);
        values[m] = measure(ranking, rows);
      }
      for (std::size_t m = 1; m < models; ++m) values[models + m - 1] = values[0] - values[m];
    };
    bound.body = Call{.call = call, .ranking = ranking};
    return bound;
  });
}

}  // namespace

bool positive(double value) {
  if (value != 0 && value != 1)
    throw InvalidArgument(text::concat("the class of a row is ", value,
                                       " but must be 0 or 1 (positive): roc_auc and "
                                       "average_precision take classes in the first column"));
  return value == 1;
}

void sort_by_score(std::span<Scored> rows) {
  std::sort(rows.begin(), rows.end(), [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score < b.score : a.place < b.place;
  });
}

double measure(Ranking ranking, std::span<const Scored> rows) {
  return ranking == Ranking::roc_auc ? area(rows) : precision(rows);
}

double measure(Ranking ranking, std::span<const Scored> rows, std::span<const double> weights) {
  numeric::Compensated all[2];  // of negative and positive rows
  for (const Scored& row : rows) all[row.positive()].add(weights[row.place >> 1]);
  const double negatives = all[0].value();
  const double positives = all[1].value();
  if (positives == 0 || (ranking == Ranking::roc_auc && negatives == 0))
    return std::numeric_limits<double>::quiet_NaN();
  numeric::Compensated sum;
  numeric::Compensated below[2];
  for (std::size_t begin = 0; begin < rows.size();) {  // groups of equal scores, rising
    numeric::Compensated own[2];
    std::size_t end = begin;
    for (; end < rows.size() && rows[end].score == rows[begin].score; ++end)
      own[rows[end].positive()].add(weights[rows[end].place >> 1]);
    if (ranking == Ranking::roc_auc) {
      sum.add(own[1].value() * (below[0].value() + own[0].value() / 2));
    } else if (own[1].value() > 0) {
      const double reached = positives - below[1].value();  // with at least this score
      sum.add(own[1].value() * reached / (reached + negatives - below[0].value()));
    }
    for (int k = 0; k < 2; ++k) below[k].add(own[k].value());
    begin = end;
  }
  return sum.value() / (ranking == Ranking::roc_auc ? positives * negatives : positives);
}

Statistic roc_auc() { return ranked("roc_auc", Ranking::roc_auc); }

Statistic average_precision() { return ranked("average_precision", Ranking::average_precision); }

}  // namespace bootfold::statistic
