#pragma once

#include <string>
#include <vector>

#include "agent/state/agent_state.h"
#include "agent/workers/container_lifecycle.h"
#include "core/model/container_record.h"
#include "core/model/pod.h"

namespace jettison {

// The containers of one pod, init containers first, each in the order of the spec, and the runs of
// them that have ended.
class ContainerRuns {
 public:
  // `pod` must outlive this.
  ContainerRuns(const Pod& pod, const BackoffRule& restart_rule);

  [[nodiscard]] std::vector<ContainerLifecycle>& all() { return runs_; }
  [[nodiscard]] const std::vector<ContainerLifecycle>& all() const { return runs_; }
  // Null where the container is at another attempt, or is none of the pod's.
  [[nodiscard]] ContainerLifecycle* Find(const std::string& container, int attempt);
  [[nodiscard]] bool AnyAlive() const;
  // A regular container has run, or was at least told to start.
  [[nodiscard]] bool AnyRegularStarted() const;
  // The pod has lost what its init containers had made, and a regular container is still to run:
  // the init containers have to run again, and wait to do so from now on. False: it is not so.
  [[nodiscard]] bool BeginAnew(RestartPolicy policy);
  // Each regular container runs, or has run before.
  [[nodiscard]] bool EveryRegularRan() const;

  // Takes the runs that the runtime remembers. A run that is known already is not changed, because
  // its end may have been reported meanwhile.
  void Take(std::vector<ContainerRecord> records);
  // Goes on with the back-offs that an agent before left.
  void Resume(const std::vector<SavedRun>& kept, Instant now);
  // The back-offs for the next agent.
  [[nodiscard]] std::vector<SavedRun> Kept() const;

  // Runs that have ended, all attempts that are known.
  [[nodiscard]] const std::vector<ContainerRecord>& dead() const { return dead_; }
  void AddDead(ContainerRecord record) { dead_.push_back(std::move(record)); }
  void ForgetDead(const std::string& container, int attempt);

 private:
  std::vector<ContainerLifecycle> runs_;
  std::vector<ContainerRecord> dead_;
};

}  // namespace jettison
