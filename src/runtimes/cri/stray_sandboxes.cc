#include "runtimes/cri/stray_sandboxes.h"

#include <utility>

#include "kernel/files/paths.h"

namespace jettison::cri {

void StraySandboxes::Remove(const Listing& listing) {
  const auto pods = OwnSandboxes(context_, listing);
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (!IsOurs(context_, sandbox)) continue;
    const std::string& uid = sandbox.metadata().uid();
    const PodActor* const actor = pods_.Find(uid);
    if (actor != nullptr && actor->Claims(sandbox.id())) continue;
    if (leftovers_.Find(uid) != nullptr || unread_.Has(uid) || going_.contains(sandbox.id())) {
      continue;
    }
    if (actor != nullptr) {
      Clear(uid, sandbox.id());
    } else if (kernel::IsPathSegment(uid) && unread_.IsReadable(uid, pods.at(uid), listing)) {
      leftovers_.Remove(uid);
    }
  }
}

void StraySandboxes::Clear(const std::string& uid, const std::string& sandbox_id) {
  auto& clearance = going_[sandbox_id];
  clearance = std::make_unique<SandboxClearance>(
      context_, uid, [this, sandbox_id](const Result<std::uint32_t>& cleared) {
        context_.LogFailure("remove a sandbox that no pod has", cleared);
        gone_.push_back(sandbox_id);
      });
  clearance->StartWith(sandbox_id);
}

void StraySandboxes::Advance() {
  for (const std::string& id : std::exchange(gone_, {})) going_.erase(id);
}

}  // namespace jettison::cri
