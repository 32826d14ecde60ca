#include "runtimes/cri/unread_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/mounts/quarantine.h"
#include "runtimes/cri/containers/sandbox_clearance.h"

namespace jettison::cri {
namespace {

constexpr const char* kConfigHash = "kubernetes.io/config.hash";

// A UID that is a hash of the whole pod belongs to no other pod.
bool UidTellsContent(const Pod& pod) {
  const auto hash = pod.annotations.find(kConfigHash);
  return hash != pod.annotations.end() && hash->second == pod.uid;
}

bool IsDamage(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument;
}

}  // namespace

bool UnreadPods::Owns(const api::PodSandbox& sandbox) const {
  return IsOurs(context_, sandbox) && Has(sandbox.metadata().uid());
}

bool UnreadPods::IsReadable(const std::string& uid, const Sandboxes& sandboxes,
                            const Listing& listing) {
  const auto plan = ways_.descriptions.Read(uid, sandboxes);
  if (!plan) Enter(uid, sandboxes, listing, plan.error());
  return plan.has_value();
}

// According to the runtime or the kernel.
bool UnreadPods::MayRun(const std::string& uid, const Sandboxes& sandboxes,
                        const Listing& listing) const {
  std::set<std::string_view> ids;
  for (const api::PodSandbox* sandbox : sandboxes) {
    if (sandbox->state() == api::SANDBOX_READY) return true;
    ids.insert(sandbox->id());
  }
  const auto& containers = listing.containers;
  return std::any_of(containers.begin(), containers.end(),
                     [&](const api::Container& container) {
                       const bool lives = container.state() == api::CONTAINER_RUNNING ||
                                          container.state() == api::CONTAINER_UNKNOWN;
                       return lives && ids.contains(container.pod_sandbox_id());
                     }) ||
         InhabitedGroupOf(context_, uid).has_value();
}

void UnreadPods::Enter(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
                       const Error& error) {
  if (!kernel::IsPathSegment(uid)) {
    return context_.Log(error.In(fmt::format("pod {:?} is left alone", uid)).message);
  }
  const auto [entered, is_new] = unread_.try_emplace(uid, Unread{.error = error});
  if (!is_new) return;
  const std::string folder = context_.paths.Pod(uid);
  std::string name = uid;
  if (!sandboxes.empty()) {
    const api::PodSandbox& sandbox = *sandboxes.front();
    entered->second.sandbox = sandbox.id();
    name = fmt::format("{}/{} ({}, sandbox {})", sandbox.metadata().namespace_(),
                       sandbox.metadata().name(), uid, sandbox.id());
  }
  context_.Log(fmt::format(
      "pod {} of an earlier agent cannot be taken over: {}; nothing of it is ended or deleted, its "
      "files stay in {}. {}",
      name, error.message, folder,
      MayRun(uid, sandboxes, listing)
          ? fmt::format("It goes on, and no pod of its UID is made beside it: {}", HowToEnd(uid))
          : "Nothing of it runs: a manifest of its UID takes its place, and its files go to " +
                context_.paths.root() + "/quarantine then"));
  KeepFolder(uid);
}

// Without a record, an agent that does not find the sandbox would take the folder for a leftover.
void UnreadPods::KeepFolder(const std::string& uid) {
  const auto record = ways_.records.Read(uid);
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

std::string UnreadPods::HowToEnd(const std::string& uid) const {
  const std::optional<std::string>& sandbox = unread_.at(uid).sandbox;
  if (sandbox) return fmt::format("end it with `crictl stopp {}`", *sandbox);
  return fmt::format("end the processes in one of its control groups, {}",
                     fmt::join(PossibleGroupsOf(context_, uid), ", "));
}

// A pod with this UID is wanted. The unread pod is looked at with the next listing.
void UnreadPods::Refuse(const PodPlan& plan) {
  const Pod& pod = *plan.pod;
  Unread& unread = unread_.at(pod.uid);
  unread.wanted = plan;
  context_.WantRelist();
  context_.Emit(PodFailed{
      pod.uid,
      {ErrorCode::kUnavailable,
       fmt::format("an earlier pod of this UID is in its place{}, and cannot be read: {}; if it "
                   "stays so, {}",
                   unread.sandbox ? " in sandbox " + *unread.sandbox : "", unread.error.message,
                   HowToEnd(pod.uid))}});
}

void UnreadPods::OnListed(const Listing& listing) {
  const auto pods = OwnSandboxes(context_, listing);
  std::vector<std::string> uids;
  for (const auto& [uid, unread] : unread_) uids.push_back(uid);
  for (const std::string& uid : uids) {
    const auto own = pods.find(uid);
    Tend(uid, own == pods.end() ? Sandboxes{} : own->second, listing);
  }
}

void UnreadPods::Tend(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing) {
  Unread& unread = unread_.at(uid);
  // The end of the pod is awaited.
  if (unread.asked || unread.is_moving || ways_.is_ending(uid)) return;
  unread.sandbox = sandboxes.empty() ? std::nullopt : std::optional(sandboxes.front()->id());
  const std::optional<PodPlan> wanted = std::exchange(unread.wanted, std::nullopt);
  const auto plan = ways_.descriptions.Read(uid, sandboxes);
  if (plan) return sandboxes.empty() ? Recall(uid) : TakeOver(*plan, sandboxes, listing);
  unread.error = plan.error();
  const bool is_certain = wanted && UidTellsContent(*wanted->pod);
  if (is_certain && !sandboxes.empty()) return TakeOver(*wanted, sandboxes, listing);
  if (!wanted || MayRun(uid, sandboxes, listing)) return;
  if (is_certain) {
    TakeOverFiles(*wanted);
  } else if (IsDamage(unread.error)) {
    Quarantine(uid);
  }
}

// For a pod without a sandbox in the runtime.
void UnreadPods::Recall(const std::string& uid) {
  const auto written = ways_.records.Read(uid);
  if (!written) return;
  unread_.erase(uid);
  ways_.forget(uid);
  RuntimePod found = ways_.adoption.TakeOver(*written);
  context_.Emit(PodFound{uid, std::move(found)});
}

// Of a pod without a sandbox. It counts as created, because a creation that fails removes the
// files.
void UnreadPods::TakeOverFiles(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  const auto place = kernel::CheckPodPlace(context_.paths.Pod(uid));
  context_.LogFailure("take over the files of pod " + uid, place);
  if (!place) return;
  unread_.erase(uid);
  ways_.forget(uid);
  RuntimePod found = ways_.adoption.TakeOver(WrittenPod{.plan = plan, .record = {}});
  context_.Emit(PodFound{uid, std::move(found)});
}

void UnreadPods::TakeOver(const PodPlan& plan, const Sandboxes& sandboxes, const Listing& listing) {
  unread_.at(plan.pod->uid).asked = true;
  ways_.inventory.AskAbout(sandboxes, listing, lifetime_.Guard([this, plan](const Found& found) {
    OnFound(plan, found);
  }));
}

void UnreadPods::OnFound(const PodPlan& plan, const Found& found) {
  const std::string& uid = plan.pod->uid;
  const auto sandboxes = OwnSandboxes(context_, found.own);
  Unread& unread = unread_.at(uid);
  unread.asked = false;
  if (const Error* const why = found.WhyUnknown(sandboxes.at(uid))) {
    unread.error = *why;
    return;
  }
  unread_.erase(uid);
  ways_.forget(uid);
  RuntimePod adopted = ways_.adoption.TakeOver(plan, sandboxes.at(uid), found);
  ways_.pods.Find(uid)->WriteRecord();
  context_.Emit(PodFound{uid, std::move(adopted)});
}

void UnreadPods::Quarantine(const std::string& uid) {
  unread_.at(uid).is_moving = true;
  const auto place = std::make_shared<std::string>();
  context_.disk.Do(
      [paths = context_.paths, uid, now = context_.clock.Now(), place]() -> Result<void> {
        auto moved = kernel::SetAside(paths, uid, now);
        if (!moved) return Fail(moved.error());
        *place = *std::move(moved);
        return {};
      },
      lifetime_.Guard(
          [this, uid, place](const Result<void>& moved) { OnQuarantined(uid, moved, *place); }));
}

void UnreadPods::OnQuarantined(const std::string& uid, const Result<void>& moved,
                               const std::string& place) {
  unread_.at(uid).is_moving = false;
  context_.LogFailure("set the files of pod " + uid + " aside", moved);
  if (!moved) return;
  if (!place.empty()) {
    context_.Log(
        fmt::format("pod {} cannot be read and nothing of it runs: all its files are in {}; delete "
                    "them when nobody needs them",
                    uid, place));
  }
  unread_.erase(uid);
  ways_.leftovers.Remove(
      {.uid = uid, .groups = PossibleGroupsOf(context_, uid), .log_dirs = {}, .layers = {}});
}

}  // namespace jettison::cri
