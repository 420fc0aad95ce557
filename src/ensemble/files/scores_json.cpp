#include "ensemble/files/scores_json.h"

#include <cmath>
#include <limits>
#include <string>

#include "bootfold/error.h"
#include "ensemble/calibration/score_rows.h"
#include "text/concat.h"

namespace bootfold::ensemble {

namespace {

using Json = nlohmann::ordered_json;

void require(bool good, const std::string& what) {
  if (!good) throw InvalidArgument(text::concat("its conformal scores are damaged: ", what));
}

Json json_of(const ScoreOrder& order) {
  Json values = Json::array();
  for (const double value : order.values)
    values.push_back(std::isfinite(value) ? Json(value) : Json("inf"));
  return {{"rows", order.rows}, {"values", std::move(values)}};
}

double score_from(const Json& json) {
  if (json.is_string()) {
    require(json.get_ref<const std::string&>() == "inf", "a score is a text");
    return std::numeric_limits<double>::infinity();
  }
  require(json.is_number(), "a score is not a number");
  return json.get<double>();
}

ScoreOrder order_from(const Json& json) {
  ScoreOrder order;
  require(json.at("rows").is_number_unsigned(), "a number of rows is missing");
  order.rows = json.at("rows").get<std::uint64_t>();
  const Json& values = json.at("values");
  require(values.is_array(), "they are no list");
  order.values.reserve(values.size());
  for (const Json& each : values) order.values.push_back(score_from(each));
  return order;
}

std::vector<ScoreOrder> orders_from(const Json& json) {
  require(json.is_array(), "they are no list");
  std::vector<ScoreOrder> orders;
  for (const Json& each : json) orders.push_back(order_from(each));
  return orders;
}

Json json_of(const std::vector<ScoreOrder>& orders) {
  Json list = Json::array();
  for (const ScoreOrder& each : orders) list.push_back(json_of(each));
  return list;
}

}  // namespace

Json json_of(const ConformalScores& scores) {
  return {{"rows", name(scores.rows)},
          {"residuals", json_of(scores.residuals)},
          {"scaled", json_of(scores.scaled)}};
}

ConformalScores scores_from(const Json& json, const Ensemble::Frame& frame) {
  require(json.is_object() && json.at("rows").is_string(), "their rows are not named");
  const ScoreRows rows = parse_score_rows(json.at("rows").get<std::string>());
  require(rows != ScoreRows::none, "they are of no rows");
  ConformalScores scores{rows, orders_from(json.at("residuals")), orders_from(json.at("scaled"))};
  try {
    check_scores(frame, scores);
  } catch (const InvalidArgument& error) {
    require(false, error.what());
  }
  return scores;
}

}  // namespace bootfold::ensemble
