#include "agent/kept/kept_state_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "agent/kept/kept_state_fields.h"
#include "agent/kept/unseen_time.h"
#include "agent/loop/time_mark.h"
#include "codec/documents/json.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

constexpr int kVersion = 1;

std::optional<std::int64_t> IntegerOf(const Value* value) {
  if (value == nullptr || value->AsNumber() == nullptr) return std::nullopt;
  const std::string& text = value->AsNumber()->text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The members of a list; empty if there is no such list.
const Value::List& ListIn(const Value* value, std::string_view key) {
  static const Value::List kNone;
  const Value* member = value == nullptr ? nullptr : value->Find(key);
  return member == nullptr || member->AsList() == nullptr ? kNone : *member->AsList();
}

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

// Takes the members of an object one by one; the first fault is the fault of the whole.
class Reader {
 public:
  Reader(const Value& value, ReadAt at) : value_(value), at_(at) {}

  template <typename T>
  [[nodiscard]] static Result<T> Take(const Value& value, ReadAt at) {
    T taken;
    Reader reader(value, at);
    Fields(reader, taken);
    if (reader.fault_) return Fail(*reader.fault_);
    return taken;
  }

  void Text(std::string_view key, std::string& text) {
    if (const auto* found = Wanted(key).AsString()) {
      text = *found;
    } else {
      Refuse(key, "a text");
    }
  }
  void Truth(std::string_view key, bool& truth) {
    if (const bool* found = Wanted(key).AsBool()) {
      truth = *found;
    } else {
      Refuse(key, "true or false");
    }
  }
  void Count(std::string_view key, int& count) {
    const auto number = IntegerOf(value_.Find(key));
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) {
      return Refuse(key, "a number");
    }
    count = static_cast<int>(*number);
  }
  void Delay(std::string_view key, Duration& delay) {
    delay = std::max(DurationOf(key, Wanted(key)), Duration(0));
  }
  void Time(std::string_view key, Instant& at) { at = at_.TimeOf(DurationOf(key, Wanted(key))); }
  void Past(std::string_view key, Instant& at) {
    Time(key, at);
    at = std::min(at, at_.now);
  }
  void Truth(std::string_view key, std::optional<bool>& truth) {
    if (value_.Find(key) != nullptr) Truth(key, truth.emplace());
  }
  void Time(std::string_view key, std::optional<Instant>& at) {
    if (value_.Find(key) != nullptr) Time(key, at.emplace());
  }
  void Past(std::string_view key, std::optional<Instant>& at) {
    if (value_.Find(key) != nullptr) Past(key, at.emplace());
  }

  template <typename T>
  void Name(std::string_view key, T& named, const auto& all, std::string_view what) {
    named = Named<T>(key, Wanted(key), all, what);
  }
  template <typename T>
  void Names(std::string_view key, std::vector<T>& named, const auto& all, std::string_view what) {
    for (const Value& each : ListIn(&value_, key)) named.push_back(Named<T>(key, each, all, what));
  }
  void Texts(std::string_view key, std::vector<std::string>& texts) {
    for (const Value& each : ListIn(&value_, key)) {
      if (each.AsString() == nullptr) return Refuse(key, "a list of texts");
      texts.push_back(*each.AsString());
    }
  }
  void Shares(std::string_view key, std::vector<std::pair<Signal, std::int32_t>>& shares) {
    if (Wanted(key).AsMap() == nullptr) return Refuse(key, "a map");
    for (const auto& [name, left] : *Wanted(key).AsMap()) {
      const auto signal = SignalNamed(name);
      const auto number = IntegerOf(&left);
      if (!signal || !IsPressure(*signal)) return Refuse(name, "a pressure signal");
      if (!number || *number < 0 || *number > kWholeTime) return Refuse(name, "a share of time");
      shares.emplace_back(*signal, static_cast<std::int32_t>(*number));
    }
  }
  template <typename T>
  void Object(std::string_view key, std::optional<T>& object) {
    if (const Value* member = value_.Find(key)) object = TakeOr<T>(*member);
  }
  template <typename T>
  void Objects(std::string_view key, std::vector<T>& objects) {
    for (const Value& each : ListIn(&value_, key)) objects.push_back(TakeOr<T>(each));
  }

 private:
  // The member, or one that is nothing.
  [[nodiscard]] const Value& Wanted(std::string_view key) const {
    static const Value kNothing;
    const Value* member = value_.Find(key);
    return member == nullptr ? kNothing : *member;
  }
  void Refuse(std::string_view key, std::string_view what) {
    if (fault_) return;
    fault_ = Error{ErrorCode::kInvalidArgument, fmt::format("`{}` is not {}", key, what)};
  }
  [[nodiscard]] Duration DurationOf(std::string_view key, const Value& value) {
    const auto* text = value.AsString();
    const auto duration =
        text == nullptr ? Fail(ErrorCode::kInvalidArgument, "") : ParseDuration(*text);
    if (!duration) Refuse(key, "a duration");
    return duration.value_or(Duration(0));
  }
  template <typename T>
  [[nodiscard]] T Named(std::string_view key, const Value& value, const auto& all,
                        std::string_view what) {
    const auto found = std::ranges::find_if(all, [&](T each) {
      return value.AsString() != nullptr && NameOf(each) == *value.AsString();
    });
    if (found != std::ranges::end(all)) return *found;
    Refuse(key, what);
    return {};
  }
  template <typename T>
  [[nodiscard]] T TakeOr(const Value& value) {
    auto taken = Take<T>(value, at_);
    if (!taken && !fault_) fault_ = taken.error();
    return std::move(taken).value_or(T{});
  }

  const Value& value_;
  ReadAt at_;
  std::optional<Error> fault_;
};

