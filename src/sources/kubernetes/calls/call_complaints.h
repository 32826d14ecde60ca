#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/rights.h"

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
// The right that it needs.
[[nodiscard]] const Right& RightFor(CallPurpose purpose);

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
