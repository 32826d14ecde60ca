#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "agent/kept/kept_state_text.h"
#include "agent/kept/unseen_time.h"
#include "agent/loop/time_mark.h"
#include "codec/documents/json.h"

namespace jettison {
namespace {

constexpr int kVersion = 1;

tl::unexpected<Error> Fault(std::string_view key, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("`{}` is not {}", key, what));
}

std::optional<std::int64_t> IntegerOf(const Value* value) {
  if (value == nullptr || value->AsNumber() == nullptr) return std::nullopt;
  const std::string& text = value->AsNumber()->text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<int> SmallNumber(const Value& value, std::string_view key) {
  const auto number = IntegerOf(value.Find(key));
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) {
    return Fault(key, "a number");
  }
  return static_cast<int>(*number);
}

Result<std::string> Text(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsString() == nullptr) return Fault(key, "a text");
  return *member->AsString();
}

Result<bool> Truth(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsBool() == nullptr) return Fault(key, "true or false");
  return *member->AsBool();
}

Result<Duration> Delay(const Value& value, std::string_view key) {
  const auto delay = Text(value, key).and_then(&ParseDuration);
  if (!delay) return Fail(delay.error().In(key));
  return std::max(*delay, Duration(0));
}

// The members of a list; empty if there is no such list.
const Value::List& ListIn(const Value& value, std::string_view key) {
  static const Value::List kNone;
  const Value* member = value.Find(key);
  return member == nullptr || member->AsList() == nullptr ? kNone : *member->AsList();
}

// Takes members one by one; the first fault is the fault of the whole.
class Reader {
 public:
  Reader(Instant now, Duration since) : now_(now), since_(since) {}

  // The instant that was `ago` before the text was written.
  [[nodiscard]] Result<Instant> Time(const Value& value, std::string_view key) const {
    const auto ago = Text(value, key).and_then(&ParseDuration);
    if (!ago) return Fail(ago.error().In(key));
    return TimeOf(*ago);
  }
  // The same for an instant that cannot be in the future.
  [[nodiscard]] Result<Instant> Past(const Value& value, std::string_view key) const {
    return Time(value, key).map([this](Instant at) { return std::min(at, now_); });
  }

  [[nodiscard]] Result<KeptCondition> Condition(const Value& value) const {
    const auto name = Text(value, "type");
    const auto status = Truth(value, "status");
    const auto changed = Past(value, "changed");
    if (!name) return Fail(name.error());
    if (!status) return Fail(status.error());
    if (!changed) return Fail(changed.error());
    const auto type = std::ranges::find(kAllNodeConditions, *name, [](NodeConditionType each) {
      return std::string(NameOf(each));
    });
    if (type == kAllNodeConditions.end()) return Fault("type", "a condition of a node");
    KeptCondition condition{.type = *type, .status = *status, .changed = *changed};
    if (value.Find("lastObserved") != nullptr) {
      const auto last = Past(value, "lastObserved");
      if (!last) return Fail(last.error());
      condition.last_observed = *last;
    }
    return condition;
  }

  [[nodiscard]] Result<KeptThreshold> Threshold(const Value& value) const {
    auto text = Text(value, "threshold");
    const auto first = Past(value, "firstObserved");
    const auto overdue = Truth(value, "overdue");
    if (!text) return Fail(text.error());
    if (!first) return Fail(first.error());
    if (!overdue) return Fail(overdue.error());
    return KeptThreshold{.text = *std::move(text), .first_observed = *first, .overdue = *overdue};
  }

  [[nodiscard]] Result<KeptMark> Mark(const Value& value) const {
    const auto at = Past(value, "at");
    if (!at) return Fail(at.error());
    KeptMark mark{.at = *at, .available = {}};
    const Value* available = value.Find("available");
    if (available == nullptr || available->AsMap() == nullptr) return Fault("available", "a map");
    for (const auto& [name, left] : *available->AsMap()) {
      const auto signal = SignalNamed(name);
      const auto number = IntegerOf(&left);
      if (!signal || !IsPressure(*signal)) return Fault(name, "a pressure signal");
      if (!number || *number < 0 || *number > kWholeTime) return Fault(name, "a share of time");
      mark.available.emplace_back(*signal, static_cast<std::int32_t>(*number));
    }
    return mark;
  }

