// How the agent shows itself to onlookers.
#include <utility>

#include "agent/node_agent.h"

namespace jettison {

NodeCounters NodeAgent::Counters() const {
  return {.passes = node_.counters(),
          .pods = worker_edges_.counters,
          .images = images_ ? images_->counters() : ImageCounters{},
          .walks = walks_,
          .container_bytes = reclaimer_->ContainerBytes(),
          .runtime_unready = runtime_unready_,
          .log_lines_lost = log_->lost()};
}

// Said once.
void NodeAgent::TakeStatusErrors() {
  const std::vector<std::string> errors = status_file_.TakeErrors();
  if (errors.empty() || said_no_status_) return;
  said_no_status_ = true;
  log_->Warn("the node's status file cannot be written", {{"err", errors.front()}});
}

Snapshot NodeAgent::SnapshotNow() const {
  Snapshot snapshot = node_.MakeSnapshot();
  snapshot.node = identity_;
  snapshot.counters = std::make_shared<const NodeCounters>(Counters());
  snapshot.evictions = evictions_.Evictions();
  snapshot.manifest_error = ManifestError();
  return snapshot;
}

std::string NodeAgent::ManifestError() const {
  if (!manifests_watched_ && manifests_watched_.error().code != ErrorCode::kNotFound) {
    return manifests_watched_.error().message;
  }
  return manifest_pods_.Problem();
}

void NodeAgent::ShowBoard(Instant now) {
  options_.board->Turned(now);
  if (!begun_) return;
  if (board_asked_) {
    board_asked_ = false;
    options_.board->Put(std::make_shared<const Snapshot>(SnapshotNow()));
  }
  if (shown_passes_ == node_.passes() && shown_events_ == events_.count()) return;
  shown_passes_ = node_.passes();
  shown_events_ = events_.count();
  options_.board->TellNews();
}

}  // namespace jettison
