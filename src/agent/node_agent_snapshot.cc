#include <memory>
#include <utility>

#include "agent/node_agent.h"

namespace jettison {

Snapshot NodeAgent::MakeSnapshot() const {
  const AgentParts& parts = *parts_;
  Snapshot snapshot = parts.node->MakeSnapshot();
  snapshot.node = config_.node();
  snapshot.counters = std::make_shared<const NodeCounters>(
      NodeCounters{.passes = parts.node->counters(),
                   .pods = parts.worker_dependencies->counters,
                   .images = parts.images ? parts.images->counters() : ImageCounters{},
                   .walks = walks_,
                   .container_bytes = parts.reclaimer->ContainerBytes(),
                   .runtime_unready = runtime_start_.unready(),
                   .log_lines_lost = log_->lost()});
  snapshot.recording = parts.recorder;
  snapshot.evictions = parts.evictions->Evictions();
  if (parts.shadow) snapshot.shadow = parts.shadow->View(snapshot.at);
  if (parts.cluster && !parts.shadow) {
    snapshot.cluster = {.evictions_under_way = parts.cluster->evictions_under_way(),
                        .events_dropped = parts.cluster->events_dropped()};
  }
  snapshot.awaits_runtime = !parts.listed;
  snapshot.manifest_error = manifests_.Problem();
  snapshot.cluster_error = ClusterProblem();
  snapshot.state_error = parts.state->problem();
  snapshot.limits_error = machine_->limits->Unset();
  snapshot.not_guarded = machine_->runtime->NotGuarded();
  return snapshot;
}

std::string NodeAgent::ClusterProblem() const {
  if (!machine_->cluster) return {};
  std::string problem = machine_->cluster->WhyNeverListed();
  return problem.empty() ? parts_->cluster->WhyNodeIsMissing() : problem;
}

void NodeAgent::TakeFromBoard() {
  snapshot_asked_ = options_.board->TakeAsked() || snapshot_asked_;
  for (const BoardNote& note : options_.board->TakeNotes()) {
    const LogField field{note.key, note.value};
    note.level == LogLevel::kWarning ? log_->Warn(note.message, {field})
                                     : log_->Info(note.message, {field});
  }
}

void NodeAgent::ShowOnBoard(Instant now) {
  Board& board = *options_.board;
  board.Turned(now);
  if (!begun_) return;
  if (std::exchange(snapshot_asked_, false)) {
    board.Put(std::make_shared<const Snapshot>(MakeSnapshot()));
  }
  const std::uint64_t passes = parts_->node->passes();
  if (shown_passes_ == passes && shown_events_ == parts_->events->count()) return;
  shown_passes_ = passes;
  shown_events_ = parts_->events->count();
  board.TellNews();
}

}  // namespace jettison
