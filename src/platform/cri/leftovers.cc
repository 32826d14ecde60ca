// What is left of pods that nobody asks for.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <utility>

#include "platform/cri/runtime.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/files.h"

namespace jettison::cri {
namespace {

constexpr QosClass kQosClasses[] = {QosClass::kGuaranteed, QosClass::kBurstable,
                                    QosClass::kBestEffort};

}  // namespace

// Pods whose creation or removal was interrupted: those of which there is a folder and no record.
// Nobody will ask for them again, so nothing of them may stay.
void Runtime::RemoveLeftovers(const Listing& own) {
  std::vector<std::string> doomed;
  const std::string pods = surroundings_.paths.Pods();
  for (const std::string& name : pod_host::NamesIn(pods).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kDoomedPrefix)) {
      doomed.push_back(fmt::format("{}/{}", pods, name));
    } else if (!pods_.contains(name) && !unread_.contains(name)) {
      RemoveUnlessWritten(name, own);
    }
  }
  leftovers_since_ = surroundings_.clock.Now();
  if (doomed.empty()) return;
  auto job = StartRemoval(*readiness_, {.volumes = "", .trees = doomed},
                          [this](const Result<void>& deleted) {
                            surroundings_.LogFailure("delete leftovers", deleted);
                          });
  surroundings_.LogFailure("delete leftovers", job);
  if (job) doomed_job_ = std::move(*job);
}

bool Runtime::RemovingContainers() const {
  constexpr Duration kRemovalTakes = std::chrono::seconds(10);
  const bool doomed = doomed_job_ && doomed_job_->running();
  if (!doomed && leftovers_.empty()) return false;
  return surroundings_.clock.Now() < leftovers_since_ + kRemovalTakes;
}

void Runtime::RemoveUnlessWritten(const std::string& uid, const Listing& own) {
  const auto record = ReadRecord(uid);
  if (!record && record.error().code == ErrorCode::kNotFound) return RemoveLeftover(uid);
  EnterUnread(uid, {}, own,
              record ? Error{ErrorCode::kUnavailable, "its record could not be read a moment ago"}
                     : record.error());
}

// One of these is the pod's, whatever its class was.
std::vector<std::string> Runtime::GroupsOf(const std::string& uid) const {
  std::vector<std::string> groups;
  for (const QosClass qos : kQosClasses) {
    groups.push_back(pod_host::PodGroup(qos, uid, surroundings_.options.cgroup_driver));
  }
  return groups;
}

void Runtime::RemoveLeftover(const std::string& uid) {
  PodRemains remains{.uid = uid, .groups = GroupsOf(uid), .log_dirs = {}, .layers = {}};
  const std::string logs = surroundings_.paths.Logs();
  for (const std::string& name : pod_host::NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (pod_host::IsLogsOf(name, uid)) remains.log_dirs.push_back(fmt::format("{}/{}", logs, name));
  }
  RemoveRemains(std::move(remains));
}

void Runtime::RemoveRemains(PodRemains remains) {
  const std::string uid = remains.uid;
  late_groups_[uid] = kLateListings;
  (void)::unlink(RecordFile(surroundings_, uid).c_str());
  auto& removal = leftovers_[uid];
  removal = std::make_unique<PodRemoval>(surroundings_, std::move(remains));
  removal->Start();
}

}  // namespace jettison::cri
