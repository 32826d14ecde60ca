#include "sim/imported/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/decide/eviction_order.h"
#include "core/evaluate/evaluate.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/thresholds/containerfs_thresholds.h"
#include "sim/imported/growth.h"
#include "sim/imported/pod_tracks.h"
#include "sim/imported/truths.h"

namespace jettison {
namespace {

// Samples that come a little early are accepted.
constexpr double kNearlyStep = 0.9;

// Numbers of imported passes are not consecutive, because other passes lie between them.
constexpr std::uint64_t kNumbersApart = 2;

class NodeImport {
 public:
  NodeImport(const std::string& node, const ImportOptions& options, RecordingSink& sink)
      : node_(node), options_(options), sink_(sink) {}

  Result<ImportSummary> Run(const NodeSeries& series) {
    for (const std::string& warning : options_.warnings) {
      notes_.Add("warnings",
                 fmt::format("samples may be missing, because the source warned: {}", warning));
    }
    for (const std::string& doubt : options_.doubts) notes_.Add("doubts", doubt);
    const NodeTracks tracks(series, notes_);
    auto figures = NodeFigures::Of(tracks, options_.paths, notes_);
    if (!figures) return Fail(figures.error());
    profile_ = ProfileOf(tracks, options_.pods);
    const std::vector<ImportedPod> census = CensusOf(tracks, options_.pods, notes_);
    for (const ImportedPod& pod : census) pods_.emplace_back(tracks, pod);
    figures_ = &*figures;
    truths_ = TruthsOf(tracks, pods_, notes_);
    for (const ImportedEviction& each : truths_.evictions) pods_[each.pod].Evicted(each.at);
    NotePods(tracks);
    SetPolicy();
    if (auto made = MakePasses(); !made) return Fail(made.error());
    CompareConditions(tracks);
    return Finish();
  }

 private:
  void SetPolicy() {
    PassPolicy policy{
        .thresholds = ThresholdsFor(options_.policy.thresholds, figures_->layout()),
        .pressure_transition_period = options_.policy.pressure_transition_period,
        .max_pod_grace_period_seconds = options_.policy.max_pod_grace_period_seconds,
        .local_storage_capacity_isolation = options_.policy.local_storage_capacity_isolation,
        .layout = figures_->layout()};
    policy_ = std::make_shared<const PassPolicy>(std::move(policy));
  }

  void NotePods(const NodeTracks& tracks) {
    const auto without = [&](auto has) {
      return std::ranges::count_if(pods_, [&](const PodTracks& pod) { return !(pod.*has)(); });
    };
    if (const auto count = without(&PodTracks::has_memory); count > 0) {
      notes_.AddOnce(fmt::format(
          "of {} of {} pods no memory is known (pod_memory_working_set_bytes, "
          "container_memory_working_set_bytes): they are not in the recording, and cannot be "
          "victims in a simulation",
          count, pods_.size()));
    }
    if (const auto count = without(&PodTracks::has_disk); count > 0) {
      notes_.AddOnce(fmt::format(
          "of {} of {} pods it is not known what they have on disk (container_fs_usage_bytes, "
          "jettison_pod_disk_used_bytes): who is evicted for a disk cannot be told, and no "
          "simulation evicts them for one",
          count, pods_.size()));
    } else if (!tracks.Has("jettison_pod_disk_used_bytes") && !pods_.empty()) {
      notes_.AddOnce(
          "of the disk use of pods only writable layers and logs are known, not their volumes: the "
          "order in which pods are evicted for a disk may differ");
    }
    for (const PodTracks& pod : pods_) pod.NoteBridges(notes_);
  }

