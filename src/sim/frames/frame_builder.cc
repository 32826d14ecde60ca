#include "sim/frames/frame_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

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
                              .limit = {},
                              .pass = nullptr});
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
    facts_.evictions.push_back({.at = frame.at,
                                .uid = eviction.order.pod_uid,
                                .pod = roster_[*slot].name,
                                .signal = pass.report.ranked_for.value_or(Signal::kMemoryAvailable),
                                .limit = eviction.storage_limit,
                                .pass = keep_passes_ ? frame.pass : nullptr});
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

}  // namespace jettison
