#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/profile.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "sim/frames/frame.h"
#include "sim/frames/pod_course.h"

namespace jettison {

// What becomes of a pod that is evicted in a simulation and not in the recording.
enum class AfterEviction : std::uint8_t {
  kRestarted,  // it comes back on this node after its back-off, as the agent does it
  kElsewhere,  // it does not come back, as on a node of a cluster
};

// As the kubelet and the agent have it, where neither the recording nor a policy says otherwise.
inline constexpr RecordedSettings kUsualSettings = {.monitoring_interval = std::chrono::seconds(10),
                                                    .backoff_initial = std::chrono::seconds(10),
                                                    .backoff_max = std::chrono::minutes(5)};

// What a simulation takes to be so.
struct WhatIfModel {
  std::optional<AfterEviction> after_eviction;  // absent: by the profile of the recording
  // Absent: as the head of the recording says.
  std::optional<Duration> monitoring_interval;  // from pass to pass by the clock
  std::optional<Duration> backoff;
  std::optional<Duration> max_backoff;
  Duration backoff_reset = std::chrono::minutes(10);      // of a run that forgets it
  Duration end_takes = std::chrono::milliseconds(100);    // until an evicted pod is gone
  Duration start_takes = std::chrono::milliseconds(200);  // until one that comes back runs
};

// A policy to be tried out.
struct CandidatePolicy {
  std::string name;
  // Out of the one that was in force at the beginning; empty: whatever was in force, always.
  std::function<PassPolicy(const PassPolicy& recorded)> policy_for;
};

// What all policies of a simulation look at.
struct WhatIfNode {
  const PodRoster& roster;
  const std::vector<RecordedCourse>& courses;  // until the frame that a segment begins with
  const WhatIfModel& model;
  RecordedSettings settings;  // as the model and the recording have them
  Profile profile = Profile::kKubelet;
  // Nothing that the policy in force did is taken from the recording: neither the state of its
  // passes nor its decisions.
  bool blind = false;
  bool keep_passes = false;  // of evictions, so that they can be explained
};

}  // namespace jettison
