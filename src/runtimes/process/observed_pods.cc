#include "runtimes/process/observed_pods.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "pods/earlier_pods.h"
#include "pods/pod_groups.h"
#include "runtimes/process/pod_removal.h"
#include "runtimes/process/runs/found_runs.h"

namespace jettison::process {

using namespace kernel;
namespace {

// How often the groups of those that run are looked at. Nobody waits for the end of one.
constexpr Duration kLookPeriod = std::chrono::seconds(5);

// Succeeds if the disk gives the record, be it damaged or missing.
Result<void> ReadThroughRecord(const Paths& paths, const std::string& uid) {
  const auto record = ReadFile(paths.PodFile(uid));
  if (!record && record.error().code != ErrorCode::kNotFound) return Fail(record.error());
  return {};
}

// The same of all runs.
Result<void> ReadThroughRuns(const Paths& paths, const std::string& uid,
                             const std::string& boot_id) {
  std::vector<std::string> strange;
  const auto runs = ReadRuns(paths, uid, boot_id, strange);
  if (!runs && runs.error().code != ErrorCode::kNotFound) return Fail(runs.error());
  if (!runs) return {};
  const auto passing = std::ranges::find(*runs, true, &FoundRun::passing);
  if (passing != runs->end()) return Fail(ErrorCode::kUnavailable, passing->fault);
  return {};
}

// The file stays in its place until another one is written.
void KeepBeside(const std::string& file, const std::string& damaged) {
  if (!Exists(file)) return;
  (void)::unlink(damaged.c_str());
  (void)::link(file.c_str(), damaged.c_str());
}

}  // namespace

const std::vector<std::string>* ObservedPods::GroupsOf(const std::string& uid) const {
  const auto observed = observed_.find(uid);
  return observed == observed_.end() ? nullptr : &observed->second.groups;
}

std::string ObservedPods::GroupInUse(const std::string& uid) const {
  const auto groups = PossibleGroupsOf(uid, context_.options.cgroup_driver);
  return InhabitedOf(context_.cgroups, groups).value_or(groups.back());
}

// What is known of a pod from its folders: the folder of its logs has its name, and each container
// has a folder.
Pod ObservedPods::SketchOf(const std::string& uid) const {
  Pod pod;
  pod.uid = uid;
  pod.name = uid;
  pod.namespace_ = "unknown";
  for (const std::string& logs : LogFoldersOf(context_.paths, uid)) {
    const std::string name = logs.substr(logs.rfind('/') + 1);
    const std::size_t end = name.find('_');
    pod.namespace_ = name.substr(0, end);
    pod.name = name.substr(end + 1, name.size() - end - uid.size() - 2);
  }
  const auto containers = NamesIn(context_.paths.Containers(uid));
  for (const std::string& name : containers.value_or(std::vector<std::string>{})) {
    pod.containers.emplace_back().name = name;
  }
  if (pod.containers.empty()) pod.containers.emplace_back().name = "unknown";
  return pod;
}

void ObservedPods::Enter(Pod pod, const Error& error) {
  const std::string uid = pod.uid;
  const std::string group = GroupInUse(uid);
  context_.Log(fmt::format(
      "pod {} of an earlier agent cannot be taken over: {}; what runs of it goes on in the group "
      "{} and is not evicted, and nothing in {} is deleted. Apply its manifest again, once what is "
      "wrong is mended or the processes have been ended: then it is taken over, or its files go to "
      "{}/quarantine",
      FullName(pod), error.message, group, context_.paths.Pod(uid), context_.paths.root()));
  observed_.insert_or_assign(uid, Observed{.pod = std::move(pod),
                                           .error = error,
                                           .group = group,
                                           .groups = {context_.options.cgroup_root + group}});
}

void ObservedPods::ReportAll(std::vector<RuntimePod>& pods) {
  for (auto& [uid, observed] : observed_) {
    if (auto pod = Report(observed)) pods.push_back(*std::move(pod));
  }
}

void ObservedPods::FindAgain(const std::string& uid) {
  const auto observed = observed_.find(uid);
  auto pod = observed == observed_.end() ? std::nullopt : Report(observed->second);
  if (pod) context_.Emit(PodFound{.pod_uid = uid, .pod = *std::move(pod)});
}

std::optional<RuntimePod> ObservedPods::Report(Observed& observed) {
  if (!IsInhabited(context_.cgroups, observed.group)) return std::nullopt;
  observed.is_reported = true;
  LookForEnds();
  RuntimePod pod{.pod = observed.pod, .containers = {}, .foreign = true, .spared = true};
  for (const Container& container : observed.pod.containers) {
    pod.containers.push_back(
        {.pod_uid = pod.pod.uid, .name = container.name, .created = context_.clock.Now()});
  }
  return pod;
}

void ObservedPods::LookForEnds() {
  on_look_ = context_.readiness.After(kLookPeriod, [this] {
    on_look_.Stop();
    bool any = false;
    for (auto& [uid, observed] : observed_) {
      if (observed.is_reported && !IsInhabited(context_.cgroups, observed.group))
        ReportEnd(observed);
      any = any || observed.is_reported;
    }
    if (any) LookForEnds();
  });
}

void ObservedPods::ReportEnd(Observed& observed) {
  observed.is_reported = false;
  const std::string& uid = observed.pod.uid;
  const Instant now = context_.clock.Now();
  for (const Container& container : observed.pod.containers) {
    context_.Emit(ContainerExited{
        .pod_uid = uid,
        .container = container.name,
        .attempt = 0,
        .exit = {.exit_code = 128 + SIGKILL, .signal = SIGKILL, .started = now, .finished = now}});
  }
  context_.Emit(PodRemoved{uid});
}

void ObservedPods::Refuse(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  Observed& observed = observed_.at(uid);
  observed.is_reported = false;
  context_.Emit(
      RefusalOf(uid, observed.error.message, IsInhabited(context_.cgroups, observed.group)));
  if (std::exchange(observed.is_busy, true)) return;
  const auto record = std::make_shared<Result<void>>();
  context_.disk.Do(
      [paths = context_.paths, uid, boot_id = context_.boot_id, record] {
        *record = ReadThroughRecord(paths, uid);
        return ReadThroughRuns(paths, uid, boot_id);
      },
      [this, plan, record](const Result<void>& runs) { OnRead(plan, *record, runs); });
}

void ObservedPods::OnRead(const PodPlan& wanted, const Result<void>& record,
                          const Result<void>& runs) {
  const std::string& uid = wanted.pod->uid;
  const Result<void> taken = runs ? TryTakeOver(wanted, record) : runs;
  if (taken) return;
  Observed& observed = observed_.at(uid);
  observed.is_busy = false;
  observed.error = taken.error();
  const bool is_free = IsDamage(observed.error) && !IsInhabited(context_.cgroups, observed.group);
  if (is_free) SetAside(uid);
}

// What the disk has just given is in memory, so the loop does not wait for it; what it did not give
// is not read again.
Result<void> ObservedPods::TryTakeOver(const PodPlan& wanted, const Result<void>& record) {
  const std::string& uid = wanted.pod->uid;
  const auto plan = record ? adoption_.ReadPlan(uid) : Fail(record.error());
  if (plan && *plan) return TakeOver(**plan);
  const Error why =
      plan ? Error{ErrorCode::kInvalidArgument, context_.paths.PodFile(uid) + " is missing"}
           : plan.error();
  if (!IsHashOfContent(*wanted.pod)) return Fail(why);
  auto taken = TakeOver(wanted);
  if (taken) Mend(*wanted.pod);
  return taken;
}

Result<void> ObservedPods::TakeOver(const PodPlan& plan) {
  const std::string uid = plan.pod->uid;
  auto found = adoption_.TakeOver(pods_.Enter(plan));
  if (!found) {
    pods_.all().erase(uid);
    return Fail(found.error());
  }
  observed_.erase(uid);
  context_.Emit(PodFound{.pod_uid = uid, .pod = std::move(*found)});
  return {};
}

void ObservedPods::Mend(const Pod& pod) {
  const std::string file = context_.paths.PodFile(pod.uid);
  const std::string damaged = DamagedPodFile(context_.paths, pod.uid);
  context_.disk.Do(
      [file, damaged, text = context_.options.written_pods->Write(pod)]() -> Result<void> {
        KeepBeside(file, damaged);
        return WriteFile(file, text);
      },
      [&context = context_, file, damaged](const Result<void>& written) {
        context.LogFailure("mend " + file, written);
        if (!written) return;
        context.Log(
            fmt::format("{} was damaged or missing and is written anew; what it was, if "
                        "anything, is in {}",
                        file, damaged));
      });
}

void ObservedPods::SetAside(const std::string& uid) {
  observed_.at(uid).is_busy = true;
  SetEarlierAside(
      context_.disk, context_.paths, uid, context_.clock.Now(),
      [&context = context_](std::string_view line) { context.Log(line); },
      [this, uid](bool is_free) {
        observed_.at(uid).is_busy = false;
        if (is_free) observed_.erase(uid);
      });
}

}  // namespace jettison::process