class Writer {
 public:
  Writer(JsonWriter& json, Instant now) : json_(json), now_(now) {}

  void Write(const auto& value) {
    json_.Object([&] { Fields(*this, value); });
  }
  void Write(const std::string& text) { json_.String(text); }
  void Write(Instant at) { json_.String(Ago(at)); }

  void Text(std::string_view key, const std::string& text) { json_.Field(key, text); }
  void Truth(std::string_view key, bool truth) { json_.Field(key, truth); }
  void Count(std::string_view key, int count) { json_.Field(key, count); }
  void Delay(std::string_view key, Duration delay) { json_.Field(key, FormatDuration(delay)); }
  void Time(std::string_view key, Instant at) { json_.Field(key, Ago(at)); }
  void Past(std::string_view key, Instant at) { Time(key, at); }
  void Truth(std::string_view key, std::optional<bool> truth) {
    if (truth) Truth(key, *truth);
  }
  void Time(std::string_view key, std::optional<Instant> at) {
    if (at) Time(key, *at);
  }
  void Past(std::string_view key, std::optional<Instant> at) { Time(key, at); }

  void Name(std::string_view key, auto named, const auto& /*all*/, std::string_view /*what*/) {
    json_.Field(key, NameOf(named));
  }
  void Names(std::string_view key, const auto& named, const auto& /*all*/,
             std::string_view /*what*/) {
    json_.Array(key, [&] {
      for (const auto each : named) json_.String(NameOf(each));
    });
  }
  void Texts(std::string_view key, const std::vector<std::string>& texts) { Objects(key, texts); }
  void Shares(std::string_view key, const std::vector<std::pair<Signal, std::int32_t>>& shares) {
    json_.Object(key, [&] {
      for (const auto& [signal, left] : shares) json_.Field(NameOf(signal), left);
    });
  }
  template <typename T>
  void Object(std::string_view key, const std::optional<T>& object) {
    if (!object) return;
    json_.Key(key);
    Write(*object);
  }
  void Objects(std::string_view key, const auto& objects) {
    json_.ArrayUnlessEmpty(key, [&] {
      for (const auto& each : objects) Write(each);
    });
  }

 private:
  [[nodiscard]] std::string Ago(Instant at) const { return FormatDuration(Elapsed(at, now_)); }

  JsonWriter& json_;
  Instant now_;
};

