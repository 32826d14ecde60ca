#include "sim/imported/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "core/decide/eviction_order.h"
#include "core/evaluate/evaluate.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/thresholds/threshold_settings.h"
#include "sim/imported/figures.h"

namespace jettison {
namespace {

// What a missing series costs: where there is neither it nor the one that says the same instead.
struct CostRow {
  std::string_view metric;
  std::string_view instead;
  std::string_view cost;
};

constexpr CostRow kCosts[] = {
    {"kube_pod_info", "jettison_pod_info",
     "pods are those that have memory figures, two pods of one name are taken for one, and "
     "priorities are taken to be 0: a static pod, or one that its priority protects, may be named "
     "as a victim"},
    {"kube_pod_container_resource_requests", "jettison_pod_info",
     "pods are taken to request nothing: which pod exceeds its request, and so who is evicted "
     "first, cannot be told"},
    {"kube_pod_container_resource_limits", "jettison_pod_info",
     "a pod that a policy does not evict may grow beyond its own limit, and no OOM kill is "
     "predicted for it"},
    {"kubelet_evictions", "",
     "for which signal a pod was evicted is not known, and is taken to be memory.available"},
    {"kube_pod_status_reason", "jettison_pod_evictions_total",
     "which pods were evicted is not known: the recording has no evictions, and says nothing of "
     "how well a simulation finds them"},
    {"container_oom_events_total", "jettison_pod_oom_kills_total",
     "OOM kills are not known: a pod that the kernel killed looks like one that ended by itself"},
    {"container_fs_usage_bytes", "jettison_pod_disk_used_bytes",
     "what pods have on disk is not known: who is evicted for a disk cannot be told, and no "
     "simulation evicts them for one"},
    {"jettison_pod_disk_used_bytes", "",
     "of the disk use of pods at most writable layers and logs are known, not their volumes: the "
     "order in which pods are evicted for a disk may differ"}};

// What a note counts.
constexpr std::string_view kBetweenSamples =
    "evictions of which no series tells the moment; they are put in the middle between two "
    "samples, so they may be off by half the time between these, with memory as it would be had it "
    "grown on as before";
constexpr std::string_view kTooEarly =
    "evictions and OOM kills before the first sample of the node's memory, which are not in the "
    "recording";
constexpr std::string_view kBeforeFirstSample =
    "pods that were evicted before the first sample of them, which is not in the recording";
constexpr std::string_view kForUnknownSignal =
    "evictions about which kubelet_evictions did not grow; they are taken to have been for "
    "memory.available";
constexpr std::string_view kOfUnknownPod =
    "evictions of which no series tells which pod it was; they are not in the recording";

// An eviction or an OOM kill that the series tell of.
struct Event {
  // As the agent tells, or when the containers of the pod ended, or else the middle of the time in
  // which it must have been.
  Instant at;
  std::size_t pod = 0;                   // among the pods of the census
  bool is_told = false;                  // not the middle
  std::optional<std::string> container;  // the kernel killed it: no eviction
  std::string cause;                     // of an eviction, the label `eviction_signal`
};

// An eviction between two samples: of a pod, or for a signal.
struct Clue {
  Instant from;
  Instant to;
  std::size_t pod = 0;  // its place
  std::string cause;
};

// A pod's status may be reported this much later than the kubelet counts the eviction.
constexpr Duration kStatusLag = std::chrono::minutes(2);

// The causes of evictions that are no signals, in the order of StorageLimitKind.
constexpr std::string_view kLimits[] = {"emptydirfs.limit", "ephemeralpodfs.limit",
                                        "ephemeralcontainerfs.limit"};

// The year 2262, in which an Instant ends.
constexpr double kLastSecond = 9.2e9;

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

// Takes the counter's clue that is nearest to the pod's: it may come before, but not after.
std::optional<Clue> TakeNearest(const Clue& pod, std::vector<Clue>& signals) {
  auto fitting = signals | std::views::filter([&](const Clue& each) {
                   return each.from <= pod.to && pod.from <= each.to + kStatusLag;
                 });
  const auto nearest = std::ranges::min_element(
      fitting, {}, [&](const Clue& each) { return std::chrono::abs(Elapsed(each.to, pod.to)); });
  if (nearest == fitting.end()) return std::nullopt;
  Clue taken = std::move(*nearest);
  signals.erase(nearest.base());
  return taken;
}

class NodeImport {
 public:
  NodeImport(const std::string& node, PrometheusAnswer data, const ImportOptions& options,
             RecordingSink& sink)
      : options_(options), sink_(sink), tracks_(std::move(data.series)), about_{.node = node} {
    // The same one may come with each piece.
    for (const auto& warning : std::set(data.warnings.begin(), data.warnings.end())) {
      notes_.push_back("samples may be missing, because the source warned: " + warning);
    }
  }

