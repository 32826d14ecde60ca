#pragma once

#include <sys/eventfd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/file_descriptor.h"
#include "ports/own_runtime.h"
#include "rpc/calls.h"

namespace jettison {

// The runtime of an agent that runs no pods itself: all of the node's are foreign.
class NoOwnPods : public OwnRuntime {
 public:
  // `calls`: those of a container runtime that the agent uses for something else than pods. Their
  // answers come from TakeEvents. Null: there is none.
  explicit NoOwnPods(std::unique_ptr<cri::Calls> calls) : calls_(std::move(calls)) {}

  [[nodiscard]] UidClaim ClaimOn(const std::string&) const override { return UidClaim::kNone; }
  void OnTaken(std::function<void(const std::string&)>) override {}

  [[nodiscard]] Result<void> Ready() override { return {}; }
  [[nodiscard]] Result<std::vector<RuntimePod>> List() override {
    return std::vector<RuntimePod>{};
  }
  void CreatePod(const PodPlan&) override {}
  void StartContainer(const std::string&, const std::string&, int, int) override {}
  void StopContainer(const std::string&, const std::string&, Duration) override {}
  void KillContainer(const std::string&, const std::string&) override {}
  void RemoveContainer(const std::string&, const std::string&, int) override {}
  void RemovePod(const std::string&) override {}
  [[nodiscard]] PodDisk DiskOf(const Pod&) const override { return {}; }
  [[nodiscard]] std::string_view GroupOf(const std::string&, const std::string&) const override {
    return {};
  }
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    static const std::vector<std::string> kNone;
    return kNone;
  }
  // Readable when answers have come.
  [[nodiscard]] int EventFd() const override { return calls_ ? calls_->fd() : nothing_.get(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override {
    if (calls_) calls_->Deliver();
    return {};
  }

 private:
  std::unique_ptr<cri::Calls> calls_;
  FileDescriptor nothing_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace jettison
