#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/pod.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/process/runs/found_runs.h"
#include "runtimes/process/runs/pre_stop_hook.h"
#include "runtimes/process/runs/runtime_context.h"
#include "runtimes/process/runs/shim_process.h"

namespace jettison::process {

// One run of a container from its start, or its adoption, to its end. It tells what happens as
// events: ContainerStarted and later ContainerExited, or ContainerStartFailed alone.
class ContainerRun {
 public:
  // `container` is of the plan's pod. The limits of `plan` must outlive this. `group` is the
  // container's.
  ContainerRun(RuntimeContext& context, RunName name, const PodPlan& plan,
               const Container& container, std::string group);
  ContainerRun(const ContainerRun&) = delete;
  ContainerRun& operator=(const ContainerRun&) = delete;
  // What runs goes on running.
  ~ContainerRun() = default;

  // Makes the run's folder and group and starts its shim.
  void Start(int oom_score_adj);
  // Takes over a run that was found alive and began at `started`.
  void Adopt(FoundRun found, Instant started);
  // The preStop hook, then TERM; a run that is still being started is stopped once it runs. May be
  // repeated, with less time.
  void Stop(Duration grace);
  // KILL for the whole group; a run that is being started is killed as soon as it can be.
  void Kill();

  // Has the shim open its log anew.
  void ReopenLog() const;

  [[nodiscard]] bool running() const { return phase_ == Phase::kRunning; }
  [[nodiscard]] bool ended() const { return phase_ == Phase::kEnded; }
  [[nodiscard]] int attempt() const { return name_.attempt; }

 private:
  enum class Phase : std::uint8_t { kStarting, kRunning, kEnded };

  [[nodiscard]] tl::expected<void, StartError> Launch(const Result<void>& folders,
                                                      int oom_score_adj);
  [[nodiscard]] Result<std::string> MakeOrder(int oom_score_adj,
                                              const std::vector<ProcsFile>& groups);
  void Listen();
  void OnStarted(const shim::Message& message);
  void OnShimEnded();
  void EndStart(StartError why);
  void Exit();
  void TellExit();
  [[nodiscard]] std::optional<ExitRecord> LastWord();
  void EndStragglers();
  void RunHook(Duration grace);
  [[nodiscard]] Result<std::unique_ptr<PreStopHook>> StartHook();
  void Terminate();
  [[nodiscard]] std::string Described() const;

  RuntimeContext& context_;
  RunName name_;
  std::shared_ptr<const Pod> pod_;
  const Container& container_;
  const CgroupLimits& limits_;
  std::string group_;
  Phase phase_ = Phase::kStarting;
  bool made_folder_ = false;  // the run's own; one that was there is not this run's to delete
  pid_t container_pid_ = 0;
  std::uint64_t oom_kills_before_ = 0;
  Instant ordered_;  // nothing of the run was before
  Instant started_;
  WallTime started_wall_;  // as its records have it
  std::optional<ShimProcess> shim_;
  kernel::Readiness::Watch on_message_;
  kernel::Readiness::Watch on_end_;
  kernel::Readiness::Watch on_retry_;
  std::optional<Instant> unread_since_;  // its exit record cannot be read
  std::optional<StartError> failure_;
  std::optional<Duration> stop_pending_;
  bool kill_pending_ = false;
  bool hook_done_ = false;
  std::unique_ptr<PreStopHook> hook_;
  Lifetime lifetime_;
};

// Writes the end of a run down whose shim could not. Nobody waits for it: an agent that starts
// before it is written finds a run without a shim, and notes the same. A failure is logged, with
// `about`.
void NoteLost(RuntimeContext& context, std::string about, const std::string& run_dir,
              const ExitRecord& lost);

// Deletes what a run that never ran has left: its folder, its empty log.
void RemoveUnusedRun(const kernel::Paths& paths, const Pod& pod, const std::string& container,
                     int attempt);

}  // namespace jettison::process
