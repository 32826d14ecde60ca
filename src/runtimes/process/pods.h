#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "pods/log_rotation.h"
#include "pods/pod_foundation.h"
#include "pods/pod_removal.h"
#include "ports/pod_plan.h"
#include "runtimes/process/runs/container_run.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// A pod that is being removed, as soon as no run is left.
struct Removing {
  std::unique_ptr<PodRemoval> removal = nullptr;
  std::optional<Error> create_error = std::nullopt;  // set: PodFailed at the end
};

struct PodEntry {
  PodPlan plan;
  std::string group;
  std::map<std::string, std::string> container_groups;        // names, in that group
  std::map<std::string, std::unique_ptr<ContainerRun>> runs;  // the newest of each container
  std::map<std::string, int> newest;  // its attempt, known also of those that ended long ago
  std::unique_ptr<PodFoundation> foundation;
  bool making = false;  // PodReady waits for a disk that is slow, or for volumes that do not answer
  std::optional<Removing> removing;

  [[nodiscard]] bool AnyRuns() const;
};

// The pods that the runtime has, by UID, and what each has on the host.
class Pods {
 public:
  // `context` must outlive this.
  explicit Pods(RuntimeContext& context) : context_(context) {}

  [[nodiscard]] std::map<std::string, PodEntry>& all() { return pods_; }
  [[nodiscard]] const std::map<std::string, PodEntry>& all() const { return pods_; }
  // The pod's record, with the names of its groups; none of them is made.
  PodEntry& Enter(PodPlan plan);
  // Null: there is none, or it is being made or removed.
  [[nodiscard]] PodEntry* Find(const std::string& uid);
  // Null: nothing of the container runs.
  [[nodiscard]] ContainerRun* FindRun(const std::string& uid, const std::string& container);

  // Whether this machine can run it.
  [[nodiscard]] Result<void> Check(const PodEntry& entry) const;
  // The logs of containers that run.
  [[nodiscard]] std::vector<RunningLog> RunningLogs() const;
  // Has a shim open its log anew.
  void ReopenLog(const RunningLog& log, const std::function<void(const Result<void>&)>& done);
  // The whole path of a container's group.
  [[nodiscard]] std::string GroupOfContainer(const PodEntry& entry,
                                             const std::string& container) const;

 private:
  RuntimeContext& context_;
  std::map<std::string, PodEntry> pods_;
};

}  // namespace jettison::process
