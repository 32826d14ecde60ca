#include "sim/whatif/pod_fates.h"

#include <algorithm>
#include <chrono>

#include "core/pods/admission.h"
#include "core/pods/oom_score_adj.h"
#include "core/pods/pod_requests.h"

namespace jettison {
namespace {

constexpr int kMostAdj = 1000;

std::int64_t BadnessOf(const ActivePod& pod, std::int64_t capacity) {
  int adj = -kMostAdj;
  for (const Container& container : pod.facts->pod.containers) {
    const auto memory = static_cast<std::uint64_t>(std::max<std::int64_t>(capacity, 0));
    adj = std::max(adj, std::min(OomScoreAdj(pod.facts->pod, container, memory), kMostAdj));
  }
  const std::uint64_t held =
      pod.stats != nullptr ? pod.stats->memory_working_set_bytes.value_or(0) : 0;
  return static_cast<std::int64_t>(held) + capacity / kMostAdj * adj;
}

// An eviction of the simulation and one of the recording are the same if they are within this time.
constexpr Duration kSameEviction = std::chrono::milliseconds(250);

std::optional<std::int64_t> MemoryLimitOf(const KnownPod& pod) {
  const auto limit = EffectiveLimit(pod.facts->pod, "memory");
  if (!limit || limit->Sign() <= 0) return std::nullopt;
  return limit->Value();
}

// Whether the pass of the frame saw the pod end.
bool IsSeenToEnd(const RecordedEnd& end, const Frame& frame) {
  return end.at >= frame.at && FiguresOf(frame, end.slot) != nullptr;
}

// Whether the recording ended the pod at about the time at which the policy evicted it.
bool IsSameEviction(const VirtualPod& pod, const Segment& segment) {
  return segment.to().not_after >= pod.evicted - pod.early - kSameEviction &&
         segment.from().not_before <= pod.evicted + pod.late + kSameEviction;
}

bool IsAtLimit(double held, const std::optional<std::int64_t>& limit) {
  constexpr double kNearly = 0.95;
  return limit && held >= static_cast<double>(*limit) * kNearly;
}

bool ComesBackHere(const WhatIfNode& node) {
  const AfterEviction after = node.model.after_eviction.value_or(
      node.profile == Profile::kStandalone ? AfterEviction::kRestarted : AfterEviction::kElsewhere);
  return after == AfterEviction::kRestarted;
}

}  // namespace

Duration Comebacks::Backoff(const WhatIfModel& model, PodSlot slot, Instant now) {
  const auto known = std::ranges::find(known_, slot, &Known::slot);
  if (known == known_.end()) {
    known_.push_back({.slot = slot, .next = model.backoff * 2, .back = now});
    return model.backoff;
  }
  const bool forgotten = Elapsed(known->back, now) >= model.backoff_reset;
  const Duration backoff = forgotten ? model.backoff : known->next;
  known->next = std::min(backoff * 2, model.max_backoff);
  return backoff;
}

void Comebacks::Back(PodSlot slot, Instant at) {
  const auto known = std::ranges::find(known_, slot, &Known::slot);
  if (known != known_.end()) known->back = at;
}

VirtualPod* Comebacks::Next(const WhatIfNode& node, VirtualPods& pods, NodeConditions conditions,
                            Instant now) {
  VirtualPod* first = nullptr;
  const auto priority = [&node](const VirtualPod& pod) {
    return node.roster[pod.slot].facts->priority;
  };
  for (VirtualPod& pod : pods) {
    if (pod.is != VirtualPod::Is::kAway || !pod.due) continue;
    if (first == nullptr || priority(pod) > priority(*first) ||
        (priority(pod) == priority(*first) && *pod.due < *first->due)) {
      first = &pod;
    }
  }
  if (first == nullptr || *first->due > now) return nullptr;
  const Pod& pod = node.roster[first->slot].facts->pod;
  return Admit(pod, conditions, node.profile).admit ? first : nullptr;
}

std::optional<std::size_t> FirstForTheKernel(std::span<const ActivePod> pods,
                                             std::int64_t capacity) {
  std::optional<std::size_t> first;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const std::int64_t badness = BadnessOf(pods[i], capacity);
    if (badness <= 0 || (first && badness <= most)) continue;
    first = i;
    most = badness;
  }
  return first;
}

