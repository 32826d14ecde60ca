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

// Whether `newer` continues what `older` ends with, as where a container was restarted.
bool Replaces(const ScrapedSeries& newer, const ScrapedSeries& older) {
  return newer.points.front().at > older.points.front().at &&
         newer.points.back().at > older.points.back().at &&
         Elapsed(newer.points.front().at, older.points.back().at) <= kMostOverlap;
}

// The samples of a series. One that replaces it counts from its beginning.
std::vector<Track::Point> UntilReplaced(const ScrapedSeries& series, const Scraped& all) {
  std::vector<Track::Point> points = series.points;
  for (const ScrapedSeries* other : all) {
    if (!Replaces(*other, series)) continue;
    std::erase_if(points,
                  [&](const Track::Point& point) { return point.at >= other->points.front().at; });
  }
  return points;
}

bool AreAtOneTime(const ScrapedSeries& a, const ScrapedSeries& b) {
  return a.points.front().at <= b.points.back().at + kStaleness &&
         b.points.front().at <= a.points.back().at + kStaleness;
}

void NoteDuplicate(const ScrapedSeries& series, const Scraped& all, std::size_t left_out,
                   std::size_t kept, ImportNotes& notes) {
  const auto same = std::ranges::find_if(
      all, [&](const ScrapedSeries* other) { return AreAtOneTime(series, *other); });
  const std::string text = TextOf(series.series);
  const std::string other = TextOf((*same)->series);
  notes.Add(
      "duplicate series",
      kept == 0
          ? fmt::format("{} tells the same as {}; it is left out", text, other)
          : fmt::format("{} tells the same as {} for a part of the time: {} of its samples are "
                        "left out, and {} are kept, which lie before the other one, after it, or "
                        "where it has none for more than {}",
                        text, other, left_out, kept, FormatDuration(kStaleness)));
}

// Those of `others` which lie where `points` says nothing: before its first sample, after its last
// one, and where it has none for longer than kStaleness. Both are in the order of time.
std::vector<Track::Point> FillersFor(const std::vector<Track::Point>& points,
                                     const std::vector<Track::Point>& others) {
  std::vector<Track::Point> fillers;
  auto next = points.begin();
  for (const Track::Point& other : others) {
    next = std::find_if(next, points.end(),
                        [&](const Track::Point& point) { return point.at >= other.at; });
    const bool is_outside = next == points.begin() || next == points.end();
    if (next != points.end() && next->at == other.at) continue;
    if (is_outside || Elapsed(std::prev(next)->at, next->at) > kStaleness) {
      fillers.push_back(other);
    }
  }
  return fillers;
}

// Puts them among the points.
void Splice(const std::vector<Track::Point>& fillers, std::vector<Track::Point>& points) {
  const auto middle = static_cast<std::ptrdiff_t>(points.size());
  points.insert(points.end(), fillers.begin(), fillers.end());
  std::ranges::inplace_merge(points, points.begin() + middle, {}, &Track::Point::at);
}

// The series of a figure in one: the one with the most samples, and what each of the others has
// where those before it have nothing.
Track Joined(Scraped all, ImportNotes& notes) {
  std::ranges::sort(all, [](const ScrapedSeries* a, const ScrapedSeries* b) {
    if (a->points.size() != b->points.size()) return a->points.size() > b->points.size();
    return TextOf(a->series) < TextOf(b->series);
  });
  std::vector<Track::Point> points;
  for (const ScrapedSeries* each : all) {
    const auto own = UntilReplaced(*each, all);
    const auto fillers = FillersFor(points, own);
    const std::size_t left_out = own.size() - fillers.size();
    if (left_out > 0) NoteDuplicate(*each, all, left_out, fillers.size(), notes);
    Splice(fillers, points);
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
    by_metric_[figure.name].push_back({.figure = figure, .track = Joined(scraped, notes)});
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
