#include "platform/cri/foreign_pods.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "platform/cri/labels.h"
#include "platform/cri/proc_files.h"
#include "platform/cri/verbose_info.h"
#include "pod_host/cgroup_layout.h"
#include "pod_host/paths.h"

namespace jettison::cri {
namespace {

bool IsOfOthers(const Surroundings& surroundings, const api::PodSandbox& sandbox) {
  const auto root = sandbox.annotations().find(std::string(kRootAnnotation));
  return root == sandbox.annotations().end() || root->second != surroundings.options.root;
}

}  // namespace

ForeignPods::ForeignPods(Surroundings& surroundings, std::function<bool(const std::string&)> taken)
    : surroundings_(surroundings), taken_(std::move(taken)) {}

ForeignPod* ForeignPods::Find(const std::string& uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.get();
}

ForeignPods::Candidates ForeignPods::CandidatesIn(const Listing& listing) {
  Candidates candidates;
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (sandbox.state() != api::SANDBOX_READY || !IsOfOthers(surroundings_, sandbox)) continue;
    if (!pod_host::IsPathSegment(sandbox.id())) continue;
    candidates[sandbox.id()].sandbox = sandbox;
  }
  std::set<std::string> still_told;
  for (const api::Container& container : listing.containers) {
    if (container.state() != api::CONTAINER_RUNNING || container.id().empty()) continue;
    if (dead_.contains(container.id())) {
      still_told.insert(container.id());
      continue;
    }
    const auto candidate = candidates.find(container.pod_sandbox_id());
    if (candidate != candidates.end()) candidate->second.running.insert(container.id());
  }
  dead_ = std::move(still_told);
  std::erase_if(candidates, [](const auto& entry) { return entry.second.running.empty(); });
  return candidates;
}

bool ForeignPods::IsKnown(const Candidate& candidate) const {
  const std::string& id = candidate.sandbox.id();
  if (asked_.contains(id)) return true;
  const auto left_out = left_out_.find(id);
  if (left_out != left_out_.end() && left_out->second == candidate.running) return true;
  return std::any_of(pods_.begin(), pods_.end(),
                     [&](const auto& pod) { return pod.second->sandbox_id() == id; });
}

void ForeignPods::OnListed(const Listing& listing) {
  Candidates candidates = CandidatesIn(listing);
  for (const auto& [uid, pod] : pods_) {
    const auto candidate = candidates.find(pod->sandbox_id());
    pod->OnListed(candidate == candidates.end() ? std::set<std::string>{}
                                                : candidate->second.running);
  }
  Advance();
  const auto is_gone = [&](const auto& entry) { return !candidates.contains(entry.first); };
  std::erase_if(left_out_, is_gone);
  std::erase_if(complaints_, is_gone);
  for (auto& [id, candidate] : candidates) {
    if (!IsKnown(candidate)) Ask(std::move(candidate));
  }
}

void ForeignPods::Advance() {
  for (auto it = pods_.begin(); it != pods_.end();) {
    ForeignPod& pod = *it->second;
    pod.Advance();
    if (!pod.gone()) {
      ++it;
      continue;
    }
    for (std::string& id : pod.EndedIds()) dead_.insert(std::move(id));
    it = pods_.erase(it);
  }
}

void ForeignPods::Ask(Candidate candidate) {
  asked_.insert(candidate.sandbox.id());
  const auto asked = std::make_shared<Candidate>(std::move(candidate));
  for (const std::string& id : asked->running) {
    api::ContainerStatusRequest request;
    request.set_container_id(id);
    request.set_verbose(true);
    surroundings_.calls.ContainerStatus(
        request, surroundings_.options.request_timeout,
        lifetime_.Guard([this, asked](Result<api::ContainerStatusResponse> answer) {
          asked->answers.push_back(std::move(answer));
          if (asked->answers.size() < asked->running.size()) return;
          asked_.erase(asked->sandbox.id());
          Consider(*asked);
        }));
  }
}

