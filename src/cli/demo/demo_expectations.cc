#include "cli/demo/demo_expectations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "cli/demo/demo_script.h"
#include "cli/demo/stage/demo_cast.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr double kMiB = 1024.0 * 1024.0;

double SecondsIn(const DemoHistory& history, Instant at) {
  return std::chrono::duration<double>(at - history.first.value_or(at)).count();
}

std::vector<std::string_view> Culprits() {
  std::vector<std::string_view> culprits;
  for (const DemoAct& act : DemoActs()) culprits.push_back(act.pod);
  return culprits;
}

std::vector<std::string_view> Innocents() {
  std::vector<std::string_view> innocents;
  for (const DemoPod& pod : DemoPods()) {
    if (!pod.culprit) innocents.push_back(pod.name);
  }
  return innocents;
}

Expectation EvictedInOrder(const DemoHistory& history) {
  std::vector<std::string> evicted;
  std::transform(history.evictions.begin(), history.evictions.end(), std::back_inserter(evicted),
                 [](const DemoEviction& eviction) { return eviction.pod; });
  const auto culprits = Culprits();
  const bool held = std::equal(evicted.begin(), evicted.end(), culprits.begin(), culprits.end());
  return {
      fmt::format("{} were evicted, in this order, and no other pod", fmt::join(culprits, ", ")),
      held, held ? "" : fmt::format("in fact: {}", fmt::join(evicted, ", "))};
}

// What the message of an eviction must say, and what that means.
struct Reason {
  std::string_view pod;
  std::string_view says;
  std::string_view what;
};
constexpr Reason kReasons[] = {
    {"leaker", "The node was low on resource: memory.", "leaker was evicted for memory"},
    {"filler", "The node was low on resource: ephemeral-storage.",
     "filler was evicted for disk space"},
    {"scratch", "Usage of EmptyDir volume \"scratch\" exceeds the limit \"16Mi\".",
     "scratch was evicted for the size limit of its emptyDir"},
    {"forker", "The node was low on resource: pids.", "forker was evicted for process ids"},
};

Expectation EvictedFor(const Reason& reason, const DemoHistory& history) {
  const DemoEviction* eviction = history.EvictionOf(reason.pod);
  if (eviction == nullptr) return {std::string(reason.what), false, "it was not evicted"};
  return {std::string(reason.what), eviction->message.starts_with(reason.says),
          fmt::format("after {:.1f} s: {}", SecondsIn(history, eviction->at), eviction->message)};
}

// Bytes beyond the memory request; negative within it, absent where the usage is not known.
std::optional<double> Excess(const WorkingSets& usage, const DemoFacts& facts,
                             std::string_view pod) {
  const auto used = usage.find(pod);
  const auto fact = facts.find(pod);
  if (used == usage.end() || fact == facts.end()) return std::nullopt;
  return static_cast<double>(used->second) -
         static_cast<double>(fact->second.memory_request) / kNanosPerUnit;
}

Expectation LeakerExceededByMost(const DemoHistory& history, const DemoFacts& facts) {
  Expectation expectation{"leaker exceeded its memory request by more than cache did its own",
                          false, "leaker was not evicted"};
  const DemoEviction* eviction = history.EvictionOf("leaker");
  if (eviction == nullptr) return expectation;
  const auto leaker = Excess(eviction->working_sets, facts, "leaker");
  const auto cache = Excess(eviction->working_sets, facts, "cache");
  expectation.detail = "their working sets were not measured";
  if (!leaker || !cache) return expectation;
  expectation.held = *leaker > *cache && *cache > 0;
  expectation.detail = fmt::format("by {:.0f} MiB and {:.0f} MiB", *leaker / kMiB, *cache / kMiB);
  return expectation;
}

