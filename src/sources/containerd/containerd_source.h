#pragma once

#include <functional>
#include <string>
#include <utility>

#include "runtimes/cri/base/surroundings.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/containerd/foreign_sandboxes.h"
#include "sources/containerd/foreign_tasks.h"
#include "containers/listing.h"

namespace jettison::cri {

// What tells pods of others from this agent's.
struct ForeignRules {
  std::function<bool(const std::string&)> taken;  // whether a pod of this agent has the UID
  // Whether a sandbox is this agent's, of a pod that cannot be read.
  std::function<bool(const api::PodSandbox&)> unread;
  // Receives each pod that is found.
  std::function<void(RuntimePod)> found;
};

// The pods of others on the same container runtime, those that came through CRI and those that did
// not; and those of this agent that cannot be read, which are nobody's.
class ForeignPods {
 public:
  ForeignPods(Surroundings& surroundings, ForeignRules rules)
      : surroundings_(surroundings),
        roster_(surroundings, std::move(rules.taken), std::move(rules.found)),
        sandboxes_(surroundings, roster_, std::move(rules.unread)),
        tasks_(surroundings, roster_) {}
  ForeignPods(const ForeignPods&) = delete;
  ForeignPods& operator=(const ForeignPods&) = delete;
  ~ForeignPods() = default;

  // Compares with what the runtime has: what is new is looked at and told as found, what is gone
  // as PodRemoved.
  void OnListed(const Listing& listing) {
    sandboxes_.OnListed(listing);
    if (surroundings_.options.adopt_foreign) tasks_.Look();
  }
  // Something new is being looked at.
  [[nodiscard]] bool busy() const { return sandboxes_.busy() || tasks_.busy(); }
  // Forgets those that are gone.
  void Advance() { roster_.Advance(); }

  // Null: there is none of this UID.
  [[nodiscard]] ForeignPod* Find(const std::string& uid) const { return roster_.Find(uid); }
  // This agent makes a pod of the same UID: it is found again under another one.
  void Forget(const std::string& uid) { roster_.Forget(uid); }

 private:
  Surroundings& surroundings_;
  ForeignRoster roster_;
  ForeignSandboxes sandboxes_;
  ForeignTasks tasks_;
};

}  // namespace jettison::cri
