#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "pods/log_rotation.h"
#include "pods/pod_foundation.h"
#include "ports/container_runtime.h"
#include "ports/pod_plan.h"
#include "runtimes/cri/containers/pod_removal.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/containers/sandboxes.h"
#include "runtimes/cri/pod_record.h"
#include "runtimes/cri/pod_runs.h"

namespace jettison::cri {

// One pod from its creation, or its adoption, to its removal.
class PodActor {
 public:
  PodActor(RuntimeContext& context, PodPlan plan);

  // Groups, volumes, folders and sandbox -> PodReady or PodFailed; later, where its sandbox has
  // ended, another one. The sandbox has this attempt or a later one, as the name of one that cannot
  // be made may stay reserved in the runtime.
  void Create(std::uint32_t first_attempt);
  // Takes over what was found of it; `ready`: containers can be started in the sandbox.
  void Adopt(Sandbox sandbox, bool ready);
  // Takes it over by what was written down of it, without the container runtime; which of its
  // containers run.
  [[nodiscard]] std::vector<ContainerRecord> Recall(const PodRecord& record);
  // The runtime does not know the pod: running containers go on, and the next start uses a new
  // sandbox.
  void LoseSandbox() { state_ = State::kAbsent; }
  // Writes down how it stands, for Recall, once it has had a sandbox; `then`, which may be null, is
  // called afterwards, whether that was possible or not.
  void WriteRecord(const std::function<void()>& then = nullptr);
  // Its last record could not be written.
  [[nodiscard]] bool has_no_record() const { return has_no_record_; }

  void StartContainer(const std::string& name, int attempt, int oom_score_adj);
  // Ends what runs and takes everything down -> PodRemoved.
  void Remove();

  // Takes the next steps that are possible by now.
  void Advance();
  // Compares with what the runtime has. What belongs to no run is removed.
  void OnListed(const Listing& listing);

  // The logs of containers that run.
  void AddLogs(std::vector<RunningLog>& logs) const;

  [[nodiscard]] const PodPlan& plan() const { return plan_; }
  // Its sandbox stood at least once.
  [[nodiscard]] bool created() const { return created_; }
  [[nodiscard]] bool removing() const { return removing_; }
  // Nothing is left of it, and that has been told.
  [[nodiscard]] bool gone() const { return gone_; }
  // Whether the sandbox is or may become this pod's.
  [[nodiscard]] bool Claims(const std::string& sandbox_id) const;
  // The lowest attempt of its sandbox whose name is free for sure.
  [[nodiscard]] std::uint32_t next_attempt() const { return sandbox_.attempt + 1; }
  // Why a removal does not come to its end; empty: it does.
  [[nodiscard]] std::string Problem() const { return removal_ ? removal_->problem() : ""; }
  [[nodiscard]] PodDisk Disk() const;
  [[nodiscard]] PodRuns& runs() { return runs_; }

 private:
  // Of the sandbox.
  enum class State : std::uint8_t { kAbsent, kMaking, kReady };

  void StartSlice();
  void AskStatus();
  void OnStatus(const Result<api::StatusResponse>& answer);
  // Removes the sandboxes that are there.
  void Clear();
  void RunSandbox();
  void OnRun(const Result<api::RunPodSandboxResponse>& answer);
  void OnSandbox(const Result<void>& made);
  void StartRemoval();
  void OnWritten(const Result<void>& written);

  RuntimeContext& context_;
  PodPlan plan_;
  const Pod& pod_ = *plan_.pod;
  std::string group_;
  State state_ = State::kAbsent;
  Sandbox sandbox_;                   // the last one that was made or adopted; no ID: none was
  Sandbox next_;                      // that is being made
  std::unique_ptr<Lifetime> making_;  // of the last creation
  std::unique_ptr<PodFoundation> foundation_;
  std::unique_ptr<SandboxClearance> clearance_;
  PodRuns runs_;
  bool is_missed_ = false;            // the last listing had no sandbox of it that is ready
  bool created_ = false;              // PodReady was told, or the pod was adopted
  std::vector<std::string> waiting_;  // containers to be started when the sandbox stands
  bool has_no_record_ = false;
  bool removing_ = false;
  bool tell_removed_ = false;
  bool gone_ = false;
  std::optional<Error> create_error_;  // PodFailed has to be told
  std::optional<PodRemoval> removal_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
