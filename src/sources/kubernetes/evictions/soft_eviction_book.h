#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/decide/eviction_pace.h"
#include "core/model/spared_pod.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_retry.h"

namespace jettison::kube {

// How many pods may go for soft thresholds. Hard ones do not count.
struct SoftEvictionLimits {
  std::int64_t per_hour = 20;
  Duration cool_down = std::chrono::minutes(1);  // after one that was granted; zero: none
};

// What an answer to the question whether a pod may go means.
enum class SoftAnswer : std::uint8_t {
  kGranted,  // the API server ends it
  kSpared,   // not for now
  kOver,     // there is no such pod any more
  kLater,    // nobody can be asked for now
};
struct SoftVerdict {
  SoftAnswer answer = SoftAnswer::kLater;
  std::optional<SparedPod> spared;  // where it is spared and that has not been told yet
};

// Which pods the API server was asked about, who is spared until when, and when the next question
// may come: one at a time. Pure: it is told of time and answers.
class SoftEvictionBook {
 public:
  // A budget that forbids an eviction may have room again at any moment.
  static constexpr Duration kSpareFor = std::chrono::minutes(1);
  // Of a pod that goes already or is gone, and of what has been told.
  static constexpr Duration kRemember = std::chrono::hours(1);

  explicit SoftEvictionBook(const SoftEvictionLimits& limits) : limits_(limits) {}

  // Why nobody may be asked about now, and until when; absent: somebody may.
  [[nodiscard]] std::optional<SoftHold> HoldAt(Instant now) const;
  // Who is left out now, by UID.
  [[nodiscard]] std::vector<SparedPod> SparedAt(Instant now) const;

  // The API server is asked about this pod; the answer comes within kAnswerWithin, as a rule.
  void Asked(const std::string& uid, Instant now);
  // Its answer. One that comes late counts all the same: the pod may be going.
  [[nodiscard]] SoftVerdict Take(const std::string& uid, const Outcome& outcome, Instant now);

  // What an agent after this one has to know, and taking it up: of more than may go in an hour only
  // the last ones.
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
