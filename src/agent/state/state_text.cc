#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "agent/state/agent_state.h"
#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "core/text/number.h"

namespace jettison {
namespace {

constexpr int kVersion = 1;
// A restart takes less than this. The text of an agent that was killed is 10 s old at most while a
// threshold is met (StateFile), one that stops writes it as it ends, and the service manager
// waits for 1 s before it starts the next one (packaging/jettison.service.in).
constexpr Duration kRestart = std::chrono::seconds(30);

// The members of a state, each under its name in the file, listed once. `io` reads them or writes
// them. What is optional is left out where it is absent; a list too.

template <typename T, typename Plain>
concept Like = std::same_as<std::remove_const_t<T>, Plain>;

void Fields(auto& io, Like<TimeMark> auto& mark) {
  io.Member("at", mark.wall);
  io.Member("bootID", mark.boot_id);
  io.Member("sinceBoot", mark.since_boot);
}

void Fields(auto& io, Like<SavedCondition> auto& condition) {
  io.Member("type", condition.type);
  io.Member("status", condition.status);
  io.Member("changed", condition.changed);
  io.Member("lastObserved", condition.last_observed);
}

void Fields(auto& io, Like<SavedThreshold> auto& threshold) {
  io.Member("threshold", threshold.text);
  io.Member("firstObserved", threshold.first_observed);
  io.Member("overdue", threshold.overdue);
}

void Fields(auto& io, Like<SavedMark> auto& mark) {
  io.Member("at", mark.at);
  io.Member("available", mark.available);
}

void Fields(auto& io, Like<SavedWait> auto& wait) {
  io.Member("pods", wait.pods);
  io.Member("hardFor", wait.hard_for);
  io.Member("deadline", wait.deadline);
}

void Fields(auto& io, Like<SavedNode> auto& node) {
  io.Member("conditions", node.conditions);
  io.Member("thresholds", node.thresholds);
  io.Member("lastEviction", node.last_eviction);
  io.Member("wait", node.wait);
}

void Fields(auto& io, Like<SavedEnding> auto& ending) {
  io.Member("reason", ending.reason);
  io.Member("message", ending.message);
  io.Member("disruptionTarget", ending.disruption_target);
  io.Member("kill", ending.kill_at);
}

void Fields(auto& io, Like<SavedAbsence> auto& absence) {
  io.Member("reason", absence.reason);
  io.Member("message", absence.message);
  io.Member("comesBack", absence.comes_back_at);
}

void Fields(auto& io, Like<SavedPod> auto& pod) {
  io.Member("name", pod.name);
  io.Member("uid", pod.uid);
  io.Member("evictions", pod.evictions);
  io.Member("nextDelay", pod.next_delay);
  io.Member("started", pod.started);
  io.Member("ending", pod.ending);
  io.Member("absence", pod.absence);
  io.Member("endedWell", pod.ended_well);
}

void Fields(auto& io, Like<SparedPod> auto& pod) {
  io.Member("uid", pod.uid);
  io.Member("why", pod.why);
  io.Member("until", pod.until);
}

void Fields(auto& io, Like<SoftEvictionsSoFar> auto& soft) {
  io.Member("granted", soft.granted);
  io.Member("spared", soft.spared);
}

void Fields(auto& io, Like<kube::EvictionIntent> auto& intent) {
  io.Member("namespace", intent.namespace_);
  io.Member("name", intent.name);
  io.Member("uid", intent.uid);
  io.Member("message", intent.message);
  io.Member("disruptionTarget", intent.disruption_target);
  io.Member("graceSeconds", intent.grace_seconds);
  io.Member("evictedAt", intent.evicted_at);
  io.Member("bootID", intent.boot_id);
  io.Member("heldGroup", intent.held_group);
  io.Member("pidsLimit", intent.pids_limit);
}

// Size and pinning are not kept: the runtime tells them anew.
void Fields(auto& io, Like<ImageRecord> auto& image) {
  io.Member("id", image.id);
  io.MemberOrEver("firstDetected", image.first_detected);
  io.Member("lastUsed", image.last_used);
  io.Member("inUse", image.in_use);
}

void Fields(auto& io, Like<AgentState> auto& state) {
  io.Member("node", state.node);
  io.Member("softEvictions", state.soft);
  io.Member("pods", state.pods);
  io.Member("clusterEvictions", state.cluster_evictions);
  io.Member("images", state.images);
  io.Member("podsGroup", state.pods_group);
}

// The same as in DetectImages: older than any listing.
constexpr Instant kEver = Instant::min();

// When a text is read, and how long before that it was written.
struct ReadAt {
  Instant now;
  Duration since{0};

