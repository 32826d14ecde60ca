#include "sim/whatif/whatif.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <variant>

#include "core/decide/decide.h"
#include "sim/whatif/simulated_agent.h"
#include "sim/whatif/virtual_pods.h"

namespace jettison {
namespace {

using std::chrono::seconds;

// Simulated courses are looked at in steps of this length, and at most this many times in a
// segment.
constexpr Duration kFinestStep = seconds(1);
constexpr int kMostSteps = 128;

// How much of the reserve is free on average while the available amount changes evenly.
double IdleBetween(double from, double to, std::int64_t reserved) {
  const auto most = static_cast<double>(reserved);
  return (std::clamp(from, 0.0, most) + std::clamp(to, 0.0, most)) / 2;
}

}  // namespace

// One policy on the node of a recording. The class walks from frame to frame, has the agent look
// where something happens and the pods fare as they then do, and counts what comes of it.
class PolicyRun {
 public:
  explicit PolicyRun(const CandidatePolicy& candidate) : agent_(candidate) {
    outcome_.name = candidate.name;
  }

  // The first frame, or one of which nothing before is known. Stop was called in between.
  void Begin(const WhatIfNode& node, const Frame& frame) {
    if (!frame.pass) return;
    agent_.Begin(*frame.pass, frame.at);
    // Only one moment of the node is known, so the agent acts at once for what is short.
    const Segment moment(frame, frame);
    const VirtualSegment view(node, moment, fates_.pods());
    if (agent_.IsInStep(view)) return StepRecorded(view);
    MakePass(view, {.at = frame.at, .by_clock = true});
  }

  // From one frame to the next. `violations`: whether a pod broke a storage limit at the end.
  void Advance(const WhatIfNode& node, const Segment& segment, bool violations) {
    const Frame& to = segment.to();
    if (to.pass) agent_.TakePolicy(*to.pass);
    if (!agent_.HasPolicy()) return;
    const bool limits = violations && agent_.policy().local_storage_capacity_isolation;
    const bool is_quiet = fates_.pods().empty() && agent_.IsQuiet() && !limits && to.ends.empty();
    if (is_quiet && MeetsNone(agent_.policy().thresholds, to.seen)) {
      // All of the reserve is free.
      CountTime(segment.length(),
                static_cast<double>(Reserved(agent_.policy().thresholds, to.seen)));
      if (to.pass) agent_.PassedOver(to.at);
      return;
    }
    const VirtualSegment view(node, segment, fates_.pods());
    if (agent_.IsInStep(view)) return StepRecorded(view);
    WalkThrough(view, limits);
  }

  // Once the courses have taken in the frame that Advance led to.
  void Settle(const WhatIfNode& node, const Frame& frame) {
    fates_.Settle(node, frame, agent_.IsInForce());
  }
  // The recording ends, or a gap begins.
  void Stop(Instant at) { fates_.Stop(at); }

  [[nodiscard]] PolicyOutcome Outcome() const {
    PolicyOutcome outcome = outcome_;
    outcome.oom_kills = fates_.oom_kills();
    outcome.pod_time_lost = fates_.time_lost();
    return outcome;
  }

 private:
  // The policy was in force and nothing has differed: the recorded pass is made.
  void StepRecorded(const VirtualSegment& view) {
    const Segment& segment = view.segment();
    const Frame& to = segment.to();
    CountTime(segment.length(), IdleBetween(view.LeftAt(segment.from().at), view.LeftAt(to.at),
                                            Reserved(agent_.policy().thresholds, to.seen)));
    fates_.NoteOomKills(view.node(), to);
    if (const auto made = agent_.RepeatPass(view)) TakeEvictions(view, *made);
  }

