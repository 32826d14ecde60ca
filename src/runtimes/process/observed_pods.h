#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "pods/observed_pods.h"
#include "ports/container_runtime.h"
#include "runtimes/process/adoption.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Those of this runtime. No source finds what runs of them, so they are reported as foreign pods
// that are measured and never evicted.
class ObservedPods : public jettison::ObservedPods {
 public:
  // All must outlive this.
  ObservedPods(RuntimeContext& context, Pods& pods, Adoption& adoption)
      : jettison::ObservedPods(context), context_(context), pods_(pods), adoption_(adoption) {}

  // The groups of one of them; null: it is none.
  [[nodiscard]] const std::vector<std::string>* GroupsOf(const std::string& uid) const;

  // A pod whose record cannot be read is known by what its folders tell.
  void Enter(const std::string& uid, const Error& error) { Enter(SketchOf(uid), error); }
  void Enter(Pod pod, const Error& error);
  // Those of which something runs, as foreign pods.
  void ReportAll(std::vector<RuntimePod>& pods);
  // From here on the agent knows the requested pod under this UID.
  void Refuse(const PodPlan& plan);
  // The pod of this UID that was requested is not wanted any more -> PodFound of the earlier one,
  // if there is one of which something runs.
  void FindAgain(const std::string& uid);

 private:
  struct Sketch {
    Pod pod;
    std::string group;
    std::vector<std::string> groups;  // the same, from the node's own
    bool is_reported = false;         // to the agent, which knows no other pod of this UID
  };

  [[nodiscard]] std::function<Reading()> Reader(const std::string& uid) const override;
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& wanted,
                                            const Result<void>& record) override;
  void OnSetAside(const std::string&) override {}
  [[nodiscard]] Pod SketchOf(const std::string& uid) const;
  // The pod as it is reported from now on, until it ends or its UID is requested; absent: nothing
  // of it runs.
  [[nodiscard]] std::optional<RuntimePod> Report(Sketch& sketch);
  void LookForEnds();
  void ReportEnd(Sketch& sketch);
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& plan);
  // Writes the record anew.
  void Mend(const Pod& pod);

  RuntimeContext& context_;
  Pods& pods_;
  Adoption& adoption_;
  std::map<std::string, Sketch> sketches_;  // by UID, of pods that are observed, or have been
  kernel::Readiness::Watch on_look_;
};

}  // namespace jettison::process
