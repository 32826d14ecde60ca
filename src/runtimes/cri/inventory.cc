#include "runtimes/cri/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "rpc/calls.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {
namespace {

// A probe without an answer for this long has failed.
constexpr Duration kProbeDeadline = std::chrono::seconds(5);

// What keeps the runtime from working, according to its status.
Result<void> CheckStatus(const api::StatusResponse& status) {
  for (const api::RuntimeCondition& condition : status.status().conditions()) {
    if (condition.type() != "RuntimeReady" || condition.status()) continue;
    return Fail(ErrorCode::kUnavailable, fmt::format("the container runtime is not ready: {}: {}",
                                                     condition.reason(), condition.message()));
  }
  return {};
}

// How long the runtime has to answer with a container's status; after that the caller asks again.
constexpr Duration kStatusDeadline = std::chrono::seconds(3);
// So many times all statuses are asked for because one of them has not come.
constexpr int kAttempts = 3;

// The runtime did not answer, which says nothing about the container.
bool IsSilence(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded;
}

}  // namespace

struct Inventory::Inquiry {
  std::optional<Result<Listing>> listing;
  std::function<void(Found)> done;  // called at the end; null: the caller polls
  std::optional<Found> found;       // once the listing is there
  std::vector<std::optional<Result<api::ContainerStatusResponse>>> statuses;
  std::size_t missing = 0;  // statuses without an answer
  [[nodiscard]] bool over() const { return listing && (!*listing || (found && missing == 0)); }

  void Take(std::size_t i, Result<api::ContainerStatusResponse> answer);
  // What was said by all answers. A container that vanished meanwhile is left out.
  [[nodiscard]] Found WhatWasFound();
  // A status that has not come. Null: each has been answered.
  [[nodiscard]] const Error* Silence() const;
  [[nodiscard]] bool AnyAnswered() const;
};

void Inventory::Inquiry::Take(std::size_t i, Result<api::ContainerStatusResponse> answer) {
  statuses[i] = std::move(answer);
  if (--missing == 0 && done) done(WhatWasFound());
}

Found Inventory::Inquiry::WhatWasFound() {
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    auto& answer = *statuses[i];
    if (!answer && answer.error().code != ErrorCode::kNotFound) {
      found->unknown.try_emplace(found->own.containers[i].pod_sandbox_id(), answer.error());
    }
    found->statuses.push_back(answer ? std::move(*answer) : api::ContainerStatusResponse());
  }
  return *std::move(found);
}

const Error* Inventory::Inquiry::Silence() const {
  const auto silent = std::ranges::find_if(
      statuses, [](const auto& answer) { return !*answer && IsSilence(answer->error()); });
  return silent == statuses.end() ? nullptr : &(*silent)->error();
}

bool Inventory::Inquiry::AnyAnswered() const {
  return std::ranges::any_of(
      statuses, [](const auto& answer) { return *answer || !IsSilence(answer->error()); });
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
  const Error* const silence = inquiry->Silence();
  if (silence != nullptr && (!inquiry->AnyAnswered() || ++incomplete_ < kAttempts)) {
    return Fail(*silence);
  }
  incomplete_ = 0;
  return inquiry->WhatWasFound();
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
                          inquiry->Take(i, std::move(answer));
                        });
  }
  if (containers.empty() && inquiry->done) inquiry->done(inquiry->WhatWasFound());
}

void Inventory::AskAbout(const Sandboxes& sandboxes, const Listing& listing,
                         std::function<void(Found)> done) {
  Listing own;
  for (const api::PodSandbox* sandbox : sandboxes) own.sandboxes.push_back(*sandbox);
  own.containers = listing.containers;
  auto inquiry = std::make_shared<Inquiry>();
  inquiry->listing = std::move(own);
  inquiry->done = lifetime_.Guard(std::move(done));
  AskStatuses(inquiry);
}

Result<void> ReadyProbe::Ask(Duration wait) {
  if (!probe_) Start();
  const std::shared_ptr<Probe> probe = probe_;
  if (!AwaitAnswers(context_.calls, wait, [&] { return probe->outcome.has_value(); })) {
    return Fail(ErrorCode::kUnavailable, "the container runtime has not answered yet");
  }
  probe_.reset();
  return *probe->outcome;
}

void ReadyProbe::Start() {
  probe_ = std::make_shared<Probe>();
  AskVersion(
      context_.calls, kProbeDeadline,
      [probe = probe_, calls = &context_.calls](const Result<api::VersionResponse>& version) {
        if (!version) {
          probe->outcome = Fail(version.error());
          return;
        }
        calls->Make(kStatus, api::StatusRequest(), kProbeDeadline,
                    [probe](const Result<api::StatusResponse>& status) {
                      probe->outcome = status ? CheckStatus(*status) : Fail(status.error());
                    });
      });
}

}  // namespace jettison::cri
