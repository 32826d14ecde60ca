#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "sim/imported/pods.h"

namespace jettison {
namespace {

// A pod's status may be reported this much later than the kubelet counts the eviction.
constexpr Duration kStatusLag = std::chrono::minutes(2);

// The year 2262, in which an Instant ends.
constexpr double kLastSecond = 9.2e9;

// An eviction of a known pod, or for a known signal, between two samples.
struct Clue {
  Instant from;
  Instant to;
  std::size_t pod = 0;     // for the clue of a pod: its place
  std::string signal;      // for the clue of a counter: the label `eviction_signal`
  bool is_paired = false;  // for the clue of a counter
};

Instant Middle(Instant from, Instant to) {
  return from + Elapsed(from, to) / 2;
}

// How many things a counter counted in the step; one that began anew, since then.
std::size_t CountIn(const Track::Step& step) {
  constexpr double kMostAtOnce = 1000;
  return static_cast<std::size_t>(std::clamp(step.by, 0.0, kMostAtOnce));
}

// A kubelet has no counter for a signal before its first eviction for it, so a counter that appears
// while the node is being scraped has grown from zero. One that grew by more than one gives several
// clues.
std::vector<Clue> SignalClues(NodeTracks& tracks, const Track& clock) {
  std::vector<Clue> clues;
  for (const Track& each : tracks.Of("kubelet_evictions")) {
    std::vector<Track::Step> steps = each.Steps();
    const TrackPoint& first = each.points().front();
    const TrackPoint* before = clock.LastBefore(first.at - each.interval() / 2);
    if (before != nullptr && Elapsed(before->at, first.at) <= kStaleness) {
      steps.push_back({.from = before->at, .to = first.at, .by = first.value});
    }
    for (const Track::Step& step : steps) {
      const Clue clue{
          .from = step.from, .to = step.to, .signal = std::string(each.Label("eviction_signal"))};
      clues.insert(clues.end(), CountIn(step), clue);
    }
  }
  std::ranges::stable_sort(clues, {}, &Clue::to);
  return clues;
}

// Since kube-state-metrics 2.20 a pod has no status that it does not have: the series begins with
// the eviction. The pod was there at its last sample before.
void TakeBeginning(NodeTracks& tracks, const Track& status, const Pod& pod, std::size_t place,
                   std::vector<Clue>& clues, std::vector<std::string>& notes) {
  const TrackPoint& first = status.points().front();
  if (first.value != 1) return;
  std::optional<Instant> told;
  for (const std::string_view metric : {"kube_pod_info", "kube_pod_status_phase"}) {
    for (const Track* each : tracks.OfPod(metric, pod)) {
      const TrackPoint* last = each->LastBefore(first.at);
      if (last != nullptr) told = std::max(told.value_or(last->at), last->at);
    }
  }
  if (told) {
    clues.push_back({.from = *told, .to = first.at, .pod = place});
  } else {
    notes.push_back(
        fmt::format("{} had been evicted before its first sample, at {}; when is not known",
                    FullName(pod), FormatInstant(first.at)));
  }
}

std::vector<Clue> PodClues(NodeTracks& tracks, const std::vector<ImportedPod>& pods,
                           std::vector<std::string>& notes) {
  std::vector<Clue> clues;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Pod& pod = pods[i].facts->pod;
    std::vector<Track*> tellers = tracks.OfPod("jettison_pod_evictions_total", pod);
    const bool is_agents =
        std::ranges::any_of(tellers, [](const Track* each) { return !each->Steps().empty(); });
    if (!is_agents) {
      tellers = tracks.OfPod("kube_pod_status_reason", pod);
      std::erase_if(tellers, [](const Track* each) { return each->Label("reason") != "Evicted"; });
    }
    for (const Track* each : tellers) {
      if (!is_agents) TakeBeginning(tracks, *each, pod, i, clues, notes);
      // A counter that fell belongs to an agent or a manifest that was replaced.
      for (const Track::Step& step : each->Steps()) {
        if (!step.reset) clues.push_back({.from = step.from, .to = step.to, .pod = i});
      }
    }
  }
  std::ranges::stable_sort(clues, {}, &Clue::to);
  return clues;
}

// The counter's clue that is nearest to the pod's: it may come before, but not after.
Clue* PairOf(const Clue& pod, std::vector<Clue>& signals) {
  Clue* nearest = nullptr;
  for (Clue& signal : signals) {
    if (signal.is_paired || signal.from > pod.to || pod.from > signal.to + kStatusLag) continue;
    const auto gap = [&](const Clue& clue) { return std::chrono::abs(Elapsed(clue.to, pod.to)); };
    if (nearest == nullptr || gap(signal) < gap(*nearest)) nearest = &signal;
  }
  return nearest;
}

std::optional<StorageLimitKind> LimitOf(std::string_view signal) {
  if (signal == "emptydirfs.limit") return StorageLimitKind::kEmptyDir;
  if (signal == "ephemeralpodfs.limit") return StorageLimitKind::kPod;
  if (signal == "ephemeralcontainerfs.limit") return StorageLimitKind::kContainer;
  return std::nullopt;
}

ImportedEviction EvictionOf(NodeTracks& tracks, const Clue& clue, const Clue* signal,
                            const ImportedPod& pod) {
  ImportedEviction eviction{.pod = clue.pod};
  Instant from = signal != nullptr ? signal->from : clue.from;
  const Instant to = signal != nullptr ? std::min(signal->to, clue.to) : clue.to;
  // The pod was there when its memory was sampled for the last time before.
  const TrackPoint* seen = nullptr;
  for (const Track* part : pod.memory) {
    const TrackPoint* last = part->LastBefore(to);
    if (last != nullptr && (seen == nullptr || last->at > seen->at)) seen = last;
  }
  if (seen != nullptr) from = std::clamp(seen->at, std::min(from, to), to);
  eviction.at = Middle(from, to);
  // When its containers ended by its status, or when the agent evicted it, in the node's time.
  for (const std::string_view metric :
       {"kube_pod_completion_time", "jettison_pod_last_eviction_timestamp_seconds"}) {
    for (const Track* each : tracks.OfPod(metric, pod.facts->pod)) {
      const TrackPoint* const told = each->FirstFrom(to);
      if (told == nullptr || std::abs(told->value) > kLastSecond) continue;
      const Instant at(
          std::chrono::duration_cast<Duration>(std::chrono::duration<double>(told->value)));
      if (at <= from || at > clue.to) continue;
      eviction.at = std::min(at, to);
      eviction.is_told = true;
    }
  }
  if (signal == nullptr) return eviction;
  eviction.signal = SignalNamed(signal->signal);
  eviction.limit = LimitOf(signal->signal);
  return eviction;
}

void TakeEvictions(NodeTracks& tracks, const Track& clock, const std::vector<ImportedPod>& pods,
                   Truths& truths, std::vector<std::string>& notes) {
  std::vector<Clue> signals = SignalClues(tracks, clock);
  for (const Clue& clue : PodClues(tracks, pods, notes)) {
    Clue* signal = PairOf(clue, signals);
    if (signal != nullptr) signal->is_paired = true;
    truths.evictions.push_back(EvictionOf(tracks, clue, signal, pods[clue.pod]));
    if (signal != nullptr || !tracks.Has("kubelet_evictions")) continue;
    notes.push_back(fmt::format(
        "{} was evicted between {} and {}, but kubelet_evictions did not grow "
        "about then: it is taken to have been for memory.available",
        FullName(pods[clue.pod].facts->pod), FormatInstant(clue.from), FormatInstant(clue.to)));
  }
  for (const Clue& signal : signals) {
    if (signal.is_paired) continue;
    notes.push_back(
        fmt::format("between {} and {} a pod was evicted for {}, but no series tells which: "
                    "the recording does not have this eviction",
                    FormatInstant(signal.from), FormatInstant(signal.to), signal.signal));
  }
}

// The agent's own counter is preferred where there is one: the other one counts the same kills.
void TakeOomKills(NodeTracks& tracks, const std::vector<ImportedPod>& pods, Truths& truths) {
  const bool of_agent = tracks.Has("jettison_pod_oom_kills_total");
  const std::string_view metric =
      of_agent ? "jettison_pod_oom_kills_total" : "container_oom_events_total";
  std::set<const Track*> taken;  // two pods may have one name
  for (const ImportedPod& pod : pods) {
    for (const Track* each : tracks.OfPod(metric, pod.facts->pod)) {
      const std::string container(each->Label("container"));
      if ((!of_agent && container.empty()) || !taken.insert(each).second) continue;
      for (const Track::Step& step : each->Steps()) {
        truths.oom_kills.insert(truths.oom_kills.end(), CountIn(step),
                                {.at = Middle(step.from, step.to),
                                 .pod_uid = pod.facts->pod.uid,
                                 .container = container});
      }
    }
  }
}

}  // namespace

Truths TruthsOf(NodeTracks& tracks, const Track& clock, const std::vector<ImportedPod>& pods,
                std::vector<std::string>& notes) {
  Truths truths;
  TakeEvictions(tracks, clock, pods, truths, notes);
  TakeOomKills(tracks, pods, truths);
  return truths;
}

}  // namespace jettison
