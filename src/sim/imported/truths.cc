#include "sim/imported/truths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

// A pod's status may be reported this much later than the kubelet counts the eviction.
constexpr Duration kStatusLag = std::chrono::minutes(2);

// The year 2262, in which an Instant ends.
constexpr double kLastSecond = 9.2e9;

// An eviction of a known pod, or of a known signal, between two samples.
struct Clue {
  Instant from;
  Instant to;
  std::size_t pod = 0;     // index of the pod, for the clue of a pod
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
// while the kubelet is being scraped has grown from zero.
std::vector<Track::Step> EvictionSteps(const Track& track, const NodeTracks& tracks) {
  std::vector<Track::Step> steps = track.Steps();
  const Track::Point& first = track.points().front();
  for (const std::string_view metric :
       {"kubelet_node_name", "node_memory_working_set_bytes", "kubelet_evictions"}) {
    for (const LabelledTrack& each : tracks.Of(metric)) {
      const auto& points = each.track.points();
      const auto behind = std::ranges::lower_bound(points, first.at - each.track.interval() / 2, {},
                                                   &Track::Point::at);
      if (behind == points.begin() || Elapsed((behind - 1)->at, first.at) > kStaleness) continue;
      steps.insert(steps.begin(), {.from = (behind - 1)->at, .to = first.at, .by = first.value});
      return steps;
    }
  }
  return steps;
}

// A counter that grew by more than one gives several clues.
std::vector<Clue> SignalClues(const NodeTracks& tracks, std::vector<Instant>& restarts) {
  std::vector<Clue> clues;
  for (const LabelledTrack& each : tracks.Of("kubelet_evictions")) {
    for (const Track::Step& step : EvictionSteps(each.track, tracks)) {
      if (step.reset) restarts.push_back(step.to);
      const Clue clue{.from = step.from,
                      .to = step.to,
                      .signal = std::string(each.figure.Label("eviction_signal"))};
      clues.insert(clues.end(), CountIn(step), clue);
    }
  }
  std::ranges::stable_sort(clues, {}, &Clue::to);
  return clues;
}

// Since kube-state-metrics 2.20 a pod has no status that it does not have: the series begins with
// the eviction. The pod was there at its last sample before.
std::optional<Instant> LastToldBefore(const NodeTracks& tracks, const Pod& pod, Instant at) {
  std::optional<Instant> last;
  for (const std::string_view metric : {"kube_pod_info", "kube_pod_status_phase"}) {
    for (const LabelledTrack* each : tracks.OfPod(metric, pod)) {
      for (const Track::Point& point : each->track.points()) {
        if (point.at < at && !std::isnan(point.value)) {
          last = std::max(last.value_or(point.at), point.at);
        }
      }
    }
  }
  return last;
}

void TakeStatuses(const NodeTracks& tracks, std::size_t place, const Pod& pod,
                  std::vector<Clue>& clues, ImportNotes& notes) {
  for (const LabelledTrack* each : tracks.OfPod("kube_pod_status_reason", pod)) {
    if (each->figure.Label("reason") != "Evicted") continue;
    const Track::Point& first = each->track.points().front();
    const auto told = first.value == 1 ? LastToldBefore(tracks, pod, first.at) : std::nullopt;
    if (told) {
      clues.push_back({.from = *told, .to = first.at, .pod = place});
    } else if (first.value == 1) {
      notes.Add(fmt::format("{} had been evicted before its first sample, at {}; when is not known",
                            FullName(pod), FormatInstant(first.at)));
    }
    for (const Track::Step& step : each->track.Steps()) {
      if (!step.reset) clues.push_back({.from = step.from, .to = step.to, .pod = place});
    }
  }
}

std::vector<Clue> PodClues(const NodeTracks& tracks, const std::vector<ImportedPod>& pods,
                           ImportNotes& notes) {
  std::vector<Clue> clues;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const std::size_t before = clues.size();
    for (const LabelledTrack* each : tracks.OfPod("jettison_pod_evictions_total", pods[i].pod())) {
      for (const Track::Step& step : each->track.Steps()) {
        // A counter that fell belongs to an agent or a manifest that was replaced.
        if (!step.reset) clues.push_back({.from = step.from, .to = step.to, .pod = i});
      }
    }
    if (clues.size() == before) TakeStatuses(tracks, i, pods[i].pod(), clues, notes);
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

// When the containers of a pod ended by its status, in the node's time; absent: it is not told.
std::optional<Instant> CompletionOf(const NodeTracks& tracks, const Pod& pod) {
  for (const LabelledTrack* each : tracks.OfPod("kube_pod_completion_time", pod)) {
    const double since_epoch = each->track.points().front().value;
    if (!std::isfinite(since_epoch) || std::abs(since_epoch) > kLastSecond) continue;
    return Instant(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(since_epoch)));
  }
  return std::nullopt;
}

ImportedEviction EvictionOf(const NodeTracks& tracks, const Clue& clue, const Clue* signal,
                            const ImportedPod& pod) {
  ImportedEviction eviction{.pod = clue.pod};
  Instant from = signal != nullptr ? signal->from : clue.from;
  const Instant to = signal != nullptr ? std::min(signal->to, clue.to) : clue.to;
  // The pod was there until then.
  if (const auto seen = pod.LastSampleBefore(to)) from = std::clamp(*seen, std::min(from, to), to);
  eviction.at = Middle(from, to);
  const auto completed = CompletionOf(tracks, pod.pod());
  if (completed && *completed > from && *completed <= clue.to) {
    eviction.at = std::min(*completed, to);
  }
  if (signal == nullptr) return eviction;
  eviction.signal = SignalNamed(signal->signal);
  eviction.limit = LimitOf(signal->signal);
  return eviction;
}

void TakeEvictions(const NodeTracks& tracks, const std::vector<ImportedPod>& pods, Truths& truths,
                   ImportNotes& notes) {
  std::vector<Clue> signals = SignalClues(tracks, truths.restarts);
  for (const Clue& clue : PodClues(tracks, pods, notes)) {
    Clue* signal = PairOf(clue, signals);
    if (signal != nullptr) signal->is_paired = true;
    truths.evictions.push_back(EvictionOf(tracks, clue, signal, pods[clue.pod]));
    if (signal != nullptr || !tracks.Has("kubelet_evictions")) continue;
    notes.Add(fmt::format(
        "{} was evicted between {} and {}, but kubelet_evictions did not grow "
        "about then: it is taken to have been for memory.available",
        FullName(pods[clue.pod].pod()), FormatInstant(clue.from), FormatInstant(clue.to)));
  }
  std::ranges::stable_sort(truths.evictions, {}, &ImportedEviction::at);
  for (const Clue& signal : signals) {
    if (signal.is_paired) continue;
    notes.Add(
        fmt::format("between {} and {} a pod was evicted for {}, but no series tells which: "
                    "the recording does not have this eviction",
                    FormatInstant(signal.from), FormatInstant(signal.to), signal.signal));
  }
}

// The agent's own counter is preferred where there is one: the other one counts the same kills.
void TakeOomKills(const NodeTracks& tracks, const std::vector<ImportedPod>& pods, Truths& truths) {
  const std::string_view metric = tracks.Has("jettison_pod_oom_kills_total")
                                      ? "jettison_pod_oom_kills_total"
                                      : "container_oom_events_total";
  const bool of_containers = metric.starts_with("container");
  std::set<const LabelledTrack*> taken;  // two pods may have one name
  for (const ImportedPod& pod : pods) {
    for (const LabelledTrack* each : tracks.OfPod(metric, pod.pod())) {
      const std::string container(each->figure.Label("container"));
      if ((of_containers && container.empty()) || !taken.insert(each).second) continue;
      for (const Track::Step& step : each->track.Steps()) {
        truths.oom_kills.insert(
            truths.oom_kills.end(), CountIn(step),
            {.at = Middle(step.from, step.to), .pod_uid = pod.pod().uid, .container = container});
      }
    }
  }
  std::ranges::stable_sort(truths.oom_kills, {}, &RecordedOomKill::at);
}

void TakeRestarts(const NodeTracks& tracks, Truths& truths) {
  // The kernel's boot time varies a little with the clock.
  constexpr double kOtherBoot = 60;
  for (const LabelledTrack& each : tracks.Of("node_boot_time_seconds")) {
    for (const Track::Step& step : each.track.Steps()) {
      if (!step.reset && step.by >= kOtherBoot) truths.restarts.push_back(step.to);
    }
  }
  std::ranges::sort(truths.restarts);
  const auto [rest, end] = std::ranges::unique(truths.restarts);
  truths.restarts.erase(rest, end);
}

}  // namespace

Truths TruthsOf(const NodeTracks& tracks, const std::vector<ImportedPod>& pods,
                ImportNotes& notes) {
  Truths truths;
  TakeEvictions(tracks, pods, truths, notes);
  TakeOomKills(tracks, pods, truths);
  TakeRestarts(tracks, truths);
  return truths;
}

}  // namespace jettison
