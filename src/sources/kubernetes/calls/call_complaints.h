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

// What is said of a call that did not succeed.
struct Complaint {
  std::string message;  // what goes wrong, and what it costs
  std::string err;      // the server's words
  std::string rule;     // that gives the right which is missing; empty where none is
};

// Says each kind of setback of each purpose once, until a call of that purpose is answered well.
class CallComplaints {
 public:
  // What is to be said of this outcome; absent: nothing, or it was said already.
  [[nodiscard]] std::optional<Complaint> Take(CallPurpose purpose, const Outcome& outcome);

 private:
  std::array<std::uint32_t, kCallPurposeCount> said_{};  // a bit for each CallResult
};

}  // namespace jettison::kube
