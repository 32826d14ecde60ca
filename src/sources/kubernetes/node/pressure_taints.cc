#include "sources/kubernetes/node/pressure_taints.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sources/kubernetes/node/pressure_conditions.h"
#include "sources/kubernetes/objects/api_object.h"

namespace jettison::kube {
namespace {

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

std::optional<Instant> Earlier(std::optional<Instant> a, std::optional<Instant> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

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

void PressureTaints::Seen(const ApiNode& node) {
  // If a change is under way, its answer contains the node.
  if (change_ || is_awaited_) return;
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
  if (!retired_ && wish.IsWanted()) {
    if (!wish.is_in_place) return not_before_;
    return wish.holds ? std::nullopt : wish.urged_until;
  }
  if (!wish.may_be_there) return std::nullopt;
  return retired_ || wish.is_told ? not_before_ : std::max(not_before_, leftovers_from_);
}

std::optional<Instant> PressureTaints::due() const {
  if (is_awaited_) return std::nullopt;
  if (change_) return not_before_;
  std::optional<Instant> next;
  if (!was_read_ && !retired_) next = std::max(not_before_, read_not_before_);
  for (const NodeConditionType condition : kToldConditions) {
    next = Earlier(next, DueFor(Of(condition)));
  }
  return next;
}

// Missing taints are added before leftover ones are removed.
void PressureTaints::Begin(Instant now) {
  for (const bool present : {true, false}) {
    for (const NodeConditionType condition : kToldConditions) {
      Wish& wish = Of(condition);
      if (present != (!retired_ && wish.IsWanted())) continue;
      const auto at = DueFor(wish);
      if (!at || *at > now) continue;
      if (present) wish.may_be_there = true;
      change_.emplace(name_, WishFor(condition, present), node_);
      return;
    }
  }
}

std::optional<ApiCall> PressureTaints::TakeCall(Instant now) {
  ForgetOldUrges(now);
  const auto at = due();
  if (!at || *at > now) return std::nullopt;
  if (!change_) Begin(now);
  if (change_) {
    auto next = change_->Next();
    auto* call = std::get_if<ApiCall>(&next);
    if (call == nullptr) return std::nullopt;
    is_awaited_ = true;
    purpose_ = call->method == "GET" ? CallPurpose::kReadNode : CallPurpose::kTaintNode;
    return std::move(*call);
  }
  is_awaited_ = true;
  purpose_ = CallPurpose::kReadNode;
  return GetNode(name_);
}

void PressureTaints::Take(const Result<ApiReply>& reply, Instant now) {
  if (!is_awaited_) return;
  is_awaited_ = false;
  if (change_) {
    change_->Take(reply);
    const auto next = change_->Next();
    const auto* outcome = std::get_if<Outcome>(&next);
    if (outcome == nullptr) return;
    if (outcome->ok() && change_->node()) Note(*change_->node());
    if (!outcome->ok()) node_.reset();
    const Outcome ended = *outcome;
    change_.reset();
    return End(ended, now);
  }
  read_not_before_ = now + kReadEvery;
  Outcome outcome = OutcomeOf(reply);
  if (outcome.ok()) {
    const auto node = ReadApiNode(reply->body);
    if (node) Note(*node);
    if (!node) outcome = {.result = CallResult::kRefused, .why = node.error().message};
  }
  End(outcome, now);
}

void PressureTaints::End(const Outcome& outcome, Instant now) {
  failed_ = !outcome.ok();
  if (outcome.result == CallResult::kGone) was_read_ = false;
  if (outcome.ok()) {
    retry_.Reset();
    not_before_ = Instant::min();
  } else {
    not_before_ = retry_.After(outcome, now);
  }
}

bool PressureTaints::IsInPlace(NodeConditionType condition) const {
  return Of(condition).is_in_place;
}

bool PressureTaints::IsSettled(NodeConditionType condition) const {
  return !WordsOf(condition) || failed_ || Of(condition).is_in_place;
}

bool PressureTaints::IsClean() const {
  if (is_awaited_ || change_) return false;
  return std::ranges::none_of(wishes_, &Wish::may_be_there);
}

}  // namespace jettison::kube
