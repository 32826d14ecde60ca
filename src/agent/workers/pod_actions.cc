#include "agent/workers/pod_actions.h"

#include <algorithm>

namespace jettison {
namespace {

using Phase = ContainerLifecycle::Phase;

// Goes through the containers in their order and notes those that are due.
class Planner {
 public:
  Planner(ContainerRuns& runs, RestartPolicy policy, Instant now)
      : runs_(runs), policy_(policy), now_(now) {}

  PodActions ActionsOnceInitialized() {
    actions_.initialized = true;
    bool done = true;
    for (ContainerLifecycle& run : runs_.all()) {
      if (run.is_init()) continue;
      (void)NoteIfDue(run);
      done = done && run.phase() == Phase::kExited && !run.RestartsUnder(policy_);
    }
    if (done) {
      actions_.ends_well = std::ranges::all_of(runs_.all(), [](const ContainerLifecycle& run) {
        return run.is_init() || run.Succeeded();
      });
    }
    return std::move(actions_);
  }

  // Whether the regular containers may run.
  bool PassInit(bool initialized) {
    for (ContainerLifecycle& run : runs_.all()) {
      if (!run.is_init()) break;
      if (run.IsSidecar() ? !PassSidecar(run, initialized) : !PassOne(run, initialized)) {
        return false;
      }
    }
    return true;
  }
  PodActions Actions() { return std::move(actions_); }

 private:
  bool PassSidecar(ContainerLifecycle& run, bool initialized) {
    const bool due = NoteIfDue(run);
    const bool started = run.phase() == Phase::kRunning || run.phase() == Phase::kExited;
    return initialized || (started && !due);
  }
  bool PassOne(ContainerLifecycle& run, bool initialized) {
    if (initialized || run.Succeeded()) return true;
    if (run.phase() == Phase::kExited && !run.RestartsUnder(policy_)) {
      actions_.ends_well = false;
    } else {
      (void)NoteIfDue(run);
    }
    return false;
  }
  bool NoteIfDue(ContainerLifecycle& run) {
    const bool due = run.IsDue(policy_, now_);
    if (due) actions_.start.push_back(&run);
    return due;
  }

  ContainerRuns& runs_;
  RestartPolicy policy_;
  Instant now_;
  PodActions actions_;
};

}  // namespace

PodActions ActionsFor(ContainerRuns& runs, RestartPolicy policy, bool initialized, Instant now) {
  Planner planner(runs, policy, now);
  return planner.PassInit(initialized) ? planner.ActionsOnceInitialized() : planner.Actions();
}

std::optional<Instant> NextRestartAt(const ContainerRuns& runs, RestartPolicy policy,
                                     bool initialized) {
  std::optional<Instant> next;
  for (const ContainerLifecycle& run : runs.all()) {
    const bool waits =
        run.AwaitsRestart(policy) && (run.IsSidecar() || run.is_init() != initialized);
    if (waits) next = next ? std::min(*next, run.restart_at()) : run.restart_at();
  }
  return next;
}

}  // namespace jettison
