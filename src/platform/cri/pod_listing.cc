// What the runtime tells of one pod: at the start, and in the listings later.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/cri/pod_actor.h"
#include "platform/cri/verbose_info.h"
#include "pod_host/pod_containers.h"

namespace jettison::cri {
namespace {

// Its start was cut short: by the end of the agent that had asked for it, or of the runtime.
bool NeverRan(const api::ContainerStatus& status) {
  return status.state() == api::CONTAINER_CREATED ||
         (status.state() == api::CONTAINER_EXITED && status.started_at() == 0);
}

}  // namespace

void PodActor::Adopt(Sandbox sandbox, bool ready) {
  sandbox_ = std::move(sandbox);
  state_ = ready ? SandboxState::kReady : SandboxState::kLost;
  created_ = true;
  // Groups and memory volumes do not outlive the machine's restart, the folders do.
  surroundings_.LogFailure("adopt pod " + FullName(pod_), Prepare());
}

std::optional<ContainerRecord> PodActor::AdoptContainer(
    const api::ContainerStatusResponse& container) {
  const api::ContainerStatus& status = container.status();
  const std::string& name = status.metadata().name();
  const int attempt = static_cast<int>(status.metadata().attempt());
  const Container* const spec = pod_host::FindContainer(pod_, name);
  if (spec == nullptr) {
    Forget(status.id());
    return std::nullopt;
  }
  const Instant now = surroundings_.clock.Now();
  const Clock& clock = surroundings_.clock;
  const Instant created = InstantOfNs(status.created_at(), now, clock);
  ContainerRecord record{
      .pod_uid = pod_.uid, .name = name, .attempt = attempt, .created = created, .exit = {}};
  if (const auto run = runs_.find(name); run != runs_.end() && run->second->id() == status.id()) {
    // Recalled already. Of one that has ended since, the event tells; what was never started does
    // not go on.
    if (!run->second->Known()) return std::nullopt;
    if (NeverRan(status)) run->second->Kill();
    return record;
  }
  if (NeverRan(status)) {
    Forget(status.id());
    record.never_ran = true;
    return record;
  }
  ids_[{name, attempt}] = status.id();
  const KernelWord seen{.started = InstantOfNs(status.started_at(), created, clock, created),
                        .finished = now};
  if (status.state() == api::CONTAINER_EXITED) {
    record.exit = ExitOf(status, seen, clock);
    return record;
  }
  if (status.state() != api::CONTAINER_RUNNING) {
    surroundings_.Log(fmt::format(
        "the container runtime does not know how container {} of pod {} stands: it is ended", name,
        FullName(pod_)));
    Forget(status.id());
    ids_.erase({name, attempt});
    record.exit = ExitOf(seen);
    return record;
  }
  StartedContainer found{.id = status.id(), .started = seen.started};
  const auto info = container.info().find("info");
  if (info != container.info().end()) found.pid = PidIn(info->second);
  if (!found.pid) found.pid = FirstProcessOf(surroundings_, group_, found.id);
  auto run = std::make_unique<ContainerRun>(surroundings_, OrderFor(*spec, attempt, 0));
  run->Adopt(found);
  KeepRun(name, std::move(run));
  return record;
}

void PodActor::AddKnown(std::set<std::string, std::less<>>& ids) const {
  if (state_ == SandboxState::kReady) ids.insert(sandbox_.id);
  for (const auto& [name, run] : runs_) {
    if (!run->ended() && !run->id().empty()) ids.insert(run->id());
  }
}

void PodActor::OnListed(const Listing& listing) {
  if (removing_ || state_ == SandboxState::kMaking) return;
  NoteIds();
  const auto own = std::find_if(listing.sandboxes.begin(), listing.sandboxes.end(),
                                [&](const auto& sandbox) { return sandbox.id() == sandbox_.id; });
  const bool ready = own != listing.sandboxes.end() && own->state() == api::SANDBOX_READY;
  if (state_ == SandboxState::kReady && !ready && listing.known.contains(sandbox_.id)) {
    OnSandboxLost();
  }
  std::set<std::string, std::less<>> listed;
  for (const api::Container& container : listing.containers) {
    if (container.pod_sandbox_id() != sandbox_.id) continue;
    listed.insert(container.id());
    OnContainerListed(container);
  }
  for (const auto& [name, run] : runs_) {
    const bool missing = listing.known.contains(run->id()) && !listed.contains(run->id());
    if (missing) run->OnListedDead();
  }
}

// Its containers have lost what they share. They are ended; what is to run is started in a new one.
// (kubelet: "Pod sandbox changed, it will be killed and re-created.")
void PodActor::OnSandboxLost() {
  state_ = SandboxState::kLost;
  surroundings_.Log(fmt::format("the sandbox of pod {} has ended; its containers are ended, too",
                                FullName(pod_)));
  for (const auto& [name, run] : runs_) run->Kill();
}

void PodActor::OnContainerListed(const api::Container& container) {
  const std::string& name = container.metadata().name();
  const int attempt = static_cast<int>(container.metadata().attempt());
  const auto is_it = [&](const ContainerRun& run) { return run.id() == container.id(); };
  const auto run = runs_.find(name);
  if (run != runs_.end()) {
    if (is_it(*run->second)) {
      if (container.state() == api::CONTAINER_EXITED) run->second->OnListedDead();
      return;
    }
    // The runtime's answer that it is made may be on its way.
    if (!run->second->idle() && run->second->attempt() == attempt) return;
  }
  const bool lingers = std::any_of(lingering_.begin(), lingering_.end(), [&](const auto& other) {
    return is_it(*other) || other->attempt() == attempt;
  });
  const auto id = ids_.find({name, attempt});
  if (lingers || (id != ids_.end() && id->second == container.id())) return;
  Forget(container.id());
}

}  // namespace jettison::cri
