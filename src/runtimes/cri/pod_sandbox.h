#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "kernel/readiness/lifetime.h"
#include "pods/pod_foundation.h"
#include "ports/pod_plan.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

// The sandbox of one pod, and what has to stand before it: groups, volumes and folders. Whatever is
// left of earlier ones is cleared away first. The next one is another attempt, as the name of one
// that cannot be made may stay reserved in the runtime.
class PodSandbox {
 public:
  using Made = std::function<void(const Result<void>&)>;

  // `plan` and `group` must outlive it. `made` is called once for each Make.
  PodSandbox(RuntimeContext& context, const PodPlan& plan, const std::string& group, Made made);
  PodSandbox(const PodSandbox&) = delete;
  PodSandbox& operator=(const PodSandbox&) = delete;
  ~PodSandbox() = default;

  // Makes it, under this attempt or a later one.
  void Make(std::uint32_t first_attempt);
  // Gives up the creation. A call that creates a sandbox may take minutes, so its result is not
  // awaited; the next listing finds the sandbox and removes it.
  void GiveUp();
  // Takes over one that was found; `ready`: containers can be started in it.
  void Adopt(Sandbox sandbox, bool ready);
  // The runtime has it no more, or it has ended.
  void Lose() { state_ = State::kAbsent; }

  [[nodiscard]] bool is_making() const { return state_ == State::kMaking; }
  [[nodiscard]] bool is_ready() const { return state_ == State::kReady; }
  // The last one that was made or adopted; no ID: none was.
  [[nodiscard]] const Sandbox& sandbox() const { return sandbox_; }
  // The lowest attempt whose name is free for sure.
  [[nodiscard]] std::uint32_t next_attempt() const { return sandbox_.attempt + 1; }

 private:
  enum class State : std::uint8_t { kAbsent, kMaking, kReady };

  void StartSlice();
  void AskStatus();
  void OnStatus(const Result<api::StatusResponse>& answer);
  // Removes what is there.
  void Clear();
  void OnCleared(const Result<std::uint32_t>& next_attempt);
  void Run();
  void OnRun(const Result<api::RunPodSandboxResponse>& answer);
  void OnMade(const Result<Sandbox>& made);

  RuntimeContext& context_;
  const PodPlan& plan_;
  const Pod& pod_ = *plan_.pod;
  const std::string& group_;
  Made made_;
  State state_ = State::kAbsent;
  Sandbox sandbox_;
  std::unique_ptr<Lifetime> making_;  // of the last creation
  std::unique_ptr<PodFoundation> foundation_;
  std::unique_ptr<SandboxClearance> clearance_;
  Sandbox next_;  // that is being made
};

}  // namespace jettison::cri
