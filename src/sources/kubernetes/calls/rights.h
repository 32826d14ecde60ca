#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// Something that the agent does in a cluster.
struct Right {
  std::string_view verb;
  std::string_view resource;
  std::string_view subresource;  // empty: the object itself
  std::string_view group;        // empty: core
  std::string_view cost;         // of its lack: "no event tells of an eviction"
};

// Everything that the agent needs, in a fixed order.
[[nodiscard]] const std::vector<Right>& NeededRights();

// Asks whether the agent has it: a SelfSubjectAccessReview, which everybody may make.
[[nodiscard]] ApiCall AskRight(const Right& right);
// The answer.
[[nodiscard]] Result<bool> ReadRight(const Result<ApiReply>& reply);

// "patch nodes/status", "create events.events.k8s.io".
[[nodiscard]] std::string Describe(const Right& right);
// The rule of a ClusterRole that gives it, as one line of YAML.
[[nodiscard]] std::string RuleFor(const Right& right);

// The server's version, "v1.36.2".
[[nodiscard]] ApiCall GetVersion();
[[nodiscard]] Result<std::string> ReadVersion(const Result<ApiReply>& reply);

}  // namespace jettison::kube