  Result<ImportSummary> Run() {
    auto figures = NodeFiguresIn(tracks_, options_, notes_);
    if (!figures) return Fail(figures.error());
    figures_ = *std::move(figures);
    const Track& clock = figures_.clock();
    std::vector<Instant> moments;
    for (const MetricSample& sample : clock.samples) {
      if (sample.at >= options_.from && sample.at <= options_.to) moments.push_back(sample.at);
    }
    if (moments.empty()) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("there is no sample of the node's memory from {} to {}",
                              FormatInstant(options_.from), FormatInstant(options_.to)));
    }
    last_ = moments.front();
    summary_.step = clock.interval();
    notes_.insert(notes_.begin(),
                  fmt::format("the recording was imported from {}: {} apart, thresholds as "
                              "--config has them or the kubelet's defaults",
                              options_.source, FormatDuration(summary_.step)));
    const bool has_own = tracks_.Find("jettison_pod_info", {{"source", "own"}}) != nullptr;
    about_.profile = options_.profile.value_or(has_own ? Profile::kStandalone : Profile::kKubelet);
    about_.maker = std::string(kImportMaker);
    about_.at = last_;
    pods_ = CensusOf(tracks_, about_.profile, options_, notes_);
    summary_.pods = pods_.size();
    NoteMissing();
    policy_ = std::make_shared<const PassPolicy>(PassPolicy{
        .thresholds = ThresholdsFor(options_.policy.thresholds, figures_.layout),
        .pressure_transition_period = options_.policy.pressure_transition_period,
        .max_pod_grace_period_seconds = options_.policy.max_pod_grace_period_seconds,
        .local_storage_capacity_isolation = options_.policy.local_storage_capacity_isolation,
        .layout = figures_.layout});
    std::vector<Event> events = FindEvents();
    Grow(events);
    std::erase_if(events, [&](const Event& each) {
      return each.at < options_.from || each.at > options_.to;
    });
    counts_[kTooEarly] = std::erase_if(events, [&](const Event& each) { return each.at <= last_; });
    if (auto made = Make(moments, events); !made) return Fail(made.error());
    return Finish();
  }

 private:
  void NoteMissing() {
    for (const auto& [metric, instead, cost] : kCosts) {
      if (tracks_.Has(metric) || tracks_.Has(instead)) continue;
      notes_.push_back(fmt::format("{} is missing, so {}", metric, cost));
    }
    std::vector<std::string_view> unknown;
    for (const Signal signal : kAllSignals) {
      const bool is_copy = RowOf(signal).disk == FileSystem::kContainer;
      if (!is_copy && figures_.Of(signal).amount == nullptr) unknown.push_back(NameOf(signal));
    }
    if (unknown.empty()) return;
    notes_.push_back(
        fmt::format("no series tells {}: thresholds on them are never met in this "
                    "recording",
                    fmt::join(unknown, ", ")));
  }

  // What really happened, by time, as far as the series tell.
  std::vector<Event> FindEvents() {
    std::vector<Event> events;
    std::vector<Clue> signals = SignalClues();
    for (const Clue& clue : PodClues()) {
      const auto signal = TakeNearest(clue, signals);
      events.push_back(EvictionOf(clue, signal));
      if (!signal && tracks_.Has("kubelet_evictions")) ++counts_[kForUnknownSignal];
    }
    counts_[kOfUnknownPod] = signals.size();
    AddOomKills(events);
    std::ranges::stable_sort(events, {}, &Event::at);
    return events;
  }

  // A kubelet has no counter for a signal before its first eviction for it, so a counter that
  // appears while the node is being scraped has grown from zero. One that grew by more than one
  // gives several clues.
  std::vector<Clue> SignalClues() {
    std::vector<Clue> clues;
    for (const Track& each : tracks_.Of("kubelet_evictions")) {
      const Instant first = each.samples.front().at;
      const MetricSample* const seen = figures_.clock().LastBefore(first - each.interval() / 2);
      const bool appears = seen != nullptr && Elapsed(seen->at, first) <= kStaleness;
      const std::string cause(each.Label("eviction_signal"));
      for (const Track::Step& step : each.Steps(appears ? std::optional(seen->at) : std::nullopt)) {
        clues.insert(clues.end(), CountIn(step),
                     {.from = step.from, .to = step.to, .cause = cause});
      }
    }
    std::ranges::stable_sort(clues, {}, &Clue::to);
    return clues;
  }

