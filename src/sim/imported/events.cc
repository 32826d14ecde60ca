#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string_view>

#include "sim/imported/figures.h"

namespace jettison {
namespace {

// A pod's status may be reported this much later than the kubelet counts the eviction.
constexpr Duration kStatusLag = std::chrono::minutes(2);

// The year 2262, in which an Instant ends.
constexpr double kLastSecond = 9.2e9;

// An eviction between two samples: of a pod, or for a signal.
struct Clue {
  Instant from;
  Instant to;
  std::size_t pod = 0;  // its place
  std::string signal;   // the label `eviction_signal`
};

// How many things a counter counted in the step.
std::size_t CountIn(const Track::Step& step) {
  constexpr double kMostAtOnce = 1000;
  return static_cast<std::size_t>(std::min(step.by, kMostAtOnce));
}

// The last sample of the pod's memory before that moment: it was still there.
std::optional<Instant> LastSeen(const ImportedPod& pod, Instant before) {
  std::optional<Instant> seen;
  for (const Track* part : pod.memory) {
    const MetricSample* last = part->LastBefore(before);
    if (last != nullptr) seen = std::max(seen.value_or(last->at), last->at);
  }
  return seen;
}

// A kubelet has no counter for a signal before its first eviction for it, so a counter that appears
// while the node is being scraped has grown from zero. One that grew by more than one gives several
// clues.
std::vector<Clue> SignalClues(NodeTracks& tracks, const Track& clock) {
  std::vector<Clue> clues;
  for (const Track& each : tracks.Of("kubelet_evictions")) {
    std::vector<Track::Step> steps = each.Steps();
    const MetricSample& first = each.samples().front();
    const MetricSample* before = clock.LastBefore(first.at - each.interval() / 2);
    if (before != nullptr && Elapsed(before->at, first.at) <= kStaleness) {
      steps.push_back({.from = before->at, .to = first.at, .by = first.value});
    }
    const std::string signal(each.Label("eviction_signal"));
    for (const Track::Step& step : steps) {
      clues.insert(clues.end(), CountIn(step),
                   {.from = step.from, .to = step.to, .signal = signal});
    }
  }
  std::ranges::stable_sort(clues, {}, &Clue::to);
  return clues;
}

// By the agent's counter, or else by the status of the pod.
std::vector<Clue> PodClues(NodeTracks& tracks, const std::vector<ImportedPod>& pods,
                           std::vector<std::string>& notes) {
  std::vector<Clue> clues;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Pod& pod = pods[i].facts->pod;
    const std::size_t before = clues.size();
    const auto take_steps = [&](std::string_view metric) {
      for (const Track* each : tracks.OfPod(metric, pod)) {
        for (const Track::Step& step : each->Steps()) {
          clues.push_back({.from = step.from, .to = step.to, .pod = i});
        }
      }
    };
    take_steps("jettison_pod_evictions_total");
    if (clues.size() > before) continue;
    take_steps("kube_pod_status_reason");  // of the reason Evicted alone, as the query has it
    // Since kube-state-metrics 2.20 a pod has no status that it does not have: the series begins
    // with the eviction.
    for (const Track* each : tracks.OfPod("kube_pod_status_reason", pod)) {
      const MetricSample& first = each->samples().front();
      if (first.value != 1) continue;
      if (const auto seen = LastSeen(pods[i], first.at)) {
        clues.push_back({.from = *seen, .to = first.at, .pod = i});
      } else {
        notes.push_back(
            fmt::format("{} had been evicted before its first sample, at {}; when is not known",
                        FullName(pod), FormatInstant(first.at)));
      }
    }
  }
  std::ranges::stable_sort(clues, {}, &Clue::to);
  return clues;
}

// Takes the counter's clue that is nearest to the pod's: it may come before, but not after.
std::optional<Clue> TakeNearest(const Clue& pod, std::vector<Clue>& signals) {
  const auto gap = [&](const Clue& clue) { return std::chrono::abs(Elapsed(clue.to, pod.to)); };
  auto nearest = signals.end();
  for (auto it = signals.begin(); it != signals.end(); ++it) {
    if (it->from > pod.to || pod.from > it->to + kStatusLag) continue;
    if (nearest == signals.end() || gap(*it) < gap(*nearest)) nearest = it;
  }
  if (nearest == signals.end()) return std::nullopt;
  Clue taken = std::move(*nearest);
  signals.erase(nearest);
  return taken;
}

ImportedEvent EvictionOf(NodeTracks& tracks, const Clue& clue, const std::optional<Clue>& signal,
                         const ImportedPod& pod) {
  ImportedEvent eviction{.pod = clue.pod};
  Instant from = signal ? signal->from : clue.from;
  const Instant to = signal ? std::min(signal->to, clue.to) : clue.to;
  if (const auto seen = LastSeen(pod, to)) from = std::clamp(*seen, std::min(from, to), to);
  eviction.at = from + Elapsed(from, to) / 2;
  // When its containers ended by its status, or when the agent evicted it, in the node's time.
  for (const std::string_view metric :
       {"kube_pod_completion_time", "jettison_pod_last_eviction_timestamp_seconds"}) {
    for (const Track* each : tracks.OfPod(metric, pod.facts->pod)) {
      const MetricSample* const told = each->FirstFrom(to);
      if (told == nullptr || std::abs(told->value) > kLastSecond) continue;
      const Instant at(
          std::chrono::duration_cast<Duration>(std::chrono::duration<double>(told->value)));
      if (at <= from || at > clue.to) continue;
      eviction.at = std::min(at, to);
      eviction.is_told = true;
    }
  }
  if (!signal) return eviction;
  eviction.signal = EnumeratorNamed<Signal>(signal->signal);
  if (signal->signal == "emptydirfs.limit") eviction.limit = StorageLimitKind::kEmptyDir;
  if (signal->signal == "ephemeralpodfs.limit") eviction.limit = StorageLimitKind::kPod;
  if (signal->signal == "ephemeralcontainerfs.limit") eviction.limit = StorageLimitKind::kContainer;
  return eviction;
}

// The agent's own counter is preferred where there is one: the other one counts the same kills.
void TakeOomKills(NodeTracks& tracks, const std::vector<ImportedPod>& pods,
                  std::vector<ImportedEvent>& events) {
  const bool of_agent = tracks.Has("jettison_pod_oom_kills_total");
  const std::string_view metric =
      of_agent ? "jettison_pod_oom_kills_total" : "container_oom_events_total";
  for (std::size_t i = 0; i < pods.size(); ++i) {
    for (const Track* each : tracks.OfPod(metric, pods[i].facts->pod)) {
      const std::string container(each->Label("container"));
      if (!of_agent && container.empty()) continue;
      for (const Track::Step& step : each->Steps()) {
        const Instant at = step.from + Elapsed(step.from, step.to) / 2;
        if (at < pods[i].from || at >= pods[i].to) continue;  // of another one of its name
        events.insert(events.end(), CountIn(step), {.at = at, .pod = i, .container = container});
      }
    }
  }
}

}  // namespace

