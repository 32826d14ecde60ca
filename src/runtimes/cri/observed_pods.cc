#include "runtimes/cri/observed_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "pods/earlier_pods.h"
#include "pods/pod_groups.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

bool ObservedPods::IsReadable(const std::string& uid, const Sandboxes& sandboxes,
                              const Listing& listing) {
  const auto plan = ReadDescription(context_, uid, sandboxes);
  if (!plan) Enter(uid, sandboxes, listing, plan.error());
  return plan.has_value();
}

Sandboxes ObservedPods::SandboxesOf(const std::string& uid) const {
  auto all = OwnSandboxes(context_, listing_);
  const auto own = all.find(uid);
  return own == all.end() ? Sandboxes{} : std::move(own->second);
}

void ObservedPods::OnListed(const Listing& listing) {
  if (empty()) return ended_.clear();
  listing_ = listing;
  AskHowTheyEnded();
}

// A container that has ended does not change any more. Where nobody answers, the next listing asks
// again.
void ObservedPods::AskHowTheyEnded() {
  for (const auto& [uid, sandboxes] : OwnSandboxes(context_, listing_)) {
    if (!Has(uid)) continue;
    for (const api::Container& container : listing_.containers) {
      const bool has_ended = container.state() == api::CONTAINER_EXITED &&
                             container.pod_sandbox_id() == sandboxes.front()->id();
      if (!has_ended || !ended_.try_emplace(container.id()).second) continue;
      ways_.inventory.AskStatus(container, [this, container](Inventory::Status status) {
        if (!status && IsSilence(status.error())) {
          ended_.erase(container.id());
        } else {
          ended_[container.id()] = ways_.inventory.StatusBy(container, std::move(status));
        }
      });
    }
  }
}

// According to the runtime, too.
bool ObservedPods::MayRun(const std::string& uid) const {
  std::set<std::string_view> ids;
  for (const api::PodSandbox* sandbox : SandboxesOf(uid)) {
    if (sandbox->state() == api::SANDBOX_READY) return true;
    ids.insert(sandbox->id());
  }
  const auto& containers = listing_.containers;
  return std::any_of(containers.begin(), containers.end(),
                     [&](const api::Container& container) {
                       const bool lives = container.state() == api::CONTAINER_RUNNING ||
                                          container.state() == api::CONTAINER_UNKNOWN;
                       return lives && ids.contains(container.pod_sandbox_id());
                     }) ||
         jettison::ObservedPods::MayRun(uid);
}

void ObservedPods::Enter(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
                         const Error& error) {
  if (!kernel::IsPathSegment(uid)) {
    return context_.Log(error.In(fmt::format("pod {:?} is left alone", uid)).message);
  }
  if (Has(uid)) return;
  std::string name = uid;
  if (!sandboxes.empty()) {
    const api::PodSandbox& sandbox = *sandboxes.front();
    name = fmt::format("{}/{} ({}, sandbox {})", sandbox.metadata().namespace_(),
                       sandbox.metadata().name(), uid, sandbox.id());
  }
  listing_ = listing;
  jettison::ObservedPods::Enter(uid, name, error);
  KeepFolder(uid);
  AskHowTheyEnded();
}

// Without a record, an agent that does not find the sandbox would take the folder for a leftover.
void ObservedPods::KeepFolder(const std::string& uid) {
  const auto record = ReadPodRecord(context_, uid);
  if (record || record.error().code != ErrorCode::kNotFound) return;
  const std::string folder = context_.paths.Pod(uid);
  context_.disk.Do(
      [folder, file = RecordFile(context_, uid)]() -> Result<void> {
        if (!kernel::Exists(folder) || kernel::Exists(file)) return {};
        return kernel::WriteFile(file, "unread\n");
      },
      [&context = context_, folder](const Result<void>& written) {
        context.LogFailure("keep " + folder, written);
      });
}

std::string ObservedPods::HowToEnd(const std::string& uid) const {
  const Sandboxes sandboxes = SandboxesOf(uid);
  return sandboxes.empty() ? jettison::ObservedPods::HowToEnd(uid)
                           : fmt::format("end it with `crictl stopp {}`", sandboxes.front()->id());
}

std::function<ObservedPods::Reading()> ObservedPods::Reader(const std::string& uid) const {
  return [file = RecordFile(context_, uid)]() -> Reading {
    const auto record = kernel::ReadFile(file);
    const bool is_given = record || record.error().code == ErrorCode::kNotFound;
    return {.record = is_given ? Result<void>() : Fail(record.error()), .rest = {}};
  };
}

Result<RuntimePod> ObservedPods::TakeOver(const PodPlan& wanted, const Result<void>& record) {
  const std::string& uid = wanted.pod->uid;
  const bool is_same = IsHashOfContent(*wanted.pod);
  const Sandboxes sandboxes = SandboxesOf(uid);
  const auto plan = record ? ReadDescription(context_, uid, sandboxes) : Fail(record.error());
  if (!sandboxes.empty() && (plan || is_same)) return TakeOver(plan ? *plan : wanted, sandboxes);
  if (plan) {
    const auto written = ReadPodRecord(context_, uid);
    if (!written) return Fail(written.error());
    ways_.forget(uid);
    return ways_.pods.TakeOver(*written);
  }
  if (MayRun(uid) || !is_same) return Fail(plan.error());
  // It counts as created, because a creation that fails removes the files.
  const auto place = kernel::CheckPodPlace(context_.paths.Pod(uid));
  context_.LogFailure("take over the files of pod " + uid, place);
  if (!place) return Fail(place.error());
  ways_.forget(uid);
  return ways_.pods.TakeOver(WrittenPod{.plan = wanted, .record = {}});
}

Result<RuntimePod> ObservedPods::TakeOver(const PodPlan& plan, const Sandboxes& sandboxes) {
  Found found{.listing = listing_, .statuses = {}};
  for (const api::Container& container : listing_.containers) {
    if (container.pod_sandbox_id() != sandboxes.front()->id()) continue;
    if (container.state() != api::CONTAINER_EXITED) {
      found.statuses.emplace(container.id(), StatusListed(container));
      continue;
    }
    const auto ended = ended_.find(container.id());
    if (ended == ended_.end() || !ended->second) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("the container runtime has not said how its container {} ended",
                              container.metadata().name()));
    }
    found.statuses.emplace(container.id(), *ended->second);
  }
  ways_.forget(plan.pod->uid);
  RuntimePod adopted = ways_.pods.TakeOver(plan, sandboxes, found);
  ways_.pods.Find(plan.pod->uid)->WriteRecord();
  return adopted;
}

void ObservedPods::OnSetAside(const std::string& uid) {
  ways_.leftovers.Remove(
      {.uid = uid, .groups = PossibleGroupsOf(uid, context_.cgroup_driver), .log_dirs = {}});
}

}  // namespace jettison::cri
