#include "sources/kubernetes/node/pressure_conditions.h"

#include <algorithm>
#include <utility>

namespace jettison::kube {
namespace {

NodeCondition ConditionOf(const PressureWords& words, bool holds) {
  return {.type = std::string(words.type),
          .holds = holds,
          .reason = std::string(holds ? words.reason : words.none_reason),
          .message = std::string(holds ? words.message : words.none_message)};
}

}  // namespace

std::optional<PressureWords> WordsOf(NodeConditionType condition) {
  switch (condition) {
    case NodeConditionType::kMemoryPressure:
      return PressureWords{"JettisonMemoryPressure",        "jettison.io/memory-pressure",
                           "JettisonHasInsufficientMemory", "the node is short of memory",
                           "JettisonHasSufficientMemory",   "the node has sufficient memory"};
    case NodeConditionType::kDiskPressure:
      return PressureWords{"JettisonDiskPressure",      "jettison.io/disk-pressure",
                           "JettisonHasDiskPressure",   "a disk of the node is short of space",
                           "JettisonHasNoDiskPressure", "the disks of the node have space"};
    case NodeConditionType::kPidPressure:
      return PressureWords{"JettisonPIDPressure",        "jettison.io/pid-pressure",
                           "JettisonHasInsufficientPID", "the node is short of process ids",
                           "JettisonHasSufficientPID",   "the node has sufficient process ids"};
    case NodeConditionType::kSystemDiskContentionPressure: return std::nullopt;
  }
  return std::nullopt;
}

PressureConditions::PressureConditions(std::string node, Instant leftovers_from)
    : name_(std::move(node)), leftovers_from_(leftovers_from) {}

void PressureConditions::Set(NodeConditionType condition, bool holds, WallTime now) {
  Line& line = Of(condition);
  if (!WordsOf(condition) || (line.is_told && line.holds == holds)) return;
  line.since = holds && !line.is_told ? line.found_since.value_or(now) : now;
  line.is_told = true;
  line.holds = holds;
}

void PressureConditions::Found(const ApiNode& node) {
  for (const NodeConditionType type : kToldConditions) {
    const auto at = std::ranges::find(node.conditions, WordsOf(type)->type, &Condition::type);
    Line& line = Of(type);
    if (at == node.conditions.end() || line.written != Written::kNothing) continue;
    const bool held = at->status == "True";
    // A condition that held is written again if it still holds, because its heartbeat is from the
    // earlier agent.
    line.written = held ? Written::kUnknown : Written::kNone;
    if (held && at->since) line.found_since = WallTime(at->since->time_since_epoch());
  }
}

// Whether the condition on the node differs from what holds.
bool PressureConditions::IsWrong(const Line& line) {
  if (!line.is_told) return false;
  if (line.holds) return line.written != Written::kPressure;
  return line.written == Written::kPressure || line.written == Written::kUnknown;
}

std::optional<Instant> PressureConditions::due() const {
  if (is_awaited_) return std::nullopt;
  std::optional<Instant> next = retired_ ? std::nullopt : heartbeat_at_;
  const auto at = [&](Instant when) { next = next ? std::min(*next, when) : when; };
  for (const Line& line : lines_) {
    if (retired_) {
      if (line.written != Written::kNothing) at(not_before_);
      continue;
    }
    if (IsWrong(line)) at(not_before_);
    if (line.IsLeftover()) at(leftovers_from_);
  }
  return next ? std::optional(std::max(*next, not_before_)) : std::nullopt;
}

// The conditions to remove: all of them when the agent is told to stop, and those that an earlier
// agent left.
std::vector<std::string> PressureConditions::TakeRemovals(Instant now) {
  std::vector<std::string> types;
  for (const NodeConditionType type : kToldConditions) {
    Line& line = Of(type);
    const bool is_leftover = line.IsLeftover() && now >= leftovers_from_;
    if (!is_leftover && !(retired_ && line.written != Written::kNothing)) continue;
    line.being_written = Written::kNothing;
    line.written = Written::kUnknown;
    types.emplace_back(WordsOf(type)->type);
  }
  return types;
}

std::vector<NodeCondition> PressureConditions::TakeLines(WallTime wall) {
  std::vector<NodeCondition> conditions;
  for (const NodeConditionType type : kToldConditions) {
    Line& line = Of(type);
    if (!line.is_told || (!line.holds && line.written == Written::kNothing)) continue;
    NodeCondition condition = ConditionOf(*WordsOf(type), line.holds);
    condition.heartbeat = wall;
    condition.transition = line.since;
    line.being_written = line.holds ? Written::kPressure : Written::kNone;
    line.written = Written::kUnknown;
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

std::optional<ApiCall> PressureConditions::TakeCall(Instant now, WallTime wall) {
  const auto at = due();
  if (!at || *at > now) return std::nullopt;
  for (Line& line : lines_) line.being_written = line.written;
  if (const auto types = TakeRemovals(now); !types.empty()) {
    is_awaited_ = true;
    return RemoveNodeConditions(name_, types);
  }
  is_awaited_ = true;
  return SetNodeConditions(name_, TakeLines(wall));
}

void PressureConditions::Take(const Outcome& outcome, Instant now) {
  if (!is_awaited_) return;
  is_awaited_ = false;
  if (!outcome.ok()) {
    not_before_ = retry_.After(outcome, now);
    return;
  }
  retry_.Reset();
  not_before_ = Instant::min();
  for (Line& line : lines_) line.written = line.being_written;
  const bool any = std::ranges::any_of(
      lines_, [](const Line& line) { return line.written == Written::kPressure; });
  heartbeat_at_ = any ? std::optional(now + kHeartbeat) : std::nullopt;
}

bool PressureConditions::IsClean() const {
  if (is_awaited_) return false;
  return std::ranges::all_of(lines_,
                             [](const Line& line) { return line.written == Written::kNothing; });
}

}  // namespace jettison::kube
