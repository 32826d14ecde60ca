#pragma once

#include <string>
#include <utility>

#include "rpc/calls.h"
#include "sources/foreign/base.h"

namespace jettison::cri {

// The CRI sandbox to which a pod's containers belong.
class CriSandbox : public Base {
 public:
  // `calls` must outlive it.
  CriSandbox(Calls& calls, std::string id) : calls_(calls), id_(std::move(id)) {}

  void TakeDown(Duration deadline, Done done) override {
    api::StopPodSandboxRequest request;
    request.set_pod_sandbox_id(id_);
    calls_.StopPodSandbox(
        request, deadline,
        [done = std::move(done)](const Result<api::StopPodSandboxResponse>& answer) {
          done(answer ? Result<void>() : Fail(answer.error()));
        });
  }
  [[nodiscard]] std::string_view HowItEnds() const override { return "stop the sandbox"; }

 private:
  Calls& calls_;
  std::string id_;
};

}  // namespace jettison::cri