// Takes what can be taken, and notes the faults of the rest.
template <typename T>
void TakeAll(const Value::List& list, std::string_view what, ReadAt at, std::vector<T>& into,
             std::vector<std::string>& faults) {
  for (const Value& value : list) {
    auto taken = Reader::Take<T>(value, at);
    if (taken) {
      into.push_back(*std::move(taken));
    } else {
      faults.push_back(taken.error().In(what).message);
    }
  }
}

template <typename T>
void TakeOne(const Value* object, std::string_view key, ReadAt at, std::optional<T>& into,
             std::vector<std::string>& faults) {
  const Value* value = object == nullptr ? nullptr : object->Find(key);
  if (value == nullptr) return;
  std::vector<T> taken;
  TakeAll({*value}, key, at, taken, faults);
  if (!taken.empty()) into = std::move(taken.front());
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

KeptStateText FormatKeptState(const KeptState& state, const Clock& clock, std::size_t max_bytes) {
  const Instant now = clock.Now();
  // The pods are joined without a JsonWriter, because those that do not fit are left out.
  std::string text = fmt::format(R"({{"version":{},"written":)", kVersion);
  JsonWriter head(text);
  WriteTimeMark(clock.Mark(), head);
  text += R"(,"node":)";
  JsonWriter json(text);
  Writer writer(json, now);
  json.Object([&] {
    writer.Objects("conditions", state.node.conditions);
    writer.Objects("thresholds", state.node.thresholds);
    writer.Object("lastEviction", state.node.last_eviction);
    writer.Object("wait", state.node.wait);
  });
  if (state.soft != SoftEvictionsSoFar{}) {
    text += R"(,"softEvictions":)";
    JsonWriter soft(text);
    soft.Object([&] {
      Writer(soft, now).Objects("granted", state.soft.granted);
      Writer(soft, now).Objects("spared", state.soft.spared);
    });
  }
  text += R"(,"pods":[)";
  constexpr std::string_view kEnd = "]}\n";
  std::vector<const KeptPod*> pods;
  for (const KeptPod& pod : state.pods) pods.push_back(&pod);
  std::ranges::stable_partition(
      pods, [](const KeptPod* pod) { return pod->ending || pod->absence || pod->ended_well; });
  std::size_t written = 0;
  for (const KeptPod* pod : pods) {
    std::string next = written > 0 ? ",\n" : "\n";
    JsonWriter one(next);
    Writer(one, now).Write(*pod);
    if (text.size() + next.size() + kEnd.size() > max_bytes) continue;
    text += next;
    ++written;
  }
  text += kEnd;
  return {.text = std::move(text), .left_out = state.pods.size() - written};
}

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
  const ReadAt at{.now = clock.Now(), .since = ElapsedBetween(*then, mark)};
  KeptStateReading reading;
  auto& [state, faults] = reading;
  const Value* node = document->Find("node");
  TakeAll(ListIn(node, "conditions"), "condition", at, state.node.conditions, faults);
  TakeAll(ListIn(node, "thresholds"), "threshold", at, state.node.thresholds, faults);
  PassUnseen(state.node.thresholds, at.since, kRestart, at.now);
  TakeOne(node, "lastEviction", at, state.node.last_eviction, faults);
  TakeOne(node, "wait", at, state.node.wait, faults);
  const Value* soft = document->Find("softEvictions");
  for (const Value& granted : ListIn(soft, "granted")) {
    const auto* ago = granted.AsString();
    const auto duration = ago == nullptr ? Fail(ErrorCode::kInvalidArgument, "it is no duration")
                                         : ParseDuration(*ago);
    if (duration) {
      state.soft.granted.push_back(std::min(at.TimeOf(*duration), at.now));
    } else {
      faults.push_back(duration.error().In("granted").message);
    }
  }
  std::ranges::sort(state.soft.granted);
  TakeAll(ListIn(soft, "spared"), "softEvictions", at, state.soft.spared, faults);
  TakeAll(ListIn(&*document, "pods"), "pod", at, state.pods, faults);
  if (then->boot_id.empty() || then->boot_id != mark.boot_id) KeepOverBoot(state);
  return reading;
}

}  // namespace jettison
