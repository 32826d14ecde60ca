#include "sources/kubernetes/node/node_pressure.h"

#include <algorithm>
#include <utility>

#include "core/units/duration.h"

namespace jettison::kube {
namespace {

NodeCondition ConditionOf(const PressureWords& words, bool holds) {
  return {.type = std::string(words.type),
          .holds = holds,
          .reason = std::string(holds ? words.reason : words.none_reason),
          .message = std::string(holds ? words.message : words.none_message)};
}

TaintWish WishFor(NodeConditionType condition, bool present) {
  const auto words = WordsOf(condition);
  return {.key = std::string(words ? words->taint : ""), .present = present};
}

bool IsTainted(const ApiNode& node, NodeConditionType condition) {
  const TaintWish wish = WishFor(condition, true);
  return std::ranges::any_of(node.taints, [&](const Taint& taint) {
    return taint.key == wish.key && taint.effect == wish.effect;
  });
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
  const auto at = [&](Instant when) { next = Earliest({next, when}); };
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

PressureTaints::PressureTaints(std::string node, Instant now)
    : name_(std::move(node)), leftovers_from_(now + kLeftoversStay) {}

void PressureTaints::Set(NodeConditionType condition, bool holds) {
  if (!WordsOf(condition)) return;
  Of(condition).is_told = true;
  Of(condition).holds = holds;
}

void PressureTaints::Urge(NodeConditionType condition, Instant now) {
  if (WordsOf(condition)) Of(condition).urged_until = now + kUrgeHolds;
}

// The answer to a call that is under way contains the node, too.
void PressureTaints::Seen(const ApiNode& node) {
  if (is_awaited_) return;
  if (node_) {
    const auto order = CompareVersions(node.head.resource_version, node_->head.resource_version);
    if (!order || *order <= 0) return;
  }
  Note(node);
}

void PressureTaints::Note(const ApiNode& node) {
  node_ = node;
  was_read_ = true;
  for (const NodeConditionType condition : kToldConditions) {
    Of(condition).is_in_place = IsTainted(node, condition);
    Of(condition).may_be_there = Of(condition).is_in_place;
  }
}

void PressureTaints::ForgetOldUrges(Instant now) {
  for (Wish& wish : wishes_) {
    if (wish.urged_until && *wish.urged_until <= now) wish.urged_until.reset();
  }
}

std::optional<Instant> PressureTaints::DueFor(const Wish& wish) const {
  if (IsWanted(wish)) {
    if (!wish.is_in_place) return not_before_;
    return wish.holds ? std::nullopt : wish.urged_until;
  }
  if (!wish.may_be_there) return std::nullopt;
  return retired_ || wish.is_told ? not_before_ : std::max(not_before_, leftovers_from_);
}

std::optional<Instant> PressureTaints::due() const {
  if (is_awaited_) return std::nullopt;
  std::optional<Instant> next;
  if (!was_read_ && !retired_) next = std::max(not_before_, read_not_before_);
  for (const NodeConditionType condition : kToldConditions) {
    next = Earliest({next, DueFor(Of(condition))});
  }
  return next;
}

// Missing taints are added before leftover ones are removed.
std::optional<ApiCall> PressureTaints::TakeCall(Instant now) {
  ForgetOldUrges(now);
  const auto at = due();
  if (!at || *at > now) return std::nullopt;
  is_awaited_ = true;
  purpose_ = CallPurpose::kTaintNode;
  for (const bool present : {true, false}) {
    for (const NodeConditionType condition : kToldConditions) {
      Wish& wish = Of(condition);
      const auto wish_at = DueFor(wish);
      if (!node_ || present != IsWanted(wish) || !wish_at || *wish_at > now) continue;
      auto call = ChangeTaint(*node_, WishFor(condition, present));
      if (!call) continue;
      wish.may_be_there = true;
      return call;
    }
  }
  purpose_ = CallPurpose::kReadNode;
  return GetNode(name_);
}

void PressureTaints::Take(const Result<ApiReply>& reply, Instant now) {
  if (!is_awaited_) return;
  is_awaited_ = false;
  const bool has_read = purpose_ == CallPurpose::kReadNode;
  if (has_read) read_not_before_ = now + kReadEvery;
  Outcome outcome = OutcomeOf(reply);
  if (outcome.ok()) {
    const auto node = ReadApiNode(reply->body);
    if (node) Note(*node);
    if (!node) outcome = {.result = CallResult::kRefused, .why = node.error().message};
  }
  if (outcome.result == CallResult::kGone) was_read_ = false;
  if (!outcome.ok()) {
    node_.reset();
    // Another client has changed the node, or another machine has its name: it is read at once.
    const bool has_changed =
        outcome.result == CallResult::kConflict || outcome.result == CallResult::kAnother;
    if (has_changed && ++conflicts_ <= kMostConflicts) return;
    failed_ = true;
    conflicts_ = 0;
    not_before_ = retry_.After(outcome, now);
    return;
  }
  // A read that is followed by a change does not show that the change will be taken.
  const auto next = due();
  if (has_read && next && *next <= now) return;
  failed_ = false;
  conflicts_ = 0;
  retry_.Reset();
  not_before_ = Instant::min();
}

bool PressureTaints::IsSettled(NodeConditionType condition) const {
  return !WordsOf(condition) || failed_ || Of(condition).is_in_place;
}

bool PressureTaints::IsClean() const {
  return !is_awaited_ && std::ranges::none_of(wishes_, &Wish::may_be_there);
}

}  // namespace jettison::kube
