#include "sim/frames/frame_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

// A step that is this many times longer than usual, and at least this long, is a gap.
constexpr int kGapSteps = 10;
constexpr Duration kLeastGap = std::chrono::minutes(2);
// No passes are regularly so far apart: a clock was set.
constexpr Duration kMostUsual = std::chrono::hours(24 * 365);

// The agent waits no longer than this for an evicted pod.
constexpr Duration kCleanupTimeout = std::chrono::seconds(30);

bool IsMeasured(const FramePod& pod) {
  return pod.stats != nullptr && pod.stats->memory_working_set_bytes;
}

}  // namespace

void FrameBuilder::Add(const RecordedItem& item) {
  std::visit([this](const auto& each) { Take(each); }, item);
}

void FrameBuilder::Flaw(Instant at, std::string what) {
  ++facts_.flaw_count;
  if (facts_.flaws.size() < kMostFlaws) facts_.flaws.push_back({at, std::move(what)});
}

void FrameBuilder::Take(const RecordingAbout& about) {
  if (!about.node.empty()) facts_.node = about.node;
  profile_ = about.profile;
  if (facts_.passes == 0) return;
  Flaw(about.at, "the recorder was started anew");
}

void FrameBuilder::Take(const RecordedOomKill& kill) {
  const auto slot = roster_.Find(kill.pod_uid);
  facts_.oom_kills.push_back({.at = kill.at,
                              .uid = kill.pod_uid,
                              .pod = slot ? roster_[*slot].name : kill.pod_uid,
                              .limit = {}});
  if (slot) ends_.push_back({.slot = *slot, .how = RecordedEnd::How::kOomKilled, .at = kill.at});
}

void FrameBuilder::Take(const RecordedGap& gap) {
  const Duration span = Elapsed(gap.from, gap.to);
  Flaw(gap.from, span == Duration{0}
                     ? fmt::format("something is missing, it is not known how much: {}", gap.why)
                     : fmt::format("nothing is known for {}: {}", FormatDuration(span), gap.why));
  facts_.unknown += std::clamp(span, Duration{0}, Duration::max() - facts_.unknown);
  breaks_ = true;
}

void FrameBuilder::Take(const RecordedNote& note) {
  ++facts_.note_count;
  if (facts_.notes.size() < kMostFlaws) facts_.notes.push_back(note.text);
}

// The longest step that may follow. Before any was usual, that is as long as no step is worth a
// word, unless the one before was as long: a recording may have a pass every hour.
Duration FrameBuilder::LongestStep() const {
  if (usual_step_) return std::max(kLeastGap, std::min(*usual_step_, kMostUsual) * kGapSteps);
  return std::max(kLongSilence, std::min(refused_step_, kMostUsual) * 2);
}

void FrameBuilder::TakeStep(Duration step, Instant at) {
  if (step > LongestStep()) {
    Flaw(at, fmt::format("there is no pass for {}", FormatDuration(step)));
    facts_.unknown += std::min(step, Duration::max() - facts_.unknown);
    breaks_ = true;
    refused_step_ = step;
    return;
  }
  facts_.longest_step = std::max(facts_.longest_step, step);
  // A moving average, so that one long step does not make the next one usual.
  usual_step_ = usual_step_ ? *usual_step_ + (step - *usual_step_) / 8 : step;
}

void FrameBuilder::CheckTime(const RecordedPass& pass) {
  const Instant at = pass.report.at;
  if (!last_at_ || breaks_) return;
  if (at < *last_at_) {
    Flaw(at, fmt::format("the clock was set back by {}", FormatDuration(Elapsed(at, *last_at_))));
    breaks_ = true;
    return;
  }
  TakeStep(Elapsed(*last_at_, at), *last_at_);
}

void FrameBuilder::Take(const std::shared_ptr<const RecordedPass>& pass) {
  CheckTime(*pass);
  const Instant at = pass->report.at;
  Frame frame{.at = at, .not_before = at, .not_after = at};
  frame.seen = pass->report.observations;
  frame.pass = pass;
  frame.breaks = std::exchange(breaks_, false);
  if (frame.breaks) {
    figures_.clear();
    ending_.clear();
    ends_.clear();
  }
  // Recordings that were put together may begin with the later one.
  facts_.from = std::min(facts_.from.value_or(at), at);
  facts_.to = std::max(facts_.to.value_or(at), at);
  last_at_ = at;
  ++facts_.passes;
  TakePods(*pass, frame);
  facts_.pods = roster_.size();
  frame.ends = std::exchange(ends_, {});
  TakeEvictions(*pass, frame);
  ReuseFigures(frame);
  TakeEnding(frame);
  figures_ = frame.pods;
  emit_(frame);
}

