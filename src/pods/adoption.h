#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/lifetime.h"
#include "pods/leftovers.h"
#include "pods/run_dependencies.h"
#include "ports/container_runtime.h"
#include "ports/pod_plan.h"

namespace jettison {

// The plan of the pod that a text describes. kInvalidArgument: it is damaged, or describes another
// pod.
[[nodiscard]] Result<PodPlan> ReadWrittenPod(const WrittenPods& written, std::string_view text,
                                             const std::string& uid);

// Whether what describes a pod is damaged or missing; otherwise it may be readable a moment later.
[[nodiscard]] bool IsDamage(const Error& error);

// Gives the folder and the logs of a pod another name, below `quarantine` in the root: no data is
// lost, and the UID is free. Mounts of sub paths, which lead out of the folder, are detached;
// memory volumes stay mounted in it. Logs on another file system stay where they are. Answers where
// the files are now; empty: there were none.
[[nodiscard]] Result<std::string> SetAside(const kernel::Paths& paths, const std::string& uid,
                                           Instant now);

// Finds the pods of an earlier agent again. A pod is taken over if what describes it can be read.
// If it cannot be read or is damaged, the pod is observed: what runs of it goes on untouched, and
// nothing of it is deleted. While anything of such a pod runs, or may run, no pod of its UID is
// created. Only a request for one looks at it again. A folder that describes no pod is a leftover,
// and is removed. A runtime says what it knows of a pod.
class Adoption {
 public:
  // Both must outlive this.
  Adoption(PodDependencies& dependencies, Leftovers& leftovers)
      : dependencies_(dependencies), leftovers_(leftovers) {}
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
  virtual ~Adoption() = default;

  // Looks at each of these folders of pods whose pod is neither the runtime's nor observed. Returns
  // the pods that are taken over.
  [[nodiscard]] std::vector<RuntimePod> TakeOverFolders(const std::vector<std::string>& uids);
  // What stands in the way of a new pod; absent: nothing.
  [[nodiscard]] std::optional<PodFailed> InTheWayOf(const Pod& pod) const;
  // Where an observed pod stands in the way, reads everything that tells of it again, beside the
  // loop: a drive may try for a long time to read a bad sector. The pod is taken over if that
  // succeeds, or if the UID is the hash of what is requested -> PodFound. If it is damaged and
  // nothing of it runs, its files are set aside, and the next request finds a free place.
  void ReadAgain(const PodPlan& wanted);
  // Whether the pod is observed. None of them is among the agent's own.
  [[nodiscard]] bool Has(const std::string& uid) const { return observed_.contains(uid); }

 protected:
  [[nodiscard]] bool empty() const { return observed_.empty(); }
  // The pod is observed from now on. The log says where it is, what is wrong (kInvalidArgument:
  // damage) and what to do.
  virtual void Enter(const std::string& uid, const Error& error);
  // What is to become of a folder without a record.
  virtual void Settle(const std::string& uid);

  // Whether the runtime has the pod.
  [[nodiscard]] virtual bool IsOwn(const std::string& uid) const = 0;
  // Where a pod is written down.
  [[nodiscard]] virtual std::string RecordOf(const std::string& uid) const = 0;
  // What is known of a pod. kNotFound: nothing is; kInvalidArgument: what describes it is damaged.
  [[nodiscard]] virtual Result<PodPlan> ReadPlan(const std::string& uid) const = 0;
  // Makes it the agent's own. `unread`: why the plan is that of a request for it; null: the pod was
  // read. Where this fails, the pod is left as it is.
  [[nodiscard]] virtual Result<RuntimePod> TakeOver(const PodPlan& plan, const Error* unread) = 0;
  // Reads what tells of a pod beside its record; called on a thread of the disk. Null: nothing
  // does.
  [[nodiscard]] virtual std::function<Result<void>()> Reader(const std::string& /*uid*/) const {
    return nullptr;
  }
  // Fails if a folder without a record may be that of a pod whose record was lost.
  [[nodiscard]] virtual Result<void> CheckLeftover(const std::string& uid) const;
  // Ends what belongs to a leftover and is in none of its groups.
  virtual void EndKeepers(const std::string& /*uid*/) {}
  // For messages.
  [[nodiscard]] virtual std::string NameOf(const std::string& uid) const = 0;
  // What an operator does to end it, as a part of a sentence.
  [[nodiscard]] virtual std::string HowToEnd(const std::string& uid) const;
  // Whether something of it runs, or may run, according to the kernel.
  [[nodiscard]] virtual bool MayRun(const std::string& uid) const;
  // Its files are in quarantine.
  virtual void OnSetAside(const std::string& /*uid*/) {}

 private:
  struct Observed {
    Error error;
    bool is_busy = false;  // it is being read or set aside
  };

  // Whether the disk gives what tells of a pod, be it damaged or missing.
  struct Reading {
    Result<void> record;
    Result<void> rest;
  };

  [[nodiscard]] Result<void> CheckPlace(const Pod& pod) const;
  [[nodiscard]] Result<RuntimePod> TakeOverFor(const PodPlan& wanted, const Reading& reading);
  void OnRead(const PodPlan& wanted, const Reading& reading);
  void SetAside(const std::string& uid);

  PodDependencies& dependencies_;
  Leftovers& leftovers_;
  std::map<std::string, Observed> observed_;  // by UID
  Lifetime lifetime_;
};

}  // namespace jettison
