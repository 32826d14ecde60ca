#include "runtimes/cri/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "rpc/calls.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {
namespace {

// How long the runtime has to answer with a container's status; after that the caller asks again.
constexpr Duration kStatusDeadline = std::chrono::seconds(3);

// So many times all statuses are asked for because one of them has not come.
constexpr int kAttempts = 3;

}  // namespace

struct Inventory::Inquiry {
  std::optional<Result<Listing>> listing;
  std::map<std::string, Status> statuses;  // by the ID of the container
  std::size_t missing = 0;                 // answers
  [[nodiscard]] bool over() const { return listing && (!*listing || missing == 0); }
};

api::ContainerStatusResponse StatusListed(const api::Container& container) {
  constexpr int kKilled = 128 + SIGKILL;
  api::ContainerStatusResponse listed;
  api::ContainerStatus& status = *listed.mutable_status();
  status.set_id(container.id());
  *status.mutable_metadata() = container.metadata();
  status.set_state(container.state());
  status.set_created_at(container.created_at());
  if (container.state() != api::CONTAINER_CREATED) {
    status.set_started_at(std::max<std::int64_t>(container.created_at(), 1));  // 0: it never ran
  }
  if (container.state() == api::CONTAINER_EXITED) status.set_exit_code(kKilled);
  return listed;
}

void Inventory::List(Listed listed) {
  auto listing = std::make_shared<Listing>();
  const Duration deadline = context_.options.request_timeout;
  context_.calls.Make(
      kListPodSandbox, api::ListPodSandboxRequest(), deadline,
      lifetime_.Guard([this, deadline, listing,
                       listed = std::move(listed)](Result<api::ListPodSandboxResponse> sandboxes) {
        if (!sandboxes) return listed(Fail(sandboxes.error()));
        for (auto& sandbox : *sandboxes->mutable_items()) {
          listing->sandboxes.push_back(std::move(sandbox));
        }
        context_.calls.Make(
            kListContainers, api::ListContainersRequest(), deadline,
            lifetime_.Guard([listing, listed](Result<api::ListContainersResponse> containers) {
              if (!containers) return listed(Fail(containers.error()));
              for (auto& container : *containers->mutable_containers()) {
                listing->containers.push_back(std::move(container));
              }
              listed(std::move(*listing));
            }));
      }));
}

Result<Found> Inventory::FindAll(Duration wait) {
  if (!inquiry_) {
    inquiry_ = std::make_shared<Inquiry>();
    List([this, inquiry = inquiry_](Result<Listing> listed) {
      inquiry->listing = std::move(listed);
      if (*inquiry->listing) AskStatuses(inquiry);
    });
  }
  const std::shared_ptr<Inquiry> inquiry = inquiry_;
  if (!AwaitAnswers(context_.calls, wait, [&] { return inquiry->over(); })) {
    return Fail(ErrorCode::kUnavailable, "the container runtime has not listed its pods yet");
  }
  inquiry_.reset();
  if (!*inquiry->listing) return Fail(inquiry->listing->error());
  std::size_t silent = 0;
  const Error* silence = nullptr;
  for (const auto& [id, status] : inquiry->statuses) {
    if (status || !IsSilence(status.error())) continue;
    silence = &status.error();
    ++silent;
  }
  if (silence != nullptr && (silent == inquiry->statuses.size() || ++incomplete_ < kAttempts)) {
    return Fail(*silence);
  }
  incomplete_ = 0;
  Found found{.listing = **std::move(inquiry->listing), .statuses = {}};
  for (const api::Container& container : found.listing.containers) {
    const auto answer = inquiry->statuses.find(container.id());
    if (answer == inquiry->statuses.end()) continue;
    auto status = StatusBy(container, std::move(answer->second));
    if (status) found.statuses.emplace(container.id(), *std::move(status));
  }
  return found;
}

void Inventory::AskStatus(const api::Container& container, std::function<void(Status)> answer) {
  api::ContainerStatusRequest request;
  request.set_container_id(container.id());
  request.set_verbose(true);
  context_.calls.Make(kContainerStatus, request, kStatusDeadline,
                      lifetime_.Guard(std::move(answer)));
}

std::optional<api::ContainerStatusResponse> Inventory::StatusBy(const api::Container& container,
                                                                Status answer) const {
  if (answer) return *std::move(answer);
  if (answer.error().code == ErrorCode::kNotFound) return std::nullopt;
  context_.Log(answer.error()
                   .In(fmt::format("the status of container {} ({}) is not known; it counts as "
                                   "running while a process of it runs",
                                   container.metadata().name(), container.id()))
                   .message);
  return StatusListed(container);
}

// All at once.
void Inventory::AskStatuses(const std::shared_ptr<Inquiry>& inquiry) {
  std::set<std::string_view> own;
  for (const api::PodSandbox& sandbox : (*inquiry->listing)->sandboxes) {
    if (IsOurs(context_, sandbox)) own.insert(sandbox.id());
  }
  for (const api::Container& container : (*inquiry->listing)->containers) {
    if (!own.contains(container.pod_sandbox_id())) continue;
    ++inquiry->missing;
    AskStatus(container, [inquiry, id = container.id()](Status status) {
      inquiry->statuses.emplace(id, std::move(status));
      --inquiry->missing;
    });
  }
}

}  // namespace jettison::cri
