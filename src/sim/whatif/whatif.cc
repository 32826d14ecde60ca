#include "sim/whatif/whatif.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/decide/local_storage.h"
#include "sim/frames/lows.h"

namespace jettison {

WhatIf::WhatIf(std::vector<CandidatePolicy> candidates, WhatIfOptions options)
    : candidates_(std::move(candidates)),
      options_(options),
      builder_(roster_, options_.keep_passes, [this](Frame& frame) { Take(frame); }) {
  for (const CandidatePolicy& candidate : candidates_) runs_.emplace_back(candidate);
  if (options_.thinning) {
    thinning_.emplace(*options_.thinning, [this](Frame& frame) { Go(frame); });
  }
}

void WhatIf::Add(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    // Prometheus scrapes more rarely than a kubelet makes passes.
    interval_ =
        about->maker == kImportMaker ? RecordedInterval(kUsualInterval) : RecordedInterval();
  }
  builder_.Add(item);
}

WhatIfNode WhatIf::Node() const {
  return {.roster = roster_,
          .courses = courses_,
          .model = options_.model,
          .interval = options_.model.monitoring_interval.value_or(interval_.Usual()),
          .profile = builder_.profile(),
          .blind = options_.blind,
          .keep_passes = options_.keep_passes};
}

void WhatIf::Finish() {
  builder_.Finish();
  if (thinning_) thinning_->Finish();
  if (!last_) return;
  for (PolicyRun& run : runs_) run.Stop(last_->at);
}

std::vector<PolicyOutcome> WhatIf::Outcomes() const {
  std::vector<PolicyOutcome> outcomes;
  for (const PolicyRun& run : runs_) outcomes.push_back(run.Outcome());
  return outcomes;
}

void WhatIf::Take(Frame& frame) {
  if (frame.pass && !frame.is_evicting) interval_.Add(frame.at, frame.follows);
  if (thinning_) {
    thinning_->Add(frame);
  } else {
    Go(frame);
  }
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
  for (PodSlot slot = 0; slot < courses_.size(); ++slot) {
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
      frame.pods, [&](const FramePod& pod) { return roster_[pod.slot].facts->has_storage_limits; });
  if (!limits) return false;
  scratch_.clear();
  for (const FramePod& pod : frame.pods) {
    scratch_.push_back({.facts = roster_[pod.slot].facts.get(), .stats = pod.stats});
  }
  return !StorageViolations(scratch_, frame.pass->policy->layout).empty();
}

}  // namespace jettison