  Result<void> MakePasses() {
    const auto& points = figures_->clock().points();
    const Duration interval = figures_->clock().interval();
    summary_.step = options_.step > Duration{0} ? options_.step : interval;
    const auto least = std::chrono::duration_cast<Duration>(summary_.step * kNearlyStep);
    for (const Track::Point& point : points) {
      const bool is_end = point.value != point.value;
      if (is_end || point.at < options_.from || point.at > options_.to) continue;
      if (auto begun = Begin(point.at); !begun) return begun;
      if (seen_) NoteSilence(*seen_, point.at, interval);
      seen_ = point.at;
      if (last_ && Elapsed(*last_, point.at) < least) continue;
      if (auto made = StepTo(point.at); !made) return made;
    }
    if (!last_) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("there is no sample of the node's memory from {} to {}",
                              FormatInstant(options_.from), FormatInstant(options_.to)));
    }
    return TakeTruthsUntil(options_.to);
  }

  Result<void> Begin(Instant at) {
    if (has_begun_) return {};
    has_begun_ = true;
    if (options_.from_is_named && Elapsed(options_.from, at) > kStaleness) {
      notes_.AddOnce(fmt::format(
          "the recording begins at {}, although --from is {}: before that, there are no samples of "
          "the node's memory",
          FormatInstant(at), FormatInstant(options_.from)));
    }
    return AddAbout(at);
  }

  Result<void> AddAbout(Instant at) {
    state_ = {};
    return sink_.Add(RecordingAbout{
        .at = at, .node = node_, .maker = std::string(kImportMaker), .profile = profile_});
  }

  void NoteSilence(Instant from, Instant to, Duration interval) {
    if (Elapsed(from, to) > kStaleness || !figures_->clock().IsBridge(from, to)) return;
    notes_.Add("gaps in figures of the node",
               fmt::format("for {} from {} on the node was not scraped, {} apart as usual; nothing "
                           "is filled in",
                           FormatDuration(Elapsed(from, to)), FormatInstant(from),
                           FormatDuration(interval)));
  }

  // Writes everything up to a pass, and the pass.
  Result<void> StepTo(Instant at) {
    if (last_ && IsGap(*last_, at)) gap_ = last_;
    if (auto taken = TakeTruthsUntil(at); !taken) return taken;
    if (auto told = TellGap(at); !told) return told;
    gap_.reset();
    last_ = at;
    return AddPass(Evaluated(FiguresAt(at), at));
  }

  [[nodiscard]] bool IsGap(Instant from, Instant to) const {
    return Elapsed(from, to) > std::max(kStaleness, summary_.step * 2);
  }

  // Writes what of a gap is before a pass. The pass of an eviction divides it.
  Result<void> TellGap(Instant at) {
    if (!gap_ || *gap_ == at) return {};
    ++summary_.gaps;
    const Instant from = *std::exchange(gap_, at);
    return sink_.Add(
        RecordedGap{.from = from, .to = at, .why = "there are no samples of the node's memory"});
  }

  // In the order of time. What happened before the first pass is left out.
  Result<void> TakeTruthsUntil(Instant at) {
    constexpr Instant kNever = Instant::max();
    for (;;) {
      const auto& [evictions, kills, restarts] = truths_;
      const Instant restart = restart_ < restarts.size() ? restarts[restart_] : kNever;
      const Instant kill = oom_kill_ < kills.size() ? kills[oom_kill_].at : kNever;
      const Instant eviction = eviction_ < evictions.size() ? evictions[eviction_].at : kNever;
      const Instant first = std::min({restart, kill, eviction});
      if (first > at || first == kNever) return {};
      Result<void> told;
      if (first == eviction) {
        const ImportedEviction& each = evictions[eviction_++];
        told = last_ ? AddEviction(each) : LeaveOut(each.at);
      } else if (first == kill) {
        const ImportedOomKill& each = kills[oom_kill_++];
        told = last_ ? AddOomKill(each) : LeaveOut(each.at);
      } else {
        ++restart_;
        if (last_) told = AddAbout(first);
      }
      if (!told) return told;
    }
  }

  Result<void> LeaveOut(Instant at) {
    if (at >= options_.from) ++left_out_;
    return {};
  }

  Result<void> AddOomKill(const ImportedOomKill& kill) {
    ++summary_.oom_kills;
    return sink_.Add(
        RecordedOomKill{.at = kill.at, .pod_uid = kill.uid, .container = kill.container});
  }

