#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// What a call is for.
enum class CallPurpose : std::uint8_t {
  kMarkPod,
  kDeletePod,
  kEvictPod,
  kReadNode,
  kTaintNode,
  kSetCondition,
  kCreateEvent,
  kCountEvent,
};
inline constexpr std::size_t kCallPurposeCount = 8;

// Something that the agent does in a cluster, with resources of the core group.
struct Right {
  std::string_view verb;
  std::string_view resource;
  std::string_view subresource;        // empty: the object itself
  std::string_view cost;               // of its lack: "no event tells of an eviction"
  std::optional<CallPurpose> purpose;  // of the calls that need it; absent: the pods are followed
};

// Everything that the agent needs, in a fixed order.
[[nodiscard]] const std::vector<Right>& NeededRights();

// The one that a call for this purpose needs.
[[nodiscard]] const Right& RightFor(CallPurpose purpose);

// Asks whether the agent has it: a SelfSubjectAccessReview, which everybody may make.
[[nodiscard]] ApiCall AskRight(const Right& right);
// The answer.
[[nodiscard]] Result<bool> ReadRight(const Result<ApiReply>& reply);

// "patch nodes/status".
[[nodiscard]] std::string Describe(const Right& right);
// The rule of a ClusterRole that gives it, as one line of YAML.
[[nodiscard]] std::string RuleFor(const Right& right);

// The server's version, "v1.36.2".
[[nodiscard]] ApiCall GetVersion();
[[nodiscard]] Result<std::string> ReadVersion(const Result<ApiReply>& reply);

// A log message about a call that failed.
struct Complaint {
  std::string message;  // what goes wrong, and what it costs
  std::string err;      // the server's words
  std::string rule;     // the RBAC rule that is missing; empty: none is
};

// Reports each kind of failure once for each purpose, until a call of that purpose succeeds.
class CallComplaints {
 public:
  // The message for this outcome; absent where there is none, or it was reported already.
  [[nodiscard]] std::optional<Complaint> Take(CallPurpose purpose, const Outcome& outcome);

 private:
  std::array<std::uint32_t, kCallPurposeCount> said_{};  // a bit for each CallResult
};

}  // namespace jettison::kube