void PodFates::TakeEnds(const WhatIfNode& node, const Segment& segment) {
  for (const RecordedEnd& end : segment.to().ends) {
    // Settle takes the ends that the pass at the end of the segment saw; those pods continue from
    // there.
    if (!IsSeenToEnd(end, segment.to())) TakeEnd(node, segment, end, segment.from().at);
  }
}

void PodFates::TakeEnd(const WhatIfNode& node, const Segment& segment, const RecordedEnd& end,
                       Instant at) {
  if (VirtualPod* pod = pods_.Find(end.slot)) {
    // A pod that the recording ended at about the same time comes back as in the recording.
    if (!pod->IsThere() && IsSameEviction(*pod, segment)) pod->follows_record = true;
    return;
  }
  if (std::ranges::find(away_, end.slot, &Away::slot) != away_.end()) return;
  const Frame& frame = at >= segment.to().at ? segment.to() : segment.from();
  const FramePod* figures = FiguresOf(frame, end.slot);
  if (figures == nullptr) return;
  const auto limit = MemoryLimitOf(node.roster[end.slot]);
  const auto held = static_cast<double>(figures->memory);
  // The kernel would not have killed the pod for the node's sake if the node had had more memory.
  if (end.how == RecordedEnd::How::kOomKilled &&
      (IsAtLimit(held, limit) || pods_.FreedAt(segment, node.courses, at) <= 0)) {
    return NoteOomKill(node, end.slot, {segment.from().not_before, end.at, segment.to().not_after},
                       ForeseenOomKill::Why::kRecorded);
  }
  pods_.Put({.slot = end.slot,
             .is = VirtualPod::Is::kGoingOn,
             .since = at,
             .from = held,
             .growth = node.courses[end.slot].Growth(),
             .limit = limit});
}

void PodFates::NoteOomKills(const WhatIfNode& node, const Frame& frame) {
  for (const RecordedEnd& end : frame.ends) {
    if (end.how != RecordedEnd::How::kOomKilled) continue;
    NoteOomKill(node, end.slot, {end.at, end.at, end.at}, ForeseenOomKill::Why::kRecorded);
  }
}

void PodFates::NoteOomKill(const WhatIfNode& node, PodSlot slot, const TimeBounds& when,
                           ForeseenOomKill::Why why) {
  const KnownPod& pod = node.roster[slot];
  oom_kills_.push_back({.uid = pod.facts->pod.uid, .pod = pod.name, .when = when, .why = why});
}

Instant PodFates::Evict(const WhatIfNode& node, PodSlot slot, const SimulatedEviction& told,
                        Duration grace) {
  const RecordedCourse& course = node.courses[slot];
  const VirtualPod* was = pods_.Find(slot);
  const Instant at = told.when.at;
  const Instant gone = at + std::min(node.model.end_takes, std::max(grace, Duration{1}));
  VirtualPod pod{.slot = slot,
                 .is = VirtualPod::Is::kEnding,
                 .since = at,
                 .from = static_cast<double>(told.held),
                 .growth = was != nullptr ? was->growth : course.Growth(),
                 .early = Elapsed(told.when.earliest, at),
                 .late = Elapsed(at, told.when.latest),
                 .limit = MemoryLimitOf(node.roster[slot]),
                 .evicted = at,
                 .gone = gone,
                 .life_at_end = course.life()};
  if (ComesBackHere(node)) pod.due = gone + comebacks_.Backoff(node.model, slot, at);
  pods_.Put(pod);
  return gone;
}

void PodFates::EvictAsRecorded(const WhatIfNode& node, PodSlot slot, Instant at) {
  away_.push_back({.slot = slot, .life = node.courses[slot].life(), .since = at});
}

Instant PodFates::NextChange(Instant now, Instant end) const {
  Instant next = end;
  for (const VirtualPod& pod : pods_) {
    const auto change = pod.NextChange();
    if (change && *change > now) next = std::min(next, *change);
  }
  return next;
}