void FrameBuilder::TakePods(const RecordedPass& pass, Frame& frame) {
  if (pass.pods != last_pods_) {
    last_pods_ = pass.pods;
    last_slots_.clear();
    for (const auto& facts : pass.pods) last_slots_.push_back(roster_.SlotOf(facts));
  }
  const std::vector<PodStats>& stats = pass.summary.pods;
  frame.pods.reserve(pass.pods.size());
  for (std::size_t i = 0; i < pass.pods.size(); ++i) {
    FramePod& figures = frame.pods.emplace_back(FramePod{.slot = last_slots_[i]});
    const std::string& uid = pass.pods[i]->pod.uid;
    if (i < stats.size() && stats[i].uid == uid) {
      figures.stats = &stats[i];
    } else {
      const auto found = std::ranges::find(stats, uid, &PodStats::uid);
      if (found != stats.end()) figures.stats = &*found;
    }
    if (!IsMeasured(figures)) continue;
    figures.memory = figures.peak =
        static_cast<std::int64_t>(*figures.stats->memory_working_set_bytes);
  }
  frame.kept = frame.pass;
  std::ranges::sort(frame.pods, {}, &FramePod::slot);
}

void FrameBuilder::TakeEvictions(const RecordedPass& pass, Frame& frame) {
  for (const EvictionRecord& eviction : pass.report.evictions) {
    if (eviction.outcome != EvictOutcome::kEnding) continue;
    const auto slot = roster_.Find(eviction.order.pod_uid);
    if (!slot) continue;
    frame.is_evicting = true;
    frame.ends.push_back({.slot = *slot, .how = RecordedEnd::How::kEvicted, .at = frame.at});
    RecordedFact& fact = facts_.evictions.emplace_back(
        RecordedFact{.at = frame.at,
                     .uid = eviction.order.pod_uid,
                     .pod = roster_[*slot].name,
                     .signal = pass.report.ranked_for.value_or(Signal::kMemoryAvailable),
                     .limit = eviction.storage_limit});
    const auto& acted = pass.report.acting_for;
    if (!acted) continue;
    fact.soft = !acted->IsHard();
    if (const auto& seen = pass.report.observations[acted->signal]) {
      fact.available = seen->available;
      fact.line = QuantityOf(acted->value, seen->capacity).Value();
    }
  }
}

// Until the memory of an ending pod is free, the node lacks it although no pod holds it.
void FrameBuilder::TakeEnding(Frame& frame) {
  const auto& seen = frame.seen[Signal::kMemoryAvailable];
  if (!seen) return;
  std::erase_if(ending_, [&](const Ending& ending) {
    return Elapsed(ending.since, frame.at) > kCleanupTimeout ||
           seen->available - ending.available > ending.memory / 2;
  });
  for (const Ending& ending : ending_) {
    const auto place = std::ranges::lower_bound(frame.pods, ending.slot, {}, &FramePod::slot);
    if (place != frame.pods.end() && place->slot == ending.slot) continue;
    frame.pods.insert(place, FramePod{.slot = ending.slot,
                                      .memory = ending.memory,
                                      .peak = ending.memory,
                                      .is_ending = true});
  }
  for (const RecordedEnd& end : frame.ends) {
    const FramePod* pod = FiguresOf(frame, end.slot);
    if (pod == nullptr || end.at != frame.at) continue;
    ending_.push_back(
        {.slot = end.slot, .memory = pod->memory, .available = seen->available, .since = frame.at});
  }
}

// A pod that was not read counts with its last known figures.
void FrameBuilder::ReuseFigures(Frame& frame) const {
  for (FramePod& figures : frame.pods) {
    if (IsMeasured(figures)) continue;
    const FramePod* before = FindPod(figures_, figures.slot);
    if (before != nullptr) figures.memory = figures.peak = before->memory;
  }
}

namespace {

// The memory of a pod that ended between two frames, as a line over time.
struct EndingLife {
  PodIndex slot = 0;
  RecordedEnd::How how = RecordedEnd::How::kEvicted;
  Instant from;
  double held_from = 0;
  Instant at;  // the time of its end
  double held = 0;
};

double ShareOf(Instant from, Instant at, Instant to) {
  const double span = SecondsOf(Elapsed(from, to));
  return span <= 0 ? 1 : std::clamp(SecondsOf(Elapsed(from, at)) / span, 0.0, 1.0);
}

class Lows {
 public:
  Lows(const Frame& from, Frame& to, const std::vector<RecordedCourse>& courses)
      : from_(from), to_(to), courses_(courses) {}