  void WalkThrough(const VirtualSegment& view, bool violations) {
    const Segment& segment = view.segment();
    fates_.TakeEnds(view.node(), segment);
    const Instant end = segment.to().at;
    const Duration finest = std::max(kFinestStep, segment.length() / kMostSteps);
    Instant at = segment.from().at;
    while (at < end) {
      Instant to = NextStop(view.node(), at, end);
      if (!fates_.pods().empty() || agent_.IsPaused()) to = std::min(to, at + finest);
      const auto crossing = view.FirstCrossing(agent_.policy().thresholds, agent_.state(), at, to);
      if (crossing) to = *crossing;
      MoveTo(view, at, to);
      const bool by_clock =
          agent_.IsDue(to, view.node().settings.monitoring_interval) || agent_.IsAskedFor(at, to);
      const bool sampled = to == end && segment.to().pass != nullptr;
      if (crossing || by_clock || sampled || NextStop(view.node(), at, end) == to ||
          agent_.IsPaused()) {
        MakePass(
            view,
            {.at = to, .by_clock = by_clock || sampled, .breaks_limits = violations && to >= end});
      }
      at = to;
    }
  }

  // The next moment at which something is due by itself.
  [[nodiscard]] Instant NextStop(const WhatIfNode& node, Instant now, Instant end) const {
    return fates_.NextChange(now, agent_.NextStop(now, end, node.settings.monitoring_interval));
  }

  void MoveTo(const VirtualSegment& view, Instant from, Instant to) {
    const double left_from = view.LeftAt(from);
    const double left_to = view.LeftAt(to);
    const std::int64_t reserved = Reserved(agent_.policy().thresholds, view.segment().to().seen);
    CountTime(Elapsed(from, to), IdleBetween(left_from, left_to, reserved));
    agent_.Advance(to);
    fates_.Advance(to);
    if (agent_.MayLetBack() && fates_.LetBack(view.node(), agent_.state().conditions, to)) {
      agent_.NoteBack();
    }
    const bool is_known = view.segment().AvailableAt(Signal::kMemoryAvailable, to).has_value();
    fates_.ForeseeOomKills(view, to, is_known && left_to <= 0);
  }

  void CountTime(Duration time, double idle) {
    if (time <= Duration{0}) return;
    outcome_.idle_byte_seconds += idle * SecondsOf(time);
    for (const NodeConditionType type : kAllNodeConditions) {
      if (agent_.state().conditions.Has(type)) outcome_.condition_time[IndexOf(type)] += time;
    }
  }

  void MakePass(const VirtualSegment& view, const SimulatedAgent::Look& look) {
    if (const auto made = agent_.MakePass(view, look)) TakeEvictions(view, *made);
  }

  void TakeEvictions(const VirtualSegment& view, const CycleReport& report) {
    const WhatIfNode& node = view.node();
    const auto& ends = view.segment().to().ends;
    const bool in_step = agent_.IsInStep(view) || view.segment().length() == Duration{0};
    const SimulatedEviction for_threshold = agent_.Tell(view, report);
    for (const EvictionRecord& eviction : report.evictions) {
      if (eviction.outcome != EvictOutcome::kEnding) continue;
      const auto slot = node.roster.Find(eviction.order.pod_uid);
      if (!slot) continue;
      SimulatedEviction told = for_threshold;
      if (eviction.storage_limit) told = {.when = told.when, .limit = eviction.storage_limit};
      told.uid = eviction.order.pod_uid;
      told.pod = node.roster[*slot].name;
      told.held = std::llround(view.MemoryAt(*slot, report.at));
      told.from_record = !view.pods().contains(*slot);
      told.as_recorded = in_step && told.from_record &&
                         std::ranges::find(ends, *slot, &RecordedEnd::slot) != ends.end();
      std::optional<Instant> gone;
      if (told.as_recorded) {
        fates_.EvictAsRecorded(node, *slot, report.at);
      } else {
        gone = fates_.Evict(node, *slot, told, seconds(eviction.order.grace_period_seconds));
      }
      agent_.NoteEviction(report, eviction, gone);
      outcome_.evictions.push_back(std::move(told));
    }
  }

