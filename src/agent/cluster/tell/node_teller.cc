#include "agent/cluster/tell/node_teller.h"

#include <fmt/format.h>

#include <utility>

#include "agent/cluster/tell/complaint_log.h"
#include "sources/kubernetes/node/told_pressure.h"
#include "sources/kubernetes/objects/api_node.h"

namespace jettison {
namespace {

constexpr Duration kTellingPatience = std::chrono::seconds(5);

}  // namespace

NodeTeller::NodeTeller(const NodeTellerEdges& edges, const std::string& node)
    : edges_(edges),
      name_(node),
      taints_(node, edges.clock.Now()),
      conditions_(node, edges.clock.Now() + kube::PressureTaints::kLeftoversStay),
      self_(std::make_shared<NodeTeller*>(this)) {}

void NodeTeller::SetConditions(NodeConditions conditions, Instant now) {
  for (const NodeConditionType condition : kube::kToldConditions) {
    const bool holds = conditions.Has(condition);
    taints_.Set(condition, holds);
    conditions_.Set(condition, holds, edges_.clock.Wall());
  }
  Advance(now);
}

void NodeTeller::Urge(NodeConditionType condition, Instant now) {
  taints_.Urge(condition, now);
  AskForTaints(now);
}

void NodeTeller::Advance(Instant now) {
  AskForTaints(now);
  AskForConditions(now);
}

std::optional<Instant> NodeTeller::NextDeadline() const {
  auto next = taints_.due();
  for (const auto other : {conditions_.due(), stop_by_}) {
    if (other && (!next || *other < *next)) next = other;
  }
  return next;
}

void NodeTeller::AskForTaints(Instant now) {
  auto call = taints_.TakeCall(now);
  if (!call) return;
  edges_.cluster.Ask(*std::move(call), kTellingPatience,
                     [self = std::weak_ptr(self_)](const Result<kube::ApiReply>& reply) {
                       if (const auto there = self.lock()) (*there)->TakeForTaints(reply);
                     });
}

void NodeTeller::AskForConditions(Instant now) {
  auto call = conditions_.TakeCall(now, edges_.clock.Wall());
  if (!call) return;
  edges_.cluster.Ask(*std::move(call), kTellingPatience,
                     [self = std::weak_ptr(self_)](const Result<kube::ApiReply>& reply) {
                       if (const auto there = self.lock()) (*there)->TakeForConditions(reply);
                     });
}

void NodeTeller::TakeForTaints(const Result<kube::ApiReply>& reply) {
  const kube::Outcome outcome = kube::OutcomeOf(reply);
  Complain(taints_.purpose(), outcome);
  NoteWhetherMissing(outcome);
  const Instant now = edges_.clock.Now();
  taints_.Take(reply, now);
  if (!was_found_ && taints_.node()) {
    was_found_ = true;
    conditions_.Found(*taints_.node());
  }
  Advance(now);
}

// The answer is the whole node, so it also shows whether another client has removed a taint.
void NodeTeller::TakeForConditions(const Result<kube::ApiReply>& reply) {
  const kube::Outcome outcome = kube::OutcomeOf(reply, {.kind = "Node", .uid = {}});
  Complain(kube::CallPurpose::kSetCondition, outcome);
  const Instant now = edges_.clock.Now();
  conditions_.Take(outcome, now);
  if (outcome.ok()) {
    if (const auto node = kube::ReadApiNode(reply->body)) taints_.Seen(*node);
  }
  Advance(now);
}

void NodeTeller::Complain(kube::CallPurpose purpose, const kube::Outcome& outcome) {
  const auto complaint = complaints_.Take(purpose, outcome);
  if (complaint) Say(*complaint, edges_.log);
}

void NodeTeller::NoteWhetherMissing(const kube::Outcome& outcome) {
  const bool is_missing = outcome.result == kube::CallResult::kGone;
  if (!is_missing && !outcome.ok()) return;
  if (std::exchange(is_missing_, is_missing) == is_missing) return;
  if (!is_missing) return edges_.log.Info("the cluster has the node now", {{"node", name_}});
  edges_.log.Error(
      "the cluster has no node of this name, so the agent finds no pods and evicts none; "
      "`nodeName` "
      "in JettisonConfiguration, or the environment variable NODE_NAME where that is not set, must "
      "be the name that `kubectl get nodes` shows",
      {{"node", name_}, {"err", outcome.why}});
}

std::string NodeTeller::WhyMissing() const {
  return is_missing_ ? fmt::format("the cluster has no node {}", name_) : std::string();
}

void NodeTeller::Stop(Instant now) {
  if (stop_by_) return;
  stop_by_ = now + kStopWithin;
  taints_.Retire();
  conditions_.Retire();
  Advance(now);
}

bool NodeTeller::IsStopped(Instant now) const {
  if (!stop_by_) return false;
  return now >= *stop_by_ || (taints_.IsClean() && conditions_.IsClean());
}

}  // namespace jettison
