#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

#include "agent/state/agent_state.h"
#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "core/json/json_writer.h"

namespace jettison {

// When a text was written: then it was `now` by the clock whose instants the state has.
struct Written {
  Instant now;
  TimeMark mark;
};

void VisitFields(auto& fields, FormOf<Written> auto& written) {
  fields("now", written.now);
  fields("at", written.mark.wall);
  fields("bootID", written.mark.boot_id);
  fields("sinceBoot", written.mark.since_boot);
}

void VisitFields(auto& fields, FormOf<std::pair<Signal, std::int32_t>> auto& share) {
  fields("signal", share.first);
  fields("left", share.second);
}

void VisitFields(auto& fields, FormOf<SavedCondition> auto& condition) {
  fields("type", condition.type);
  fields("status", condition.status);
  fields("changed", condition.changed);
  fields("lastObserved", condition.last_observed);
}

void VisitFields(auto& fields, FormOf<SavedThreshold> auto& threshold) {
  fields("threshold", threshold.text);
  fields("firstObserved", threshold.first_observed);
  fields("overdue", threshold.overdue);
}

void VisitFields(auto& fields, FormOf<SavedMark> auto& mark) {
  fields("at", mark.at);
  fields("available", mark.available);
}

void VisitFields(auto& fields, FormOf<SavedWait> auto& wait) {
  fields("pods", wait.pods);
  fields("hard", wait.hard);
  fields("deadline", wait.deadline);
}

void VisitFields(auto& fields, FormOf<SavedNode> auto& node) {
  fields("conditions", node.conditions);
  fields("thresholds", node.thresholds);
  fields("lastEviction", node.last_eviction);
  fields("wait", node.wait);
}

void VisitFields(auto& fields, FormOf<SavedEnding> auto& ending) {
  fields("reason", ending.reason);
  fields("message", ending.message);
  fields("disruptionTarget", ending.disruption_target);
  fields("kill", ending.kill_at);
}

void VisitFields(auto& fields, FormOf<SavedAbsence> auto& absence) {
  fields("reason", absence.reason);
  fields("message", absence.message);
  fields("comesBack", absence.comes_back_at);
}

void VisitFields(auto& fields, FormOf<SavedPod> auto& pod) {
  fields("name", pod.name);
  fields("uid", pod.uid);
  fields("evictions", pod.evictions);
  fields("nextDelay", pod.next_delay);
  fields("started", pod.started);
  fields("ending", pod.ending);
  fields("absence", pod.absence);
  fields("endedWell", pod.ended_well);
}

void VisitFields(auto& fields, FormOf<SparedPod> auto& pod) {
  fields("uid", pod.uid);
  fields("why", pod.why);
  fields("until", pod.until);
}

void VisitFields(auto& fields, FormOf<SoftEvictionsSoFar> auto& soft) {
  fields("granted", soft.granted);
  fields("spared", soft.spared);
}

void VisitFields(auto& fields, FormOf<kube::EvictionIntent> auto& intent) {
  fields("namespace", intent.namespace_);
  fields("name", intent.name);
  fields("uid", intent.uid);
  fields("message", intent.message);
  fields("disruptionTarget", intent.disruption_target);
  fields("graceSeconds", intent.grace_seconds);
  fields("evictedAt", intent.evicted_at);
  fields("bootID", intent.boot_id);
  fields("heldGroup", intent.held_group);
  fields("pidsLimit", intent.pids_limit);
}

// Size and pinning are not kept: the runtime tells them anew.
void VisitFields(auto& fields, FormOf<ImageRecord> auto& image) {
  fields("id", image.id);
  fields("firstDetected", image.first_detected);
  fields("lastUsed", image.last_used);
  fields("inUse", image.in_use);
}

void VisitFields(auto& fields, FormOf<AgentState> auto& state) {
  fields("node", state.node);
  fields("softEvictions", state.soft);
  fields("pods", state.pods);
  fields("clusterEvictions", state.cluster_evictions);
  fields("images", state.images);
}

namespace {

constexpr int kVersion = 2;
// A restart takes less than this. The text of an agent that was killed is 10 s old at most while a
// threshold is met (StateFile), one that stops writes it as it ends, and the service manager
// waits for 1 s before it starts the next one (packaging/jettison.service.in).
constexpr Duration kRestart = std::chrono::seconds(30);

// Puts every instant of a form later.
class Postponement {
 public:
  explicit Postponement(Duration by) : by_(by) {}

  void operator()(std::string_view /*name*/, auto& member) { Move(member); }

 private:
  void Move(Instant& at) { at = Later(at, by_); }
  template <typename T>
  void Move(std::optional<T>& member) {
    if (member) Move(*member);
  }
  template <typename T>
  void Move(std::vector<T>& members) {
    for (T& member : members) Move(member);
  }
  template <typename T>
  void Move(T& member) {
    if constexpr (requires { VisitFields(*this, member); }) VisitFields(*this, member);
  }

  Duration by_;
};

// Nothing that ran before a boot still runs after it. What has ended stays ended. Who takes up the
// evictions of a kubelet's pods looks at their boot.
void KeepOverBoot(AgentState& state) {
  state.node = {};
  state.soft.spared.clear();
  for (SavedPod& pod : state.pods) {
    pod.ending.reset();
    pod.started.reset();
  }
  std::erase_if(state.pods, [](const SavedPod& pod) { return !pod.absence && !pod.ended_well; });
}

// What follows from the order of the members, and from the time of the reading.
void Settle(AgentState& state, Instant now) {
  if (state.node.last_eviction) {
    std::erase_if(state.node.last_eviction->available,
                  [](const auto& share) { return !IsPressure(share.first); });
  }
  std::ranges::sort(state.soft.granted);
  for (ImageRecord& image : state.images) {
    if (std::exchange(image.in_use, false)) image.last_used = now;
  }
  std::ranges::stable_sort(state.images, {}, &ImageRecord::id);
  const auto twice = std::ranges::unique(state.images, {}, &ImageRecord::id);
  state.images.erase(twice.begin(), twice.end());
}

}  // namespace

std::string FormatState(const AgentState& state, const Clock& clock) {
  std::string text = JsonObject([&](JsonWriter& json) {
    json.Field("version", kVersion);
    json.Key("written");
    WriteForm(Written{.now = clock.Now(), .mark = clock.Mark()}, json);
    WriteFields(state, json);
  });
  return text + "\n";
}

Result<AgentState> ParseState(std::string_view text, const Clock& clock) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  FormReader members(*document);
  int version = 0;
  members("version", version);
  if (version != kVersion) {
    return Fail(ErrorCode::kInvalidArgument, "it is of a version that is not known");
  }
  Written then;
  AgentState state;
  members("written", then);
  VisitFields(members, state);
  const TimeMark mark = clock.Mark();
  const Duration since = ElapsedBetween(then.mark, mark);
  Postponement to_this_clock(SaturatingDifference(Elapsed(then.now, clock.Now()), since));
  VisitFields(to_this_clock, state);
  if (since > kRestart) state.node.thresholds.clear();
  Settle(state, clock.Now());
  if (then.mark.boot_id.empty() || then.mark.boot_id != mark.boot_id) KeepOverBoot(state);
  return state;
}

}  // namespace jettison
