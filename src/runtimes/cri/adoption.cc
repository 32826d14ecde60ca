#include "runtimes/cri/adoption.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "pods/pod_groups.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

// Pods that were created and that the runtime does not know, because it lost them or is another
// runtime, are taken over, too. Their processes go on, and no data of theirs is deleted.
std::vector<RuntimePod> Adoption::TakeOverAll(const Found& found) {
  listing_ = found.listing;
  auto pods = ways_.pods.TakeOverAll(
      found, [this](const std::string& uid, const Error& error) { Enter(uid, error); });
  const auto listed = OwnSandboxes(context_, listing_);
  auto unlisted = ways_.pods.LoseUnlisted(listed);
  auto folders = ways_.leftovers.Begin().value_or(std::vector<std::string>{});
  std::erase_if(folders, [&](const std::string& uid) { return listed.contains(uid); });
  std::ranges::move(TakeOverFolders(folders), std::back_inserter(unlisted));
  ways_.pods.WriteRecords(false);
  if (!unlisted.empty()) {
    context_.Log(fmt::format(
        "the container runtime does not know {} pods that this agent created; what still runs of "
        "them is guarded, and what ends is started again; make sure that containerRuntimeEndpoint "
        "names the runtime on which they were created",
        unlisted.size()));
  }
  std::ranges::move(unlisted, std::back_inserter(pods));
  return pods;
}

bool Adoption::IsReadable(const std::string& uid, const Listing& listing) {
  listing_ = listing;
  const auto plan = ReadPlan(uid);
  if (!plan) Enter(uid, plan.error());
  return plan.has_value();
}

std::string Adoption::RecordOf(const std::string& uid) const {
  return RecordFile(context_, uid);
}

Result<PodPlan> Adoption::ReadPlan(const std::string& uid) const {
  return ReadDescription(context_, uid, SandboxesOf(uid));
}

// A folder without a record may be of a pod whose record could not be written, where this runtime
// is not the one on which the pod was created, or has lost its state. Where no container has had a
// log, the creation was interrupted, and its sandbox may still appear.
void Adoption::Settle(const std::string& uid) {
  const auto logs = kernel::LogFoldersOf(context_.paths, uid);
  const auto has_logs = [](const std::string& logs_of_pod) {
    const auto containers = kernel::NamesIn(logs_of_pod);
    return !containers || !containers->empty();
  };
  const bool was_begun = logs && std::ranges::none_of(*logs, has_logs) && !CheckLeftover(uid);
  if (!was_begun || !kernel::IsPodFolder(context_.paths.Pod(uid))) {
    return jettison::Adoption::Settle(uid);
  }
  unsettled_.insert(uid);
}

Sandboxes Adoption::SandboxesOf(const std::string& uid) const {
  auto all = OwnSandboxes(context_, listing_);
  const auto own = all.find(uid);
  return own == all.end() ? Sandboxes{} : std::move(own->second);
}

void Adoption::OnListed(const Listing& listing) {
  const bool is_of_use = !empty() || !unsettled_.empty();
  listing_ = is_of_use ? listing : Listing{};
  if (!is_of_use) return ended_.clear();
  for (const std::string& uid : std::exchange(unsettled_, {})) {
    if (!IsOwn(uid) && !Has(uid) && ways_.leftovers.Find(uid) == nullptr) Settle(uid);
  }
  AskHowTheyEnded();
}

// A container that has ended does not change any more. Where nobody answers, the next listing asks
// again.
void Adoption::AskHowTheyEnded() {
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
bool Adoption::MayRun(const std::string& uid) const {
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
         jettison::Adoption::MayRun(uid);
}

void Adoption::Enter(const std::string& uid, const Error& error) {
  if (!kernel::IsPathSegment(uid)) {
    return context_.Log(error.In(fmt::format("pod {:?} is left alone", uid)).message);
  }
  if (Has(uid)) return;
  jettison::Adoption::Enter(uid, error);
  KeepFolder(uid);
  AskHowTheyEnded();
}

std::string Adoption::NameOf(const std::string& uid) const {
  const Sandboxes sandboxes = SandboxesOf(uid);
  if (sandboxes.empty()) return uid;
  const api::PodSandbox& sandbox = *sandboxes.front();
  return fmt::format("{}/{} ({}, sandbox {})", sandbox.metadata().namespace_(),
                     sandbox.metadata().name(), uid, sandbox.id());
}

// Without a record, an agent that does not find the sandbox would take the folder for a leftover.
void Adoption::KeepFolder(const std::string& uid) {
  const auto record = ReadPodRecord(context_, uid);
  if (record || record.error().code != ErrorCode::kNotFound) return;
  const std::string folder = context_.paths.Pod(uid);
  if (!kernel::IsPodFolder(folder)) return;
  context_.disk.Do(
      [folder, file = RecordFile(context_, uid)]() -> Result<void> {
        if (!kernel::Exists(folder) || kernel::Exists(file)) return {};
        return kernel::WriteFile(file, "unread\n");
      },
      [&context = context_, folder](const Result<void>& written) {
        context.LogFailure("keep " + folder, written);
      });
}

std::string Adoption::HowToEnd(const std::string& uid) const {
  const Sandboxes sandboxes = SandboxesOf(uid);
  return sandboxes.empty() ? jettison::Adoption::HowToEnd(uid)
                           : fmt::format("end it with `crictl stopp {}`", sandboxes.front()->id());
}

Result<RuntimePod> Adoption::TakeOver(const PodPlan& plan, const Error* unread) {
  const std::string& uid = plan.pod->uid;
  const Sandboxes sandboxes = SandboxesOf(uid);
  if (!sandboxes.empty()) return TakeOverListed(plan, sandboxes);
  if (unread != nullptr) {
    if (MayRun(uid)) return Fail(*unread);
    // It counts as created, because a creation that fails removes the files.
    const auto place = kernel::CheckPodPlace(context_.paths.Pod(uid));
    context_.LogFailure("take over the files of pod " + uid, place);
    if (!place) return Fail(place.error());
  }
  auto written =
      unread == nullptr ? ReadPodRecord(context_, uid) : WrittenPod{.plan = plan, .record = {}};
  if (!written) return Fail(written.error());
  ways_.forget(uid);
  return ways_.pods.TakeOver(*written);
}

Result<RuntimePod> Adoption::TakeOverListed(const PodPlan& plan, const Sandboxes& sandboxes) {
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

void Adoption::OnSetAside(const std::string& uid) {
  ways_.leftovers.Remove(
      {.uid = uid, .groups = PossibleGroupsOf(uid, context_.cgroup_driver), .log_dirs = {}});
}

}  // namespace jettison::cri
