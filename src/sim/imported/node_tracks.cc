#include "sim/imported/node_tracks.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison {
namespace {

// Two series of one figure may overlap by this much: when the container or its scraper was
// restarted, the old series is still reported for a while.
constexpr Duration kMostOverlap = kStaleness;

using Scraped = std::vector<const ScrapedSeries*>;

void NoteFaults(const ScrapedSeries& series, ImportNotes& notes) {
  if (series.out_of_order > 0) {
    notes.Add("series with samples that go back in time",
              fmt::format("samples of {} that are older than the one before are left out: {}",
                          TextOf(series.series), series.out_of_order));
  }
  if (series.contradicting > 0) {
    notes.Add("series with contradicting samples",
              fmt::format("samples of {} that differ from another one of the same time are left "
                          "out: {}",
                          TextOf(series.series), series.contradicting));
  }
}

bool AreDuplicates(const ScrapedSeries& a, const ScrapedSeries& b) {
  const Instant from = std::max(a.points.front().at, b.points.front().at);
  const Instant to = std::min(a.points.back().at, b.points.back().at);
  // A series that replaces another continues after it.
  const bool within =
      a.points.front().at >= b.points.front().at && a.points.back().at <= b.points.back().at;
  return within || Elapsed(from, to) > kMostOverlap;
}

// The series that follow one another; duplicates are left out.
Scraped WithoutDuplicates(Scraped all, ImportNotes& notes) {
  std::ranges::sort(all, [](const ScrapedSeries* a, const ScrapedSeries* b) {
    if (a->points.size() != b->points.size()) return a->points.size() > b->points.size();
    return TextOf(a->series) < TextOf(b->series);
  });
  Scraped kept;
  for (const ScrapedSeries* each : all) {
    const auto same = std::ranges::find_if(
        kept, [&](const ScrapedSeries* other) { return AreDuplicates(*each, *other); });
    if (same == kept.end()) {
      kept.push_back(each);
    } else {
      notes.Add("duplicate series", fmt::format("{} tells the same as {}; it is left out",
                                                TextOf(each->series), TextOf((*same)->series)));
    }
  }
  std::ranges::sort(kept, {},
                    [](const ScrapedSeries* series) { return series->points.front().at; });
  return kept;
}

Track Joined(const Scraped& series) {
  std::vector<Track::Point> points;
  for (const ScrapedSeries* each : series) {
    // The newer series counts from its beginning.
    std::erase_if(points,
                  [&](const Track::Point& point) { return point.at >= each->points.front().at; });
    points.insert(points.end(), each->points.begin(), each->points.end());
  }
  return Track(std::move(points));
}

std::string PlaceOf(std::string_view space, std::string_view pod) {
  return fmt::format("{}/{}", space, pod);
}

}  // namespace

std::string TextOf(const MetricSeries& series) {
  std::string labels;
  for (const auto& [name, value] : series.labels) {
    labels += fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", name, value);
  }
  return labels.empty() ? series.name : fmt::format("{}{{{}}}", series.name, labels);
}

bool HasLabels(const MetricSeries& figure, NodeTracks::Labels labels) {
  return std::ranges::all_of(
      labels, [&](const auto& label) { return figure.Label(label.first) == label.second; });
}

NodeTracks::NodeTracks(const NodeSeries& series, ImportNotes& notes) {
  std::map<std::string, Scraped> by_figure;
  for (const auto& each : series) {
    NoteFaults(*each, notes);
    if (!each->points.empty()) by_figure[TextOf(each->figure)].push_back(each.get());
  }
  for (auto& [text, scraped] : by_figure) {
    const MetricSeries& figure = scraped.front()->figure;
    by_metric_[figure.name].push_back(
        {.figure = figure, .track = Joined(WithoutDuplicates(scraped, notes))});
  }
  for (const auto& [metric, tracks] : by_metric_) {
    for (const LabelledTrack& each : tracks) {
      const std::string_view pod = each.figure.Label("pod");
      if (pod.empty()) continue;
      by_pod_[metric][PlaceOf(each.figure.Label("namespace"), pod)].push_back(&each);
    }
  }
}

const std::vector<LabelledTrack>& NodeTracks::Of(std::string_view metric) const {
  static const std::vector<LabelledTrack> kNone;
  const auto found = by_metric_.find(metric);
  return found == by_metric_.end() ? kNone : found->second;
}

const std::vector<const LabelledTrack*>& NodeTracks::OfPod(std::string_view metric,
                                                           const Pod& pod) const {
  static const std::vector<const LabelledTrack*> kNone;
  const auto tracks = by_pod_.find(metric);
  if (tracks == by_pod_.end()) return kNone;
  const auto found = tracks->second.find(PlaceOf(pod.namespace_, pod.name));
  return found == tracks->second.end() ? kNone : found->second;
}

const Track* NodeTracks::Find(std::string_view metric, Labels labels) const {
  const auto& all = Of(metric);
  const auto found = std::ranges::find_if(
      all, [&](const LabelledTrack& each) { return HasLabels(each.figure, labels); });
  return found == all.end() ? nullptr : &found->track;
}

}  // namespace jettison