std::vector<ImportedEvent> EventsIn(NodeTracks& tracks, const Track& clock,
                                    const std::vector<ImportedPod>& pods,
                                    std::vector<std::string>& notes) {
  std::vector<ImportedEvent> events;
  std::vector<Clue> signals = SignalClues(tracks, clock);
  for (const Clue& clue : PodClues(tracks, pods, notes)) {
    const auto signal = TakeNearest(clue, signals);
    events.push_back(EvictionOf(tracks, clue, signal, pods[clue.pod]));
    if (signal || !tracks.Has("kubelet_evictions")) continue;
    notes.push_back(fmt::format(
        "{} was evicted between {} and {}, but kubelet_evictions did not grow "
        "about then: it is taken to have been for memory.available",
        FullName(pods[clue.pod].facts->pod), FormatInstant(clue.from), FormatInstant(clue.to)));
  }
  for (const Clue& signal : signals) {
    notes.push_back(
        fmt::format("between {} and {} a pod was evicted for {}, but no series tells which: "
                    "the recording does not have this eviction",
                    FormatInstant(signal.from), FormatInstant(signal.to), signal.signal));
  }
  TakeOomKills(tracks, pods, events);
  std::ranges::stable_sort(events, {}, &ImportedEvent::at);
  return events;
}

}  // namespace jettison