  std::vector<Frame> Find() {
    if (!from_.seen[Signal::kMemoryAvailable] || !to_.seen[Signal::kMemoryAvailable]) return {};
    TakeEnds();
    std::vector<Frame> frames;
    for (const EndingLife& life : lives_) {
      if (frames.empty() || frames.back().at != life.at) frames.push_back(FrameAt(life.at));
      frames.back().ends.push_back({.slot = life.slot, .how = life.how, .at = life.at});
    }
    TakeLowest(frames);
    return frames;
  }

 private:
  // Takes the ends of pods whose last amounts are known.
  void TakeEnds() {
    std::vector<RecordedEnd> others;
    for (const RecordedEnd& end : to_.ends) {
      const FramePod* most = FindPod(to_.between, end.slot);
      const bool at_the_end = end.at >= to_.at && FiguresOf(to_, end.slot) != nullptr;
      if (most == nullptr || at_the_end) {
        others.push_back(end);
      } else {
        lives_.push_back(LifeOf(end, static_cast<double>(most->peak)));
      }
    }
    to_.ends = std::move(others);
    std::ranges::stable_sort(lives_, {}, &EndingLife::at);
  }

  [[nodiscard]] EndingLife LifeOf(const RecordedEnd& end, double held) const {
    EndingLife life{.slot = end.slot, .how = end.how, .from = from_.at, .held = held};
    const auto before =
        std::ranges::find(lives_.rbegin(), lives_.rend(), end.slot, &EndingLife::slot);
    if (before != lives_.rend()) {
      life.from = before->at;
    } else {
      life.held_from = static_cast<double>(MemoryIn(from_, end.slot).value_or(0));
    }
    life.at = GuessedEnd(life);
    return life;
  }

  // According to its earlier growth, or else in the middle.
  [[nodiscard]] Instant GuessedEnd(const EndingLife& life) const {
    constexpr double kEdge = 0.05;
    const RecordedLife* known = courses_[life.slot].now();
    const double growth = known != nullptr ? known->Growth() : 0;
    const double missing = life.held - life.held_from;
    const double length = SecondsOf(Elapsed(life.from, to_.at));
    double share = 0.5;
    if (growth > 0 && missing > 0) share = missing / growth / length;
    share = std::clamp(share, kEdge, 1 - kEdge);
    return life.from + std::chrono::duration_cast<Duration>(Elapsed(life.from, to_.at) * share);
  }

  // Absent if the pod is not there.
  [[nodiscard]] std::optional<double> HeldAt(PodIndex slot, Instant at) const {
    const EndingLife* last = nullptr;
    for (const EndingLife& life : lives_) {
      if (life.slot != slot) continue;
      if (at <= life.at) {
        return life.held_from + (life.held - life.held_from) * ShareOf(life.from, at, life.at);
      }
      last = &life;
    }
    const auto before = MemoryIn(from_, slot);
    const auto after = MemoryIn(to_, slot);
    if (!after && (!before || last != nullptr)) return std::nullopt;
    const double from = last != nullptr ? 0 : static_cast<double>(before.value_or(0));
    const Instant since = last != nullptr ? last->at : from_.at;
    return from + (static_cast<double>(after.value_or(0)) - from) * ShareOf(since, at, to_.at);
  }

  [[nodiscard]] static double AllOf(const Frame& frame) {
    double all = 0;
    for (const FramePod& pod : frame.pods) all += static_cast<double>(pod.memory);
    return all;
  }

  [[nodiscard]] Frame Empty(Instant at) const {
    Frame frame;
    frame.at = at;
    frame.not_before = from_.at;
    frame.not_after = to_.at;
    frame.kept = from_.kept;
    frame.seen = Segment(from_, to_).SeenAt(at);
    return frame;
  }

  [[nodiscard]] Frame FrameAt(Instant at) const {
    Frame frame = Empty(at);
    std::set<PodIndex> slots;
    for (const FramePod& pod : from_.pods) slots.insert(pod.slot);
    for (const FramePod& pod : to_.pods) slots.insert(pod.slot);
    for (const EndingLife& life : lives_) slots.insert(life.slot);
    for (const PodIndex slot : slots) {
      const auto held = HeldAt(slot, at);
      if (!held) continue;
      const FramePod* before = FiguresOf(from_, slot);
      frame.pods.push_back({.slot = slot,
                            .memory = static_cast<std::int64_t>(*held),
                            .stats = before != nullptr ? before->stats : nullptr});
    }
    LeaveFor(frame, Signal::kMemoryAvailable);
    LeaveFor(frame, Signal::kAllocatableMemoryAvailable);
    return frame;
  }