Expectation Untouched(std::string_view name, const DemoHistory& history) {
  Expectation expectation{fmt::format("{} was never touched", name), false, "it never ran"};
  for (const DemoPod& pod : DemoPods()) {
    if (pod.name == name) expectation.what += fmt::format(" ({})", pod.role);
  }
  const auto found = history.pods.find(name);
  if (found == history.pods.end()) return expectation;
  const PodHistory& pod = found->second;
  expectation.held = pod.runs && pod.evictions == 0 && pod.restarts == 0;
  expectation.detail =
      expectation.held
          ? ""
          : fmt::format("evicted {} times, restarted {} times, {} at the end", pod.evictions,
                        pod.restarts, pod.runs ? "running" : "not running");
  return expectation;
}

Expectation SetAndCleared(NodeConditionType type, const DemoHistory& history) {
  const auto set = history.When(type, true);
  const auto cleared = history.When(type, false);
  std::string detail = "it was never set";
  if (set && !cleared) detail = "it was never cleared";
  if (set && cleared) {
    detail = fmt::format("after {:.1f} s and {:.1f} s", SecondsIn(history, *set),
                         SecondsIn(history, *cleared));
  }
  return {fmt::format("{} was set and cleared", NameOf(type)), set && cleared && *set < *cleared,
          std::move(detail)};
}

// scratch goes for a limit of its own: between the pressure that is set before and after, nothing
// may begin.
Expectation LimitWithoutPressure(const DemoHistory& history) {
  const auto settings =
      std::count_if(history.conditions.begin(), history.conditions.end(),
                    [](const ConditionChange& change) { return change.pressure; });
  constexpr std::ptrdiff_t kPressures = 3;  // memory, disk, process ids
  const bool held = settings == kPressures;
  return {"each pressure began once, and none was caused by scratch", held,
          held ? "" : fmt::format("pressure began {} times", settings)};
}

Expectation CameBack(const DemoHistory& history) {
  Expectation expectation{"every evicted pod came back, and none while the node was under pressure",
                          true, ""};
  std::vector<std::string> told;
  for (const std::string_view pod : Culprits()) {
    const DemoReturn* back = history.ReturnOf(pod);
    if (back == nullptr) {
      expectation.held = false;
      told.push_back(fmt::format("{} did not come back", pod));
      continue;
    }
    told.push_back(fmt::format("{} after {:.1f} s", pod, SecondsIn(history, back->at)));
    if (!back->conditions.Empty()) {
      expectation.held = false;
      told.back() += " under pressure";
    }
  }
  expectation.detail = fmt::format("{}", fmt::join(told, ", "));
  return expectation;
}

Expectation NoOomKill(const DemoHistory& history) {
  const bool killed = std::any_of(history.pods.begin(), history.pods.end(),
                                  [](const auto& pod) { return pod.second.oom_killed; });
  Expectation expectation{"the kernel's OOM killer had nothing to do",
                          !killed && history.lowest_memory_available.value_or(0) > 0,
                          killed ? "it killed a container" : "memory was never measured"};
  if (!killed && history.lowest_memory_available) {
    expectation.detail = fmt::format("{:.0f} MiB were available at the least",
                                     static_cast<double>(*history.lowest_memory_available) / kMiB);
  }
  return expectation;
}

}  // namespace

std::vector<Expectation> CheckDemo(const DemoHistory& history, const DemoFacts& facts) {
  std::vector<Expectation> checked = {EvictedInOrder(history)};
  for (const Reason& reason : kReasons) checked.push_back(EvictedFor(reason, history));
  checked.push_back(LeakerExceededByMost(history, facts));
  for (const std::string_view name : Innocents()) checked.push_back(Untouched(name, history));
  checked.push_back(SetAndCleared(NodeConditionType::kMemoryPressure, history));
  checked.push_back(SetAndCleared(NodeConditionType::kDiskPressure, history));
  checked.push_back(SetAndCleared(NodeConditionType::kPidPressure, history));
  checked.push_back(LimitWithoutPressure(history));
  checked.push_back(CameBack(history));
  checked.push_back(NoOomKill(history));
  return checked;
}

bool AllHeld(const std::vector<Expectation>& expectations) {
  return std::all_of(expectations.begin(), expectations.end(),
                     [](const Expectation& expectation) { return expectation.held; });
}

}  // namespace jettison
