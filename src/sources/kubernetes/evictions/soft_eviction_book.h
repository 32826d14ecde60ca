#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/eviction.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// How many pods may be evicted for soft thresholds. Evictions for hard thresholds do not count.
struct SoftEvictionLimits {
  std::int64_t per_hour = 20;
  Duration cool_down = std::chrono::minutes(1);  // after one that was granted; zero: none
};

// The meaning of the API server's answer to an eviction request.
enum class SoftAnswer : std::uint8_t {
  kGranted,  // the API server ends it
  kSpared,   // the pod is left alone for now
  kOver,     // there is no such pod any more, or its eviction was granted before
  kLater,    // no request can be made for now
};
struct SoftVerdict {
  SoftAnswer answer = SoftAnswer::kLater;
  std::optional<SparedPod> spared;  // where it is spared and that has not been told yet
};

// Keeps account of eviction requests for soft thresholds: which pods were requested, which are
// spared and until when, and when the next request may be made. One request is made at a time.
// Pure: the caller passes times and answers.
class SoftEvictionBook {
 public:
  // A budget that forbids an eviction may have room again at any moment.
  static constexpr Duration kSpareFor = std::chrono::minutes(1);
  // How long a pod is remembered which is being evicted or is gone, and a reason which was
  // reported.
  static constexpr Duration kRemember = std::chrono::hours(1);

  explicit SoftEvictionBook(const SoftEvictionLimits& limits) : limits_(limits) {}

  // Why no request may be made now, and until when; absent: one may be made.
  [[nodiscard]] std::optional<SoftHold> HoldAt(Instant now) const;
  // The pods that are left out now, by UID.
  [[nodiscard]] std::vector<SparedPod> SparedAt(Instant now) const;

  // The eviction of this pod has been requested; the answer usually arrives within kAnswerWithin.
  void Asked(const std::string& uid, Instant now);
  // The answer. A late one counts as well, because the eviction may have begun.
  [[nodiscard]] SoftVerdict Take(const std::string& uid, const Outcome& outcome, Instant now);

  // What the next agent has to know, and its restoration. Of the granted evictions only the last
  // ones count: as many as the hourly limit allows.
  [[nodiscard]] SoftEvictionsSoFar SoFar(Instant now) const;
  void Resume(const SoftEvictionsSoFar& before, Instant now);

 private:
  struct Question {
    std::string uid;
    Instant until;
  };
  struct Spared {
    std::string why;
    Instant until;
  };

  [[nodiscard]] SoftVerdict Spare(const std::string& uid, const Outcome& outcome, Instant now);
  [[nodiscard]] bool IsGranted(const std::string& uid, Instant now) const;
  void LeaveOut(const std::string& uid, const char* why, Instant now);
  void Forget(Instant now);

  SoftEvictionLimits limits_;
  std::optional<Question> asked_;
  std::optional<SoftHold> setback_;
  CallRetry retry_;
  std::deque<Instant> granted_;  // within the last hour, oldest first
  std::map<std::string, Spared, std::less<>> spared_;
};

}  // namespace jettison::kube