  // Computes what is available: what neither pods nor the rest of the node hold. The rest is
  // interpolated.
  void LeaveFor(Frame& frame, Signal signal) const {
    const auto& before = from_.seen[signal];
    const auto& after = to_.seen[signal];
    auto& seen = frame.seen[signal];
    if (!before || !after || !seen) return;
    const double from = static_cast<double>(before->available) + AllOf(from_);
    const double to = static_cast<double>(after->available) + AllOf(to_);
    const double both = from + (to - from) * ShareOf(from_.at, frame.at, to_.at);
    seen->available = std::min(static_cast<std::int64_t>(both - AllOf(frame)), seen->capacity);
  }

  // The lowest recorded amount belongs to the lowest of the frames. If there is no frame, no end of
  // a pod explains the low.
  void TakeLowest(std::vector<Frame>& frames) const {
    if (!to_.lowest_memory) return;
    const std::int64_t lowest = *to_.lowest_memory;
    const Signal signal = Signal::kMemoryAvailable;
    const auto available = [](const Frame& frame) { return frame.seen[signal]->available; };
    if (lowest >= std::min(available(from_), available(to_))) return;
    if (frames.empty()) {
      Frame& frame = frames.emplace_back(Empty(from_.at + Elapsed(from_.at, to_.at) / 2));
      frame.pods = from_.pods;
      for (FramePod& pod : frame.pods) {
        const FramePod* most = FindPod(to_.between, pod.slot);
        if (most != nullptr) pod.memory = std::max(pod.memory, most->peak);
      }
    }
    Frame& least = *std::ranges::min_element(frames, {}, available);
    if (available(least) > lowest) least.seen[signal]->available = lowest;
    auto& allocatable = least.seen[Signal::kAllocatableMemoryAvailable];
    if (allocatable && to_.lowest_allocatable) {
      allocatable->available = std::min(allocatable->available, *to_.lowest_allocatable);
    }
  }

  const Frame& from_;
  Frame& to_;
  const std::vector<RecordedCourse>& courses_;
  std::vector<EndingLife> lives_;
};

}  // namespace

std::vector<Frame> LowsBetween(const Frame& from, Frame& to,
                               const std::vector<RecordedCourse>& courses) {
  if (!to.lowest_memory && to.between.empty()) return {};
  return Lows(from, to, courses).Find();
}

namespace {

void Lower(std::optional<std::int64_t>& lowest, std::optional<std::int64_t> seen) {
  if (seen) lowest = std::min(lowest.value_or(*seen), *seen);
}

// Both lists are in the order of slots.
void RaisePeaks(const std::vector<FramePod>& from, std::vector<FramePod>& into) {
  for (const FramePod& figures : from) {
    const auto place = std::ranges::lower_bound(into, figures.slot, {}, &FramePod::slot);
    if (place != into.end() && place->slot == figures.slot) {
      place->peak = std::max(place->peak, figures.peak);
    } else {
      into.insert(place, figures);
    }
  }
}

void LowerBoth(const Frame& from, Frame& into) {
  const auto& memory = from.seen[Signal::kMemoryAvailable];
  const auto& allocatable = from.seen[Signal::kAllocatableMemoryAvailable];
  Lower(into.lowest_memory, from.lowest_memory);
  if (memory) Lower(into.lowest_memory, memory->available);
  Lower(into.lowest_allocatable, from.lowest_allocatable);
  if (allocatable) Lower(into.lowest_allocatable, allocatable->available);
}

}  // namespace

void Thinning::Add(Frame& frame) {
  if (frame.breaks) {
    Finish();
    between_.reset();
    last_.reset();
  }
  const bool is_due = !last_ || Elapsed(*last_, frame.at) >= every_;
  if (!frame.is_evicting && is_due) return Keep(frame);
  LeaveOut(frame);
  if (!frame.is_evicting) spare_ = std::move(frame);
}

void Thinning::Finish() {
  if (!spare_) return;
  // Its ends and figures have been merged already.
  Frame last = *std::exchange(spare_, std::nullopt);
  last.ends.clear();
  last.breaks = false;
  Keep(last);
}

void Thinning::LeaveOut(const Frame& frame) {
  if (!between_) between_.emplace();
  LowerBoth(frame, *between_);
  RaisePeaks(frame.pods, between_->pods);
  between_->ends.insert(between_->ends.end(), frame.ends.begin(), frame.ends.end());
  between_->breaks |= frame.breaks;
}

void Thinning::Keep(Frame& frame) {
  if (between_) {
    frame.breaks |= between_->breaks;
    frame.ends.insert(frame.ends.begin(), between_->ends.begin(), between_->ends.end());
    LowerBoth(*between_, frame);
    frame.between = std::move(between_->pods);
    between_.reset();
  }
  if (last_) {
    for (RecordedEnd& end : frame.ends) end.at = *last_;
  }
  spare_.reset();
  last_ = frame.at;
  take_(frame);
}

}  // namespace jettison
