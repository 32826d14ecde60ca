#include "codec/recordings/checked_members.h"

#include <limits>
#include <utility>

namespace jettison {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

void CheckedMembers::operator()(std::string_view key, bool& into) {
  into = map_.Flag(key).value_or(into);
}

void CheckedMembers::operator()(std::string_view key, std::int64_t& into) {
  into = map_.Integer(key, -kMost, kMost).value_or(into);
}

void CheckedMembers::operator()(std::string_view key, std::string& into) {
  into = map_.Text(key).value_or(std::move(into));
}

void CheckedMembers::operator()(std::string_view key, std::optional<std::int64_t>& into) {
  Within(key, into, -kMost, kMost);
}

void CheckedMembers::operator()(std::string_view key, Instant& into) {
  std::optional<Instant> at;
  (*this)(key, at);
  if (!at) map_.Refuse(key, "", "is missing; write an RFC 3339 time");
  into = at.value_or(into);
}

void CheckedMembers::operator()(std::string_view key, std::optional<Instant>& into) {
  const auto text = map_.Text(key);
  if (!text) return;
  const auto at = ParseInstant(*text);
  if (!at) return map_.Refuse(key, *text, at.error().message);
  into = *at;
}

void CheckedMembers::operator()(std::string_view key, Signal& into) {
  const auto name = map_.Text(key).value_or("");
  const auto signal = SignalNamed(name);
  if (!signal) return map_.Refuse(key, name, "no signal has this name");
  into = *signal;
}

void CheckedMembers::operator()(std::string_view key, NodeConditionType& into) {
  const auto name = map_.Text(key).value_or("");
  for (const NodeConditionType type : kAllNodeConditions) {
    if (NameOf(type) != name) continue;
    into = type;
    return;
  }
  map_.Refuse(key, name, "no condition has this name");
}

void CheckedMembers::operator()(std::string_view key, PaceReason& into) {
  const auto name = map_.Text(key).value_or("");
  for (std::size_t i = 0; i < kPaceReasonCount; ++i) {
    if (NameOf(static_cast<PaceReason>(i)) != name) continue;
    into = static_cast<PaceReason>(i);
    return;
  }
  map_.Refuse(key, name, "no reason has this name");
}

void CheckedMembers::Within(std::string_view key, std::optional<std::int64_t>& into,
                            std::int64_t least, std::int64_t most) {
  if (const auto number = map_.Integer(key, least, most)) into = number;
}

}  // namespace jettison