  SimulatedAgent agent_;
  PodFates fates_;
  PolicyOutcome outcome_;  // without what `fates_` counts
};

WhatIf::WhatIf(std::vector<CandidatePolicy> candidates, WhatIfOptions options)
    : candidates_(std::move(candidates)),
      options_(options),
      builder_(roster_, [this](Frame& frame) { thinning_ ? thinning_->Add(frame) : Go(frame); }) {
  for (const CandidatePolicy& candidate : candidates_) runs_.emplace_back(candidate);
  if (options_.samples_every) {
    thinning_.emplace(*options_.samples_every, [this](Frame& frame) { Go(frame); });
  }
}

void WhatIf::Add(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    recorded_ = about->settings.value_or(kUsualSettings);
  }
  builder_.Add(item);
}

WhatIf::~WhatIf() = default;

WhatIfNode WhatIf::Node() const {
  const WhatIfModel& model = options_.model;
  return {.roster = roster_,
          .courses = courses_,
          .model = model,
          .settings = {.monitoring_interval =
                           model.monitoring_interval.value_or(recorded_.monitoring_interval),
                       .backoff_initial = model.backoff.value_or(recorded_.backoff_initial),
                       .backoff_max = model.max_backoff.value_or(recorded_.backoff_max)},
          .profile = builder_.profile(),
          .blind = options_.samples_every.has_value()};
}

void WhatIf::Finish() {
  if (thinning_) thinning_->Finish();
  if (!last_) return;
  for (PolicyRun& run : runs_) run.Stop(last_->at);
}

std::vector<PolicyOutcome> WhatIf::Outcomes() const {
  std::vector<PolicyOutcome> outcomes;
  for (const PolicyRun& run : runs_) outcomes.push_back(run.Outcome());
  return outcomes;
}

void WhatIf::Go(Frame& frame) {
  if (courses_.size() < roster_.size()) courses_.resize(roster_.size());
  const bool violations = HasViolations(frame);
  if (!last_ || frame.breaks) {
    if (last_) {
      for (PolicyRun& run : runs_) run.Stop(last_->at);
    }
    courses_.assign(roster_.size(), {});
    Learn(frame, std::nullopt);
    const WhatIfNode node = Node();
    for (PolicyRun& run : runs_) {
      run.Begin(node, frame);
      run.Settle(node, frame);
    }
    last_ = std::move(frame);
    return;
  }
  for (Frame& low : LowsBetween(*last_, frame, courses_)) {
    Lead(Segment(*last_, low), false);
    last_ = std::move(low);
  }
  Lead(Segment(*last_, frame), violations);
  last_ = std::move(frame);
}

void WhatIf::Lead(const Segment& segment, bool violations) {
  const WhatIfNode node = Node();
  for (PolicyRun& run : runs_) run.Advance(node, segment, violations);
  Learn(segment.to(), segment.from().at);
  for (PolicyRun& run : runs_) run.Settle(node, segment.to());
}

// Updates the recorded courses of the pods. Pods that ended before the frame were seen for the last
// time before it.
void WhatIf::Learn(const Frame& frame, std::optional<Instant> before) {
  for (const RecordedEnd& end : frame.ends) {
    if (end.at < frame.at) courses_[end.slot].Ended();
  }
  std::size_t next = 0;
  for (PodIndex slot = 0; slot < courses_.size(); ++slot) {
    if (next < frame.pods.size() && frame.pods[next].slot == slot) {
      courses_[slot].Seen(frame.pods[next++].memory, frame.at, before);
    } else {
      courses_[slot].Absent();
    }
  }
  for (const RecordedEnd& end : frame.ends) {
    if (end.at >= frame.at) courses_[end.slot].Ended();
  }
}

bool WhatIf::HasViolations(const Frame& frame) {
  if (!frame.pass || !frame.pass->policy->local_storage_capacity_isolation) return false;
  const bool limits = std::ranges::any_of(
      frame.pods, [&](const FramePod& pod) { return roster_[pod.slot].facts->HasStorageLimits(); });
  if (!limits) return false;
  scratch_.clear();
  for (const FramePod& pod : frame.pods) {
    scratch_.push_back({.facts = roster_[pod.slot].facts.get(), .stats = pod.stats});
  }
  return !StorageViolations(scratch_, frame.pass->policy->layout).empty();
}

}  // namespace jettison
