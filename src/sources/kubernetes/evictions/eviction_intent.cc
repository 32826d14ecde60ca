#include "sources/kubernetes/evictions/eviction_intent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "codec/documents/json.h"
#include "core/json/json_writer.h"
#include "core/model/value.h"

namespace jettison::kube {
namespace {

constexpr std::int64_t kVersion = 1;
// The end of the text after the intents: "]}\n".
constexpr std::size_t kTailBytes = 3;

constexpr std::array<std::string_view, 10> kMembers = {
    "namespace",    "name",      "uid",    "message",   "disruptionTarget",
    "graceSeconds", "evictedAt", "bootID", "heldGroup", "pidsLimit"};

std::string TextOf(const EvictionIntent& intent) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("namespace", intent.namespace_);
    json.Field("name", intent.name);
    json.Field("uid", intent.uid);
    json.Field("message", intent.message);
    if (!intent.disruption_target) json.Field("disruptionTarget", false);
    json.Field("graceSeconds", intent.grace_seconds);
    json.Field("evictedAt", FormatWallTime(intent.evicted_at));
    if (!intent.boot_id.empty()) json.Field("bootID", intent.boot_id);
    if (!intent.held_group.empty()) json.Field("heldGroup", intent.held_group);
    json.Field("pidsLimit", intent.pids_limit);
  });
  return text;
}

tl::unexpected<Error> Fault(std::string_view key, std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("`{}` is not {}", key, what));
}

Result<std::int64_t> NumberIn(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsNumber() == nullptr) return Fault(key, "a number");
  const std::string& text = member->AsNumber()->text;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    return Fault(key, "a whole number from 0 on");
  }
  return number;
}

Result<std::string> TextIn(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsString() == nullptr) return Fault(key, "a text");
  return *member->AsString();
}

Result<std::string> NameIn(const Value& value, std::string_view key) {
  auto name = TextIn(value, key);
  if (name && name->empty()) return Fault(key, "a name");
  return name;
}

// The group of a pod is written to, so it must be one below the node's.
bool IsBelow(std::string_view group) {
  while (!group.empty()) {
    const std::string_view part = group.substr(0, group.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == group.size()) return true;
    group.remove_prefix(part.size() + 1);
  }
  return false;
}

// Earlier agents wrote neither.
Result<void> TakeLater(const Value& value, EvictionIntent& intent) {
  if (const Value* target = value.Find("disruptionTarget"); target != nullptr) {
    if (target->AsBool() == nullptr) return Fault("disruptionTarget", "true or false");
    intent.disruption_target = *target->AsBool();
  }
  if (value.Find("bootID") == nullptr) return {};
  auto boot_id = NameIn(value, "bootID");
  if (!boot_id) return Fail(boot_id.error());
  intent.boot_id = *std::move(boot_id);
  return {};
}

Result<void> TakeHeld(const Value& value, EvictionIntent& intent) {
  if (value.Find("heldGroup") != nullptr) {
    auto group = TextIn(value, "heldGroup");
    if (!group) return Fail(group.error());
    if (!IsBelow(*group)) return Fault("heldGroup", "a group below the node's");
    intent.held_group = *std::move(group);
  }
  if (value.Find("pidsLimit") != nullptr) {
    const auto limit = NumberIn(value, "pidsLimit");
    if (!limit) return Fail(limit.error());
    intent.pids_limit = *limit;
  }
  return {};
}

Result<EvictionIntent> IntentIn(const Value& value) {
  if (value.AsMap() == nullptr) return Fault("intents", "a list of objects");
  for (const auto& [key, member] : *value.AsMap()) {
    if (std::ranges::find(kMembers, key) == kMembers.end()) return Fault(key, "known");
  }
  auto pod_namespace = NameIn(value, "namespace");
  auto name = NameIn(value, "name");
  auto uid = NameIn(value, "uid");
  auto message = TextIn(value, "message");
  const auto grace = NumberIn(value, "graceSeconds");
  const auto at = TextIn(value, "evictedAt").and_then(&ParseWallTime);
  if (!pod_namespace) return Fail(pod_namespace.error());
  if (!name) return Fail(name.error());
  if (!uid) return Fail(uid.error());
  if (!message) return Fail(message.error());
  if (!grace) return Fail(grace.error());
  if (!at) return Fail(at.error().In("evictedAt"));
  EvictionIntent intent{.namespace_ = *std::move(pod_namespace),
                        .name = *std::move(name),
                        .uid = *std::move(uid),
                        .message = *std::move(message),
                        .grace_seconds = *grace,
                        .evicted_at = *at,
                        .boot_id = {},
                        .held_group = {},
                        .pids_limit = {}};
  if (auto later = TakeLater(value, intent); !later) return Fail(later.error());
  if (auto held = TakeHeld(value, intent); !held) return Fail(held.error());
  return intent;
}

}  // namespace

EvictionIntentsText FormatEvictionIntents(std::span<const EvictionIntent> intents,
                                          std::size_t max_bytes) {
  EvictionIntentsText written{.text = fmt::format(R"({{"version":{},"intents":[)", kVersion)};
  std::size_t count = 0;
  for (const EvictionIntent& intent : intents.first(std::min(intents.size(), kMostKeptIntents))) {
    const std::string text = fmt::format("{}\n{}", count == 0 ? "" : ",", TextOf(intent));
    if (written.text.size() + text.size() + kTailBytes > max_bytes) break;
    written.text += text;
    ++count;
  }
  written.text += "]}\n";
  written.left_out = intents.size() - count;
  return written;
}

Result<std::vector<EvictionIntent>> ParseEvictionIntents(std::string_view text) {
  const auto document = ParseJson(text);
  if (!document) return Fail(document.error());
  const auto version = NumberIn(*document, "version");
  if (!version) return Fail(version.error());
  if (*version != kVersion) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("it is of version {}, which another version of the agent has written; "
                            "this one reads version {}",
                            *version, kVersion));
  }
  const Value* list = document->Find("intents");
  if (list == nullptr || list->AsList() == nullptr) return Fault("intents", "a list");
  if (list->AsList()->size() > kMostKeptIntents) {
    return Fault("intents", fmt::format("a list of at most {}", kMostKeptIntents));
  }
  std::vector<EvictionIntent> intents;
  std::set<std::string, std::less<>> uids;
  for (const Value& value : *list->AsList()) {
    auto intent = IntentIn(value);
    if (!intent) return Fail(intent.error());
    if (!uids.insert(intent->uid).second) return Fault("uid", "that of one intent only");
    intents.push_back(*std::move(intent));
  }
  return intents;
}

}  // namespace jettison::kube
