#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <variant>

#include "cli/demo/demo.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kOverture = milliseconds(2500);  // for the reader to look at the node at rest
constexpr Duration kPause = milliseconds(1500);     // after an eviction
constexpr Duration kCalm = milliseconds(1500);      // at the end
constexpr Duration kActLimit = seconds(12);
constexpr Duration kDeadline = seconds(56);
constexpr double kMiB = 1024.0 * 1024.0;
constexpr std::array kPressures = {NodeConditionType::kMemoryPressure,
                                   NodeConditionType::kDiskPressure,
                                   NodeConditionType::kPidPressure};

bool EverybodyRuns(const Snapshot& snapshot) {
  return snapshot.passes > 0 && snapshot.pods.size() == DemoPods().size() &&
         std::ranges::all_of(snapshot.pods, [](const PodView& pod) {
           return pod.activity == PodActivity::kRunning && pod.memory_working_set_bytes;
         });
}

// Whether somebody is on its way back. A runtime may take its time for that, and who was let in
// before the next pressure would come back in the middle of it.
bool AnybodyStarts(const Snapshot& snapshot) {
  return std::ranges::any_of(
      snapshot.pods, [](const PodView& pod) { return pod.activity == PodActivity::kStarting; });
}

bool WasOomKilled(const ContainerStatus& container) {
  const auto* ended = std::get_if<ContainerTerminated>(&container.state);
  return (ended != nullptr && ended->exit.oom_killed) ||
         (container.last_state && container.last_state->oom_killed);
}

}  // namespace

const DemoPod* DemoStory::Current() const {
  return act_ >= 1 && act_ <= DemoActs().size() ? &DemoActs()[act_ - 1] : nullptr;
}

const DemoStory::PodRecord& DemoStory::Of(std::string_view pod) const {
  static const PodRecord kNone;
  const auto found = pods_.find(pod);
  return found == pods_.end() ? kNone : found->second;
}

double DemoStory::SecondsAt(Instant at) const {
  return std::chrono::duration<double>(at - began_.value_or(at)).count();
}

std::string_view DemoStory::OpenGate() const {
  return Current() != nullptr && Of(Current()->name).evictions == 0 ? Current()->name : "";
}

std::string DemoStory::Title() const {
  if (act_ == 0) return "the pods start";
  if (Current() == nullptr) return "calm returns";
  return fmt::format("act {} of {}: {}", act_, DemoActs().size(), Current()->title);
}

std::string_view DemoStory::Lesson() const {
  if (act_ == 0) return "Four pods behave. The other four will not.";
  if (Current() != nullptr) return Current()->lesson;
  return "Back-off over and no pressure left: the evicted pods come back.";
}

Signal DemoStory::RankedFor() const {
  return Current() == nullptr ? Signal::kMemoryAvailable : Current()->signal;
}

void DemoStory::GoOn(const Snapshot& snapshot) {
  if (!began_) began_ = act_began_ = snapshot.at;
  now_ = snapshot.at;
  Record(snapshot);
  if (now_ - *began_ >= patience_ * kDeadline) finished_ = true;
  if (!IsActOver(snapshot)) return;
  if (act_ > DemoActs().size()) {
    finished_ = true;
    return;
  }
  ++act_;
  act_began_ = now_;
  holds_since_.reset();
}

bool DemoStory::IsActOver(const Snapshot& snapshot) {
  if (act_ == 0) return HoldsFor(EverybodyRuns(snapshot), kOverture);
  if (Current() == nullptr) {
    return HoldsFor(EverybodyRuns(snapshot) && snapshot.conditions.Empty(), kCalm);
  }
  // Evicted, and either cleaned up or even back.
  const PodRecord& culprit = Of(Current()->name);
  const bool is_done = culprit.gone || culprit.back_at;
  return HoldsFor(is_done && !AnybodyStarts(snapshot), kPause) ||
         now_ - act_began_ >= patience_ * kActLimit;
}

bool DemoStory::HoldsFor(bool state, Duration span) {
  if (!state) holds_since_.reset();
  if (state && !holds_since_) holds_since_ = now_;
  return holds_since_ && now_ - *holds_since_ >= span;
}

void DemoStory::Record(const Snapshot& snapshot) {
  for (const NodeConditionType type : kPressures) {
    ConditionRecord& record = conditions_[type];
    const bool was_set = record.set && !record.cleared;
    if (snapshot.conditions.Has(type) == was_set) continue;
    if (was_set) {
      record.cleared = now_;
    } else {
      record = {.times = record.times + 1, .set = now_};
    }
  }
  for (const PodView& view : snapshot.pods) RecordPod(view, snapshot);
  for (const ThresholdView& view : snapshot.thresholds) {
    if (view.threshold.signal != Signal::kMemoryAvailable || !view.observation) continue;
    const std::int64_t available = view.observation->available;
    lowest_memory_ = std::min(lowest_memory_.value_or(available), available);
  }
}

