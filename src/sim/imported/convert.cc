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
#include "sim/imported/pods.h"

namespace jettison {
namespace {

class NodeImport {
 public:
  NodeImport(const std::string& node, const ImportOptions& options, RecordingSink& sink)
      : node_(node), options_(options), sink_(sink) {}

  Result<ImportSummary> Run(const NodeSeries& series) {
    for (const std::string& warning : options_.warnings) {
      notes_.push_back("samples may be missing, because the source warned: " + warning);
    }
    NodeTracks tracks(series);
    auto figures = NodeFigures::Of(tracks, options_.paths, notes_);
    if (!figures) return Fail(figures.error());
    figures_ = &*figures;
    pods_ = CensusOf(tracks, options_.pods, notes_);
    summary_.pods = pods_.size();
    const Track& clock = figures_->clock();
    summary_.step = clock.interval();
    for (const TrackPoint& point : clock.points()) {
      if (std::isnan(point.value) || point.at < options_.from || point.at > options_.to) continue;
      clock_.push_back(point.at);
    }
    policy_ = std::make_shared<const PassPolicy>(PassPolicy{
        .thresholds = ThresholdsFor(options_.policy.thresholds, figures_->layout()),
        .pressure_transition_period = options_.policy.pressure_transition_period,
        .max_pod_grace_period_seconds = options_.policy.max_pod_grace_period_seconds,
        .local_storage_capacity_isolation = options_.policy.local_storage_capacity_isolation,
        .layout = figures_->layout()});
    const Truths truths = TruthsOf(tracks, clock, pods_, notes_);
    Grow(truths.evictions);
    about_ = {.node = node_,
              .maker = std::string(kImportMaker),
              .profile = ProfileOf(tracks, options_.pods)};
    if (auto made = Make(EventsOf(truths)); !made) return Fail(made.error());
    return Finish();
  }

 private:
  struct Event {
    Instant at;
    std::variant<RecordedOomKill, ImportedEviction> what;
  };

  [[nodiscard]] static std::vector<Event> EventsOf(const Truths& truths) {
    std::vector<Event> events;
    for (const ImportedEviction& each : truths.evictions) events.push_back({each.at, each});
    for (const RecordedOomKill& each : truths.oom_kills) events.push_back({each.at, each});
    std::ranges::stable_sort(events, {}, &Event::at);
    return events;
  }

  // Where the agent does not tell the memory at the time of an eviction, it is assumed to have
  // continued to grow as before the last sample; otherwise nothing would seem to grow. Pods that
  // stay are on the line between their samples.
  void Grow(const std::vector<ImportedEviction>& evictions) {
    const Duration interval = figures_->clock().interval();
    for (const ImportedEviction& each : evictions) pods_[each.pod].Evicted(each.at, interval);
    for (const ImportedEviction& each : evictions) {
      is_in_the_middle_ = is_in_the_middle_ || !each.is_told;
      figures_->GrowTo(each.at);
      const ImportedPod& victim = pods_[each.pod];
      const TrackPoint* const peak = victim.peak ? victim.peak->FirstFrom(each.at) : nullptr;
      for (Track* const part : victim.memory) {
        if (peak != nullptr) {
          part->Put(each.at, peak->value);
        } else {
          part->GrowTo(each.at, /*is_used=*/true);
        }
      }
    }
  }

  // All passes in the order of time, with what happened between them.
  Result<void> Make(const std::vector<Event>& events) {
    auto next = events.begin();
    const auto take_until = [&](Instant at) -> Result<void> {
      for (; next != events.end() && next->at <= at; ++next) {
        if (auto taken = Take(*next); !taken) return taken;
      }
      return {};
    };
    for (const Instant at : clock_) {
      if (auto taken = take_until(at); !taken) return taken;
      if (!last_) {
        about_.at = at;
        if (auto told = sink_.Add(about_); !told) return told;
      }
      if (auto added = AddPass(FiguresAt(at), at); !added) return added;
      last_ = at;
    }
    if (!last_) {
      return Fail(ErrorCode::kNotFound,
                  fmt::format("there is no sample of the node's memory from {} to {}",
                              FormatInstant(options_.from), FormatInstant(options_.to)));
    }
    return take_until(options_.to);
  }

