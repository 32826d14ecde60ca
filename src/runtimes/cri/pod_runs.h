#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "pods/log_rotation.h"
#include "ports/container_runtime.h"
#include "ports/pod_plan.h"
#include "runtimes/cri/containers/container_run.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// The runs of one pod's containers: those that go on, and what the runtime keeps of those that have
// ended.
class PodRuns {
 public:
  // `plan` and `group` must outlive it; `write_down`: see StartOrder.
  PodRuns(RuntimeContext& context, const PodPlan& plan, const std::string& group,
          std::function<void(std::function<void()>)> write_down);
  PodRuns(const PodRuns&) = delete;
  PodRuns& operator=(const PodRuns&) = delete;
  ~PodRuns() = default;

  // A new run, to be started.
  ContainerRun& Begin(const Container& container, int attempt, int oom_score_adj);
  // Takes over one of the pod's containers; absent where it is none of them, or is known as ended.
  [[nodiscard]] std::optional<ContainerRecord> Adopt(const api::ContainerStatusResponse& container);
  // Takes over those that go on of what was written down.
  void Recall(const std::vector<PodRecord::Run>& runs);
  // The same to be written down.
  [[nodiscard]] std::vector<PodRecord::Run> Written() const;

  // The one that has not ended; null: there is none.
  [[nodiscard]] ContainerRun* Find(const std::string& name) const;
  // Whether the start of the last one, which was given up, still waits for the runtime.
  [[nodiscard]] bool AwaitsAnswer(const std::string& name) const;
  void KillAll();
  // Removes what is left of a dead run.
  void Remove(const std::string& name, int attempt);
  // Compares with what the runtime has in this sandbox. What belongs to no run is removed.
  void OnListed(const Listing& listing, const std::string& sandbox_id);

  [[nodiscard]] bool AllEnded() const;
  // Those that run.
  [[nodiscard]] std::vector<ContainerRecord> Running() const;
  void AddLogs(std::vector<RunningLog>& logs) const;
  // The writable layers that are known.
  void AddLayers(PodDisk& disk) const;

 private:
  [[nodiscard]] StartOrder OrderFor(const Container& container, int attempt, int adj) const;
  [[nodiscard]] std::optional<pid_t> ProcessOf(const api::ContainerStatusResponse& container) const;
  [[nodiscard]] bool MayRun(const std::string& container_id) const;
  void NoteIds();
  void Forget(const std::string& container_id);
  void RemoveLogs(const std::string& name, int attempt) const;
  void OnContainerListed(const api::Container& container);

  RuntimeContext& context_;
  const PodPlan& plan_;
  const Pod& pod_ = *plan_.pod;
  const std::string& group_;
  std::function<void(std::function<void()>)> write_down_;
  std::map<std::string, std::unique_ptr<ContainerRun>> runs_;  // the newest of each container
  std::map<std::pair<std::string, int>, std::string> ids_;     // container and attempt to ID
  std::set<std::string> missed_;                               // IDs that the last listing had not
  std::map<std::string, std::string> interrupted_;  // container to the ID of an interrupted start
  Lifetime lifetime_;
};

}  // namespace jettison::cri