  // By the agent's counter, or else by the status of the pod, of the reason Evicted alone. Since
  // kube-state-metrics 2.20 a pod has no status that it does not have: the series begins with the
  // eviction.
  std::vector<Clue> PodClues() {
    std::vector<Clue> clues;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const std::size_t before = clues.size();
      for (const std::string_view metric :
           {"jettison_pod_evictions_total", "kube_pod_status_reason"}) {
        if (clues.size() > before) break;
        for (const Track* each : tracks_.OfPod(metric, pods_[i].facts->pod)) {
          const MetricSample& first = each->samples.front();
          const bool appears = metric == "kube_pod_status_reason" && first.value == 1;
          const auto seen = appears ? LastSeen(pods_[i], first.at) : std::nullopt;
          if (appears && !seen) ++counts_[kBeforeFirstSample];
          for (const Track::Step& step : each->Steps(seen)) {
            clues.push_back({.from = step.from, .to = step.to, .pod = i, .cause = {}});
          }
        }
      }
    }
    std::ranges::stable_sort(clues, {}, &Clue::to);
    return clues;
  }

  Event EvictionOf(const Clue& clue, const std::optional<Clue>& signal) {
    const ImportedPod& pod = pods_[clue.pod];
    Instant from = signal ? signal->from : clue.from;
    const Instant to = signal ? std::min(signal->to, clue.to) : clue.to;
    if (const auto seen = LastSeen(pod, to)) from = std::clamp(*seen, std::min(from, to), to);
    Event eviction{.at = from + Elapsed(from, to) / 2,
                   .pod = clue.pod,
                   .container = {},
                   .cause = signal ? signal->cause : ""};
    // When its containers ended by its status, or when the agent evicted it, in the node's time.
    for (const std::string_view metric :
         {"kube_pod_completion_time", "jettison_pod_last_eviction_timestamp_seconds"}) {
      for (const Track* each : tracks_.OfPod(metric, pod.facts->pod)) {
        const MetricSample* const told = each->FirstFrom(to);
        if (told == nullptr || std::abs(told->value) > kLastSecond) continue;
        const Instant at(
            std::chrono::duration_cast<Duration>(std::chrono::duration<double>(told->value)));
        if (at <= from || at > clue.to) continue;
        eviction.at = std::min(at, to);
        eviction.is_told = true;
      }
    }
    return eviction;
  }

  // The agent's own counter is preferred where there is one: the other one counts the same kills.
  void AddOomKills(std::vector<Event>& events) {
    const bool of_agent = tracks_.Has("jettison_pod_oom_kills_total");
    const std::string_view metric =
        of_agent ? "jettison_pod_oom_kills_total" : "container_oom_events_total";
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      for (const Track* each : tracks_.OfPod(metric, pods_[i].facts->pod)) {
        const std::string container(each->Label("container"));
        if (!of_agent && container.empty()) continue;
        for (const Track::Step& step : each->Steps()) {
          const Instant at = step.from + Elapsed(step.from, step.to) / 2;
          if (at < pods_[i].from || at >= pods_[i].to) continue;  // of another one of its name
          events.insert(events.end(), CountIn(step), {.at = at, .pod = i, .container = container});
        }
      }
    }
  }

  // Where the agent does not tell the memory at the time of an eviction, it is assumed to have
  // continued to grow as before the last sample; otherwise nothing would seem to grow. Pods that
  // stay are on the line between their samples.
  void Grow(const std::vector<Event>& events) {
    for (const Event& each : events) {
      if (each.container) continue;
      const ImportedPod& victim = pods_[each.pod];
      for (Track* part : victim.memory) part->EndAt(each.at, victim.to, summary_.step);
    }
    for (const Event& each : events) {
      if (each.container) continue;
      figures_.GrowTo(each.at);
      const ImportedPod& victim = pods_[each.pod];
      for (Track* part : victim.memory) part->GrowTo(each.at, true, victim.peak);
      if (!each.is_told) ++counts_[kBetweenSamples];
    }
  }

  // All passes in the order of time, with what happened between them.
  Result<void> Make(const std::vector<Instant>& moments, const std::vector<Event>& events) {
    if (auto told = sink_.Add(about_); !told) return told;
    auto event = events.begin();
    const auto take_until = [&](Instant at) -> Result<void> {
      for (; event != events.end() && event->at <= at; ++event) {
        if (auto taken = Take(*event); !taken) return taken;
      }
      return {};
    };
    for (const Instant at : moments) {
      if (auto taken = take_until(at); !taken) return taken;
      if (auto added = AddPass(FiguresAt(at), at); !added) return added;
      last_ = at;
    }
    return take_until(options_.to);
  }

  Result<void> Take(const Event& event) {
    if (!event.container) return AddPass(EvictionPass(event), event.at);
    ++summary_.oom_kills;
    return sink_.Add(RecordedOomKill{
        .at = event.at, .pod_uid = pods_[event.pod].facts->pod.uid, .container = *event.container});
  }

  // The figures of a moment, as a pass in which nothing was done.
  std::shared_ptr<RecordedPass> FiguresAt(Instant at) const {
    auto pass = std::make_shared<RecordedPass>();
    pass->summary.node = figures_.At(about_.node, at);
    for (const ImportedPod& pod : pods_) {
      auto stats = pod.At(at);
      if (!stats) continue;
      pass->summary.pods.push_back(*std::move(stats));
      pass->pods.push_back(pod.facts);
    }
    return pass;
  }

  std::shared_ptr<RecordedPass> EvictionPass(const Event& eviction) {
    auto pass = FiguresAt(eviction.at);
    const auto& victim = pods_[eviction.pod].facts;
    // Its last sample may be too old to count as figures of that moment.
    if (std::ranges::find(pass->pods, victim) == pass->pods.end()) pass->pods.push_back(victim);
    const Signal signal =
        EnumeratorNamed<Signal>(eviction.cause).value_or(Signal::kMemoryAvailable);
    EvictionRecord record{.order = {.pod_uid = victim->pod.uid}, .outcome = EvictOutcome::kEnding};
    const auto limit = std::ranges::find(kLimits, eviction.cause);
    if (limit != std::end(kLimits)) {
      record.storage_limit = static_cast<StorageLimitKind>(limit - std::begin(kLimits));
    }
    record.order.message =
        fmt::format("According to Prometheus, the pod was evicted for {}.",
                    record.storage_limit ? "a limit of local storage" : NameOf(signal));
    record.order.grace_period_seconds = kHardEvictionGracePeriodSeconds;
    if (!record.storage_limit) {
      pass->report.ranked_for = signal;
      const auto line = std::ranges::find(policy_->thresholds, signal, &Threshold::signal);
      if (line != policy_->thresholds.end()) pass->report.acting_for = *line;
    }
    pass->report.evictions.push_back(std::move(record));
    ++summary_.evictions;
    return pass;
  }

  // Evaluates the pass by its figures and adds it, behind a gap where nothing was known for long.
  Result<void> AddPass(std::shared_ptr<RecordedPass> pass, Instant at) {
    const bool was_long = Elapsed(last_, at) > std::max(kStaleness, summary_.step * 2);
    if (told_ && *told_ < at && was_long) {
      ++summary_.gaps;
      const RecordedGap gap{
          .from = *told_, .to = at, .why = "there are no samples of the node's memory"};
      if (auto added = sink_.Add(gap); !added) return added;
    }
    told_ = at;
    pass->number = ++summary_.passes;
    pass->policy = policy_;
    pass->before = state_;
    pass->report.at = at;
    pass->report.observations = ObservationsFrom(pass->summary.node);
    pass->report.evaluation = Evaluate(*policy_, state_, pass->report.observations, at);
    state_ = pass->report.evaluation.next;
    if (!pass->report.evictions.empty()) MarkEviction(pass->report.observations, at, state_);
    return sink_.Add(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }

  Result<ImportSummary> Finish() {
    for (const auto& [what, count] : counts_) {
      if (count > 0) notes_.push_back(fmt::format("{}: {}", what, count));
    }
    for (const std::string& note : notes_) {
      const auto told = sink_.Add(RecordedNote{.at = last_, .text = note});
      if (!told) return Fail(told.error());
    }
    if (auto done = sink_.Finish(); !done) return Fail(done.error());
    summary_.notes = std::move(notes_);
    return std::move(summary_);
  }

  const ImportOptions& options_;
  RecordingSink& sink_;
  NodeTracks tracks_;
  RecordingAbout about_;
  std::vector<std::string> notes_;                  // each without its full stop
  std::map<std::string_view, std::size_t> counts_;  // of what notes count
  NodeFigures figures_;
  std::vector<ImportedPod> pods_;
  std::shared_ptr<const PassPolicy> policy_;
  EvictionState state_;
  ImportSummary summary_;
  Instant last_;                 // the last pass that is not of an eviction
  std::optional<Instant> told_;  // the last pass
};

}  // namespace

Result<ImportSummary> ImportNode(const std::string& node, PrometheusAnswer data,
                                 const ImportOptions& options, RecordingSink& sink) {
  return NodeImport(node, std::move(data), options, sink).Run();
}

}  // namespace jettison
