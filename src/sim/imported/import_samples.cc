#include "sim/imported/import_samples.h"

#include <fmt/format.h>

#include <cmath>

namespace jettison {
namespace {

// A text that is different for each series; no label has a zero byte in its name.
std::string KeyOf(const MetricSeries& series) {
  std::string key = series.name;
  for (const auto& [name, value] : series.labels) {
    key += '\0';
    key += name;
    key += '\0';
    key += std::to_string(value.size());
    key += '\0';
    key += value;
  }
  return key;
}

}  // namespace

bool ImportSamples::Begin(const MetricSeries& series) {
  current_ = nullptr;
  auto figure = FigureOf(series);
  if (!figure) return false;
  const auto node = directory_.NodeOf(*figure);
  if (!node) return false;
  if (nodes_.empty() ? !directory_.nodes().contains(*node) : !nodes_.contains(*node)) return false;
  const auto [place, is_new] = known_.try_emplace(KeyOf(series), nullptr);
  if (is_new) {
    figure->labels.erase("instance");
    figure->labels.erase("node");
    by_node_[*node].push_back(std::make_unique<ScrapedSeries>(
        ScrapedSeries{.series = series, .figure = *std::move(figure), .points = {}}));
    place->second = by_node_[*node].back().get();
  }
  current_ = place->second;
  return true;
}

Result<void> ImportSamples::Add(Instant at, double value) {
  if (current_ == nullptr || at < range_.from || at > range_.to) return {};
  std::vector<Track::Point>& points = current_->points;
  if (!points.empty() && at <= points.back().at) {
    const bool same = at == points.back().at;
    const double was = points.back().value;
    if (!same) {
      ++current_->out_of_order;
    } else if (value != was && !(std::isnan(value) && std::isnan(was))) {
      ++current_->contradicting;
    }
    return {};
  }
  if (samples_ >= range_.most_samples) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("there are more than {} samples of these nodes, which is all that is "
                            "held at a time: import fewer nodes, or less time, at once",
                            range_.most_samples));
  }
  ++samples_;
  points.push_back({at, value});
  return {};
}

}  // namespace jettison
