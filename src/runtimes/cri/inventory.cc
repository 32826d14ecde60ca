#include "runtimes/cri/inventory.h"

#include <chrono>
#include <optional>
#include <utility>

#include "rpc/await.h"
#include "runtimes/cri/containers/sandbox_clearance.h"

namespace jettison::cri {
namespace {

// How long the runtime has to answer with a container's status; after that the caller asks again.
constexpr Duration kStatusDeadline = std::chrono::seconds(3);

}  // namespace

struct Inventory::Inquiry {
  std::optional<Result<Listing>> listing;
  std::function<void(Result<Found>)> done;  // called at the end; null: the caller polls
  std::optional<Found> found;               // once the listing is there
  std::vector<std::optional<Result<api::ContainerStatusResponse>>> statuses;
  std::size_t missing = 0;  // statuses without an answer
  [[nodiscard]] bool over() const { return listing && (!*listing || (found && missing == 0)); }
};

void Inventory::List(Ids known, Listed listed) {
  auto listing = std::make_shared<Listing>();
  listing->known = std::move(known);
  const Duration deadline = context_.options.request_timeout;
  context_.calls.ListPodSandbox(
      api::ListPodSandboxRequest(), deadline,
      lifetime_.Guard([this, deadline, listing,
                       listed = std::move(listed)](Result<api::ListPodSandboxResponse> sandboxes) {
        if (!sandboxes) return listed(Fail(sandboxes.error()));
        for (auto& sandbox : *sandboxes->mutable_items()) {
          listing->sandboxes.push_back(std::move(sandbox));
        }
        context_.calls.ListContainers(
            api::ListContainersRequest(), deadline,
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
  return FoundBy(*inquiry);
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
    context_.calls.ContainerStatus(request, kStatusDeadline,
                                   [inquiry, i](Result<api::ContainerStatusResponse> answer) {
                                     inquiry->statuses[i] = std::move(answer);
                                     if (--inquiry->missing == 0 && inquiry->done)
                                       inquiry->done(FoundBy(*inquiry));
                                   });
  }
  if (containers.empty() && inquiry->done) inquiry->done(FoundBy(*inquiry));
}

void Inventory::AskAbout(Listing listing, std::function<void(Result<Found>)> done) {
  auto inquiry = std::make_shared<Inquiry>();
  inquiry->listing = std::move(listing);
  inquiry->done = lifetime_.Guard(std::move(done));
  AskStatuses(inquiry);
}

// A container that vanished meanwhile is left out.
Result<Found> Inventory::FoundBy(Inquiry& inquiry) {
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

}  // namespace jettison::cri
