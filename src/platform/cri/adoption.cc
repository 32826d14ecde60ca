// What the runtime finds when it starts: the pods of an agent before it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "platform/cri/labels.h"
#include "platform/cri/runtime.h"
#include "pod_host/paths.h"

namespace jettison::cri {
namespace {

// How long List waits for all its answers; the agent asks again.
constexpr Duration kListWait = std::chrono::seconds(3);
// The same for what the pods of others are; the rest does not wait for it.
constexpr Duration kOthersWait = std::chrono::seconds(1);

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
  for (const api::PodSandbox& sandbox : found->own.sandboxes) {
    listed.insert(sandbox.metadata().uid());
  }
  AdoptUnlisted(listed, pods);
  for (const auto& [uid, actor] : pods_) actor->WriteRecord();
  RemoveLeftovers(found->own);
  if (!pods_.empty()) UpdateQosGroups();
  AdoptOthers(*std::move(found), pods);
  adopted_ = true;
  gone_unlisted_.clear();
  ScheduleRelist(surroundings_.options.relist_period);
  rotation_.Start();
  return pods;
}

struct Runtime::Inquiry {
  std::optional<Result<Listing>> listing;
  std::function<void(Result<Found>)> done;  // called when it is over; null: whoever asks looks
  std::optional<Found> found;               // once the listing is there
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
    found.own.sandboxes.push_back(std::move(sandbox));
  }
  for (api::Container& container : (**inquiry->listing).containers) {
    const bool own = ids.contains(container.pod_sandbox_id());
    (own ? found.own.containers : found.of_others.containers).push_back(std::move(container));
  }
  const std::vector<api::Container>& containers = found.own.containers;
  inquiry->statuses.resize(containers.size());
  inquiry->missing = containers.size();
  for (std::size_t i = 0; i < containers.size(); ++i) {
    api::ContainerStatusRequest request;
    request.set_container_id(containers[i].id());
    request.set_verbose(true);
    surroundings_.calls.ContainerStatus(request, kListWait,
                                        [inquiry, i](Result<api::ContainerStatusResponse> answer) {
                                          inquiry->statuses[i] = std::move(answer);
                                          if (--inquiry->missing == 0 && inquiry->done)
                                            inquiry->done(FoundBy(*inquiry));
                                        });
  }
  if (containers.empty() && inquiry->done) inquiry->done(FoundBy(*inquiry));
}

void Runtime::AskAbout(Listing listing, std::function<void(Result<Found>)> done) {
  auto inquiry = std::make_shared<Inquiry>();
  inquiry->listing = std::move(listing);
  inquiry->done = lifetime_.Guard(std::move(done));
  AskStatuses(inquiry);
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

std::map<std::string, Runtime::Sandboxes> Runtime::OwnSandboxes(const Listing& listing) const {
  std::map<std::string, Sandboxes> pods;
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (IsOurs(surroundings_, sandbox)) pods[sandbox.metadata().uid()].push_back(&sandbox);
  }
  for (auto& [uid, sandboxes] : pods) {
    std::sort(sandboxes.begin(), sandboxes.end(),
              [](const auto* a, const auto* b) { return IsBetter(*a, *b); });
  }
  return pods;
}

Result<PodPlan> Runtime::ParsePod(const std::string& text, const std::string& uid) const {
  const auto damaged = [](std::string why) {
    return Fail(ErrorCode::kInvalidArgument, std::move(why));
  };
  auto plan = surroundings_.options.written_pods->Read(text);
  if (!plan) return damaged(plan.error().message);
  const Pod& pod = plan->pod;
  if (pod.uid != uid) return damaged("it describes the pod " + pod.uid);
  if (auto names = pod_host::CheckNames(pod); !names) return damaged(names.error().message);
  return plan;
}

// Each sandbox of a pod describes it, and so does its record: one that can be read is enough.
Result<PodPlan> Runtime::ReadPod(const std::string& uid, const Sandboxes& sandboxes) const {
  std::string why;
  for (const api::PodSandbox* sandbox : sandboxes) {
    const std::string* const text = Annotation(*sandbox, kPodAnnotation);
    auto pod =
        text == nullptr ? Fail(ErrorCode::kInvalidArgument, "it is missing") : ParsePod(*text, uid);
    if (pod) return pod;
    why += fmt::format("annotation {} of sandbox {}: {}; ", kPodAnnotation, sandbox->id(),
                       pod.error().message);
  }
  auto record = ReadRecord(uid);
  if (!record) {
    const bool is_missing = record.error().code == ErrorCode::kNotFound;
    return Fail(is_missing ? ErrorCode::kInvalidArgument : record.error().code,
                why + record.error().message);
  }
  surroundings_.Log(fmt::format("{}the pod is known by {}", why, RecordFile(surroundings_, uid)));
  return std::move(record->first);
}

bool Runtime::IsInHostNetwork(const api::PodSandbox& sandbox) const {
  if (const std::string* network = Annotation(sandbox, kNetworkAnnotation)) {
    return *network == "host";
  }
  const auto record = ReadRecord(sandbox.metadata().uid());
  return record && record->second.sandbox.host_network;
}

std::vector<RuntimePod> Runtime::Adopt(const Found& found) {
  std::vector<RuntimePod> listed;
  for (const auto& [uid, sandboxes] : OwnSandboxes(found.own)) {
    // One that was recalled, and is ended since, is not taken over again. Its sandbox may have gone
    // after the runtime was asked what it has.
    if (gone_unlisted_.contains(uid)) continue;
    const auto recalled = pods_.find(uid);
    if (recalled != pods_.end() && recalled->second->removing()) continue;
    auto plan = recalled != pods_.end() ? recalled->second->plan()
                : found.plan            ? *found.plan
                                        : ReadPod(uid, sandboxes);
    if (!plan) {
      EnterUnread(uid, sandboxes, found.own, plan.error());
      continue;
    }
    if (recalled == pods_.end()) {
      pods_[uid] = std::make_unique<PodActor>(surroundings_, *plan);
    }
    PodActor* const actor = pods_[uid].get();
    const api::PodSandbox* const sandbox = sandboxes.front();
    actor->Adopt({.id = sandbox->id(),
                  .attempt = sandbox->metadata().attempt(),
                  .host_network = IsInHostNetwork(*sandbox)},
                 sandbox->state() == api::SANDBOX_READY);
    RuntimePod& runtime_pod = listed.emplace_back(RuntimePod{.pod = std::move(plan->pod)});
    // In the order of attempts: the newest run of a container is the one that counts.
    std::vector<const api::ContainerStatusResponse*> own;
    for (std::size_t i = 0; i < found.statuses.size(); ++i) {
      const bool within = found.own.containers[i].pod_sandbox_id() == sandbox->id();
      if (within && found.statuses[i].has_status()) {
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
void Runtime::AdoptOthers(Found found, std::vector<RuntimePod>& pods) {
  Listing& listing = found.of_others;
  for (api::PodSandbox& sandbox : found.own.sandboxes) {
    if (IsUnread(sandbox)) listing.sandboxes.push_back(std::move(sandbox));
  }
  for (api::Container& container : found.own.containers) {
    listing.containers.push_back(std::move(container));
  }
  foreign_.OnListed(listing);
  (void)Await(recalled_ ? Duration::zero() : kOthersWait, [&] { return !foreign_.busy(); });
  std::erase_if(surroundings_.events, [&](RuntimeEvent& event) {
    auto* const other = std::get_if<PodFound>(&event);
    if (other == nullptr) return false;
    pods.push_back(std::move(other->pod));
    return true;
  });
}

}  // namespace jettison::cri
