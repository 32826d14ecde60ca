#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "containers/cri_container.h"
#include "pods/log_rotation.h"
#include "ports/pod_disk.h"
#include "ports/pod_plan.h"
#include "runtimes/cri/containers/pod_removal.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/pod_record.h"
#include "runtimes/cri/pod_runs.h"
#include "runtimes/cri/pod_sandbox.h"

namespace jettison::cri {

// One pod from its creation, or its adoption, to its removal.
class PodActor {
 public:
  PodActor(RuntimeContext& context, PodPlan plan);
  PodActor(const PodActor&) = delete;
  PodActor& operator=(const PodActor&) = delete;
  ~PodActor() = default;

  // Groups, volumes, folders and sandbox -> PodReady or PodFailed.
  void Create(std::uint32_t first_attempt);
  // Takes over what was found of it; `ready`: containers can be started in the sandbox.
  void Adopt(Sandbox sandbox, bool ready);
  // Takes it over by what was written down of it, without the container runtime; which of its
  // containers run.
  [[nodiscard]] std::vector<ContainerRecord> Recall(const PodRecord& record);
  // The runtime does not know the pod: running containers go on, and the next start uses a new
  // sandbox.
  void LoseSandbox() { sandbox_.Lose(); }
  // Writes down how it stands, for Recall, once it has had a sandbox; `then`, which may be null, is
  // called afterwards, whether that was possible or not.
  void WriteRecord(const std::function<void()>& then = nullptr) const;

  void StartContainer(const std::string& name, int attempt, int oom_score_adj);
  // Ends what runs and takes everything down -> PodRemoved.
  void Remove();

  // Takes the next steps that are possible by now.
  void Advance();
  // Compares with what the runtime has. What belongs to no run is removed.
  void OnListed(const Listing& listing);
  void AddKnown(std::set<std::string, std::less<>>& ids) const;

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
  [[nodiscard]] std::uint32_t next_attempt() const { return sandbox_.next_attempt(); }
  // Why a removal does not come to its end; empty: it does.
  [[nodiscard]] std::string Problem() const { return removal_ ? removal_->problem() : ""; }
  [[nodiscard]] PodDisk Disk() const;
  [[nodiscard]] PodRuns& runs() { return runs_; }

 private:
  void OnSandbox(const Result<void>& made);
  void FailCreation(Error error);
  void OnSandboxLost();
  void StartRemoval();

  RuntimeContext& context_;
  PodPlan plan_;
  const Pod& pod_ = *plan_.pod;
  std::string group_;
  PodSandbox sandbox_;
  PodRuns runs_;
  bool created_ = false;              // PodReady was told, or the pod was adopted
  std::vector<std::string> waiting_;  // containers to be started when the sandbox stands
  bool removing_ = false;
  bool tell_removed_ = false;
  bool gone_ = false;
  std::optional<Error> create_error_;  // PodFailed has to be told
  std::optional<PodRemoval> removal_;
};

// The pods that this agent has on the runtime.
class OwnPods {
 public:
  using Actors = std::map<std::string, std::unique_ptr<PodActor>>;  // by UID
  using OnGone = std::function<void(const std::string& uid)>;

  explicit OwnPods(RuntimeContext& context) : context_(context) {}
  OwnPods(const OwnPods&) = delete;
  OwnPods& operator=(const OwnPods&) = delete;
  ~OwnPods() = default;

  // Of this UID; null: there is none.
  [[nodiscard]] PodActor* Find(const std::string& uid) const;
  [[nodiscard]] bool Has(const std::string& uid) const { return actors_.contains(uid); }
  // Null: nothing of the container runs.
  [[nodiscard]] ContainerRun* FindRun(const std::string& uid, const std::string& container) const;
  [[nodiscard]] const Actors& actors() const { return actors_; }

  PodActor& Add(PodPlan plan);
  PodActor& Add(std::unique_ptr<PodActor> actor);
  // Makes it.
  void Create(const PodPlan& plan);
  // Takes the next steps of each pod. A pod that is gone is passed to `gone` and forgotten.
  void Advance(const OnGone& gone);

  // IDs of sandboxes and containers that the runtime must have.
  [[nodiscard]] std::set<std::string, std::less<>> KnownIds() const;
  [[nodiscard]] std::vector<RunningLog> RunningLogs() const;
  // Has the runtime open a log anew.
  void ReopenLog(const RunningLog& log, std::function<void(const Result<void>&)> done) const;
  void WriteRecords() const;
  // Those that could not be written before.
  void WriteMissedRecords() const;
  // Of those that have changed by these events in a way that counts for an agent after this one.
  void WriteRecordsAfter(const std::vector<RuntimeEvent>& events) const;

 private:
  RuntimeContext& context_;
  Actors actors_;
  // Attempts of sandboxes of pods that could not be made, whose names may still be taken.
  std::map<std::string, std::uint32_t> first_attempts_;
};

}  // namespace jettison::cri
