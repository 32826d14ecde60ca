#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/pods/pod_table.h"
#include "agent/pods/testing/wanted_pods.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {

inline NodeConditions Pressure(NodeConditionType type) {
  NodeConditions conditions;
  conditions.Set(type);
  return conditions;
}

inline Pod PodNamed(const std::string& name, std::int32_t priority = 0) {
  Pod pod;
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.priority = priority;
  pod.containers.emplace_back().name = "c";
  return pod;
}

inline EvictionOrder OrderFor(const std::string& name, std::int64_t grace = 1) {
  return {.pod_uid = "uid-" + name,
          .grace_period_seconds = grace,
          .message = "low on memory",
          .annotations = {},
          .disruption_target = true};
}

// A table over a fake runtime; time and events move only when the test says so.
class PodTableTest : public testing::Test {
 protected:
  void Deliver() {
    for (auto told = runtime_.TakeEvents(); !told.empty(); told = runtime_.TakeEvents()) {
      for (const RuntimeEvent& event : told) table_.Handle(event, now_);
    }
  }
  void Want(std::vector<Pod> pods) {
    table_.SetWanted(WantedPods(std::move(pods)), now_);
    Deliver();
  }
  void Pass(Duration time) {
    now_ += time;
    runtime_.SetNow(now_);
    table_.Advance(now_);
    Deliver();
  }
  // A pod that the runtime has with a container that runs; `observed`: it may not be ended.
  static RuntimePod Running(const std::string& name, bool observed = false) {
    return {.pod = PodNamed(name),
            .containers = {{.pod_uid = "uid-" + name, .name = "c", .created = Instant{}}},
            .foreign = observed,
            .spared = observed};
  }
  void PassDone(NodeConditions conditions = {}) {
    table_.PassDone(conditions, now_);
    Deliver();
  }
  void Evict(const std::string& name) {
    EXPECT_EQ(table_.Evict(OrderFor(name), now_), EvictOutcome::kEnding);
    Deliver();
  }
  std::vector<std::string> Active() {
    std::vector<std::string> names;
    for (const SharedPodFacts& facts : table_.Active()) names.push_back(facts->pod.name);
    return names;
  }
  PodView View(const std::string& name) {
    for (PodView& view : table_.Views(now_)) {
      if (view.name == name) return view;
    }
    ADD_FAILURE() << "no pod " << name;
    return {};
  }

  Instant now_{std::chrono::hours(1)};
  FakeClock clock_;
  FakeRuntime runtime_;
  std::vector<std::string> lines_;  // of the log
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  EventLog events_{log_, 100};
  WorkerDependencies dependencies_{runtime_, events_, log_, 1 << 30};
  std::optional<PodTable> present_{std::in_place, Profile::kStandalone, kComeBackRule,
                                   dependencies_};
  PodTable& table_ = *present_;  // also after another has taken its place
};

}  // namespace jettison
