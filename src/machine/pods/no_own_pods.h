#pragma once

#include <sys/eventfd.h>

#include <string>
#include <string_view>
#include <vector>

#include "ports/file_descriptor.h"
#include "ports/own_runtime.h"

namespace jettison {

// The runtime of an agent that runs no pods itself: all of the node's are foreign.
class NoOwnPods : public OwnRuntime {
 public:
  [[nodiscard]] UidClaim ClaimOn(const std::string&) const override { return UidClaim::kNone; }
  void SetOthers(OtherPods&) override {}

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
  // Never readable.
  [[nodiscard]] int EventFd() const override { return nothing_.get(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override { return {}; }

 private:
  FileDescriptor nothing_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

}  // namespace jettison