  // What happened before the first pass is left out.
  Result<void> Take(const Event& event) {
    if (!last_) {
      left_out_ += event.at < options_.from ? 0 : 1;
      return {};
    }
    if (const auto* eviction = std::get_if<ImportedEviction>(&event.what)) {
      return AddEviction(*eviction);
    }
    ++summary_.oom_kills;
    return sink_.Add(std::get<RecordedOomKill>(event.what));
  }

  // The figures of a moment, as a pass in which nothing was done.
  std::shared_ptr<RecordedPass> FiguresAt(Instant at) const {
    auto pass = std::make_shared<RecordedPass>();
    pass->summary.node = figures_->At(node_, at);
    for (const ImportedPod& pod : pods_) {
      auto stats = pod.At(at);
      if (!stats) continue;
      pass->summary.pods.push_back(*std::move(stats));
      pass->pods.push_back(pod.facts);
    }
    return pass;
  }

  [[nodiscard]] bool IsGap(Instant from, Instant to) const {
    return Elapsed(from, to) > std::max(kStaleness, summary_.step * 2);
  }

  // Evaluates the pass by its figures and adds it, behind a gap where nothing was known for long.
  Result<void> AddPass(std::shared_ptr<RecordedPass> pass, Instant at) {
    if (told_ && *told_ < at && IsGap(*last_, at)) {
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

  Result<void> AddEviction(const ImportedEviction& eviction) {
    auto pass = FiguresAt(eviction.at);
    const auto& victim = pods_[eviction.pod].facts;
    // Its last sample may be too old to count as figures of that moment.
    if (std::ranges::find(pass->pods, victim) == pass->pods.end()) pass->pods.push_back(victim);
    const Signal signal = eviction.signal.value_or(Signal::kMemoryAvailable);
    const auto line = std::ranges::find(policy_->thresholds, signal, &Threshold::signal);
    EvictionRecord record{.order = {.pod_uid = victim->pod.uid}, .outcome = EvictOutcome::kEnding};
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
    return AddPass(std::move(pass), eviction.at);
  }

  Result<ImportSummary> Finish() {
    if (left_out_ > 0) {
      notes_.push_back(
          fmt::format("evictions and OOM kills before the first sample of the node's memory, which "
                      "are not in the recording: {}",
                      left_out_));
    }
    if (is_in_the_middle_) {
      notes_.push_back(fmt::format(
          "an eviction is known to lie between two samples, and its pass is put in the middle of "
          "them, with memory as it would be had it grown on as before: its time is off by up to {}",
          FormatDuration(summary_.step / 2)));
    }
    notes_.emplace_back(
        "figures of pods are put on the line between their two samples around that of the node, "
        "because they are not scraped at the same moment");
    notes_.emplace_back(
        "pods that tie in everything else are ranked by their UID; among those the kubelet has no "
        "fixed order");
    notes_.insert(notes_.begin(),
                  fmt::format("the recording was imported from {}: {} apart, thresholds as "
                              "--config has them or the kubelet's defaults",
                              options_.source, FormatDuration(summary_.step)));
    std::set<std::string> seen;
    std::erase_if(notes_, [&](const std::string& note) { return !seen.insert(note).second; });
    summary_.notes = std::move(notes_);
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
  std::vector<std::string> notes_;  // each without its full stop
  NodeFigures* figures_ = nullptr;
  std::vector<Instant> clock_;  // when there are passes
  std::vector<ImportedPod> pods_;
  RecordingAbout about_;
  std::shared_ptr<const PassPolicy> policy_;
  EvictionState state_;
  ImportSummary summary_;
  std::optional<Instant> last_;    // the last pass that is not of an eviction
  std::optional<Instant> told_;    // the last pass
  std::size_t left_out_ = 0;       // evictions and OOM kills
  bool is_in_the_middle_ = false;  // an eviction of which nothing tells the time
};

}  // namespace

Result<ImportSummary> ImportNode(const std::string& node, const NodeSeries& series,
                                 const ImportOptions& options, RecordingSink& sink) {
  return NodeImport(node, options, sink).Run(series);
}

}  // namespace jettison
