#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/imported/figures.h"

namespace jettison {
namespace {

// The labels that make a figure one of its own. All others identify its scraper.
constexpr std::string_view kFigureLabels[] = {
    "container", "device",         "eviction_signal", "id",
    "kind",      "mountpoint",     "namespace",       "created_by_kind",
    "pod",       "priority_class", "protection",      "qos_class",
    "resource",  "signal",         "source",          "uid"};

// The figure that a series tells of, without samples. A scraper that has labels of its own of these
// names puts `exported_` before those of the figure.
MetricSeries FigureOf(const MetricSeries& series) {
  MetricSeries figure{.name = series.name, .labels = {}, .samples = {}};
  for (const std::string_view label : kFigureLabels) {
    const std::string_view exported = series.Label("exported_" + std::string(label));
    const std::string_view value = exported.empty() ? series.Label(label) : exported;
    if (!value.empty()) figure.labels.emplace(label, value);
  }
  return figure;
}

// The pause container of a pod has no name in Kubernetes; it is part of the pod's own group.
bool IsOfPauseContainer(const MetricSeries& series) {
  const std::string_view container = series.Label("container");
  return series.name.starts_with("container_") &&
         (container == "POD" || (container.empty() && !series.Label("name").empty()));
}

Duration MedianInterval(const std::vector<MetricSample>& samples) {
  std::vector<Duration> lengths;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    lengths.push_back(Elapsed(samples[i - 1].at, samples[i].at));
  }
  if (lengths.empty()) return Duration{0};
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::ranges::nth_element(lengths, middle);
  return *middle;
}

}  // namespace

Track::Track(MetricSeries figure)
    : MetricSeries(std::move(figure)), interval_(MedianInterval(samples)) {}

// Of a control group it is in the name: ".../pod0c2a_...".
std::string Track::PodUid() const {
  if (!Label("uid").empty()) return std::string(Label("uid"));
  constexpr std::size_t kLength = 36;
  const std::string_view id = Label("id");
  const std::size_t begin = id.rfind("pod");
  if (begin == std::string_view::npos) return {};
  std::string uid(id.substr(begin + 3));
  uid.resize(std::min(uid.find_first_of("./"), uid.size()));
  std::ranges::replace(uid, '_', '-');
  return uid.size() == kLength ? uid : std::string();
}

std::optional<double> Track::At(Instant at) const {
  const auto to = std::ranges::upper_bound(samples, at, {}, &MetricSample::at);
  if (to == samples.begin() || std::isnan((to - 1)->value)) return std::nullopt;
  const auto from = to - 1;
  if (to == samples.end() || std::isnan(to->value) || Elapsed(from->at, to->at) > kStaleness) {
    return Elapsed(from->at, at) > interval_ ? std::nullopt : std::optional(from->value);
  }
  const double share = SecondsOf(Elapsed(from->at, at)) / SecondsOf(Elapsed(from->at, to->at));
  return from->value + (to->value - from->value) * share;
}

std::optional<std::uint64_t> Track::CountAt(Instant at) const {
  const auto amount = At(at);
  return amount ? std::optional(CountOf(*amount)) : std::nullopt;
}

const MetricSample* Track::LastBefore(Instant at) const {
  auto next = std::ranges::lower_bound(samples, at, {}, &MetricSample::at);
  while (next != samples.begin() && std::isnan((next - 1)->value)) --next;
  return next == samples.begin() ? nullptr : &*(next - 1);
}

const MetricSample* Track::FirstFrom(Instant at) const {
  auto first = std::ranges::lower_bound(samples, at, {}, &MetricSample::at);
  while (first != samples.end() && std::isnan(first->value)) ++first;
  return first == samples.end() || Elapsed(at, first->at) > kStaleness ? nullptr : &*first;
}

