#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "ports/container_runtime.h"
#include "runtimes/process/adoption.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Pods of an earlier agent that cannot be taken over, because something that tells of them cannot
// be read or is damaged. What runs of them goes on untouched, as foreign pods that are measured and
// never evicted; nothing of them is deleted. Only a request for a pod of the same UID looks at one
// again.
class ObservedPods {
 public:
  // All must outlive this.
  ObservedPods(RuntimeContext& context, Pods& pods, Adoption& adoption)
      : context_(context), pods_(pods), adoption_(adoption) {}
  ObservedPods(const ObservedPods&) = delete;
  ObservedPods& operator=(const ObservedPods&) = delete;

  [[nodiscard]] bool Has(const std::string& uid) const { return observed_.contains(uid); }
  // The groups of one of them; null: it is none.
  [[nodiscard]] const std::vector<std::string>* GroupsOf(const std::string& uid) const;

  // The log says where the pod is, what is wrong (kInvalidArgument: damage) and what to do. A pod
  // whose record cannot be read is known by what its folders tell.
  void Enter(const std::string& uid, const Error& error) { Enter(SketchOf(uid), error); }
  void Enter(Pod pod, const Error& error);
  // Those of which something runs, as foreign pods.
  void ReportAll(std::vector<RuntimePod>& pods);
  // A pod of this UID is requested -> PodFailed. Then everything that tells of the earlier one is
  // read again, beside the loop: a drive may try for a long time to read a bad sector. The earlier
  // one is taken over if that succeeds, or if the UID is the hash of what is requested -> PodFound.
  // If it is damaged and nothing of it runs, its files are set aside, and the next request finds a
  // free place.
  void Refuse(const PodPlan& plan);
  // The pod of this UID that was requested is not wanted any more -> PodFound of the earlier one,
  // if there is one of which something runs.
  void FindAgain(const std::string& uid);

 private:
  struct Observed {
    Pod pod;
    Error error;
    std::string group;
    std::vector<std::string> groups;  // the same, from the node's own
    bool is_reported = false;         // to the agent, which knows no other pod of this UID
    bool is_busy = false;             // it is being read or set aside
  };

  [[nodiscard]] Pod SketchOf(const std::string& uid) const;
  [[nodiscard]] std::string GroupInUse(const std::string& uid) const;
  // The pod as it is reported from now on, until it ends or its UID is requested; absent: nothing
  // of it runs.
  [[nodiscard]] std::optional<RuntimePod> Report(Observed& observed);
  void LookForEnds();
  void ReportEnd(Observed& observed);
  // What the disk gave: the record, be it damaged or missing, and the runs.
  void OnRead(const PodPlan& wanted, const Result<void>& record, const Result<void>& runs);
  [[nodiscard]] Result<void> TryTakeOver(const PodPlan& wanted, const Result<void>& record);
  [[nodiscard]] Result<void> TakeOver(const PodPlan& plan);
  // Writes the record anew.
  void Mend(const Pod& pod);
  void SetAside(const std::string& uid);

  RuntimeContext& context_;
  Pods& pods_;
  Adoption& adoption_;
  std::map<std::string, Observed> observed_;  // by UID
  kernel::Readiness::Watch on_look_;
};

}  // namespace jettison::process
