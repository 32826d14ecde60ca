#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/pass/pass.h"
#include "core/units/duration.h"

namespace jettison {

// What becomes of a pod that is evicted in a simulation and not in the recording.
enum class AfterEviction : std::uint8_t {
  kRestarted,  // it comes back on this node after its back-off, as the agent does it
  kElsewhere,  // it does not come back, as on a node of a cluster
};

// What a simulation takes to be so, because a recording does not say it.
struct WhatIfModel {
  std::optional<AfterEviction> after_eviction;  // absent: by the profile of the recording
  Duration backoff = std::chrono::seconds(10);
  Duration max_backoff = std::chrono::minutes(5);
  Duration backoff_reset = std::chrono::minutes(10);  // of a run that forgets it
  // From pass to pass by the clock; absent: as the passes of the recording are apart.
  std::optional<Duration> monitoring_interval;
  Duration end_takes = std::chrono::milliseconds(100);    // until an evicted pod is gone
  Duration start_takes = std::chrono::milliseconds(200);  // until one that comes back runs
};

// A policy to be tried out.
struct CandidatePolicy {
  std::string name;
  // Out of the one that was in force at the beginning; empty: whatever was in force, always.
  std::function<PassPolicy(const PassPolicy& recorded)> policy_for;
};

}  // namespace jettison
