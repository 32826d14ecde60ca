#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/recommend/pod_use.h"
#include "sim/whatif/whatif_result.h"

namespace jettison {

// Advice on the memory request of a pod that was evicted for memory.
struct RequestAdvice {
  enum class Says : std::uint8_t {
    kTooLow,   // it held more than that for more than a twentieth of the time
    kTooHigh,  // it never held as much, by a quarter or more
    kFits,
    kGrows,    // it was evicted as it grew: no request is right for that
    kUnknown,  // it was seen for less than three minutes
  };
  std::string node;
  std::string pod;  // "namespace/name"
  std::string uid;
  std::size_t evictions = 0;
  std::int64_t request = 0;
  std::int64_t usual = 0;  // it held no more than that for 95% of the time
  std::int64_t most = 0;
  Duration seen{0};
  Says says = Says::kFits;
  std::optional<std::int64_t> proposal;  // of kTooLow and kTooHigh
};
// "tooLow", "tooHigh", "fits", "grows", "unknown".
[[nodiscard]] std::string_view NameOf(RequestAdvice::Says says);
// A sentence without its full stop: "request 210Mi: it held more than its request for ...".
[[nodiscard]] std::string AdviceText(const RequestAdvice& advice);

// One for each pod that these evictions end because memory is short: those that were evicted most
// first, then by name and UID.
[[nodiscard]] std::vector<RequestAdvice> AdviceFor(const std::vector<SimulatedEviction>& evictions,
                                                   const PodUseBook& book, const std::string& node);

}  // namespace jettison
