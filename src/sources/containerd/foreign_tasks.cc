#include "sources/containerd/foreign_tasks.h"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "sources/containerd/containerd_task.h"
#include "sources/containerd/foreign_task_value.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_spec.h"

namespace jettison::cri {
namespace {

bool Runs(const task_api::Process& task) {
  switch (task.status()) {
    case task_api::RUNNING:
    case task_api::PAUSED:
    case task_api::PAUSING: return true;
    default: return false;
  }
}

std::size_t HashOfSpec(const containers_api::Container& container) {
  return std::hash<std::string_view>()(container.spec().value());
}

}  // namespace

void ForeignTasks::Look() {
  ContainerdCalls* const calls = edges_.calls.containerd();
  if (calls == nullptr || no_api_ || busy()) return;
  seen_.clear();
  seen_all_ = true;
  ++under_way_;
  calls->ListNamespaces(edges_.run.request_timeout, lifetime_.Guard([this](const auto& answer) {
    OnNamespaces(answer);
    Answered(answer.has_value());
  }));
}

void ForeignTasks::Answered(bool complete) {
  seen_all_ = seen_all_ && complete;
  if (--under_way_ > 0 || !seen_all_) return;
  const auto is_there = [this](const std::string& id) {
    return seen_.contains(id) || edges_.roster.Has(id);
  };
  complaints_.KeepOnly(is_there);
  std::erase_if(left_out_, [&](const auto& entry) { return !is_there(entry.first); });
}

// A runtime that does not answer, or returns an error, is asked again after the next listing.
void ForeignTasks::OnNamespaces(const Result<namespaces_api::ListNamespacesResponse>& answer) {
  no_api_ = !answer && answer.error().code == ErrorCode::kNotFound;
  if (!answer) return;
  for (const namespaces_api::Namespace& listed : answer->namespaces()) {
    if (IsIdentifier(listed.name())) ListContainers(listed.name());
  }
}

void ForeignTasks::ListContainers(const std::string& in_namespace) {
  ++under_way_;
  edges_.calls.containerd()->ListContainersIn(
      in_namespace, ContainersOutsideCri(TakenIn(in_namespace)), edges_.run.request_timeout,
      lifetime_.Guard([this, in_namespace](Result<containers_api::ListContainersResponse> answer) {
        const bool complete = answer.has_value();
        OnContainers(in_namespace, std::move(answer));
        Answered(complete);
      }));
}

std::vector<std::string> ForeignTasks::TakenIn(const std::string& in_namespace) {
  std::erase_if(taken_, [this](const auto& entry) { return !edges_.roster.Has(entry.first); });
  std::vector<std::string> ids;
  for (const auto& [key, task] : taken_) {
    if (task.in_namespace == in_namespace) ids.push_back(task.id);
  }
  return ids;
}

void ForeignTasks::OnContainers(const std::string& in_namespace,
                                Result<containers_api::ListContainersResponse> answer) {
  if (!answer) return;
  for (Container& container : *answer->mutable_containers()) {
    if (!IsIdentifier(container.id()) || IsOfCri(container)) continue;
    const std::string id = KeyOf(in_namespace, container);
    seen_.insert(id);
    const auto left_out = left_out_.find(id);
    if (left_out != left_out_.end() && left_out->second == HashOfSpec(container)) continue;
    if (!edges_.roster.Has(id)) AskTask(in_namespace, std::move(container));
  }
}

void ForeignTasks::AskTask(const std::string& in_namespace, Container container) {
  ++under_way_;
  tasks_api::GetRequest request;
  request.set_container_id(container.id());
  const auto asked = std::make_shared<const Container>(std::move(container));
  edges_.calls.containerd()->GetTaskIn(
      in_namespace, request, edges_.run.request_timeout,
      lifetime_.Guard([this, in_namespace, asked](const Result<tasks_api::GetResponse>& answer) {
        if (answer && Runs(answer->process())) Consider(in_namespace, *asked, answer->process());
        Answered(true);
      }));
}

void ForeignTasks::Consider(const std::string& in_namespace, const Container& container,
                            const task_api::Process& task) {
  const ContainerSpec spec = ReadSpec(container.spec().value());
  ForeignFinding finding{.identity = IdentityOf(in_namespace, container, spec),
                         .list = "",
                         .containers = {ContainerFor(container, spec)},
                         .considered = {container.id()}};
  const ForeignIdentity identity = finding.identity;
  constexpr auto kMostPids = static_cast<std::uint32_t>(std::numeric_limits<pid_t>::max());
  if (task.pid() == 0 || task.pid() > kMostPids) return;
  ForeignContainer& found = finding.containers.front();
  const TaskKey key{.in_namespace = in_namespace, .id = container.id()};
  found.anchor = std::make_shared<ContainerdTask>(edges_.calls, key);
  found.pid = static_cast<pid_t>(task.pid());
  auto group = ForeignGroupOf(
      edges_.groups, {.id = container.id(), .pid = found.pid, .cgroups_path = spec.cgroups_path});
  if (!group && group.error().code != ErrorCode::kInvalidArgument) return;
  if (!group) return LeaveOut(identity, container, group.error().message);
  found.group = *std::move(group);
  found.memory_limit = ForeignMemoryLimitOf(edges_.groups, found.group);
  Describe(finding);
  if (const auto taken = edges_.roster.Take(std::move(finding), complaints_); !taken) {
    return LeaveOut(identity, container, taken.error().message);
  }
  taken_[identity.key] = key;
}

void ForeignTasks::LeaveOut(const ForeignIdentity& identity, const Container& container,
                            const std::string& why) {
  left_out_[identity.key] = HashOfSpec(container);
  complaints_.Say(identity.key,
                  fmt::format("foreign pod {} (container {} in containerd's namespace {}) "
                              "is left out: {}",
                              FullName(ReadForeignPod(identity, {}).pod), container.id(),
                              identity.namespace_, why));
}

}  // namespace jettison::cri
