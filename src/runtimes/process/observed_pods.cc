#include "runtimes/process/observed_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "pods/earlier_pods.h"
#include "runtimes/process/runs/found_runs.h"

namespace jettison::process {

using namespace kernel;
namespace {

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

}  // namespace

// The folder of its logs has its name.
void ObservedPods::Enter(const std::string& uid, const Error& error) {
  std::string name = uid;
  const auto log_folders = LogFoldersOf(context_.paths, uid);
  for (const std::string& logs : log_folders.value_or(std::vector<std::string>{})) {
    name = logs.substr(logs.rfind('/') + 1);
    name = name.substr(0, name.size() - uid.size() - 1);
    std::ranges::replace(name, '_', '/');
  }
  jettison::ObservedPods::Enter(uid, name, error);
}

std::function<ObservedPods::Reading()> ObservedPods::Reader(const std::string& uid) const {
  return [paths = context_.paths, uid, boot_id = context_.boot_id]() -> Reading {
    return {.record = ReadThroughRecord(paths, uid), .rest = ReadThroughRuns(paths, uid, boot_id)};
  };
}

Result<RuntimePod> ObservedPods::TakeOver(const PodPlan& wanted, const Result<void>& record) {
  const std::string& uid = wanted.pod->uid;
  const auto plan = record ? adoption_.ReadPlan(uid) : Fail(record.error());
  if (plan && *plan) return adoption_.TakeOver(**plan);
  const Error why =
      plan ? Error{ErrorCode::kInvalidArgument, context_.paths.PodFile(uid) + " is missing"}
           : plan.error();
  if (!IsHashOfContent(*wanted.pod)) return Fail(why);
  auto taken = adoption_.TakeOver(wanted);
  if (taken) Mend(*wanted.pod);
  return taken;
}

void ObservedPods::Mend(const Pod& pod) {
  const std::string file = context_.paths.PodFile(pod.uid);
  context_.disk.Do(
      [file, text = context_.options.written_pods->Write(pod)] { return WriteFile(file, text); },
      [&context = context_, file](const Result<void>& written) {
        context.LogFailure("mend " + file, written);
        if (!written) return;
        context.Log(file + " was damaged or missing and is written anew");
      });
}

}  // namespace jettison::process
