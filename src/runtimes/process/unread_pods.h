#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/readiness/readiness.h"
#include "ports/container_runtime.h"
#include "runtimes/process/adoption.h"
#include "runtimes/process/pods.h"
#include "runtimes/process/runs/runtime_context.h"
#include "runtimes/process/unread_readings.h"

namespace jettison::process {

// Looks after pods of an earlier agent of which something cannot be read, or is damaged. What runs
// of them goes on, measured and named; nothing of them is deleted.
class UnreadPods {
 public:
  // All must outlive this.
  UnreadPods(RuntimeContext& context, Pods& pods, Adoption& adoption)
      : context_(context), pods_(pods), adoption_(adoption) {}
  UnreadPods(const UnreadPods&) = delete;
  UnreadPods& operator=(const UnreadPods&) = delete;

  // A pod of which no record can be read, by what its folders tell.
  void Enter(const std::string& uid, Error error);
  // For the time in which the pods cannot be listed: those that have a folder here and a process in
  // their group. They can be ended as a whole, and are not taken over before the listing.
  [[nodiscard]] std::vector<RuntimePod> Recall();
  // The pods can be listed now. Those that were recalled are forgotten and returned, except such as
  // are being ended.
  [[nodiscard]] std::map<std::string, PodEntry> TakeRecalled();
  // A pod that is entered already cannot be taken over.
  void SetUnread(PodEntry& entry, Error error);
  // The pod for the agent, which is told of it; absent where nothing of it runs.
  [[nodiscard]] std::optional<RuntimePod> Tell(PodEntry& entry) const;
  // A pod of this UID is requested. The pod is taken over, or the request fails, as the events say;
  // or the files are set aside, and the plan is kept for TakeFreed. While the disk does not give
  // the record, only a request that repairs it succeeds, and none while it does not give the runs.
  void MakeWay(const PodPlan& plan);
  // Forgets such a plan, if there is one.
  void Forget(const std::string& uid);
  // The plans of pods whose place has become free. Asked for whenever the runtime is dispatched.
  [[nodiscard]] std::vector<PodPlan> TakeFreed();
  // Signals all processes of the pod, because the processes cannot be assigned to its containers.
  void Signal(const std::string& uid, int signal);
  // Schedules another look whether they have ended, and another attempt to read them.
  void ScheduleTending();
  // Reports that nothing of a pod runs any more. Its files stay, so that its record can be
  // repaired.
  void TellEnded(const std::string& uid, PodEntry& entry);

  // The groups of a pod that the agent was told of; null: it is none.
  [[nodiscard]] const std::vector<std::string>* GroupsOf(const std::string& uid) const;

 private:
  [[nodiscard]] Pod SketchOf(const std::string& uid) const;
  [[nodiscard]] std::string GroupInUse(const std::string& uid) const;
  // By its record, or by `certain` where that is damaged: a pod that is known to be the same; null:
  // none is. False: the pod stays, with what failed.
  bool TryTakeOver(const std::string& uid, const PodPlan* certain);
  // The pod of this UID, which has this plan. False: the same.
  bool TakeOver(const PodPlan& plan);
  void Mend(const PodEntry& entry);
  void Tend();
  void ScheduleReadings();
  void OnRead(const std::string& uid, const Result<void>& read, Unread::Readable readable);
  void TellWhereEnded(const std::string& uid);
  // The pod whose group this is, if it has a folder here.
  [[nodiscard]] std::optional<std::string> OwnPodOf(QosClass qos, const std::string& group) const;
  [[nodiscard]] PodEntry& EnterRecalled(const std::string& uid, std::optional<PodPlan> plan);
  void SetAside(const PodPlan& next);
  // `place`: where the files are now.
  void OnSetAside(const std::string& uid, const Result<void>& moved, const std::string& place);

  RuntimeContext& context_;
  Pods& pods_;
  Adoption& adoption_;
  UnreadReadings readings_{
      context_, pods_,
      [this](const std::string& uid, const Result<void>& read, Unread::Readable readable) {
        OnRead(uid, read, readable);
        ScheduleReadings();
      }};
  kernel::Readiness::Watch on_tending_;
  Duration tending_delay_{0};
  bool recalled_ = false;       // and not listed yet
  std::vector<PodPlan> freed_;  // for TakeFreed
};

}  // namespace jettison::process
