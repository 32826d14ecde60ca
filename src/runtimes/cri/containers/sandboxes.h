#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "kernel/readiness/lifetime.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/runtime_context.h"

namespace jettison::cri {

// A pod's sandbox.
struct Sandbox {
  std::string id;
  std::uint32_t attempt = 0;
  bool host_network = false;
};

// The description of a sandbox that was made; what CreateContainer wants to hear again.
[[nodiscard]] api::PodSandboxConfig DescriptionOf(const RuntimeContext& context, const Pod& pod,
                                                  const std::string& pod_group,
                                                  const Sandbox& sandbox);

// Removes a container through CRI. Where that fails because containerd still has a task of it which
// never ran or has ended, and which CRI no longer knows, the task is deleted first. The call that
// starts a container leaves such a task in CREATED when its caller ends at the wrong moment; no
// call of CRI then removes the container or its sandbox until containerd is restarted (seen with
// 1.6). containerd refuses to delete a task that runs. A container that does not exist counts as
// removed. `done` is called once, from the delivery of an answer.
void RemoveContainerWithTask(Calls& calls, const std::string& id, Duration deadline,
                             const std::function<void(const Result<void>&)>& done);

// Whether this agent made the sandbox.
[[nodiscard]] bool IsOurs(const RuntimeContext& context, const api::PodSandbox& sandbox);

// Stops and removes sandboxes that this agent has made for a pod, with their containers; others'
// are left alone. Does it once: whoever wants it to succeed tries again.
class SandboxClearance {
 public:
  // Receives the first attempt that no sandbox of the pod has had.
  using Done = std::function<void(Result<std::uint32_t>)>;

  // `done` is called once, not before Start has returned.
  SandboxClearance(RuntimeContext& context, std::string uid, Done done);
  // All of them.
  void Start();
  // This one.
  void StartWith(std::string sandbox_id);

 private:
  void OnList(const Result<api::ListPodSandboxResponse>& answer);
  void Next();
  void Remove();
  // What CRI could not remove with the sandbox, one container after the other; then it is removed
  // again.
  void ListContainers(const Error& problem);
  void RemoveNextContainer();

  RuntimeContext& context_;
  std::string uid_;
  Done done_;
  std::deque<std::string> ids_;
  std::deque<std::string> containers_;
  bool cleared_containers_ = false;  // of the first of the sandboxes
  std::uint32_t next_attempt_ = 0;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
