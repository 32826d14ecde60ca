#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
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

void Fields(auto& io, FormOf<TimeMark> auto& mark) {
  io.Member("at", mark.wall);
  io.Member("bootID", mark.boot_id);
  io.Member("sinceBoot", mark.since_boot);
}

void Fields(auto& io, FormOf<SavedCondition> auto& condition) {
  io.Member("type", condition.type);
  io.Member("status", condition.status);
  io.Member("changed", condition.changed);
  io.Member("lastObserved", condition.last_observed);
}

void Fields(auto& io, FormOf<SavedThreshold> auto& threshold) {
  io.Member("threshold", threshold.text);
  io.Member("firstObserved", threshold.first_observed);
  io.Member("overdue", threshold.overdue);
}

void Fields(auto& io, FormOf<SavedMark> auto& mark) {
  io.Member("at", mark.at);
  io.Member("available", mark.available);
}

void Fields(auto& io, FormOf<SavedWait> auto& wait) {
  io.Member("pods", wait.pods);
  io.Member("deadline", wait.deadline);
}

void Fields(auto& io, FormOf<SavedNode> auto& node) {
  io.Member("conditions", node.conditions);
  io.Member("thresholds", node.thresholds);
  io.Member("lastEviction", node.last_eviction);
  io.Member("wait", node.wait);
}

void Fields(auto& io, FormOf<SavedEnding> auto& ending) {
  io.Member("reason", ending.reason);
  io.Member("message", ending.message);
  io.Member("disruptionTarget", ending.disruption_target);
  io.Member("kill", ending.kill_at);
}

void Fields(auto& io, FormOf<SavedAbsence> auto& absence) {
  io.Member("reason", absence.reason);
  io.Member("message", absence.message);
  io.Member("comesBack", absence.comes_back_at);
}

void Fields(auto& io, FormOf<SavedPod> auto& pod) {
  io.Member("name", pod.name);
  io.Member("uid", pod.uid);
  io.Member("evictions", pod.evictions);
  io.Member("nextDelay", pod.next_delay);
  io.Member("started", pod.started);
  io.Member("ending", pod.ending);
  io.Member("absence", pod.absence);
  io.Member("endedWell", pod.ended_well);
}

void Fields(auto& io, FormOf<SparedPod> auto& pod) {
  io.Member("uid", pod.uid);
  io.Member("why", pod.why);
  io.Member("until", pod.until);
}

void Fields(auto& io, FormOf<SoftEvictionsSoFar> auto& soft) {
  io.Member("granted", soft.granted);
  io.Member("spared", soft.spared);
}

void Fields(auto& io, FormOf<kube::EvictionIntent> auto& intent) {
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
void Fields(auto& io, FormOf<ImageRecord> auto& image) {
  io.Member("id", image.id);
  io.MemberOrEver("firstDetected", image.first_detected);
  io.Member("lastUsed", image.last_used);
  io.Member("inUse", image.in_use);
}

void Fields(auto& io, FormOf<AgentState> auto& state) {
  io.Member("node", state.node);
  io.Member("softEvictions", state.soft);
  io.Member("pods", state.pods);
  io.Member("clusterEvictions", state.cluster_evictions);
  io.Member("images", state.images);
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
  // `parse` returns what the text stands for, if it stands for anything.
  template <typename T>
  void TakeText(const Value& value, T& into, std::string_view what, auto parse) {
    if (value.AsString() == nullptr) return Refuse(what);
    const auto parsed = parse(*value.AsString());
    if (!parsed) return Refuse(what);
    into = *parsed;
  }
  void Take(const Value& value, std::string& text) {
    TakeText(value, text, "a text", [](const std::string& as_it_is) { return &as_it_is; });
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
    TakeText(value, duration, "a duration", ParseDuration);
  }
  void Take(const Value& value, Instant& at) {
    Duration ago{0};
    Take(value, ago);
    at = at_.TimeOf(ago);
  }
  void Take(const Value& value, WallTime& at) { TakeText(value, at, "a time", ParseWallTime); }
  void Take(const Value& value, NodeConditionType& type) {
    TakeText(value, type, "a condition of a node", [](std::string_view name) {
      const auto* const found =
          std::ranges::find(kAllNodeConditions, name, [](auto each) { return NameOf(each); });
      return found == kAllNodeConditions.end() ? nullptr : found;
    });
  }
  void Take(const Value& value, Resource& resource) {
    TakeText(value, resource, "a resource",
             [](std::string_view name) { return EnumeratorNamed<Resource>(name); });
  }
  void Take(const Value& value, std::vector<std::pair<Signal, std::int32_t>>& shares) {
    if (value.AsMap() == nullptr) return Refuse("a map");
    for (const auto& [name, left] : *value.AsMap()) {
      const auto signal = EnumeratorNamed<Signal>(name);
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
  int version = 0;
  TimeMark then;
  Reader head(*document, {});
  head.Member("version", version);
  if (version != kVersion) {
    return Fail(ErrorCode::kInvalidArgument, "it is of a version that is not known");
  }
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
