#include "runtimes/process/observed_pods.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
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
  const auto runs = ReadRuns(paths, uid, boot_id);
  if (!runs) return Fail(runs.error());
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
  return Has(uid) ? &sketches_.at(uid).groups : nullptr;
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
  const std::string name = FullName(pod);
  const auto groups = PossibleGroupsOf(uid, context_.cgroup_driver);
  const std::string group = InhabitedOf(context_.cgroups, groups).value_or(groups.back());
  sketches_.insert_or_assign(uid, Sketch{.pod = std::move(pod),
                                         .group = group,
                                         .groups = {context_.options.cgroup_root + group}});
  jettison::ObservedPods::Enter(uid, name, error);
}

void ObservedPods::ReportAll(std::vector<RuntimePod>& pods) {
  for (auto& [uid, sketch] : sketches_) {
    if (auto pod = Report(sketch)) pods.push_back(*std::move(pod));
  }
}

void ObservedPods::FindAgain(const std::string& uid) {
  auto pod = Has(uid) ? Report(sketches_.at(uid)) : std::nullopt;
  if (pod) context_.Emit(PodFound{.pod_uid = uid, .pod = *std::move(pod)});
}

std::optional<RuntimePod> ObservedPods::Report(Sketch& sketch) {
  if (!IsInhabited(context_.cgroups, sketch.group)) return std::nullopt;
  sketch.is_reported = true;
  LookForEnds();
  RuntimePod pod{.pod = sketch.pod, .containers = {}, .foreign = true, .spared = true};
  for (const Container& container : sketch.pod.containers) {
    pod.containers.push_back(
        {.pod_uid = pod.pod.uid, .name = container.name, .created = context_.clock.Now()});
  }
  return pod;
}

void ObservedPods::LookForEnds() {
  on_look_ = context_.readiness.After(kLookPeriod, [this] {
    on_look_.Stop();
    bool any = false;
    for (auto& [uid, sketch] : sketches_) {
      if (sketch.is_reported && !IsInhabited(context_.cgroups, sketch.group)) ReportEnd(sketch);
      any = any || sketch.is_reported;
    }
    if (any) LookForEnds();
  });
}

void ObservedPods::ReportEnd(Sketch& sketch) {
  sketch.is_reported = false;
  const std::string& uid = sketch.pod.uid;
  const Instant now = context_.clock.Now();
  for (const Container& container : sketch.pod.containers) {
    context_.Emit(ContainerExited{
        .pod_uid = uid,
        .container = container.name,
        .attempt = 0,
        .exit = {.exit_code = 128 + SIGKILL, .signal = SIGKILL, .started = now, .finished = now}});
  }
  context_.Emit(PodRemoved{uid});
}

void ObservedPods::Refuse(const PodPlan& plan) {
  sketches_.at(plan.pod->uid).is_reported = false;
  jettison::ObservedPods::Refuse(plan);
}

std::function<ObservedPods::Reading()> ObservedPods::Reader(const std::string& uid) const {
  return [paths = context_.paths, uid, boot_id = context_.boot_id]() -> Reading {
    return {.record = ReadThroughRecord(paths, uid), .rest = ReadThroughRuns(paths, uid, boot_id)};
  };
}

Result<RuntimePod> ObservedPods::TakeOver(const PodPlan& wanted, const Result<void>& record) {
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

Result<RuntimePod> ObservedPods::TakeOver(const PodPlan& plan) {
  auto found = adoption_.TakeOver(pods_.Enter(plan));
  if (!found) pods_.all().erase(plan.pod->uid);
  return found;
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

}  // namespace jettison::process
