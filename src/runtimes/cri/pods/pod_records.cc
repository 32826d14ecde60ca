#include "runtimes/cri/pods/pod_records.h"

#include <fmt/format.h>

#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "runtimes/cri/containers/pod_removal.h"

namespace jettison::cri {

std::string RecordFile(const RuntimeContext& context, const std::string& uid) {
  return context.paths.Pod(uid) + "/record";
}

Result<PodPlan> PodRecords::Parse(const std::string& text, const std::string& uid) const {
  const auto damaged = [](std::string why) {
    return Fail(ErrorCode::kInvalidArgument, std::move(why));
  };
  auto plan = context_.options.written_pods->Read(text);
  if (!plan) return damaged(plan.error().message);
  const Pod& pod = *plan->pod;
  if (pod.uid != uid) return damaged("it describes the pod " + pod.uid);
  if (auto names = kernel::CheckNames(pod); !names) return damaged(names.error().message);
  return plan;
}

Result<WrittenPod> PodRecords::Read(const std::string& uid) const {
  if (!kernel::IsPathSegment(uid)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{:?} cannot be a UID", uid));
  }
  const std::string path = RecordFile(context_, uid);
  const auto text = kernel::ReadFile(path);
  if (!text) return Fail(text.error());
  auto record = ParsePodRecord(*text);
  auto plan = record.and_then([&](const PodRecord& r) { return Parse(r.written_pod, uid); });
  if (!plan) return Fail(plan.error().In(path));
  return WrittenPod{.plan = std::move(*plan), .record = std::move(*record)};
}

std::vector<WrittenPod> PodRecords::ReadAll(
    const std::function<bool(const std::string&)>& known) const {
  std::vector<WrittenPod> found;
  const std::string pods = context_.paths.Pods();
  for (const std::string& uid : kernel::NamesIn(pods).value_or(std::vector<std::string>{})) {
    if (uid.starts_with(kDoomedPrefix) || known(uid)) continue;
    auto written = Read(uid);
    context_.LogFailure("what was written down of pod " + uid, written);
    if (written) found.push_back(*std::move(written));
  }
  return found;
}

}  // namespace jettison::cri