void PodFates::Advance(Instant to) {
  for (VirtualPod& pod : pods_) {
    if (pod.is == VirtualPod::Is::kEnding && to >= pod.gone) pod.is = VirtualPod::Is::kAway;
  }
}

bool PodFates::LetBack(const WhatIfNode& node, NodeConditions conditions, Instant at) {
  VirtualPod* pod = Comebacks::Next(node, pods_, conditions, at);
  if (pod == nullptr) return false;
  time_lost_ += Elapsed(pod->evicted, at);
  comebacks_.Back(pod->slot, at);
  pod->is = VirtualPod::Is::kBack;
  pod->since = at + node.model.start_takes;
  pod->life = node.courses[pod->slot].life();
  pod->due.reset();
  return true;
}

void PodFates::ForeseeOomKills(const VirtualSegment& view, Instant at, bool ran_out) {
  const WhatIfNode& node = view.node();
  for (VirtualPod& pod : pods_) {
    const RecordedCourse& course = node.courses[pod.slot];
    if (pod.is != VirtualPod::Is::kGoingOn || !pod.limit) continue;
    if (pod.MemoryAt(course, at) < static_cast<double>(*pod.limit)) continue;
    NoteOomKill(node, pod.slot, view.BoundsAt(at, std::nullopt), ForeseenOomKill::Why::kPodLimit);
    pod.is = VirtualPod::Is::kBack;
    pod.since = at;
    pod.life = course.life();
  }
  if (!ran_out || pods_.empty()) return;
  while (view.LeftAt(at) <= 0 && KillForMemory(view, at)) continue;
}

bool PodFates::KillForMemory(const VirtualSegment& view, Instant at) {
  const WhatIfNode& node = view.node();
  std::vector<PodStats> stats;
  std::vector<ActivePod> active;
  view.ActivePodsAt(at, stats, active);
  // Whoever was killed just now has nothing left to give.
  std::erase_if(active, [&](const ActivePod& each) {
    const VirtualPod* pod = pods_.Find(*node.roster.Find(each.facts->pod.uid));
    return pod != nullptr && pod->is == VirtualPod::Is::kBack && pod->since == at;
  });
  const auto& memory = view.segment().to().seen[Signal::kMemoryAvailable];
  const auto victim = FirstForTheKernel(active, memory ? memory->capacity : 0);
  if (!victim) return false;
  const PodSlot slot = *node.roster.Find(active[*victim].facts->pod.uid);
  NoteOomKill(node, slot, view.BoundsAt(at, std::nullopt), ForeseenOomKill::Why::kNode);
  pods_.Put({.slot = slot,
             .is = VirtualPod::Is::kBack,
             .since = at,
             .life = node.courses[slot].life(),
             .limit = MemoryLimitOf(node.roster[slot])});
  return true;
}

void PodFates::Settle(const WhatIfNode& node, const Frame& frame) {
  const Segment moment(frame, frame);
  for (const RecordedEnd& end : frame.ends) {
    if (IsSeenToEnd(end, frame)) TakeEnd(node, moment, end, frame.at);
  }
  const auto is_new_life = [&](PodSlot slot, unsigned life) {
    return node.courses[slot].active() && node.courses[slot].life() != life;
  };
  std::erase_if(away_, [&](const Away& away) {
    if (!is_new_life(away.slot, away.life)) return false;
    time_lost_ += Elapsed(away.since, frame.at);
    return true;
  });
  pods_.DropIf([&](const VirtualPod& pod) {
    const bool is_back = pod.follows_record && is_new_life(pod.slot, pod.life_at_end);
    if (!is_back && !node.courses[pod.slot].HasLeft()) return false;
    if (!pod.IsThere()) time_lost_ += Elapsed(pod.evicted, frame.at);
    return true;
  });
}

void PodFates::Stop(Instant at) {
  for (const Away& away : away_) time_lost_ += Elapsed(away.since, at);
  for (const VirtualPod& pod : pods_) {
    if (!pod.IsThere()) time_lost_ += Elapsed(pod.evicted, at);
  }
  away_.clear();
  pods_.Clear();
}

}  // namespace jettison
