// Pods of an earlier agent of which something cannot be read, or is damaged. What runs of them goes
// on, measured and named; nothing of them is deleted.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

#include "platform/process/runtime.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/files.h"

namespace jettison::process {

using namespace pod_host;
namespace {

constexpr Duration kFirstDelay = std::chrono::seconds(1);
constexpr Duration kLastDelay = std::chrono::seconds(30);
constexpr Duration kEndingDelay = std::chrono::milliseconds(50);
constexpr QosClass kQosClasses[] = {QosClass::kGuaranteed, QosClass::kBurstable,
                                    QosClass::kBestEffort};
constexpr const char* kConfigHash = "kubernetes.io/config.hash";

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

// A UID that is a hash of all that the pod says is shared by no other pod.
bool UidTellsContent(const Pod& pod) {
  const auto hash = pod.annotations.find(kConfigHash);
  return hash != pod.annotations.end() && hash->second == pod.uid;
}

}  // namespace

// What cannot be told counts as inhabited.
bool Runtime::IsInhabited(const std::string& group) const {
  const auto processes = surroundings_.cgroups.Processes(group);
  if (!processes) return processes.error().code != ErrorCode::kNotFound;
  return !processes->empty();
}

std::string Runtime::GroupInUse(const std::string& uid) const {
  const CgroupDriver driver = surroundings_.options.cgroup_driver;
  for (const QosClass qos : kQosClasses) {
    if (IsInhabited(PodGroup(qos, uid, driver))) return PodGroup(qos, uid, driver);
  }
  return PodGroup(QosClass::kBestEffort, uid, driver);
}

// As much of a pod as its folders tell: the logs name it, and each container has a folder.
Pod Runtime::SketchOf(const std::string& uid) const {
  Pod pod;
  pod.uid = uid;
  pod.name = uid;
  pod.namespace_ = "unknown";
  const std::string logs = surroundings_.paths.Logs();
  for (const std::string& name : NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (!IsLogsOf(name, uid)) continue;
    const std::size_t end = name.find('_');
    pod.namespace_ = name.substr(0, end);
    pod.name = name.substr(end + 1, name.size() - end - uid.size() - 2);
  }
  const auto containers = NamesIn(surroundings_.paths.Containers(uid));
  for (const std::string& name : containers.value_or(std::vector<std::string>{})) {
    pod.containers.emplace_back().name = name;
  }
  if (pod.containers.empty()) pod.containers.emplace_back().name = "unknown";
  return pod;
}

Runtime::PodEntry& Runtime::EnterUnread(const std::string& uid, Error error) {
  PodEntry& entry = pods_[uid];
  entry.plan = {.pod = SketchOf(uid)};
  entry.group = GroupInUse(uid);
  SetUnread(entry, std::move(error));
  return entry;
}

void Runtime::SetUnread(PodEntry& entry, Error error) {
  surroundings_.Log(fmt::format(
      "pod {} of an earlier agent cannot be taken over: {}; it goes on as it is, nothing of it is "
      "deleted, and {}",
      FullName(entry.plan.pod), error.message,
      IsDamage(error) ? "the manifest that it came from mends it; else end it and delete " +
                            surroundings_.paths.Pod(entry.plan.pod.uid)
                      : std::string("it is tried again")));
  entry.plan.pod.restart_policy =
      RestartPolicy::kNever;  // whoever looks after it starts nothing of it
  entry.unread.emplace(Unread{.error = std::move(error),
                              .groups = {surroundings_.options.cgroup_root + entry.group}});
}

// Absent where nothing of it runs.
std::optional<RuntimePod> Runtime::UnreadPod(PodEntry& entry) const {
  if (!IsInhabited(entry.group)) return std::nullopt;
  entry.unread->told = true;
  RuntimePod pod{.pod = entry.plan.pod, .containers = {}, .foreign = true, .unread = true};
  for (const Container& container : entry.plan.pod.containers) {
    pod.containers.push_back({.pod_uid = entry.plan.pod.uid,
                              .name = container.name,
                              .attempt = 0,
                              .created = surroundings_.clock.Now()});
  }
  return pod;
}

const std::vector<std::string>& Runtime::ForeignGroupsOf(const std::string& pod_uid) const {
  const auto pod = pods_.find(pod_uid);
  const bool unread = pod != pods_.end() && pod->second.unread && pod->second.unread->told;
  return unread ? pod->second.unread->groups : no_groups_;
}

// Somebody wants a pod of this UID: it is this one where the UID tells the content. Another one
// has to wait until nothing of this runs, and takes none of its files.
void Runtime::CreateUnread(const PodPlan& plan) {
  const Pod& pod = plan.pod;
  if (TryTakeOver(pod.uid, UidTellsContent(pod) ? &plan : nullptr)) return;
  PodEntry& entry = pods_.at(pod.uid);
  const Error& error = entry.unread->error;
  if (IsDamage(error) && !IsInhabited(entry.group) && SetAside(pod.uid)) {
    pods_.erase(pod.uid);
    return CreatePod(plan);
  }
  surroundings_.Emit(PodFailed{
      pod.uid,
      {ErrorCode::kUnavailable, "an earlier pod of this UID is in its place: " + error.message}});
}

bool Runtime::TryTakeOver(const std::string& uid, const PodPlan* certain) {
  const auto read = ReadPod(uid);
  if (!read && certain == nullptr) return false;
  if (read && !*read) return false;  // somebody has deleted it since
  const bool repair = !read && IsDamage(read.error());
  PodPlan plan = read ? **read : *certain;
  const Unread before = *pods_.at(uid).unread;
  pods_.erase(uid);
  PodEntry& entry = Enter(std::move(plan));
  auto found = TakeOver(entry);
  if (!found) {
    entry.unread = before;
    entry.unread->error = found.error();
    entry.plan.pod.restart_policy = RestartPolicy::kNever;
    return false;
  }
  if (repair) {
    const std::string file = surroundings_.paths.PodFile(uid);
    const std::string damaged = file + ".damaged";
    (void)std::rename(file.c_str(), damaged.c_str());
    surroundings_.LogFailure(
        "mend " + file, WriteFile(file, surroundings_.options.written_pods->Write(entry.plan.pod)));
    surroundings_.Log(
        fmt::format("{} was damaged and is written anew; what it was is in {}", file, damaged));
  }
  UpdateQosGroups();
  surroundings_.Emit(PodFound{.pod_uid = uid, .pod = std::move(*found)});
  return true;
}

// Who is what in it is not known: all of it ends, or nothing.
void Runtime::SignalUnread(const std::string& pod_uid, int signal) {
  PodEntry* const entry = Find(pod_uid);
  if (entry == nullptr || !entry->unread || !entry->unread->told) return;
  entry->unread->ending = true;
  surroundings_.LogFailure("end pod " + FullName(entry->plan.pod),
                           signal == SIGKILL ? surroundings_.cgroups.Kill(entry->group)
                                             : surroundings_.cgroups.Signal(entry->group, signal));
  ScheduleTending();
}

void Runtime::ScheduleTending() {
  Duration delay = std::clamp(2 * tending_delay_, kFirstDelay, kLastDelay);
  bool any = false;
  for (const auto& [uid, entry] : pods_) {
    any = any || entry.unread;
    if (entry.unread && entry.unread->ending) delay = kEndingDelay;
  }
  if (!any) return;
  if (delay >= kFirstDelay) tending_delay_ = delay;
  on_tending_ = readiness_->After(delay, [this] {
    on_tending_.Stop();
    TendUnread();
  });
}

void Runtime::TendUnread() {
  std::vector<std::string> uids;
  for (const auto& [uid, entry] : pods_) {
    if (entry.unread) uids.push_back(uid);
  }
  for (const std::string& uid : uids) {
    // Whoever ends it waits for that.
    if (!pods_.at(uid).unread->ending && TryTakeOver(uid, nullptr)) continue;
    PodEntry& entry = pods_.at(uid);
    if (entry.unread->told && !IsInhabited(entry.group)) TellUnreadEnded(uid, entry);
  }
  ScheduleTending();
}

// Its files stay for whoever mends its record.
void Runtime::TellUnreadEnded(const std::string& uid, PodEntry& entry) {
  entry.unread->told = false;
  entry.unread->ending = false;
  const Instant now = surroundings_.clock.Now();
  for (const Container& container : entry.plan.pod.containers) {
    surroundings_.Emit(ContainerExited{
        .pod_uid = uid,
        .container = container.name,
        .attempt = 0,
        .exit = {.exit_code = 128 + SIGKILL, .signal = SIGKILL, .started = now, .finished = now}});
  }
  surroundings_.Emit(PodRemoved{uid});
}

// Another name below the root: no data is lost, and the UID is free.
bool Runtime::SetAside(const std::string& uid) {
  const std::string folder = surroundings_.paths.root() + "/quarantine";
  const std::string place =
      fmt::format("{}/{}-{}", folder, uid, surroundings_.clock.Now().time_since_epoch().count());
  auto moved = MakeFolders(folder, 0700);
  if (moved && std::rename(surroundings_.paths.Pod(uid).c_str(), place.c_str()) != 0) {
    moved = FailErrno("rename to " + place);
  }
  if (!moved) {
    surroundings_.Log(moved.error().In("set the files of pod " + uid + " aside").message);
    return false;
  }
  surroundings_.Log(fmt::format(
      "the record of pod {} was damaged and nothing of it runs: all its files are in {}; delete "
      "them when nobody needs them",
      uid, place));
  return true;
}

}  // namespace jettison::process
