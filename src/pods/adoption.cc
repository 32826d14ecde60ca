#include "pods/adoption.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/mounts/mount_info.h"
#include "pods/pod_groups.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// Detaches the mounts, so that deleting the quarantined folder does not delete files of the host
// through them.
Result<void> DetachSubPaths(const std::string& folder) {
  const auto points = kernel::MountsBelow(folder + "/sub-paths");
  if (!points) return Fail(points.error());
  for (const std::string& point : *points) {
    const int error = kernel::DetachPrivately(AT_FDCWD, point.c_str());
    if (error != 0 && error != EINVAL && error != ENOENT) {
      return Fail(SystemError(error, "detach " + point));
    }
  }
  return {};
}

// Whether the folder existed.
Result<bool> Move(const std::string& folder, const std::string& place) {
  if (std::rename(folder.c_str(), place.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return FailErrno(fmt::format("rename {} to {}", folder, place));
}

// Whether the UID is a hash of the whole pod, and therefore that of no other pod.
bool IsHashOfContent(const Pod& pod) {
  const auto hash = pod.annotations.find("kubernetes.io/config.hash");
  return hash != pod.annotations.end() && hash->second == pod.uid;
}

}  // namespace

Result<PodPlan> ReadWrittenPod(const WrittenPods& written, std::string_view text,
                               const std::string& uid) {
  auto plan = written.Read(text);
  if (!plan) return Fail(ErrorCode::kInvalidArgument, plan.error().message);
  const Pod& pod = *plan->pod;
  if (pod.uid != uid) {
    return Fail(ErrorCode::kInvalidArgument, "it describes the pod " + pod.uid);
  }
  if (auto names = kernel::CheckNames(pod); !names) {
    return Fail(ErrorCode::kInvalidArgument, names.error().message);
  }
  return plan;
}

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

Result<std::string> SetAside(const kernel::Paths& paths, const std::string& uid, Instant now) {
  const std::string place =
      fmt::format("{}/quarantine/{}-{}", paths.root(), uid, now.time_since_epoch().count());
  const auto log_folders = kernel::LogFoldersOf(paths, uid);
  if (!log_folders) return Fail(log_folders.error());
  if (auto detached = DetachSubPaths(paths.Pod(uid)); !detached) return Fail(detached.error());
  if (auto made = kernel::MakeFolders(paths.root() + "/quarantine", 0700); !made) {
    return Fail(made.error());
  }
  const auto moved = Move(paths.Pod(uid), place);
  if (!moved) return Fail(moved.error());
  bool any = *moved;
  for (const std::string& logs : *log_folders) {
    if (auto made = kernel::MakeFolders(place + "/logs", 0700); !made) return Fail(made.error());
    const std::string name = logs.substr(logs.rfind('/') + 1);
    any = Move(logs, fmt::format("{}/logs/{}", place, name)).value_or(false) || any;
  }
  return any ? place : std::string();
}

std::vector<RuntimePod> Adoption::TakeOverFolders(const std::vector<std::string>& uids) {
  std::vector<RuntimePod> taken;
  for (const std::string& uid : uids) {
    if (IsOwn(uid) || Has(uid)) continue;
    const auto plan = ReadPlan(uid);
    if (!plan && plan.error().code == ErrorCode::kNotFound) {
      Settle(uid);
      continue;
    }
    auto pod = plan ? TakeOver(*plan, nullptr) : Fail(plan.error());
    if (pod) {
      taken.push_back(*std::move(pod));
    } else {
      Enter(uid, pod.error());
    }
  }
  return taken;
}

void Adoption::Settle(const std::string& uid) {
  const std::string folder = dependencies_.paths.Pod(uid);
  if (const auto leftover = CheckLeftover(uid); !leftover) {
    Enter(uid, leftover.error());
  } else if (!kernel::IsPodFolder(folder)) {
    dependencies_.Log(fmt::format("{} is no pod of an agent, and is left as it is", folder));
  } else {
    EndKeepers(uid);
    leftovers_.Remove(uid);
  }
}

Result<void> Adoption::CheckLeftover(const std::string& uid) const {
  const auto groups = PossibleGroupsOf(uid, dependencies_.cgroup_driver);
  const auto group = InhabitedOf(dependencies_.cgroups, groups);
  if (!group) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} is missing, but processes run, or may run, in its group {}",
                          RecordOf(uid), *group));
}

std::optional<PodFailed> Adoption::InTheWayOf(const Pod& pod) const {
  if (const auto is_free = CheckPlace(pod); !is_free) return PodFailed{pod.uid, is_free.error()};
  const auto observed = observed_.find(pod.uid);
  if (observed == observed_.end()) return std::nullopt;
  return PodFailed{
      .pod_uid = pod.uid,
      .error = {ErrorCode::kUnavailable,
                fmt::format("an earlier pod of this UID is in its place: {}; if it stays so, {}",
                            observed->second.error.message, HowToEnd(pod.uid))},
      .by_others = Adoption::MayRun(pod.uid)};
}

