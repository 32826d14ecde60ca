#pragma once

#include <functional>
#include <string>

#include "core/pods/start_failure.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/containers/container_config.h"
#include "runtimes/cri/containers/runtime_context.h"

namespace jettison::cri {

// Finds the image of a container and pulls it where its policy wants that. Errors have
// the kubelet's words (pkg/kubelet/images).
class ImageFetch {
 public:
  using Outcome = tl::expected<ImageFacts, StartError>;
  using Done = std::function<void(Outcome)>;

  // `done` is called once, not before Start has returned.
  ImageFetch(RuntimeContext& context, const Container& container, Done done);
  void Start();

 private:
  // Whether an image that is missing (still) has to be pulled.
  void Inspect(bool may_pull);
  void OnStatus(Result<api::ImageStatusResponse> answer, bool may_pull);
  void Pull();

  RuntimeContext& context_;
  std::string image_;
  PullPolicy policy_;
  Done done_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
