// What the runtime finds when it starts: the pods of an agent before it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "platform/cri/labels.h"
#include "platform/cri/runtime.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/files.h"

namespace jettison::cri {
namespace {

// How long List waits for all its answers; the agent asks again.
constexpr Duration kListWait = std::chrono::seconds(3);
// The same for what the pods of others are; the rest does not wait for it.
constexpr Duration kOthersWait = std::chrono::seconds(1);
constexpr QosClass kQosClasses[] = {QosClass::kGuaranteed, QosClass::kBurstable,
                                    QosClass::kBestEffort};

const std::string* Annotation(const api::PodSandbox& sandbox, std::string_view name) {
  const auto it = sandbox.annotations().find(std::string(name));
  return it == sandbox.annotations().end() ? nullptr : &it->second;
}

// Of several sandboxes of a pod one that is ready counts, then the newest.
bool IsBetter(const api::PodSandbox& one, const api::PodSandbox& other) {
  const bool ready = one.state() == api::SANDBOX_READY;
  if (ready != (other.state() == api::SANDBOX_READY)) return ready;
  return one.metadata().attempt() > other.metadata().attempt();
}

Error NotYet() {
  return {ErrorCode::kUnavailable, "the container runtime has not told yet what it runs"};
}

}  // namespace

void Runtime::ListAll(Listed listed) {
  auto listing = std::make_shared<Listing>();
  for (const auto& [uid, actor] : pods_) actor->AddKnown(listing->known);
  const Duration deadline = surroundings_.options.request_timeout;
  surroundings_.calls.ListPodSandbox(
      api::ListPodSandboxRequest(), deadline,
      lifetime_.Guard([this, deadline, listing,
                       listed = std::move(listed)](Result<api::ListPodSandboxResponse> sandboxes) {
        if (!sandboxes) return listed(Fail(sandboxes.error()));
        for (auto& sandbox : *sandboxes->mutable_items()) {
          listing->sandboxes.push_back(std::move(sandbox));
        }
        surroundings_.calls.ListContainers(
            api::ListContainersRequest(), deadline,
            [listing, listed](Result<api::ListContainersResponse> containers) {
              if (!containers) return listed(Fail(containers.error()));
              for (auto& container : *containers->mutable_containers()) {
                listing->containers.push_back(std::move(container));
              }
              listed(std::move(*listing));
            });
      }));
}

Result<std::vector<RuntimePod>> Runtime::List() {
  auto found = FindAll();
  if (!found) return Fail(found.error());
  auto pods = Adopt(*found);
  std::set<std::string> listed;
  for (const api::PodSandbox& sandbox : found->sandboxes) listed.insert(sandbox.metadata().uid());
  AdoptUnlisted(listed, pods);
  for (const auto& [uid, actor] : pods_) actor->WriteRecord();
  RemoveLeftovers(*found);
  if (!pods_.empty()) UpdateQosGroups();
  if (surroundings_.options.adopt_foreign) AdoptOthers(found->of_others, pods);
  adopted_ = true;
  ScheduleRelist(surroundings_.options.relist_period);
  rotation_.Start();
  return pods;
}

struct Runtime::Inquiry {
  std::optional<Result<Listing>> listing;
  std::optional<Found> found;  // once the listing is there
  std::vector<std::optional<Result<api::ContainerStatusResponse>>> statuses;
  std::size_t missing = 0;  // statuses without an answer
  [[nodiscard]] bool over() const { return listing && (!*listing || (found && missing == 0)); }
};

// Whoever asks again before the answers have come waits for the same ones.
Result<Runtime::Found> Runtime::FindAll() {
  if (!inquiry_) {
    inquiry_ = std::make_shared<Inquiry>();
    ListAll([this, inquiry = inquiry_](Result<Listing> listed) {
      inquiry->listing = std::move(listed);
      if (*inquiry->listing) AskStatuses(inquiry);
    });
  }
  const std::shared_ptr<Inquiry> inquiry = inquiry_;
  const Duration wait = recalled_ ? Duration::zero() : kListWait;
  if (!Await(wait, [&] { return inquiry->over(); })) return Fail(NotYet());
  inquiry_.reset();
  if (!*inquiry->listing) return Fail(inquiry->listing->error());
  return FoundBy(*inquiry);
}

// All at once.
void Runtime::AskStatuses(const std::shared_ptr<Inquiry>& inquiry) {
  Found& found = inquiry->found.emplace();
  std::set<std::string, std::less<>> ids;
  for (api::PodSandbox& sandbox : (**inquiry->listing).sandboxes) {
    if (!IsOurs(surroundings_, sandbox)) {
      found.of_others.sandboxes.push_back(std::move(sandbox));
      continue;
    }
    ids.insert(sandbox.id());
    found.sandboxes.push_back(std::move(sandbox));
  }
  for (api::Container& container : (**inquiry->listing).containers) {
    const bool own = ids.contains(container.pod_sandbox_id());
    (own ? found.containers : found.of_others.containers).push_back(std::move(container));
  }
  inquiry->statuses.resize(found.containers.size());
  inquiry->missing = found.containers.size();
  for (std::size_t i = 0; i < found.containers.size(); ++i) {
    api::ContainerStatusRequest request;
    request.set_container_id(found.containers[i].id());
    request.set_verbose(true);
    surroundings_.calls.ContainerStatus(request, kListWait,
                                        [inquiry, i](Result<api::ContainerStatusResponse> answer) {
                                          inquiry->statuses[i] = std::move(answer);
                                          --inquiry->missing;
                                        });
  }
}

// A container that vanished meanwhile is none.
Result<Runtime::Found> Runtime::FoundBy(Inquiry& inquiry) {
  Found found = std::move(*inquiry.found);
  for (auto& answer : inquiry.statuses) {
    if (*answer) {
      found.statuses.push_back(std::move(**answer));
    } else if ((*answer).error().code != ErrorCode::kNotFound) {
      return Fail((*answer).error());
    } else {
      found.statuses.emplace_back();
    }
  }
  return found;
}

std::optional<Pod> Runtime::ReadPod(const api::PodSandbox& sandbox) {
  auto pod = surroundings_.options.parse_pod(*Annotation(sandbox, kPodAnnotation));
  if (pod && pod->uid != sandbox.metadata().uid()) {
    pod = Fail(ErrorCode::kInvalidArgument, "it describes the pod " + pod->uid);
  }
  if (pod) {
    if (auto names = pod_host::CheckNames(*pod); !names) pod = Fail(names.error());
  }
  if (pod) return std::move(*pod);
  surroundings_.Log(fmt::format("annotation {} of sandbox {}: {}; the pod is ended and removed",
                                kPodAnnotation, sandbox.id(), pod.error().message));
  return std::nullopt;
}

std::vector<RuntimePod> Runtime::Adopt(const Found& found) {
  std::map<std::string, const api::PodSandbox*> sandboxes;
  for (const api::PodSandbox& sandbox : found.sandboxes) {
    const api::PodSandbox*& best = sandboxes[sandbox.metadata().uid()];
    if (best == nullptr || IsBetter(sandbox, *best)) best = &sandbox;
  }
  std::vector<RuntimePod> listed;
  for (const auto& [uid, sandbox] : sandboxes) {
    // One that was recalled, and is ended since, is not taken over again.
    const auto recalled = pods_.find(uid);
    if (recalled != pods_.end() && recalled->second->removing()) continue;
    auto pod = recalled != pods_.end() ? std::optional(recalled->second->pod()) : ReadPod(*sandbox);
    if (!pod) continue;
    if (recalled == pods_.end()) {
      pods_[uid] = std::make_unique<PodActor>(surroundings_, *pod);
    }
    PodActor* const actor = pods_[uid].get();
    const std::string* const network = Annotation(*sandbox, kNetworkAnnotation);
    actor->Adopt({.id = sandbox->id(),
                  .attempt = sandbox->metadata().attempt(),
                  .host_network = network != nullptr && *network == "host"},
                 sandbox->state() == api::SANDBOX_READY);
    RuntimePod& runtime_pod = listed.emplace_back(RuntimePod{.pod = std::move(*pod)});
    // In the order of attempts: the newest run of a container is the one that counts.
    std::vector<const api::ContainerStatusResponse*> own;
    for (std::size_t i = 0; i < found.containers.size(); ++i) {
      if (found.containers[i].pod_sandbox_id() == sandbox->id() && found.statuses[i].has_status()) {
        own.push_back(&found.statuses[i]);
      }
    }
    std::sort(own.begin(), own.end(), [](const auto* a, const auto* b) {
      return a->status().metadata().attempt() < b->status().metadata().attempt();
    });
    for (const api::ContainerStatusResponse* container : own) {
      if (auto record = actor->AdoptContainer(*container)) {
        runtime_pod.containers.push_back(std::move(*record));
      }
    }
  }
  return listed;
}

// Those that are not told in time are found later.
void Runtime::AdoptOthers(const Listing& listing, std::vector<RuntimePod>& pods) {
  foreign_.OnListed(listing);
  (void)Await(recalled_ ? Duration::zero() : kOthersWait, [&] { return !foreign_.busy(); });
  std::erase_if(surroundings_.events, [&](RuntimeEvent& event) {
    auto* const found = std::get_if<PodFound>(&event);
    if (found == nullptr) return false;
    pods.push_back(std::move(found->pod));
    return true;
  });
}

// Pods whose creation or removal was interrupted, or whose description cannot be read. Nobody will
// ask for them again, so nothing of them may stay.
void Runtime::RemoveLeftovers(const Found& found) {
  std::set<std::string> uids;
  for (const api::PodSandbox& sandbox : found.sandboxes) uids.insert(sandbox.metadata().uid());
  std::vector<std::string> doomed;
  const std::string pods = surroundings_.paths.Pods();
  for (const std::string& name : pod_host::NamesIn(pods).value_or(std::vector<std::string>{})) {
    if (name.starts_with(kDoomedPrefix)) {
      doomed.push_back(fmt::format("{}/{}", pods, name));
    } else {
      uids.insert(name);
    }
  }
  for (const std::string& uid : uids) {
    if (!pods_.contains(uid) && pod_host::IsPathSegment(uid)) RemoveLeftover(uid);
  }
  if (doomed.empty()) return;
  auto job = StartRemoval(*readiness_, {.volumes = "", .trees = doomed},
                          [this](const Result<void>& deleted) {
                            surroundings_.LogFailure("delete leftovers", deleted);
                          });
  surroundings_.LogFailure("delete leftovers", job);
  if (job) doomed_job_ = std::move(*job);
}

// One of these is the pod's, whatever its class was.
std::vector<std::string> Runtime::GroupsOf(const std::string& uid) const {
  std::vector<std::string> groups;
  for (const QosClass qos : kQosClasses) {
    groups.push_back(pod_host::PodGroup(qos, uid, surroundings_.options.rules.cgroup_driver));
  }
  return groups;
}

void Runtime::RemoveLeftover(const std::string& uid) {
  late_groups_[uid] = kLateListings;
  (void)::unlink(RecordFile(surroundings_, uid).c_str());
  PodRemains remains{.uid = uid, .groups = GroupsOf(uid), .log_dirs = {}, .layers = {}};
  const std::string logs = surroundings_.paths.Logs();
  for (const std::string& name : pod_host::NamesIn(logs).value_or(std::vector<std::string>{})) {
    if (pod_host::IsLogsOf(name, uid)) remains.log_dirs.push_back(fmt::format("{}/{}", logs, name));
  }
  auto& removal = leftovers_[uid];
  removal = std::make_unique<PodRemoval>(surroundings_, std::move(remains));
  removal->Start();
}

}  // namespace jettison::cri