  [[nodiscard]] Result<KeptWait> Wait(const Value& value) const {
    const auto deadline = Time(value, "deadline");
    if (!deadline) return Fail(deadline.error());
    KeptWait wait{.pods = {}, .hard_for = {}, .deadline = *deadline};
    for (const Value& pod : ListIn(value, "pods")) {
      if (pod.AsString() == nullptr) return Fault("pods", "a list of texts");
      wait.pods.push_back(*pod.AsString());
    }
    for (const Value& name : ListIn(value, "hardFor")) {
      const auto resource = std::ranges::find_if(kAllResources, [&](Resource each) {
        return name.AsString() != nullptr && NameOf(each) == *name.AsString();
      });
      if (resource == kAllResources.end()) return Fault("hardFor", "a list of resources");
      wait.hard_for.push_back(*resource);
    }
    return wait;
  }

  [[nodiscard]] Result<Instant> Granted(const Value& value) const {
    if (value.AsString() == nullptr) return Fault("granted", "a list of texts");
    const auto ago = ParseDuration(*value.AsString());
    if (!ago) return Fail(ago.error().In("granted"));
    return std::min(TimeOf(*ago), now_);
  }

  [[nodiscard]] Result<SparedPod> Spared(const Value& value) const {
    auto uid = Text(value, "uid");
    auto why = Text(value, "why");
    const auto until = Time(value, "until");
    if (!uid) return Fail(uid.error());
    if (!why) return Fail(why.error());
    if (!until) return Fail(until.error());
    return SparedPod{.uid = *std::move(uid), .why = *std::move(why), .until = *until};
  }

  [[nodiscard]] Result<KeptRun> Run(const Value& value) const {
    auto container = Text(value, "container");
    const auto attempt = SmallNumber(value, "attempt");
    const auto next_delay = Delay(value, "nextDelay");
    if (!container) return Fail(container.error());
    if (!attempt) return Fail(attempt.error());
    if (!next_delay) return Fail(next_delay.error());
    KeptRun run{.container = *std::move(container), .attempt = *attempt, .next_delay = *next_delay};
    if (value.Find("restart") != nullptr) {
      const auto restart = Time(value, "restart");
      if (!restart) return Fail(restart.error());
      run.restart_at = *restart;
    }
    return run;
  }

  [[nodiscard]] Result<KeptEnding> Ending(const Value& value) const {
    auto reason = Text(value, "reason");
    auto message = Text(value, "message");
    const auto disruption = Truth(value, "disruptionTarget");
    const auto kill = Time(value, "kill");
    if (!reason) return Fail(reason.error());
    if (!message) return Fail(message.error());
    if (!disruption) return Fail(disruption.error());
    if (!kill) return Fail(kill.error());
    return KeptEnding{.reason = *std::move(reason),
                      .message = *std::move(message),
                      .disruption_target = *disruption,
                      .kill_at = *kill};
  }

  [[nodiscard]] Result<KeptAbsence> Absence(const Value& value) const {
    auto reason = Text(value, "reason");
    auto message = Text(value, "message");
    const auto back = Time(value, "comesBack");
    if (!reason) return Fail(reason.error());
    if (!message) return Fail(message.error());
    if (!back) return Fail(back.error());
    return KeptAbsence{
        .reason = *std::move(reason), .message = *std::move(message), .comes_back_at = *back};
  }

  [[nodiscard]] Result<KeptPod> Pod(const Value& value) const {
    auto name = Text(value, "name");
    auto uid = Text(value, "uid");
    const auto evictions = SmallNumber(value, "evictions");
    const auto next_delay = Delay(value, "nextDelay");
    if (!name) return Fail(name.error());
    if (!uid) return Fail(uid.error());
    if (!evictions) return Fail(evictions.error());
    if (!next_delay) return Fail(next_delay.error());
    KeptPod pod{.name = *std::move(name),
                .uid = *std::move(uid),
                .evictions = *evictions,
                .next_delay = *next_delay};
    if (auto rest = Rest(value, pod); !rest) return Fail(rest.error());
    return pod;
  }

 private:
  [[nodiscard]] Instant TimeOf(Duration ago) const {
    const Duration ago_now = SaturatingDifference(ago, -since_);
    return Instant(SaturatingDifference(now_.time_since_epoch(), ago_now));
  }