std::vector<Track::Step> Track::Steps(std::optional<Instant> before) const {
  std::vector<Step> steps;
  double value = before ? 0 : samples.front().value;
  for (const MetricSample& sample : samples) {
    const double zero = sample.value < value ? 0 : value;
    if (sample.value > zero) {
      steps.push_back({before.value_or(sample.at), sample.at, sample.value - zero});
    }
    before = sample.at;
    value = sample.value;
  }
  return steps;
}

void Track::GrowTo(Instant at, bool is_used, const Track* extreme) {
  auto next = std::ranges::lower_bound(samples, at, {}, &MetricSample::at);
  const bool is_there = next != samples.end() && next->at == at;
  const MetricSample* const told = extreme == nullptr ? nullptr : extreme->FirstFrom(at);
  if (told != nullptr) {
    if (!is_there) next = samples.insert(next, {.at = at});
    next->value = told->value;
    return;
  }
  if (is_there || next == samples.begin() || std::isnan((next - 1)->value)) return;
  const MetricSample& last = *(next - 1);
  double value = last.value;
  if (next - samples.begin() > 1 && Elapsed(last.at, at) <= kStaleness) {
    const MetricSample& before = *(next - 2);
    const double by = (value - before.value) / SecondsOf(Elapsed(before.at, last.at)) *
                      SecondsOf(Elapsed(last.at, at));
    if (is_used ? by > 0 : by < 0) value = std::max(value + by, 0.0);
  }
  samples.insert(next, {.at = at, .value = value});
}

void Track::EndAt(Instant at, Instant until, Duration interval) {
  constexpr double kMissing = 1.75;  // if two samples are that many intervals apart, one is missing
  const auto first = std::ranges::upper_bound(samples, at, {}, &MetricSample::at);
  auto last = first;
  for (; last != samples.end() && last->at < until && !std::isnan(last->value); ++last) {
    if (last == samples.begin()) continue;
    const MetricSample& before = *(last - 1);
    const double apart = SecondsOf(Elapsed(before.at, last->at));
    if (std::isnan(before.value) || apart > SecondsOf(interval) * kMissing) break;
  }
  samples.insert(samples.erase(first, last),
                 {.at = at + Duration{1}, .value = std::numeric_limits<double>::quiet_NaN()});
}

std::uint64_t CountOf(double amount) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::clamp(std::round(amount), 0.0, kMost));
}

NodeTracks::NodeTracks(std::vector<MetricSeries> series) {
  std::erase_if(series, [](const MetricSeries& each) {
    return each.samples.empty() || IsOfPauseContainer(each);
  });
  std::ranges::stable_sort(series, {},
                           [](const MetricSeries& each) { return each.samples.front().at; });
  std::map<std::pair<std::string, std::map<std::string, std::string, std::less<>>>, MetricSeries>
      figures;
  for (MetricSeries& each : series) {
    MetricSeries figure = FigureOf(each);
    const auto key = std::pair(figure.name, figure.labels);
    auto& joined = figures.try_emplace(key, std::move(figure)).first->second.samples;
    for (const MetricSample& sample : std::exchange(each.samples, {})) {
      if (joined.empty() || sample.at > joined.back().at) joined.push_back(sample);
    }
  }
  for (auto& [key, figure] : figures) Of(key.first).emplace_back(std::move(figure));
}

std::vector<Track*> NodeTracks::OfPod(std::string_view metric, const Pod& pod) {
  std::vector<Track*> tracks;
  for (Track& each : Of(metric)) {
    if (each.Label("pod") != pod.name || each.Label("namespace") != pod.namespace_) continue;
    const std::string uid = each.PodUid();
    if (uid.empty() || uid == pod.uid || pod.uid == FullName(pod)) tracks.push_back(&each);
  }
  return tracks;
}

Track* NodeTracks::Find(std::string_view metric, Labels labels) {
  for (Track& each : Of(metric)) {
    const bool has_all = std::ranges::all_of(
        labels, [&](const auto& label) { return each.Label(label.first) == label.second; });
    if (has_all) return &each;
  }
  return nullptr;
}

}  // namespace jettison