// The files of an observed pod are in the place of the new one.
Result<void> Adoption::CheckPlace(const Pod& pod) const {
  if (auto names = kernel::CheckNames(pod); !names) return names;
  const PodRemoval* const leftover = leftovers_.Find(pod.uid);
  if (leftover != nullptr) return Fail(StillBeingRemoved(leftover->problem()));
  return Has(pod.uid) ? Result<void>() : kernel::CheckPodPlace(dependencies_.paths.Pod(pod.uid));
}

void Adoption::Enter(const std::string& uid, const Error& error) {
  if (!observed_.try_emplace(uid, Observed{.error = error}).second) return;
  dependencies_.Log(fmt::format(
      "pod {} of an earlier agent cannot be taken over: {}; nothing of it is ended, evicted or "
      "deleted, and its files stay in {}. {}. Apply its manifest again once that has ended or what "
      "is wrong is mended: then the pod is taken over, or its files go to {}/quarantine",
      NameOf(uid), error.message, dependencies_.paths.Pod(uid),
      MayRun(uid) ? "It goes on, and no pod of its UID is made beside it: " + HowToEnd(uid)
                  : "Nothing of it runs",
      dependencies_.paths.root()));
}

std::string Adoption::HowToEnd(const std::string& uid) const {
  const auto groups = PossibleGroupsOf(uid, dependencies_.cgroup_driver);
  if (const auto used = InhabitedOf(dependencies_.cgroups, groups)) {
    return "end the processes in its group " + *used;
  }
  return fmt::format("end the processes in one of its groups, {}", fmt::join(groups, ", "));
}

bool Adoption::MayRun(const std::string& uid) const {
  return InhabitedOf(dependencies_.cgroups, PossibleGroupsOf(uid, dependencies_.cgroup_driver))
      .has_value();
}

void Adoption::ReadAgain(const PodPlan& wanted) {
  const std::string& uid = wanted.pod->uid;
  const auto observed = observed_.find(uid);
  if (observed == observed_.end() || !CheckPlace(*wanted.pod)) return;
  if (std::exchange(observed->second.is_busy, true)) return;
  const auto reading = std::make_shared<Reading>();
  dependencies_.disk.Do(
      [record = RecordOf(uid), read_rest = Reader(uid), reading]() -> Result<void> {
        const auto text = kernel::ReadFile(record);
        if (!text && text.error().code != ErrorCode::kNotFound) {
          reading->record = Fail(text.error());
        }
        if (read_rest) reading->rest = read_rest();
        return {};
      },
      lifetime_.Guard([this, wanted, reading](const Result<void>&) { OnRead(wanted, *reading); }));
}

// What the disk has just given is in memory, so the loop does not wait for it. What it did not give
// is not read again.
Result<RuntimePod> Adoption::TakeOverFor(const PodPlan& wanted, const Reading& reading) {
  const std::string& uid = wanted.pod->uid;
  if (!reading.rest) return Fail(reading.rest.error());
  const auto plan = reading.record ? ReadPlan(uid) : Fail(reading.record.error());
  if (plan) return TakeOver(*plan, nullptr);
  Error unread = plan.error();
  if (unread.code == ErrorCode::kNotFound) {
    unread = {ErrorCode::kInvalidArgument, RecordOf(uid) + " is missing"};
  }
  if (!IsHashOfContent(*wanted.pod)) return Fail(unread);
  return TakeOver(wanted, &unread);
}

void Adoption::OnRead(const PodPlan& wanted, const Reading& reading) {
  const std::string& uid = wanted.pod->uid;
  auto found = TakeOverFor(wanted, reading);
  if (found) {
    observed_.erase(uid);
    return dependencies_.Emit(PodFound{.pod_uid = uid, .pod = *std::move(found)});
  }
  Observed& observed = observed_.at(uid);
  observed = {.error = found.error()};
  if (IsDamage(observed.error) && !MayRun(uid)) SetAside(uid);
}

void Adoption::SetAside(const std::string& uid) {
  observed_.at(uid).is_busy = true;
  const auto place = std::make_shared<std::string>();
  dependencies_.disk.Do(
      [paths = dependencies_.paths, uid, now = dependencies_.clock.Now(), place] {
        auto moved = jettison::SetAside(paths, uid, now);
        if (moved) *place = *moved;
        return moved.map([](const auto&) {});
      },
      lifetime_.Guard([this, uid, place](const Result<void>& moved) {
        observed_.at(uid).is_busy = false;
        dependencies_.LogFailure(fmt::format("set the files of pod {} aside", uid), moved);
        if (!moved) return;
        observed_.erase(uid);
        if (!place->empty()) {
          dependencies_.Log(
              fmt::format("pod {} of an earlier agent could not be read and nothing of it runs: "
                          "all its files are in {}; delete them when nobody needs them",
                          uid, *place));
        }
        OnSetAside(uid);
      }));
}

}  // namespace jettison