  // The members that only some pods have.
  [[nodiscard]] Result<void> Rest(const Value& value, KeptPod& pod) const {
    if (value.Find("started") != nullptr) {
      const auto started = Past(value, "started");
      if (!started) return Fail(started.error());
      pod.started = *started;
    }
    if (const Value* member = value.Find("ending")) {
      auto ending = Ending(*member);
      if (!ending) return Fail(ending.error());
      pod.ending = *std::move(ending);
    }
    if (const Value* member = value.Find("absence")) {
      auto absence = Absence(*member);
      if (!absence) return Fail(absence.error());
      pod.absence = *std::move(absence);
    }
    if (value.Find("endedWell") != nullptr) {
      const auto ended_well = Truth(value, "endedWell");
      if (!ended_well) return Fail(ended_well.error());
      pod.ended_well = *ended_well;
    }
    for (const Value& each : ListIn(value, "runs")) {
      auto run = Run(each);
      if (!run) return Fail(run.error());
      pod.runs.push_back(*std::move(run));
    }
    return {};
  }

  Instant now_;
  Duration since_;
};

template <typename T, typename Take>
void TakeAll(const Value::List& list, std::string_view what, std::vector<T>& into,
             std::vector<std::string>& faults, const Take& take) {
  for (const Value& value : list) {
    auto taken = take(value);
    if (taken) {
      into.push_back(*std::move(taken));
    } else {
      faults.push_back(taken.error().In(what).message);
    }
  }
}

template <typename T, typename Take>
void TakeOne(const Value* value, std::string_view what, std::optional<T>& into,
             std::vector<std::string>& faults, const Take& take) {
  if (value == nullptr) return;
  auto taken = take(*value);
  if (taken) {
    into = *std::move(taken);
  } else {
    faults.push_back(taken.error().In(what).message);
  }
}

// Nothing that ran before a boot still runs after it. What has ended stays ended.
void KeepOverBoot(KeptState& state) {
  state.node = {};
  state.soft.spared.clear();
  for (KeptPod& pod : state.pods) {
    pod.ending.reset();
    pod.started.reset();
    pod.runs.clear();
  }
  std::erase_if(state.pods, [](const KeptPod& pod) { return !pod.absence && !pod.ended_well; });
}

}  // namespace

Result<KeptStateReading> ParseKeptState(std::string_view text, const Clock& clock) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  const auto version = IntegerOf(document->Find("version"));
  if (version != kVersion) {
    return Fail(ErrorCode::kInvalidArgument, "it is of a version that is not known");
  }
  const Value* written = document->Find("written");
  if (written == nullptr) return Fail(ErrorCode::kInvalidArgument, "there is no `written`");
  const auto then = TimeMarkIn(*written);
  if (!then) return Fail(then.error().In("written"));
  const TimeMark mark = clock.Mark();
  const Instant now = clock.Now();
  const Duration gap = ElapsedBetween(*then, mark);
  const Reader reader(now, gap);
  KeptStateReading reading;
  auto& [state, faults] = reading;
  if (const Value* node = document->Find("node")) {
    TakeAll(ListIn(*node, "conditions"), "condition", state.node.conditions, faults,
            [&](const Value& value) { return reader.Condition(value); });
    TakeAll(ListIn(*node, "thresholds"), "threshold", state.node.thresholds, faults,
            [&](const Value& value) { return reader.Threshold(value); });
    PassUnseen(state.node.thresholds, gap, kRestart, now);
    TakeOne(node->Find("lastEviction"), "lastEviction", state.node.last_eviction, faults,
            [&](const Value& value) { return reader.Mark(value); });
    TakeOne(node->Find("wait"), "wait", state.node.wait, faults,
            [&](const Value& value) { return reader.Wait(value); });
  }
  if (const Value* soft = document->Find("softEvictions")) {
    TakeAll(ListIn(*soft, "granted"), "softEvictions", state.soft.granted, faults,
            [&](const Value& value) { return reader.Granted(value); });
    TakeAll(ListIn(*soft, "spared"), "softEvictions", state.soft.spared, faults,
            [&](const Value& value) { return reader.Spared(value); });
    std::ranges::sort(state.soft.granted);
  }
  TakeAll(ListIn(*document, "pods"), "pod", state.pods, faults,
          [&](const Value& value) { return reader.Pod(value); });
  if (then->boot_id.empty() || then->boot_id != mark.boot_id) KeepOverBoot(state);
  return reading;
}

}  // namespace jettison
