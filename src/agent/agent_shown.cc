#include "agent/agent_shown.h"

namespace jettison {
namespace {

// Why the agent finds no pods of its node in the cluster; empty: it does, as far as is known.
std::string ClusterProblem(const ShownAgent& agent) {
  if (!agent.machine.cluster) return {};
  std::string problem = agent.machine.cluster->WhyNeverListed();
  return problem.empty() ? agent.parts.cluster->WhyNodeIsMissing() : problem;
}

}  // namespace

Snapshot ShownOf(const ShownAgent& agent) {
  const AgentParts& parts = agent.parts;
  Snapshot snapshot = parts.node->MakeSnapshot();
  snapshot.node = agent.node;
  snapshot.counters = std::make_shared<const NodeCounters>(
      NodeCounters{.passes = parts.node->counters(),
                   .pods = parts.worker_dependencies->counters,
                   .images = parts.images ? parts.images->counters() : ImageCounters{},
                   .walks = parts.walks,
                   .container_bytes = parts.reclaimer->ContainerBytes(),
                   .runtime_unready = parts.runtime_unready,
                   .log_lines_lost = agent.log_lines_lost});
  snapshot.recording = parts.recorder;
  snapshot.evictions = parts.evictions->Evictions();
  if (parts.shadow) snapshot.shadow = parts.shadow->View(snapshot.at);
  if (parts.cluster && !parts.shadow) {
    snapshot.cluster = {.evictions_under_way = parts.cluster->evictions_under_way(),
                        .events_dropped = parts.cluster->events_dropped()};
  }
  snapshot.awaits_runtime = !parts.listed;
  snapshot.manifest_error = agent.manifest_error;
  snapshot.cluster_error = ClusterProblem(agent);
  snapshot.state_error = parts.state->problem();
  snapshot.limits_error = agent.machine.limits->Unset();
  snapshot.not_guarded = agent.machine.runtime->NotGuarded();
  return snapshot;
}

}  // namespace jettison
