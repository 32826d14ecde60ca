#include "runtimes/cri/stray_sandboxes.h"

#include <utility>

#include "kernel/files/paths.h"

namespace jettison::cri {

void StraySandboxes::Remove(const Listing& listing) {
  const auto pods = OwnSandboxes(context_, listing);
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (!IsOurs(context_, sandbox) || HasOwner(sandbox) || going_.contains(sandbox.id())) continue;
    const std::string& uid = sandbox.metadata().uid();
    if (owners_.pods.Has(uid)) {
      Clear(uid, sandbox.id());
    } else if (kernel::IsPathSegment(uid) &&
               owners_.observed.IsReadable(uid, pods.at(uid), listing)) {
      owners_.leftovers.Remove(uid);
    }
  }
}

bool StraySandboxes::HasOwner(const api::PodSandbox& sandbox) const {
  const std::string& uid = sandbox.metadata().uid();
  const PodActor* const actor = owners_.pods.Find(uid);
  return (actor != nullptr && actor->Claims(sandbox.id())) || owners_.recalled.Has(uid) ||
         owners_.leftovers.Find(uid) != nullptr || owners_.observed.Has(uid);
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
