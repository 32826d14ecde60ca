#pragma once

#include <utility>

#include "containers/anchor.h"
#include "rpc/calls.h"
#include "rpc/containerd_task.h"

namespace jettison::cri {

// A container that containerd runs and CRI does not list. It need not be told of a stop, because
// containerd notices the end of a container itself.
class ContainerdTask : public Anchor {
 public:
  // `calls` must outlive it.
  ContainerdTask(Calls& calls, TaskKey key) : calls_(calls), key_(std::move(key)) {}

  void AskHowItStands(Duration deadline, StandingAnswer answer) override;
  void TellToStop(Duration, Duration, Done) override {}

 private:
  Calls& calls_;
  TaskKey key_;
};

}  // namespace jettison::cri
