#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/units/result.h"
#include "kernel/readiness/lifetime.h"
#include "pods/run_dependencies.h"
#include "ports/container_runtime.h"
#include "ports/pod_plan.h"

namespace jettison {

// Pods of an earlier agent that cannot be taken over, because something that tells of them cannot
// be read or is damaged. What runs of them goes on untouched, and nothing of them is deleted. While
// anything of such a pod runs, or may run, no pod of its UID is created. Only a request for one
// looks at it again. A runtime says what it knows of a pod.
class ObservedPods {
 public:
  // `dependencies` must outlive this.
  explicit ObservedPods(PodDependencies& dependencies) : dependencies_(dependencies) {}
  ObservedPods(const ObservedPods&) = delete;
  ObservedPods& operator=(const ObservedPods&) = delete;
  virtual ~ObservedPods() = default;

  // None of them is among the agent's own.
  [[nodiscard]] bool Has(const std::string& uid) const { return observed_.contains(uid); }
  // A pod of this UID is requested -> PodFailed. Then everything that tells of the earlier one is
  // read again, beside the loop: a drive may try for a long time to read a bad sector. The earlier
  // one is taken over if that succeeds, or if the UID is the hash of what is requested -> PodFound.
  // If it is damaged and nothing of it runs, its files are set aside, and the next request finds a
  // free place.
  void Refuse(const PodPlan& plan);

 protected:
  // Whether the disk gives what tells of a pod, be it damaged or missing.
  struct Reading {
    Result<void> record;
    Result<void> rest;
  };

  [[nodiscard]] bool empty() const { return observed_.empty(); }
  // The log says where the pod is, what is wrong (kInvalidArgument: damage) and what to do.
  void Enter(const std::string& uid, const std::string& name, const Error& error);

  // Reads it all; called on a thread of the disk.
  [[nodiscard]] virtual std::function<Reading()> Reader(const std::string& uid) const = 0;
  // Takes the pod over that a request is about; `record`: see Reading. What the disk did not give
  // is not read again.
  [[nodiscard]] virtual Result<RuntimePod> TakeOver(const PodPlan& wanted,
                                                    const Result<void>& record) = 0;
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

  void OnRead(const PodPlan& wanted, const Reading& reading);
  void SetAside(const std::string& uid);

  PodDependencies& dependencies_;
  std::map<std::string, Observed> observed_;  // by UID
  Lifetime lifetime_;
};

}  // namespace jettison
