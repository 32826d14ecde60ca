#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/base/runtime_context.h"

namespace jettison::cri {

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
