#include <algorithm>
#include <chrono>
#include <cmath>
#include <ranges>
#include <utility>

#include "core/model/pod.h"
#include "core/pods/admission.h"
#include "core/pods/pod_kind.h"
#include "sim/whatif/virtual_pods.h"

namespace jettison {
namespace {

constexpr int kMostAdj = 1000;

constexpr Duration kBackoffForgotten = std::chrono::minutes(10);  // by a run that lasts so long
constexpr Duration kEndTakes = std::chrono::milliseconds(100);    // until an evicted pod is gone
constexpr Duration kStartTakes = std::chrono::milliseconds(200);  // until one that comes back runs

// How much the kernel would rather kill the pod than others when a node of that many bytes has no
// memory left: what it uses, weighted by oom_score_adj (mm/oom_kill.c, oom_badness).
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

// Two pods that begin within this time, and hold alike, are in the same life. Two runs of the same
// pods never agree better (docs/simulation.md).
constexpr Duration kSameBirth = std::chrono::seconds(1);
// What holds alike for so long, at whatever age, goes on alike.
constexpr Duration kAlikeLong = std::chrono::minutes(1);

std::optional<std::int64_t> MemoryLimitOf(const KnownPod& pod) {
  const auto limit = EffectiveLimit(pod.facts->pod, "memory");
  if (!limit || limit->Sign() <= 0) return std::nullopt;
  return limit->Value();
}

// Whether the pass of the frame saw the pod end.
bool IsSeenToEnd(const RecordedEnd& end, const Frame& frame) {
  return end.at >= frame.at && FiguresOf(frame, end.slot) != nullptr;
}

bool IsAtLimit(double held, const std::optional<std::int64_t>& limit) {
  constexpr double kNearly = 0.95;
  return limit && held >= static_cast<double>(*limit) * kNearly;
}

}  // namespace

void PodFates::TakeEnds(const WhatIfNode& node, const Segment& segment) {
  for (const RecordedEnd& end : segment.to().ends) {
    // Settle takes the ends that the pass at the end of the segment saw; those pods continue from
    // there.
    if (!IsSeenToEnd(end, segment.to())) TakeEnd(node, segment, end, segment.from().at);
  }
}

void PodFates::TakeEnd(const WhatIfNode& node, const Segment& segment, const RecordedEnd& end,
                       Instant at) {
  const RecordedCourse& course = node.courses[end.slot];
  if (VirtualPod* pod = FindIn(pods_, end.slot)) {
    pod->ended = course.life();
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
      (IsAtLimit(held, limit) || VirtualSegment(node, segment, pods_).FreedAt(at) <= 0)) {
    return NoteOomKill(node, end.slot, {segment.from().not_before, end.at, segment.to().not_after},
                       ForeseenOomKill::Why::kRecorded);
  }
  pods_[end.slot] = {.slot = end.slot,
                     .since = at,
                     .held = held,
                     .repeats = course.GoingOn(figures->memory, at),
                     .limit = limit,
                     .ended = course.life()};
}

void PodFates::NoteOomKills(const WhatIfNode& node, const Frame& frame) {
  for (const RecordedEnd& end : frame.ends) {
    if (end.how != RecordedEnd::How::kOomKilled) continue;
    NoteOomKill(node, end.slot, {end.at, end.at, end.at}, ForeseenOomKill::Why::kRecorded);
  }
}

void PodFates::NoteOomKill(const WhatIfNode& node, PodIndex slot, const TimeBounds& when,
                           ForeseenOomKill::Why why) {
  const KnownPod& pod = node.roster[slot];
  oom_kills_.push_back({.uid = pod.facts->pod.uid, .pod = pod.name, .when = when, .why = why});
}

Duration PodFates::BackoffOf(const WhatIfNode& node, PodIndex slot, Instant now) {
  const RecordedSettings& settings = node.settings;
  Backoff& known = backoffs_[slot];
  const bool forgotten = known.next == Duration{0} || Elapsed(known.back, now) >= kBackoffForgotten;
  const Duration backoff = forgotten ? settings.backoff_initial : known.next;
  known.next = std::min(backoff * 2, settings.backoff_max);
  known.back = now;
  return backoff;
}

Instant PodFates::Evict(const WhatIfNode& node, PodIndex slot, const SimulatedEviction& told,
                        Duration grace) {
  const VirtualPod* was = FindIn(pods_, slot);
  const TimeBounds& when = told.when;
  const Instant gone = when.at + std::min(kEndTakes, std::max(grace, Duration{1}));
  VirtualPod pod{.slot = slot,
                 .is = VirtualPod::Is::kEnding,
                 .since = when.at,
                 .held = static_cast<double>(told.held),
                 .unsure = std::max(Elapsed(when.earliest, when.at), Elapsed(when.at, when.latest)),
                 .limit = MemoryLimitOf(node.roster[slot]),
                 .ended = was != nullptr ? was->ended : std::nullopt,
                 .evicted = when.at,
                 .gone = gone};
  const AfterEviction after = node.model.after_eviction.value_or(
      node.profile == Profile::kStandalone ? AfterEviction::kRestarted : AfterEviction::kElsewhere);
  if (after == AfterEviction::kRestarted) pod.due = gone + BackoffOf(node, slot, when.at);
  pods_[slot] = pod;
  return gone;
}

void PodFates::EvictAsRecorded(const WhatIfNode& node, PodIndex slot, Instant at) {
  away_.push_back({.slot = slot, .life = node.courses[slot].life(), .since = at});
}

Instant PodFates::NextChange(Instant now, Instant end) const {
  Instant next = end;
  for (const VirtualPod& pod : pods_ | std::views::values) {
    // Whoever is there changes in no way that is foreseen.
    const auto change = pod.is == VirtualPod::Is::kEnding ? std::optional(pod.gone)
                        : pod.is == VirtualPod::Is::kAway ? pod.due
                                                          : std::nullopt;
    if (change && *change > now) next = std::min(next, *change);
  }
  return next;
}

void PodFates::Advance(Instant to) {
  for (VirtualPod& pod : pods_ | std::views::values) {
    if (pod.is == VirtualPod::Is::kEnding && to >= pod.gone) pod.is = VirtualPod::Is::kAway;
  }
}

bool PodFates::LetBack(const WhatIfNode& node, NodeConditions conditions, Instant at) {
  std::vector<VirtualPod*> away;
  std::vector<WaitingPod> waiting;
  for (VirtualPod& pod : pods_ | std::views::values) {
    if (pod.is != VirtualPod::Is::kAway || !pod.due) continue;
    const KnownPod& known = node.roster[pod.slot];
    away.push_back(&pod);
    waiting.push_back({.name = known.name,
                       .priority = known.facts->priority,
                       .due = *pod.due,
                       .admitted = Admit(known.facts->pod, conditions, node.profile).admit});
  }
  const auto next = NextToComeBack(waiting);
  if (!next || waiting[*next].due > at) return false;
  const VirtualPod* const first = away[*next];
  time_lost_ += Elapsed(first->evicted, at);
  backoffs_[first->slot].back = at;
  Restart(node, first->slot, at + kStartTakes);
  return true;
}

void PodFates::Restart(const WhatIfNode& node, PodIndex slot, Instant at) {
  const VirtualPod* was = FindIn(pods_, slot);
  VirtualPod pod{.slot = slot,
                 .since = at,
                 .repeats = node.courses[slot].Anew(at),
                 .unsure = was != nullptr ? was->unsure : Duration{0},
                 .limit = MemoryLimitOf(node.roster[slot]),
                 .ended = was != nullptr ? was->ended : std::nullopt};
  pod.held = pod.MemoryAt(at);
  pods_[slot] = std::move(pod);
}

void PodFates::ForeseeOomKills(const VirtualSegment& view, Instant at, bool ran_out) {
  const WhatIfNode& node = view.node();
  for (const VirtualPod& pod : pods_ | std::views::values) {
    if (!pod.IsThere() || !pod.limit || pod.MemoryAt(at) < static_cast<double>(*pod.limit))
      continue;
    // What it held in its recorded life, it held without being killed.
    if (Elapsed(pod.repeats.born, at) <= pod.repeats.life->age()) continue;
    NoteOomKill(node, pod.slot, view.BoundsAt(at, std::nullopt), ForeseenOomKill::Why::kPodLimit);
    Restart(node, pod.slot, at);
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
    const VirtualPod* pod = FindIn(pods_, *node.roster.Find(each.facts->pod.uid));
    return pod != nullptr && pod->IsThere() && pod->repeats.born >= at;
  });
  const auto& memory = view.segment().to().seen[Signal::kMemoryAvailable];
  const std::int64_t capacity = memory ? memory->capacity : 0;
  const auto victim = std::ranges::max_element(
      active, {}, [&](const ActivePod& each) { return BadnessOf(each, capacity); });
  if (victim == active.end() || BadnessOf(*victim, capacity) <= 0) return false;
  const PodIndex slot = *node.roster.Find(victim->facts->pod.uid);
  NoteOomKill(node, slot, view.BoundsAt(at, std::nullopt), ForeseenOomKill::Why::kNode);
  Restart(node, slot, at);
  return true;
}