  // A pass with the figures of a moment, and nothing done.
  std::shared_ptr<RecordedPass> FiguresAt(Instant at) const {
    auto pass = std::make_shared<RecordedPass>();
    pass->summary.node = figures_->At(node_, at);
    for (const PodTracks& pod : pods_) {
      auto stats = pod.At(at);
      if (!stats) continue;
      pass->summary.pods.push_back(*std::move(stats));
      pass->pods.push_back(pod.pod().facts);
    }
    return pass;
  }

  // The memory at the time of an eviction was not measured. It is assumed to have continued to grow
  // as before the last sample; otherwise nothing would seem to grow.
  std::shared_ptr<RecordedPass> FiguresOfEviction(Instant at) const {
    auto pass = FiguresAt(*last_);
    const Duration step = figures_->clock().interval();
    if (step == Duration{0}) return pass;
    const Summary before = FiguresAt(*last_ - step)->summary;
    const double steps = SecondsOf(Elapsed(*last_, at)) / SecondsOf(step);
    GrowOn(before.node.memory, steps, at, pass->summary.node.memory);
    GrowOn(before.node.pods_memory, steps, at, pass->summary.node.pods_memory);
    for (PodStats& pod : pass->summary.pods) {
      const auto known = std::ranges::find(before.pods, pod.uid, &PodStats::uid);
      if (known != before.pods.end()) GrowOn(*known, steps, pod);
    }
    return pass;
  }

  // Evaluates and decides the pass by its figures.
  std::shared_ptr<RecordedPass> Evaluated(std::shared_ptr<RecordedPass> pass, Instant at) {
    pass->number = number_;
    number_ += kNumbersApart;
    pass->policy = policy_;
    pass->before = state_;
    pass->report.at = at;
    pass->report.observations = ObservationsFrom(pass->summary.node);
    pass->report.evaluation = EvaluateBy(*policy_, state_, pass->report.observations, at);
    return pass;
  }

