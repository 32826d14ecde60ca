#include "runtimes/cri/observed_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

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

// According to the runtime or the kernel.
bool ObservedPods::MayRun(const std::string& uid, const Sandboxes& sandboxes,
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
         InhabitedOf(context_.cgroups, PossibleGroupsOf(uid, context_.options.cgroup_driver))
             .has_value();
}

void ObservedPods::Enter(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
                         const Error& error) {
  if (!kernel::IsPathSegment(uid)) {
    return context_.Log(error.In(fmt::format("pod {:?} is left alone", uid)).message);
  }
  const auto [entered, is_new] = observed_.try_emplace(uid, Observed{.error = error});
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
      "pod {} of an earlier agent cannot be taken over: {}; nothing of it is ended, evicted or "
      "deleted, its files stay in {}. {}",
      name, error.message, folder,
      MayRun(uid, sandboxes, listing)
          ? fmt::format("It goes on, and no pod of its UID is made beside it: {}", HowToEnd(uid))
          : "Nothing of it runs: a manifest of its UID takes its place, and its files go to " +
                context_.paths.root() + "/quarantine then"));
  KeepFolder(uid);
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
  const std::optional<std::string>& sandbox = observed_.at(uid).sandbox;
  if (sandbox) return fmt::format("end it with `crictl stopp {}`", *sandbox);
  return fmt::format("end the processes in one of its control groups, {}",
                     fmt::join(PossibleGroupsOf(uid, context_.options.cgroup_driver), ", "));
}

void ObservedPods::Refuse(const PodPlan& plan) {
  const std::string& uid = plan.pod->uid;
  Observed& observed = observed_.at(uid);
  context_.Emit(RefusalOf(
      uid,
      fmt::format("{}it cannot be read: {}; if it stays so, {}",
                  observed.sandbox ? fmt::format("in sandbox {}, ", *observed.sandbox) : "",
                  observed.error.message, HowToEnd(uid)),
      InhabitedOf(context_.cgroups, PossibleGroupsOf(uid, context_.options.cgroup_driver))
          .has_value()));
  if (observed.step != Step::kIdle) return;
  observed.step = Step::kReading;
  observed.wanted = plan;
  context_.disk.Do(
      [file = RecordFile(context_, uid)]() -> Result<void> {
        const auto record = kernel::ReadFile(file);
        const bool is_given = record || record.error().code == ErrorCode::kNotFound;
        return is_given ? Result<void>() : Fail(record.error());
      },
      lifetime_.Guard([this, uid](const Result<void>& given) {
        Observed& read = observed_.at(uid);
        read.step = Step::kListing;
        read.is_given = given.has_value();
        if (!given) read.error = given.error();
        context_.WantRelist();
      }));
}

void ObservedPods::OnListed(const Listing& listing) {
  const auto pods = OwnSandboxes(context_, listing);
  std::vector<std::string> uids;
  for (const auto& [uid, observed] : observed_) {
    if (observed.step == Step::kListing) uids.push_back(uid);
  }
  for (const std::string& uid : uids) {
    const auto own = pods.find(uid);
    Settle(uid, own == pods.end() ? Sandboxes{} : own->second, listing);
  }
}

void ObservedPods::Settle(const std::string& uid, const Sandboxes& sandboxes,
                          const Listing& listing) {
  Observed& observed = observed_.at(uid);
  observed.step = Step::kIdle;
  observed.sandbox = sandboxes.empty() ? std::nullopt : std::optional(sandboxes.front()->id());
  const PodPlan wanted = *std::exchange(observed.wanted, std::nullopt);
  const bool is_same = IsHashOfContent(*wanted.pod);
  // What the disk did not give beside the loop is not read here.
  const auto plan =
      observed.is_given ? ReadDescription(context_, uid, sandboxes) : Fail(observed.error);
  if (!plan) observed.error = plan.error();
  if (!sandboxes.empty() && (plan || is_same)) {
    return TakeOver(plan ? *plan : wanted, sandboxes, listing);
  }
  if (plan) {
    const auto written = ReadPodRecord(context_, uid);
    if (written) TakeOver(*written);
    return;
  }
  if (MayRun(uid, sandboxes, listing)) return;
  if (!is_same) {
    if (IsDamage(observed.error)) SetAside(uid);
    return;
  }
  // It counts as created, because a creation that fails removes the files.
  const auto place = kernel::CheckPodPlace(context_.paths.Pod(uid));
  context_.LogFailure("take over the files of pod " + uid, place);
  if (place) TakeOver(WrittenPod{.plan = wanted, .record = {}});
}

void ObservedPods::TakeOver(const WrittenPod& written) {
  const std::string uid = written.plan.pod->uid;
  observed_.erase(uid);
  ways_.forget(uid);
  RuntimePod found = ways_.adoption.TakeOver(written);
  context_.Emit(PodFound{uid, std::move(found)});
}

void ObservedPods::TakeOver(const PodPlan& plan, const Sandboxes& sandboxes,
                            const Listing& listing) {
  observed_.at(plan.pod->uid).step = Step::kBusy;
  ways_.inventory.AskAbout(sandboxes, listing, lifetime_.Guard([this, plan](const Found& found) {
    OnFound(plan, found);
  }));
}

void ObservedPods::OnFound(const PodPlan& plan, const Found& found) {
  const std::string& uid = plan.pod->uid;
  const auto sandboxes = OwnSandboxes(context_, found.own);
  if (const Error* const why = found.WhyUnknown(sandboxes.at(uid))) {
    observed_.at(uid).error = *why;
    observed_.at(uid).step = Step::kIdle;
    return;
  }
  observed_.erase(uid);
  ways_.forget(uid);
  RuntimePod adopted = ways_.adoption.TakeOver(plan, sandboxes.at(uid), found);
  ways_.pods.Find(uid)->WriteRecord();
  context_.Emit(PodFound{uid, std::move(adopted)});
}

void ObservedPods::SetAside(const std::string& uid) {
  observed_.at(uid).step = Step::kBusy;
  SetEarlierAside(
      context_.disk, context_.paths, uid, context_.clock.Now(),
      [&context = context_](std::string_view line) { context.Log(line); },
      lifetime_.Guard([this, uid](bool is_free) {
        observed_.at(uid).step = Step::kIdle;
        if (!is_free) return;
        observed_.erase(uid);
        ways_.leftovers.Remove({.uid = uid,
                                .groups = PossibleGroupsOf(uid, context_.options.cgroup_driver),
                                .log_dirs = {}});
      }));
}

}  // namespace jettison::cri