bool PodFates::IsAsRecorded(const WhatIfNode& node, const Frame& frame, VirtualPod& pod,
                            bool in_force) const {
  const RecordedCourse& course = node.courses[pod.slot];
  if (course.HasLeft()) return true;
  // The life that the recording ended is not to be seen any more.
  const bool is_over = pod.ended && (!course.active() || course.life() != *pod.ended);
  if (in_force && is_over && !pod.IsThere()) return true;
  if (in_force && frame.pass && last_sample_ && pod.since < *last_sample_) return true;
  const bool is_alike = pod.IsThere() && course.active() && (is_over || !pod.ended) &&
                        HoldsAlike(pod.MemoryAt(frame.at), course.now()->last());
  if (!is_alike) {
    pod.alike_since.reset();
    return false;
  }
  if (!pod.alike_since) pod.alike_since = frame.at;
  return std::chrono::abs(Elapsed(pod.repeats.born, course.now()->born())) <= kSameBirth ||
         Elapsed(*pod.alike_since, frame.at) >= kAlikeLong;
}

void PodFates::Settle(const WhatIfNode& node, const Frame& frame, bool in_force) {
  const Segment moment(frame, frame);
  for (const RecordedEnd& end : frame.ends) {
    if (IsSeenToEnd(end, frame)) TakeEnd(node, moment, end, frame.at);
  }
  for (auto each = pods_.begin(); each != pods_.end();) {
    VirtualPod& pod = each->second;
    if (!IsAsRecorded(node, frame, pod, in_force)) {
      ++each;
      continue;
    }
    if (!pod.IsThere() && pod.ended && !node.courses[pod.slot].HasLeft()) {
      away_.push_back({.slot = pod.slot, .life = *pod.ended, .since = pod.evicted});
    } else if (!pod.IsThere()) {
      time_lost_ += Elapsed(pod.evicted, frame.at);
    }
    each = pods_.erase(each);
  }
  std::erase_if(away_, [&](const Away& away) {
    const RecordedCourse& course = node.courses[away.slot];
    if (!course.active() || course.life() == away.life) return false;
    time_lost_ += Elapsed(away.since, frame.at);
    return true;
  });
  if (frame.pass) last_sample_ = frame.at;
}

void PodFates::Stop(Instant at) {
  for (const Away& away : away_) time_lost_ += Elapsed(away.since, at);
  for (const VirtualPod& pod : pods_ | std::views::values) {
    if (!pod.IsThere()) time_lost_ += Elapsed(pod.evicted, at);
  }
  away_.clear();
  pods_.clear();
  last_sample_.reset();
}

}  // namespace jettison
