#include "sim/imported/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
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
  std::string_view metric;  // or a signal of the node, which several series tell
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
     "order in which pods are evicted for a disk may differ"},
    {"jettison_signal_available", "",
     "thresholds on pressure and swap are never met in this recording, because an agent alone "
     "tells "
     "them"},
    {"pid.available", "jettison_signal_available",
     "thresholds on it are never met in this recording (node_exporter has node_processes_threads "
     "and node_processes_max_processes with --collector.processes)"},
    {"nodefs.available", "jettison_signal_available",
     "thresholds on nodefs and imagefs are never met in this recording (node_exporter has "
     "node_filesystem_avail_bytes and node_filesystem_size_bytes of the file systems)"},
    {"allocatableMemory.available", "",
     "evictions because pods together exceed node allocatable cannot be told (the kubelet has "
     "container_memory_working_set_bytes and container_spec_memory_limit_bytes of /kubepods, where "
     "that has a limit)"}};

class NodeImport {
 public:
  NodeImport(const std::string& node, PrometheusAnswer data, const ImportOptions& options,
             RecordingSink& sink)
      : options_(options), sink_(sink), tracks_(std::move(data.series)), about_{.node = node} {
    for (const std::string& warning : data.warnings) {
      notes_.push_back("samples may be missing, because the source warned: " + warning);
    }
  }

  Result<ImportSummary> Run() {
    auto figures = NodeFiguresIn(tracks_, options_, notes_);
    if (!figures) return Fail(figures.error());
    figures_ = *std::move(figures);
    const Track& clock = figures_.clock();
    std::vector<Instant> moments;
    for (const MetricSample& sample : clock.samples()) {
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
    std::vector<ImportedEvent> events = EventsIn(tracks_, clock, pods_, notes_);
    Grow(events);
    std::erase_if(events, [&](const ImportedEvent& each) {
      return each.at < options_.from || each.at > options_.to;
    });
    if (auto made = Make(moments, events); !made) return Fail(made.error());
    return Finish();
  }

 private:
  void NoteMissing() {
    for (const auto& [metric, instead, cost] : kCosts) {
      const auto signal = EnumeratorNamed<Signal>(metric);
      const bool known = signal ? figures_.Of(*signal).amount != nullptr : tracks_.Has(metric);
      if (known || tracks_.Has(instead)) continue;
      notes_.push_back(fmt::format("{} is missing, so {}", metric, cost));
    }
  }

  // Where the agent does not tell the memory at the time of an eviction, it is assumed to have
  // continued to grow as before the last sample; otherwise nothing would seem to grow. Pods that
  // stay are on the line between their samples.
  void Grow(const std::vector<ImportedEvent>& events) {
    for (const ImportedEvent& each : events) {
      if (each.container) continue;
      const ImportedPod& victim = pods_[each.pod];
      for (Track* part : victim.memory) part->EndAt(each.at, victim.to, summary_.step);
    }
    for (const ImportedEvent& each : events) {
      if (each.container) continue;
      figures_.GrowTo(each.at);
      const ImportedPod& victim = pods_[each.pod];
      for (Track* part : victim.memory) part->GrowTo(each.at, true, victim.peak);
      if (each.is_told) continue;
      notes_.push_back(fmt::format(
          "an eviction is known to lie between two samples, and its pass is put in the middle of "
          "them, with memory as it would be had it grown on as before: its time is off by up to {}",
          FormatDuration(summary_.step / 2)));
    }
  }

  // All passes in the order of time, with what happened between them.
  Result<void> Make(const std::vector<Instant>& moments, const std::vector<ImportedEvent>& events) {
    if (auto told = sink_.Add(about_); !told) return told;
    const auto first = std::ranges::upper_bound(events, about_.at, {}, &ImportedEvent::at);
    if (first != events.begin()) {
      notes_.push_back(
          fmt::format("evictions and OOM kills before the first sample of the node's memory, which "
                      "are not in the recording: {}",
                      first - events.begin()));
    }
    auto event = first;
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

  Result<void> Take(const ImportedEvent& event) {
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

  std::shared_ptr<RecordedPass> EvictionPass(const ImportedEvent& eviction) {
    auto pass = FiguresAt(eviction.at);
    const auto& victim = pods_[eviction.pod].facts;
    // Its last sample may be too old to count as figures of that moment.
    if (std::ranges::find(pass->pods, victim) == pass->pods.end()) pass->pods.push_back(victim);
    const Signal signal = eviction.signal.value_or(Signal::kMemoryAvailable);
    EvictionRecord record{.order = {.pod_uid = victim->pod.uid}, .outcome = EvictOutcome::kEnding};
    record.storage_limit = eviction.limit;
    record.order.message =
        fmt::format("According to Prometheus, the pod was evicted for {}.",
                    eviction.limit ? "a limit of local storage" : NameOf(signal));
    record.order.grace_period_seconds = kHardEvictionGracePeriodSeconds;
    if (!eviction.limit) {
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
    notes_.emplace_back(
        "figures of pods are put on the line between their two samples around that of the node, "
        "because they are not scraped at the same moment");
    notes_.emplace_back(
        "pods that tie in everything else are ranked by their UID; among those the kubelet has no "
        "fixed order");
    std::set<std::string> seen;
    std::erase_if(notes_, [&](const std::string& note) { return !seen.insert(note).second; });
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
  std::vector<std::string> notes_;  // each without its full stop
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
