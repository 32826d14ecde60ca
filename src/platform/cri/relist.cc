// The slow truth: now and then everything that the runtime has is compared with what is known.
#include <chrono>
#include <iterator>
#include <utility>

#include "platform/cri/runtime.h"
#include "pod_host/empty_groups.h"

namespace jettison::cri {

void Runtime::ScheduleRelist(Duration delay) {
  on_relist_ = readiness_->After(delay, [this] {
    on_relist_.Stop();
    Relist();
  });
}

// Before the first List nothing is known, and everything would be a stranger.
void Runtime::Relist() {
  if (!adopted_ || relisting_) return;
  relisting_ = true;
  ListAll([this](const Result<Listing>& listing) {
    relisting_ = false;
    OnListing(listing);
    ScheduleRelist(surroundings_.options.relist_period);
  });
}

// A runtime that does not answer is nothing new: it is asked again, and whoever waits for something
// of it says so.
void Runtime::OnListing(const Result<Listing>& listing) {
  if (!listing) return;
  for (const auto& [uid, actor] : pods_) actor->OnListed(*listing);
  RemoveStrangers(*listing);
  TendUnread(*listing);
  SweepLateGroups();
  foreign_.OnListed(*listing);
}

// Sandboxes that this agent has made and does not know: their creation went wrong after the runtime
// had begun with them. One that cannot be read may be something else.
void Runtime::RemoveStrangers(const Listing& listing) {
  const auto pods = OwnSandboxes(listing);
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (!IsOurs(surroundings_, sandbox)) continue;
    const std::string& uid = sandbox.metadata().uid();
    const PodActor* const actor = Find(uid);
    if (actor != nullptr && actor->Claims(sandbox.id())) continue;
    if (leftovers_.contains(uid) || unread_.contains(uid) || stale_.contains(sandbox.id())) {
      continue;
    }
    if (actor == nullptr) {
      if (pod_host::IsPathSegment(uid)) RemoveStranger(uid, pods.at(uid), listing);
      continue;
    }
    auto& clearance = stale_[sandbox.id()];
    clearance = std::make_unique<SandboxClearance>(
        surroundings_, uid, [this, id = sandbox.id()](const Result<std::uint32_t>& cleared) {
          surroundings_.LogFailure("remove a sandbox that no pod has", cleared);
          done_stale_.push_back(id);
        });
    clearance->StartWith(sandbox.id());
  }
}

void Runtime::RemoveStranger(const std::string& uid, const Sandboxes& sandboxes,
                             const Listing& listing) {
  const auto pod = ReadPod(uid, sandboxes);
  pod ? RemoveLeftover(uid) : EnterUnread(uid, sandboxes, listing, pod.error());
}

void Runtime::SweepLateGroups() {
  for (auto it = late_groups_.begin(); it != late_groups_.end();) {
    const std::string& uid = it->first;
    if (!pods_.contains(uid) && !leftovers_.contains(uid) && !unread_.contains(uid)) {
      surroundings_.LogFailure("pod " + uid,
                               pod_host::RemoveEmptyGroups(surroundings_.cgroups, GroupsOf(uid)));
    }
    it = --it->second == 0 ? late_groups_.erase(it) : std::next(it);
  }
}

}  // namespace jettison::cri