  // The instant that was `ago` before the text was written.
  [[nodiscard]] Instant TimeOf(Duration ago) const {
    const Duration ago_now = SaturatingDifference(ago, -since);
    return Instant(SaturatingDifference(now.time_since_epoch(), ago_now));
  }
};

template <typename T>
constexpr bool kMayBeAbsent = false;
template <typename T>
constexpr bool kMayBeAbsent<std::optional<T>> = true;
template <typename T>
constexpr bool kMayBeAbsent<std::vector<T>> = true;
// An agent before 0.2.0 did not write them.
template <>
constexpr bool kMayBeAbsent<SoftEvictionsSoFar> = true;

// Takes the members of an object one by one. The first fault is the fault of the whole.
class Reader {
 public:
  Reader(const Value& value, ReadAt at) : value_(value), at_(at) {}

  [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }

  template <typename T>
  void Member(std::string_view key, T& member) {
    key_ = key;
    if (const Value* value = value_.Find(key)) {
      Take(*value, member);
    } else if (!kMayBeAbsent<T>) {
      Refuse("there");
    }
  }
  void MemberOrEver(std::string_view key, Instant& at) {
    std::optional<Instant> since;
    Member(key, since);
    at = since.value_or(kEver);
  }

 private:
  void Refuse(std::string_view what) {
    if (!fault_) fault_ = fmt::format("`{}` is not {}", key_, what);
  }
  void Take(const Value& value, std::string& text) {
    if (value.AsString() == nullptr) return Refuse("a text");
    text = *value.AsString();
  }
  void Take(const Value& value, bool& truth) {
    if (value.AsBool() == nullptr) return Refuse("true or false");
    truth = *value.AsBool();
  }
  template <std::integral T>
  void Take(const Value& value, T& count) {
    const auto* const text = value.AsNumber();
    const auto number = text == nullptr ? std::nullopt : ParseNumber<T>(text->text);
    if (!number || std::cmp_less(*number, 0)) return Refuse("a number from 0 on");
    count = *number;
  }
  void Take(const Value& value, Duration& duration) {
    const auto parsed = value.AsString() == nullptr ? Fail(ErrorCode::kInvalidArgument, "")
                                                    : ParseDuration(*value.AsString());
    if (!parsed) return Refuse("a duration");
    duration = *parsed;
  }
  void Take(const Value& value, Instant& at) {
    Duration ago{0};
    Take(value, ago);
    at = at_.TimeOf(ago);
  }
  void Take(const Value& value, WallTime& at) {
    const auto parsed = value.AsString() == nullptr ? Fail(ErrorCode::kInvalidArgument, "")
                                                    : ParseWallTime(*value.AsString());
    if (!parsed) return Refuse("a time");
    at = *parsed;
  }
  void Take(const Value& value, NodeConditionType& type) {
    TakeNamed(value, type, kAllNodeConditions, "a condition of a node");
  }
  void Take(const Value& value, Resource& resource) {
    TakeNamed(value, resource, kAllResources, "a resource");
  }
  void Take(const Value& value, std::vector<std::pair<Signal, std::int32_t>>& shares) {
    if (value.AsMap() == nullptr) return Refuse("a map");
    for (const auto& [name, left] : *value.AsMap()) {
      const auto signal = SignalNamed(name);
      std::int32_t share = 0;
      Take(left, share);
      if (!signal || !IsPressure(*signal) || share > kWholeTime) {
        return Refuse("a map from pressure signals to shares of time");
      }
      shares.emplace_back(*signal, share);
    }
  }
  template <typename T>
  void Take(const Value& value, std::optional<T>& member) {
    Take(value, member.emplace());
  }
  template <typename T>
  void Take(const Value& value, std::vector<T>& members) {
    if (value.AsList() == nullptr) return Refuse("a list");
    for (const Value& each : *value.AsList()) {
      Take(each, members.emplace_back());
    }
  }
  template <typename T>
  void Take(const Value& value, T& object) {
    Reader reader(value, at_);
    Fields(reader, object);
    if (reader.fault_ && !fault_) fault_ = fmt::format("{}: {}", key_, *reader.fault_);
  }
  template <typename T>
  void TakeNamed(const Value& value, T& named, const auto& all, std::string_view what) {
    const auto found = std::ranges::find_if(all, [&](T each) {
      return value.AsString() != nullptr && NameOf(each) == *value.AsString();
    });
    if (found == std::ranges::end(all)) return Refuse(what);
    named = *found;
  }