void DemoStory::RecordPod(const PodView& view, const Snapshot& snapshot) {
  PodRecord& pod = pods_[view.name];
  if (view.evictions > pod.evictions) {
    if (pod.evictions == 0) pod.evicted_at = now_;
    if (pod.evictions == 0) pod.message = view.status.message;
    pod.evictions = view.evictions;
    evicted_.push_back(view.name);
  }
  pod.runs = view.activity == PodActivity::kRunning;
  // A start may take so long that the next pressure begins meanwhile.
  const bool waits = view.activity == PodActivity::kWaiting;
  if (pod.gone && !waits && !pod.let_in) pod.let_in_under_pressure = !snapshot.conditions.Empty();
  pod.let_in = pod.let_in || (pod.gone && !waits);
  pod.gone = pod.evictions > 0 && waits;
  if (pod.runs && pod.let_in && !pod.back_at) pod.back_at = now_;
  for (const ContainerStatus& container : view.status.containers) {
    pod.restarts = std::max(pod.restarts, container.restart_count);
    pod.oom_killed = pod.oom_killed || WasOomKilled(container);
  }
  if (!evicted_.empty() || !view.memory_working_set_bytes) return;
  pod.excess = static_cast<double>(*view.memory_working_set_bytes) -
               static_cast<double>(view.facts->memory_request) / kNanosPerUnit;
}

std::vector<Expectation> DemoStory::Check() const {
  std::vector<Expectation> checked;
  const auto expect = [&](std::string what, bool held, std::string detail) {
    checked.push_back({std::move(what), held, std::move(detail)});
  };
  std::vector<std::string> culprits;
  for (const DemoPod& act : DemoActs()) culprits.emplace_back(act.name);
  const bool in_order = evicted_ == culprits;
  expect(fmt::format("{} were evicted, in this order, and no other pod", fmt::join(culprits, ", ")),
         in_order, in_order ? "" : fmt::format("in fact: {}", fmt::join(evicted_, ", ")));
  for (const DemoPod& act : DemoActs()) {
    const PodRecord& pod = Of(act.name);
    expect(std::string(act.promise), pod.message.starts_with(act.message),
           pod.evictions == 0
               ? "it was not evicted"
               : fmt::format("after {:.1f} s: {}", SecondsAt(pod.evicted_at), pod.message));
  }
  const PodRecord& leaker = Of("leaker");
  const PodRecord& cache = Of("cache");
  expect("leaker exceeded its memory request by more than cache did its own",
         leaker.evictions > 0 && leaker.excess > cache.excess && cache.excess > 0,
         fmt::format("by {:.0f} MiB and {:.0f} MiB", leaker.excess / kMiB, cache.excess / kMiB));
  for (const DemoPod& innocent : DemoPods()) {
    if (innocent.IsCulprit()) continue;
    const PodRecord& pod = Of(innocent.name);
    const bool is_well = pod.runs && pod.evictions == 0 && pod.restarts == 0;
    expect(fmt::format("{} was never touched ({})", innocent.name, innocent.role), is_well,
           is_well
               ? ""
               : fmt::format("evicted {} times, restarted {} times, {} at the end", pod.evictions,
                             pod.restarts, pod.runs ? "running" : "not running"));
  }
  int times = 0;
  for (const NodeConditionType type : kPressures) {
    const auto found = conditions_.find(type);
    const ConditionRecord record = found == conditions_.end() ? ConditionRecord{} : found->second;
    times += record.times;
    expect(fmt::format("{} was set and cleared", NameOf(type)), record.cleared.has_value(),
           record.cleared ? fmt::format("after {:.1f} s and {:.1f} s", SecondsAt(*record.set),
                                        SecondsAt(*record.cleared))
                          : fmt::format("it was never {}", record.set ? "cleared" : "set"));
  }
  // scratch goes for a limit of its own: between the pressure before and after, nothing may begin.
  expect("each pressure began once, and none was caused by scratch", times == 3,
         times == 3 ? "" : fmt::format("pressure began {} times", times));
  std::vector<std::string> returns;
  bool all_well = true;
  for (const std::string& name : culprits) {
    const PodRecord& pod = Of(name);
    all_well = all_well && pod.back_at && !pod.let_in_under_pressure;
    returns.push_back(pod.back_at
                          ? fmt::format("{} after {:.1f} s{}", name, SecondsAt(*pod.back_at),
                                        pod.let_in_under_pressure ? " under pressure" : "")
                          : name + " did not come back");
  }
  expect("every evicted pod came back, and none while the node was under pressure", all_well,
         fmt::format("{}", fmt::join(returns, ", ")));
  const bool killed =
      std::ranges::any_of(pods_, [](const auto& pod) { return pod.second.oom_killed; });
  const auto lowest = static_cast<double>(lowest_memory_.value_or(0));
  expect("the kernel's OOM killer had nothing to do", !killed && lowest > 0,
         killed ? "it killed a container"
                : fmt::format("{:.0f} MiB were available at the least", lowest / kMiB));
  return checked;
}

}  // namespace jettison
