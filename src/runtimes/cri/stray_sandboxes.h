#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/sandboxes.h"
#include "runtimes/cri/leftovers.h"
#include "runtimes/cri/observed_pods.h"
#include "runtimes/cri/pods/own_pods.h"
#include "runtimes/cri/recalled_pods.h"

namespace jettison::cri {

// Removes sandboxes that this agent made and does not know: their creation failed after the runtime
// had begun. A sandbox that cannot be read may be something else and is left alone.
class StraySandboxes {
 public:
  // Who else may have a sandbox. All must outlive this.
  struct Owners {
    const OwnPods& pods;
    Leftovers& leftovers;
    ObservedPods& observed;
    const RecalledPods& recalled;
  };

  StraySandboxes(RuntimeContext& context, const Owners& owners)
      : context_(context), owners_(owners) {}
  StraySandboxes(const StraySandboxes&) = delete;
  StraySandboxes& operator=(const StraySandboxes&) = delete;
  ~StraySandboxes() = default;

  // Removes those that are listed.
  void Remove(const Listing& listing);
  // Forgets those that are gone.
  void Advance();

 private:
  [[nodiscard]] bool HasOwner(const api::PodSandbox& sandbox) const;
  void Clear(const std::string& uid, const std::string& sandbox_id);

  RuntimeContext& context_;
  Owners owners_;
  std::map<std::string, std::unique_ptr<SandboxClearance>> going_;  // by the sandbox's ID
  std::vector<std::string> gone_;
};

}  // namespace jettison::cri
