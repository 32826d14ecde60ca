#include "machine/pods/pods_of_node.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "sources/containerd/containerd_source.h"

namespace jettison {
namespace {

// How long List waits for the examination of foreign pods; nothing else waits for it.
constexpr Duration kOthersWait = std::chrono::seconds(1);

}  // namespace

Result<std::unique_ptr<PodsOfNode>> PodsOfNode::Open(std::unique_ptr<OwnRuntime> own,
                                                     NodePodsSetup setup) {
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  return std::unique_ptr<PodsOfNode>(
      new PodsOfNode(std::move(own), std::move(*readiness), std::move(setup)));
}

PodsOfNode::PodsOfNode(std::unique_ptr<OwnRuntime> own,
                       std::unique_ptr<kernel::Readiness> readiness, NodePodsSetup setup)
    : own_(std::move(own)),
      processes_(std::move(setup.processes)),
      readiness_(std::move(readiness)),
      run_{.processes = *processes_,
           .cgroups = setup.cgroups,
           .group_end = setup.group_end,
           .clock = setup.clock,
           .readiness = *readiness_,
           .request_timeout = setup.request_timeout,
           .log = std::move(setup.log)},
      groups_{.processes = *processes_,
              .cgroups = setup.cgroups,
              .prefix = std::move(setup.cgroup_prefix),
              .names = std::move(setup.group_names)},
      roster_(
          run_, [this](const std::string& uid) { return IsOwn(uid); },
          [this](RuntimePod pod) { OnFound(std::move(pod)); }) {
  own_->OnTaken([this](const std::string& uid) { roster_.Forget(uid); });
  // TakeEvents asks it in any case.
  on_own_ = readiness_->OnReadable(own_->EventFd(), [] {});
}

ForeignPod* PodsOfNode::FindOther(const std::string& uid) const {
  return own_->ClaimOn(uid) == UidClaim::kPod ? nullptr : roster_.Find(uid);
}

void PodsOfNode::OnFound(RuntimePod pod) {
  if (listed_ != nullptr) return listed_->push_back(std::move(pod));
  const std::string uid = pod.pod.uid;
  run_.Emit(PodFound{uid, std::move(pod)});
}

std::vector<RuntimePod> PodsOfNode::Recall() {
  recalled_ = true;
  return own_->Recall();
}

Result<std::vector<RuntimePod>> PodsOfNode::List() {
  std::vector<RuntimePod> others;
  listed_ = &others;
  auto pods = own_->List();
  if (pods) {
    for (const auto& source : sources_) source->Await(recalled_ ? Duration::zero() : kOthersWait);
  }
  listed_ = nullptr;
  if (!pods) return pods;
  std::move(others.begin(), others.end(), std::back_inserter(*pods));
  return pods;
}

void PodsOfNode::StopContainer(const std::string& pod_uid, const std::string& container,
                               Duration grace) {
  own_->StopContainer(pod_uid, container, grace);
  if (ForeignPod* pod = FindOther(pod_uid)) pod->StopContainer(container, grace);
}

void PodsOfNode::KillContainer(const std::string& pod_uid, const std::string& container) {
  own_->KillContainer(pod_uid, container);
  if (ForeignPod* pod = FindOther(pod_uid)) pod->KillContainer(container);
}

// One that is spared and was not told to end is not meant: the caller had requested a pod of its
// UID, and is told of it again.
void PodsOfNode::RemovePod(const std::string& pod_uid) {
  ForeignPod* const pod = FindOther(pod_uid);
  if (pod != nullptr && (pod->ending() || !pod->spared())) return pod->Remove();
  if (pod != nullptr) roster_.Forget(pod_uid);
  own_->RemovePod(pod_uid);
}

PodDisk PodsOfNode::DiskOf(const Pod& pod) const {
  const ForeignPod* const other = FindOther(pod.uid);
  return other == nullptr ? own_->DiskOf(pod) : other->Disk();
}

std::string_view PodsOfNode::GroupOf(const std::string& pod_uid,
                                     const std::string& container) const {
  const ForeignPod* const other = FindOther(pod_uid);
  return other == nullptr ? own_->GroupOf(pod_uid, container) : other->GroupOf(container);
}

const std::vector<std::string>& PodsOfNode::ForeignGroupsOf(const std::string& pod_uid) const {
  const ForeignPod* const other = FindOther(pod_uid);
  return other == nullptr ? own_->ForeignGroupsOf(pod_uid) : other->groups();
}

std::vector<std::string> PodsOfNode::NotGuarded() const {
  std::vector<std::string> pods;
  for (const auto& source : sources_)
    std::ranges::move(source->NotGuarded(), std::back_inserter(pods));
  return pods;
}

// The runtime's events come first, because its calls may deliver what the sources report.
std::vector<RuntimeEvent> PodsOfNode::TakeEvents() {
  run_.taking = true;
  std::vector<RuntimeEvent> events = own_->TakeEvents();
  readiness_->Dispatch();
  roster_.Advance();
  run_.taking = false;
  std::vector<RuntimeEvent> others = std::exchange(run_.events, {});
  std::move(others.begin(), others.end(), std::back_inserter(events));
  return events;
}

Result<std::unique_ptr<ContainerRuntime>> WithForeignPods(std::unique_ptr<CriRuntime> runtime,
                                                          CriDependencies dependencies) {
  const CriRuntimeOptions options = Tidied(dependencies.options);
  CriRuntime& own = *runtime;
  auto pods = PodsOfNode::Open(std::move(runtime), {.processes = std::move(dependencies.processes),
                                                    .cgroups = dependencies.cgroups,
                                                    .group_end = dependencies.group_end,
                                                    .clock = dependencies.clock,
                                                    .cgroup_prefix = options.cgroup_prefix,
                                                    .group_names = options.cgroup_driver,
                                                    .request_timeout = options.request_timeout,
                                                    .log = options.log});
  if (!pods) return Fail(pods.error());
  PodsOfNode& all = **pods;
  auto source = std::make_unique<cri::ContainerdSource>(
      dependencies.calls, all.source_dependencies(),
      cri::ContainerdRules{.root = options.root,
                           .adopt = dependencies.adopt,
                           .has = [&all](const std::string& uid) { return all.IsOwn(uid); }});
  own.SetListener(
      [found = source.get()](const cri::Listing& listing) { found->OnListed(listing); });
  all.Add(std::move(source));
  return std::move(*pods);
}

}  // namespace jettison