  Result<void> AddPass(std::shared_ptr<RecordedPass> pass) {
    state_ = pass->report.evaluation.next;
    had_memory_pressure_ |= state_.conditions.Has(NodeConditionType::kMemoryPressure);
    if (!pass->report.evictions.empty()) {
      MarkEviction(pass->report.observations, pass->report.at, state_);
    }
    ++summary_.passes;
    return sink_.Add(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }

  Result<void> AddEviction(const ImportedEviction& eviction) {
    const Instant at = std::max(eviction.at, *last_);
    if (IsGap(*last_, at) && !gap_) gap_ = last_;  // behind the last sample
    if (auto told = TellGap(at); !told) return told;
    if (gap_) {
      notes_.Add("evictions in gaps",
                 fmt::format("the eviction of {} at {} lies in a gap: its pass has the figures of "
                             "{}, the last ones before",
                             FullName(pods_[eviction.pod].pod().facts->pod), FormatInstant(at),
                             FormatInstant(*last_)));
    }
    auto pass = Evaluated(gap_ ? FiguresAt(*last_) : FiguresOfEviction(at), at);
    const auto& victim = pods_[eviction.pod].pod().facts;
    const std::string& uid = victim->pod.uid;
    // Its last sample may be too old to count as figures of that moment.
    if (std::ranges::find(pass->pods, victim) == pass->pods.end()) pass->pods.push_back(victim);
    const Signal signal = eviction.signal.value_or(Signal::kMemoryAvailable);
    const auto line = std::ranges::find(policy_->thresholds, signal, &Threshold::signal);
    EvictionRecord record{.order = {.pod_uid = uid}, .outcome = EvictOutcome::kEnding};
    record.storage_limit = eviction.limit;
    record.order.message = fmt::format(
        "According to Prometheus, the pod was evicted for {}.",
        eviction.limit ? "a limit of local storage" : std::string(NameOf(signal)).c_str());
    record.order.grace_period_seconds = kHardEvictionGracePeriodSeconds;
    if (!eviction.limit) {
      pass->report.ranked_for = signal;
      if (line != policy_->thresholds.end()) pass->report.acting_for = *line;
    }
    pass->report.evictions.push_back(std::move(record));
    ++summary_.evictions;
    return AddPass(std::move(pass));
  }

  // Whether the policy may have been in force, according to the node's own memory pressure
  // condition.
  void CompareConditions(const NodeTracks& tracks) {
    const Track* told = tracks.Find("kube_node_status_condition",
                                    {{"condition", "MemoryPressure"}, {"status", "true"}});
    if (told == nullptr) return;
    const bool had = std::ranges::any_of(told->points(), [&](const Track::Point& point) {
      return point.value == 1 && point.at >= options_.from && point.at <= options_.to;
    });
    if (had && !had_memory_pressure_ && truths_.evictions.empty()) {
      notes_.AddOnce(
          "the node had MemoryPressure, but no sample lies below a threshold on memory: either "
          "memory was short between two scrapes alone, or the thresholds of --config are not those "
          "that were in force");
    }
  }

  void NoteEnd() {
    if (options_.to_is_named && Elapsed(*seen_, options_.to) > kStaleness) {
      notes_.AddOnce(fmt::format(
          "the recording ends at {}, although --to is {}: after that, there are no samples of the "
          "node's memory",
          FormatInstant(*seen_), FormatInstant(options_.to)));
    }
    if (left_out_ > 0) {
      notes_.AddOnce(
          fmt::format("evictions and OOM kills before the first sample of the node's memory, which "
                      "are not in the recording: {}",
                      left_out_));
    }
    if (!truths_.evictions.empty()) {
      notes_.AddOnce(fmt::format(
          "an eviction is known to lie between two samples, and its pass is put in the middle of "
          "them, with memory as it would be had it grown on as before: its time is off by up to {}",
          FormatDuration(summary_.step / 2)));
    }
    notes_.AddOnce(
        "figures of pods are put on the line between their two samples around that of the node, "
        "because they are not scraped at the same moment");
    notes_.AddOnce(
        "pods that tie in everything else are ranked by their UID; among those the kubelet has no "
        "fixed order");
  }

  Result<ImportSummary> Finish() {
    NoteEnd();
    summary_.pods = pods_.size();
    summary_.notes = {
        fmt::format("the recording was imported from {}: {} apart, thresholds as "
                    "--config has them or the kubelet's defaults",
                    options_.source, FormatDuration(summary_.step))};
    for (std::string& note : notes_.All()) summary_.notes.push_back(std::move(note));
    for (const std::string& note : summary_.notes) {
      if (auto told = sink_.Add(RecordedNote{.at = *last_, .text = note}); !told) {
        return Fail(told.error());
      }
    }
    if (auto done = sink_.Finish(); !done) return Fail(done.error());
    return std::move(summary_);
  }

  const std::string& node_;
  const ImportOptions& options_;
  RecordingSink& sink_;
  ImportNotes notes_;
  const NodeFigures* figures_ = nullptr;
  Profile profile_ = Profile::kKubelet;
  std::vector<PodTracks> pods_;
  Truths truths_;
  std::shared_ptr<const PassPolicy> policy_;
  EvictionState state_;
  ImportSummary summary_;
  bool has_begun_ = false;
  bool had_memory_pressure_ = false;
  std::optional<Instant> seen_;  // the last sample of the node's memory
  std::optional<Instant> last_;  // the last pass that is not of an eviction
  std::optional<Instant> gap_;   // what is unknown begins there; none: the pass is in no gap
  std::uint64_t number_ = 1;
  std::size_t restart_ = 0;
  std::size_t oom_kill_ = 0;
  std::size_t eviction_ = 0;
  std::size_t left_out_ = 0;  // evictions and OOM kills
};

}  // namespace

Result<ImportSummary> ImportNode(const std::string& node, const NodeSeries& series,
                                 const ImportOptions& options, RecordingSink& sink) {
  return NodeImport(node, options, sink).Run(series);
}

}  // namespace jettison
