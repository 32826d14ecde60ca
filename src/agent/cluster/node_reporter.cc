#include "agent/cluster/node_reporter.h"

#include <fmt/format.h>

#include <utility>

#include "core/units/duration.h"
#include "sources/kubernetes/node/node_pressure.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison {
namespace {

constexpr Duration kReportingPatience = std::chrono::seconds(5);

}  // namespace

NodeReporter::NodeReporter(const ClusterAccess& access, const std::string& node)
    : caller_(access),
      name_(node),
      taints_(node, access.clock.Now()),
      conditions_(node, access.clock.Now() + kube::PressureTaints::kLeftoversStay) {}

void NodeReporter::SetConditions(NodeConditions conditions, Instant now) {
  for (const NodeConditionType condition : kube::kToldConditions) {
    const bool holds = conditions.Has(condition);
    taints_.Set(condition, holds);
    conditions_.Set(condition, holds, caller_.clock().Wall());
  }
  Advance(now);
}

void NodeReporter::Urge(NodeConditionType condition, Instant now) {
  taints_.Urge(condition, now);
  AskForTaints(now);
}

void NodeReporter::Advance(Instant now) {
  AskForTaints(now);
  auto call = conditions_.TakeCall(now, caller_.clock().Wall());
  if (!call) return;
  caller_.Ask(*std::move(call), kReportingPatience,
              [this](const Result<kube::ApiReply>& reply) { TakeForConditions(reply); });
}

std::optional<Instant> NodeReporter::NextDeadline() const {
  return Earliest({taints_.due(), conditions_.due(), stop_by_});
}

void NodeReporter::AskForTaints(Instant now) {
  auto call = taints_.TakeCall(now);
  if (!call) return;
  caller_.Ask(*std::move(call), kReportingPatience,
              [this](const Result<kube::ApiReply>& reply) { TakeForTaints(reply); });
}

void NodeReporter::TakeForTaints(const Result<kube::ApiReply>& reply) {
  const kube::Outcome outcome = kube::OutcomeOf(reply);
  caller_.Complain(taints_.purpose(), outcome);
  NoteWhetherMissing(outcome);
  const Instant now = caller_.clock().Now();
  taints_.Take(reply, now);
  if (!was_found_ && taints_.node()) {
    was_found_ = true;
    conditions_.Found(*taints_.node());
  }
  Advance(now);
}

// The answer is the whole node, so it also shows whether another client has removed a taint.
void NodeReporter::TakeForConditions(const Result<kube::ApiReply>& reply) {
  const kube::Outcome outcome = kube::OutcomeOf(reply, {.kind = "Node", .uid = {}});
  caller_.Complain(kube::CallPurpose::kSetCondition, outcome);
  const Instant now = caller_.clock().Now();
  conditions_.Take(outcome, now);
  if (outcome.ok()) {
    if (const auto node = kube::ReadApiNode(reply->body)) taints_.Seen(*node);
  }
  Advance(now);
}

void NodeReporter::NoteWhetherMissing(const kube::Outcome& outcome) {
  const bool is_missing = outcome.result == kube::CallResult::kGone;
  if (!is_missing && !outcome.ok()) return;
  if (std::exchange(is_missing_, is_missing) == is_missing) return;
  if (!is_missing) return caller_.log().Info("the cluster has the node now", {{"node", name_}});
  caller_.log().Error(
      "the cluster has no node of this name, so the agent finds no pods and evicts none; "
      "`nodeName` "
      "in JettisonConfiguration, or the environment variable NODE_NAME where that is not set, must "
      "be the name that `kubectl get nodes` shows",
      {{"node", name_}, {"err", outcome.why}});
}

std::string NodeReporter::WhyMissing() const {
  return is_missing_ ? fmt::format("the cluster has no node {}", name_) : std::string();
}

void NodeReporter::Stop(Instant now) {
  if (stop_by_) return;
  stop_by_ = now + kStopWithin;
  taints_.Retire();
  conditions_.Retire();
  Advance(now);
}

bool NodeReporter::IsStopped(Instant now) const {
  if (!stop_by_) return false;
  return now >= *stop_by_ || (taints_.IsClean() && conditions_.IsClean());
}

}  // namespace jettison
