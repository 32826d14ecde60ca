#include "runtimes/cri/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <utility>

#include "rpc/calls.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {
namespace {

// How long the runtime has to answer with a container's status; after that the caller asks again.
constexpr Duration kStatusDeadline = std::chrono::seconds(3);

// The runtime did not answer, which says nothing about the container.
bool IsSilence(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded;
}

}  // namespace

struct Inventory::Inquiry {
  std::optional<Result<Listing>> listing;
  std::optional<Found> found;  // once the listing is there
  std::vector<std::optional<Result<api::ContainerStatusResponse>>> statuses;
  std::size_t missing = 0;  // statuses without an answer
  [[nodiscard]] bool over() const { return listing && (!*listing || (found && missing == 0)); }

  [[nodiscard]] bool AllAreSilent() const {
    return !statuses.empty() && std::ranges::all_of(statuses, [](const auto& answer) {
      return !*answer && IsSilence(answer->error());
    });
  }
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

void Inventory::List(Ids known, Listed listed) {
  auto listing = std::make_shared<Listing>();
  listing->known = std::move(known);
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

Result<Found> Inventory::FindAll(const Ids& known, Duration wait) {
  if (!inquiry_) {
    inquiry_ = std::make_shared<Inquiry>();
    List(known, [this, inquiry = inquiry_](Result<Listing> listed) {
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
  if (inquiry->AllAreSilent()) return Fail(inquiry->statuses.front()->error());
  Found found = *std::move(inquiry->found);
  for (std::size_t i = 0; i < found.own.containers.size(); ++i) {
    auto& answer = *inquiry->statuses[i];
    const api::Container& container = found.own.containers[i];
    const bool is_gone = !answer && answer.error().code == ErrorCode::kNotFound;
    if (!answer && !is_gone) {
      context_.Log(answer.error()
                       .In(fmt::format("the status of container {} ({}) is not known; it counts "
                                       "as running while a process of it runs",
                                       container.metadata().name(), container.id()))
                       .message);
      answer = StatusListed(container);
    }
    found.statuses.push_back(is_gone ? api::ContainerStatusResponse() : *std::move(answer));
  }
  return found;
}

// All at once.
void Inventory::AskStatuses(const std::shared_ptr<Inquiry>& inquiry) {
  Found& found = inquiry->found.emplace();
  Ids ids;
  for (api::PodSandbox& sandbox : (**inquiry->listing).sandboxes) {
    if (!IsOurs(context_, sandbox)) {
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
    context_.calls.Make(kContainerStatus, request, kStatusDeadline,
                        [inquiry, i](Result<api::ContainerStatusResponse> answer) {
                          inquiry->statuses[i] = std::move(answer);
                          --inquiry->missing;
                        });
  }
}

}  // namespace jettison::cri
