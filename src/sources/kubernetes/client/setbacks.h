#pragma once

#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/objects/api_status.h"
#include "sources/kubernetes/watch/reflector.h"

namespace jettison::kube {

// What an unexpected answer means to the follower of a list, and in words.
struct Failure {
  Setback setback;
  Error error;
  bool is_forbidden = false;  // the agent has no right to it
  bool is_untrusted = false;  // the certificate of the server is not trusted
};
[[nodiscard]] Failure FailureOf(const ApiStatus& status);
[[nodiscard]] Failure FailureOf(const ApiReply& reply);
// `error`: as ApiClient::OnReply has it.
[[nodiscard]] Failure FailureOf(const Error& error);

}  // namespace jettison::kube
