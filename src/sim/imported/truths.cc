#include "sim/imported/truths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace jettison {
namespace {

// If a node's clock differs by this much more than before, it was set.
constexpr Duration kClockStep = std::chrono::seconds(5);
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

void NoteReset(const LabelledTrack& each, const Track::Step& step, ImportNotes& notes) {
  notes.Add("counters that were set back",
            fmt::format("{} began anew between {} and {}; what it had counted in between is lost",
                        TextOf(each.figure), FormatInstant(step.from), FormatInstant(step.to)));
}

// The time since which the kubelet has been scraped.
std::optional<Instant> ScrapedSince(const NodeTracks& tracks) {
  std::optional<Instant> since;
  for (const std::string_view metric :
       {"kubelet_node_name", "node_memory_working_set_bytes", "kubelet_evictions"}) {
    for (const LabelledTrack& each : tracks.Of(metric)) {
      const Instant first = each.track.points().front().at;
      since = std::min(since.value_or(first), first);
    }
  }
  return since;
}

// Whether the kubelet was scraped in the time, its ends included.
bool WasScraped(const NodeTracks& tracks, Instant from, Instant to) {
  // The other one is of another endpoint, which may answer while the counters do not.
  const std::string_view metric =
      tracks.Has("kubelet_node_name") ? "kubelet_node_name" : "node_memory_working_set_bytes";
  return std::ranges::any_of(tracks.Of(metric), [&](const LabelledTrack& each) {
    return std::ranges::any_of(each.track.points(), [&](const Track::Point& point) {
      return from <= point.at && point.at <= to && !std::isnan(point.value);
    });
  });
}

// Where the counter came back after it was gone while the kubelet was scraped: that kubelet was
// restarted, and the counter has grown from zero, also where it has the same value as before.
std::vector<Track::Step> Returns(const Track& track, const NodeTracks& tracks) {
  std::vector<Track::Step> returns;
  const Track::Point* before = nullptr;
  bool has_ended = false;
  for (const Track::Point& point : track.points()) {
    if (std::isnan(point.value)) {
      has_ended = true;
      continue;
    }
    const Instant from = point.at - track.interval();
    const bool was_gone =
        before != nullptr && (has_ended || Elapsed(before->at, point.at) > kStaleness);
    if (was_gone && WasScraped(tracks, before->at + track.interval(), from)) {
      returns.push_back({.from = from, .to = point.at, .by = point.value, .reset = true});
    }
    before = &point;
    has_ended = false;
  }
  return returns;
}

// A kubelet has no counter for a signal before its first eviction for it, so a counter that appears
// while the kubelet is being scraped has grown from zero.
std::vector<Track::Step> StepsOf(const Track& track, const NodeTracks& tracks,
                                 std::optional<Instant> since) {
  std::vector<Track::Step> steps = track.Steps();
  for (const Track::Step& back : Returns(track, tracks)) {
    std::erase_if(steps, [&](const Track::Step& step) { return step.to == back.to; });
    steps.push_back(back);
  }
  std::ranges::sort(steps, {}, &Track::Step::to);
  const Track::Point& first = track.points().front();
  if (since && *since < first.at - track.interval()) {
    // A single sample does not show the interval.
    const bool is_alone = track.interval() == Duration{0};
    steps.insert(steps.begin(), {.from = is_alone ? *since : first.at - track.interval(),
                                 .to = first.at,
                                 .by = first.value});
  }
  return steps;
}

// How many things a counter counted in the step; one that began anew, since then.
std::size_t CountIn(const Track::Step& step) {
  constexpr double kMostAtOnce = 1000;
  return static_cast<std::size_t>(std::clamp(step.by, 0.0, kMostAtOnce));
}

// A counter that grew by more than one gives several clues.
std::vector<Clue> SignalClues(const NodeTracks& tracks, std::vector<Instant>& restarts,
                              ImportNotes& notes) {
  std::vector<Clue> clues;
  const auto since = ScrapedSince(tracks);
  for (const LabelledTrack& each : tracks.Of("kubelet_evictions")) {
    for (const Track::Step& step : StepsOf(each.track, tracks, since)) {
      if (step.reset) {
        NoteReset(each, step, notes);
        restarts.push_back(step.to);
      }
      for (std::size_t i = 0; i < CountIn(step); ++i) {
        clues.push_back({.from = step.from,
                         .to = step.to,
                         .signal = std::string(each.figure.Label("eviction_signal"))});
      }
    }
  }
  std::ranges::stable_sort(clues, {}, &Clue::to);
  return clues;
}

// The last sample of the pod before that moment which every pod has in kube-state-metrics.
std::optional<Instant> LastToldBefore(const NodeTracks& tracks, const Pod& pod, Instant at) {
  std::optional<Instant> last;
  for (const std::string_view metric : {"kube_pod_info", "kube_pod_status_phase"}) {
    for (const LabelledTrack* each : tracks.OfPod(metric, pod)) {
      if (!IsOfPod(each->figure, pod)) continue;
      for (const Track::Point& point : each->track.points()) {
        if (point.at < at && !std::isnan(point.value)) {
          last = std::max(last.value_or(point.at), point.at);
        }
      }
    }
  }
  return last;
}

// Since kube-state-metrics 2.20 a pod has no status that it does not have: the series begins with
// the eviction.
void TakeFirstStatus(const NodeTracks& tracks, const Track::Point& first, std::size_t place,
                     const Pod& pod, std::vector<Clue>& clues, ImportNotes& notes) {
  if (first.value != 1) return;
  if (const auto told = LastToldBefore(tracks, pod, first.at)) {
    return clues.push_back({.from = *told, .to = first.at, .pod = place});
  }
  notes.Add("pods that were evicted before",
            fmt::format("{} had been evicted before its first sample, at {}; when is not known",
                        FullName(pod), FormatInstant(first.at)));
}

void TakeStatuses(const NodeTracks& tracks, std::size_t place, const Pod& pod,
                  std::vector<Clue>& clues, ImportNotes& notes) {
  for (const LabelledTrack* each : tracks.OfPod("kube_pod_status_reason", pod)) {
    if (each->figure.Label("reason") != "Evicted" || !IsOfPod(each->figure, pod)) continue;
    TakeFirstStatus(tracks, each->track.points().front(), place, pod, clues, notes);
    for (const Track::Step& step : each->track.Steps()) {
      if (!step.reset) clues.push_back({.from = step.from, .to = step.to, .pod = place});
    }
  }
}

void TakeOwnCounts(const NodeTracks& tracks, std::size_t place, const Pod& pod,
                   std::vector<Clue>& clues) {
  for (const LabelledTrack* each : tracks.OfPod("jettison_pod_evictions_total", pod)) {
    if (!IsOfPod(each->figure, pod)) continue;
    for (const Track::Step& step : each->track.Steps()) {
      // A counter that fell belongs to an agent or a manifest that was replaced.
      if (!step.reset) clues.push_back({.from = step.from, .to = step.to, .pod = place});
    }
  }
}

std::vector<Clue> PodClues(const NodeTracks& tracks, const std::vector<PodTracks>& pods,
                           ImportNotes& notes) {
  std::vector<Clue> clues;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const Pod& pod = pods[i].pod().facts->pod;
    const std::size_t before = clues.size();
    TakeOwnCounts(tracks, i, pod, clues);
    if (clues.size() == before) TakeStatuses(tracks, i, pod, clues, notes);
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

Instant Middle(Instant from, Instant to) {
  return from + Elapsed(from, to) / 2;
}

// When the containers of a pod ended by its status, in the node's time; absent: it is not told.
std::optional<Instant> CompletionOf(const NodeTracks& tracks, const Pod& pod) {
  for (const LabelledTrack* each : tracks.OfPod("kube_pod_completion_time", pod)) {
    const double since_epoch = each->track.points().front().value;
    if (!IsOfPod(each->figure, pod) || !std::isfinite(since_epoch) ||
        std::abs(since_epoch) > kLastSecond) {
      continue;
    }
    return Instant(
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(since_epoch)));
  }
  return std::nullopt;
}

ImportedEviction EvictionOf(const NodeTracks& tracks, const Clue& clue, const Clue* signal,
                            const PodTracks& pod) {
  ImportedEviction eviction{.pod = clue.pod};
  Instant from = signal != nullptr ? signal->from : clue.from;
  const Instant to = signal != nullptr ? std::min(signal->to, clue.to) : clue.to;
  // The pod was there until then.
  if (const auto seen = pod.LastSampleBefore(to)) from = std::clamp(*seen, from, to);
  eviction.at = Middle(from, to);
  const auto completed = CompletionOf(tracks, pod.pod().facts->pod);
  if (completed && *completed > from && *completed <= clue.to)
    eviction.at = std::min(*completed, to);
  if (signal == nullptr) return eviction;
  eviction.signal = SignalNamed(signal->signal);
  eviction.limit = LimitOf(signal->signal);
  return eviction;
}

void NoteEvictions(const NodeTracks& tracks, const std::vector<Clue>& signals, ImportNotes& notes) {
  for (const Clue& signal : signals) {
    if (signal.is_paired) continue;
    notes.Add("evictions without a pod",
              fmt::format("between {} and {} a pod was evicted for {}, but no series tells which: "
                          "the recording does not have this eviction",
                          FormatInstant(signal.from), FormatInstant(signal.to), signal.signal));
  }
  if (!tracks.Has("kubelet_evictions")) {
    notes.AddOnce(
        "kubelet_evictions is missing, so for which signal a pod was evicted is not known, and is "
        "taken to be memory.available");
  }
  if (!tracks.Has("kube_pod_status_reason") && !tracks.Has("jettison_pod_evictions_total")) {
    notes.AddOnce(
        "kube_pod_status_reason is missing, so which pods were evicted is not known: the recording "
        "has no evictions, and says nothing of how well a simulation finds them");
  }
}

// It is not known which of several was first.
void NoteTies(const std::vector<ImportedEviction>& evictions, ImportNotes& notes) {
  for (std::size_t i = 1; i < evictions.size(); ++i) {
    if (evictions[i].at != evictions[i - 1].at) continue;
    notes.Add("ties",
              fmt::format("several pods were evicted between the two scrapes around {}; they are "
                          "taken to have been evicted in the order in which their statuses were "
                          "told, then by namespace and name",
                          FormatInstant(evictions[i].at)));
  }
}

void TakeEvictions(const NodeTracks& tracks, const std::vector<PodTracks>& pods, Truths& truths,
                   ImportNotes& notes) {
  std::vector<Clue> signals = SignalClues(tracks, truths.restarts, notes);
  for (const Clue& clue : PodClues(tracks, pods, notes)) {
    Clue* signal = PairOf(clue, signals);
    if (signal != nullptr) signal->is_paired = true;
    truths.evictions.push_back(EvictionOf(tracks, clue, signal, pods[clue.pod]));
    if (signal != nullptr || !tracks.Has("kubelet_evictions")) continue;
    notes.Add("evictions without a signal",
              fmt::format("{} was evicted between {} and {}, but kubelet_evictions did not grow "
                          "about then: it is taken to have been for memory.available",
                          FullName(pods[clue.pod].pod().facts->pod), FormatInstant(clue.from),
                          FormatInstant(clue.to)));
  }
  NoteEvictions(tracks, signals, notes);
  std::ranges::stable_sort(truths.evictions, {}, &ImportedEviction::at);
  NoteTies(truths.evictions, notes);
}

// The time in which a metric was scraped; nothing if it never was.
std::optional<std::pair<Instant, Instant>> ScrapedIn(const std::vector<LabelledTrack>& tracks) {
  std::optional<std::pair<Instant, Instant>> span;
  for (const LabelledTrack& each : tracks) {
    const auto& points = each.track.points();
    if (!span) span = {points.front().at, points.back().at};
    span->first = std::min(span->first, points.front().at);
    span->second = std::max(span->second, points.back().at);
  }
  return span;
}

void TakeOomKills(const NodeTracks& tracks, const std::vector<PodTracks>& pods, Truths& truths,
                  ImportNotes& notes) {
  constexpr std::string_view kOfAgent = "jettison_pod_oom_kills_total";
  constexpr std::string_view kOfCadvisor = "container_oom_events_total";
  if (!tracks.Has(kOfAgent) && !tracks.Has(kOfCadvisor)) {
    notes.AddOnce(
        "container_oom_events_total is missing, so OOM kills are not known: a pod that the kernel "
        "killed looks like one that ended by itself");
  }
  // The agent's own counter is preferred, because the other one counts the same kills.
  const auto agent = ScrapedIn(tracks.Of(kOfAgent));
  const auto counts = [&](const MetricSeries& figure, Instant at) {
    if (figure.name == kOfAgent) return true;
    return !figure.Label("container").empty() &&
           (!agent || at < agent->first || at > agent->second);
  };
  std::set<const LabelledTrack*> taken;  // two pods may have one name
  for (const PodTracks& figures : pods) {
    const Pod& pod = figures.pod().facts->pod;
    const auto take = [&](const LabelledTrack& each) {
      if (!IsOfPod(each.figure, pod) || !taken.insert(&each).second) return;
      for (const Track::Step& step : each.track.Steps()) {
        const ImportedOomKill kill = {.at = Middle(step.from, step.to),
                                      .uid = pod.uid,
                                      .container = std::string(each.figure.Label("container"))};
        if (!counts(each.figure, kill.at)) continue;
        truths.oom_kills.insert(truths.oom_kills.end(), CountIn(step), kill);
      }
    };
    for (const LabelledTrack* each : tracks.OfPod(kOfAgent, pod)) take(*each);
    for (const LabelledTrack* each : tracks.OfPod(kOfCadvisor, pod)) take(*each);
  }
  std::ranges::stable_sort(truths.oom_kills, {}, &ImportedOomKill::at);
}

void TakeRestarts(const NodeTracks& tracks, Truths& truths, ImportNotes& notes) {
  // The kernel's boot time varies a little with the clock.
  constexpr double kOtherBoot = 60;
  for (const LabelledTrack& each : tracks.Of("node_boot_time_seconds")) {
    for (const Track::Step& step : each.track.Steps()) {
      if (step.reset || step.by < kOtherBoot) continue;
      truths.restarts.push_back(step.to);
      notes.Add("restarts", fmt::format("the node was started anew between {} and {}",
                                        FormatInstant(step.from), FormatInstant(step.to)));
    }
  }
  std::ranges::sort(truths.restarts);
  const auto [rest, end] = std::ranges::unique(truths.restarts);
  truths.restarts.erase(rest, end);
}

void NoteClockSteps(const NodeTracks& tracks, ImportNotes& notes) {
  const Track* clock = tracks.Find("node_time_seconds");
  if (clock == nullptr) return;
  std::optional<double> before;
  for (const Track::Point& point : clock->points()) {
    if (!std::isfinite(point.value)) continue;
    const double off = point.value - SecondsOf(point.at.time_since_epoch());
    if (before && std::abs(off - *before) > SecondsOf(kClockStep)) {
      notes.Add("steps of the clock",
                fmt::format("the node's clock was set {} by {:.0f} s before {}; times are those of "
                            "Prometheus, which was not",
                            off > *before ? "forward" : "back", std::abs(off - *before),
                            FormatInstant(point.at)));
    }
    before = off;
  }
}

}  // namespace

Truths TruthsOf(const NodeTracks& tracks, const std::vector<PodTracks>& pods, ImportNotes& notes) {
  Truths truths;
  TakeEvictions(tracks, pods, truths, notes);
  TakeOomKills(tracks, pods, truths, notes);
  TakeRestarts(tracks, truths, notes);
  NoteClockSteps(tracks, notes);
  return truths;
}

}  // namespace jettison
