#pragma once

#include <functional>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// The API server of a cluster as the agent's loop uses it. Nothing blocks: the answer is delivered
// in a later turn of the loop.
class Cluster {
 public:
  using OnReply = std::function<void(const Result<ApiReply>&)>;

  virtual ~Cluster() = default;

  // Makes the call. The answer, or why there is none, comes within `timeout`, or soon after it.
  virtual void Ask(ApiCall call, Duration timeout, OnReply on_reply) = 0;
};

}  // namespace jettison::kube