// What cannot be told now, because the runtime does not answer or the container has just ended, is
// asked again after the next listing.
void ForeignPods::Consider(const Candidate& candidate) {
  std::vector<ForeignContainer> containers;
  for (const Result<api::ContainerStatusResponse>& answer : candidate.answers) {
    if (!answer && answer.error().code != ErrorCode::kNotFound) return;
    if (!answer || answer->status().state() != api::CONTAINER_RUNNING) continue;
    const std::string& id = answer->status().id();
    if (!candidate.running.contains(id)) {
      return LeaveOut(candidate, "the container runtime tells of another container than was asked");
    }
    const auto info = answer->info().find("info");
    const auto pid = info == answer->info().end() ? std::nullopt : PidIn(info->second);
    if (!pid) return LeaveOut(candidate, "the container runtime does not tell its processes");
    const auto group = GroupOf(id, *pid);
    if (!group && group.error().code == ErrorCode::kNotFound) continue;
    if (!group) return LeaveOut(candidate, group.error().message);
    containers.push_back({.status = answer->status(),
                          .name = {},
                          .pid = *pid,
                          .group = *group,
                          .memory_limit = MemoryLimitOf(*group)});
  }
  if (!containers.empty()) Begin(candidate, std::move(containers));
}

Result<std::string> ForeignPods::GroupOf(const std::string& id, pid_t pid) const {
  const auto groups = surroundings_.processes.ReadFile(pid, "cgroup");
  if (!groups) return Fail(ErrorCode::kNotFound, "its process has ended");
  const std::string group = MemoryGroupIn(*groups);
  const std::string below = surroundings_.options.cgroup_prefix + "/";
  const auto refuse = [&](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("its control group {} {}", group, why));
  };
  if (!group.starts_with(below) || group.find("/..") != std::string::npos) {
    return refuse("does not lie below the node's");
  }
  // Whoever kills a group must know whose it is. A container may have made groups below its own.
  const std::string path = group.substr(below.size());
  const std::size_t at = path.find(id);
  if (at == std::string::npos) return refuse("is not named after its container");
  const auto own = surroundings_.processes.ReadFile(::getpid(), "cgroup");
  if (own && own->find(id) != std::string::npos) return refuse("is this agent's own");
  return path.substr(0, path.find('/', at));
}

// A limit that holds for everybody there is none of its own.
std::optional<std::uint64_t> ForeignPods::MemoryLimitOf(const std::string& group) const {
  Cgroups& cgroups = surroundings_.cgroups;
  const auto own = cgroups.ReadMemoryLimit(group);
  if (!own || !*own) return std::nullopt;
  const bool in_pods = group.starts_with(fmt::format("{}/", pod_host::kPodsGroup));
  const auto shared = cgroups.ReadMemoryLimit(in_pods ? pod_host::kPodsGroup : "");
  return shared && *shared && **shared <= **own ? std::nullopt : *own;
}

void ForeignPods::LeaveOut(const Candidate& candidate, const std::string& why) {
  const std::string& id = candidate.sandbox.id();
  left_out_[id] = candidate.running;
  if (!complaints_[id].insert(why).second) return;
  surroundings_.Log(fmt::format("pod {} of somebody else (sandbox {}) is left out: {}",
                                FullName(ReadForeignPod(candidate.sandbox, {}).pod), id, why));
}

void ForeignPods::Begin(const Candidate& candidate, std::vector<ForeignContainer> containers) {
  const std::string& id = candidate.sandbox.id();
  std::sort(containers.begin(), containers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.status.created_at(), std::string_view(a.status.id())) <
           std::pair(b.status.created_at(), std::string_view(b.status.id()));
  });
  NameContainers(containers);
  ForeignReading reading = ReadForeignPod(candidate.sandbox, containers);
  Pod& pod = reading.pod;
  if (taken_(pod.uid) || pods_.contains(pod.uid)) pod.uid = id;
  if (taken_(pod.uid) || pods_.contains(pod.uid)) {
    return LeaveOut(candidate, "another pod has its ID as UID");
  }
  for (const std::string& ignored : reading.ignored) {
    if (!complaints_[id].insert(ignored).second) continue;
    surroundings_.Log(fmt::format("annotation of pod {} makes no sense and is ignored: {}",
                                  FullName(pod), ignored));
  }
  left_out_.erase(id);
  auto& place = pods_[pod.uid];
  place = std::make_unique<ForeignPod>(surroundings_, std::move(pod), id, candidate.running);
  place->Begin(containers);
}

}  // namespace jettison::cri