  const Value& value_;
  ReadAt at_;
  std::string_view key_;
  std::optional<std::string> fault_;
};

class Writer {
 public:
  Writer(JsonWriter& json, Instant now) : json_(json), now_(now) {}

  void Member(std::string_view key, const auto& member) {
    json_.Key(key);
    Put(member);
  }
  template <typename T>
  void Member(std::string_view key, const std::optional<T>& member) {
    if (member) Member(key, *member);
  }
  template <typename T>
  void Member(std::string_view key, const std::vector<T>& members) {
    json_.ArrayUnlessEmpty(key, [&] {
      for (const T& member : members) Put(member);
    });
  }
  void Member(std::string_view key, const std::vector<std::pair<Signal, std::int32_t>>& shares) {
    json_.Object(key, [&] {
      for (const auto& [signal, left] : shares) json_.Field(NameOf(signal), left);
    });
  }
  void MemberOrEver(std::string_view key, Instant at) {
    if (at != kEver) Member(key, at);
  }

 private:
  void Put(const std::string& text) { json_.String(text); }
  void Put(bool truth) { json_.Bool(truth); }
  void Put(const std::integral auto& count) { json_.Number(count); }
  void Put(Duration duration) { json_.String(FormatDuration(duration)); }
  void Put(Instant at) { Put(Elapsed(at, now_)); }
  void Put(WallTime at) { json_.String(FormatWallTime(at)); }
  void Put(NodeConditionType type) { json_.String(NameOf(type)); }
  void Put(Resource resource) { json_.String(NameOf(resource)); }
  void Put(const auto& object) {
    json_.Object([&] { Fields(*this, object); });
  }

  JsonWriter& json_;
  Instant now_;
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
  for (SavedPod& pod : state.pods) pod.next_delay = std::max(pod.next_delay, Duration(0));
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
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("version", kVersion);
    Writer writer(json, clock.Now());
    writer.Member("written", clock.Mark());
    Fields(writer, state);
  });
  return text + "\n";
}

Result<AgentState> ParseState(std::string_view text, const Clock& clock) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  const Value* version = document->Find("version");
  if (version == nullptr || version->AsNumber() == nullptr ||
      version->AsNumber()->text != fmt::to_string(kVersion)) {
    return Fail(ErrorCode::kInvalidArgument, "it is of a version that is not known");
  }
  TimeMark then;
  Reader head(*document, {});
  head.Member("written", then);
  if (head.fault()) return Fail(ErrorCode::kInvalidArgument, *head.fault());
  const TimeMark mark = clock.Mark();
  const ReadAt at{.now = clock.Now(), .since = ElapsedBetween(then, mark)};
  AgentState state;
  Reader reader(*document, at);
  Fields(reader, state);
  if (reader.fault()) return Fail(ErrorCode::kInvalidArgument, *reader.fault());
  if (at.since > kRestart) state.node.thresholds.clear();
  Settle(state, at.now);
  if (then.boot_id.empty() || then.boot_id != mark.boot_id) KeepOverBoot(state);
  return state;
}

}  // namespace jettison
