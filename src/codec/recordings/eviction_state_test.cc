#include "codec/recordings/eviction_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "codec/documents/json.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

const std::vector<Threshold> kThresholds = {
    {.signal = Signal::kMemoryAvailable},
    {.signal = Signal::kMemoryAvailable, .grace_period = seconds(90)},
    {.signal = Signal::kNodeFsAvailable}};

std::string Written(const EvictionState& state) {
  std::string text;
  JsonWriter json(text);
  WriteEvictionState(state, kThresholds, json);
  return text;
}

TEST(EvictionState, ReadsBackEverythingThatIsWritten) {
  const Instant at(seconds(1'700'000'000));
  EvictionState state;
  state.met[1] = true;
  state.first_observed_at[1] = at;
  state.conditions.Set(NodeConditionType::kDiskPressure);
  state.condition_last_observed_at[IndexOf(NodeConditionType::kDiskPressure)] = at;
  state.last_observations[Signal::kPidAvailable] =
      Observation{.available = -1, .capacity = 7, .time = at};
  EvictionMark& mark = state.last_eviction.emplace();
  mark.at = at;
  mark.available[0] = 4711;
  const std::string text = Written(state);
  EXPECT_THAT(text, HasSubstr(R"({"signal":"memory.available","kind":"soft","overdue":true,)"
                              R"("firstObserved":"2023-11-14T22:13:20Z"})"));
  EXPECT_THAT(text, HasSubstr(R"("available":4711}]})"));
  const auto read = ReadEvictionState(*ParseJson(text), kThresholds);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(Written(*read), text);
}

TEST(EvictionState, EveryFaultIsToldWithItsPath) {
  const std::pair<const char*, const char*> rows[] = {
      {R"({"thresholds": [{"signal": "x", "kind": "hard"}]})",
       "thresholds[0].signal: \"x\": no signal has this name"},
      {R"({"thresholds": [{"signal": "memory.available", "kind": "x"}]})", "thresholds[0].kind"},
      {R"({"thresholds": 1})", "thresholds: \"1\": must be a list"},
      {R"({"conditions": [{"type": "x"}]})",
       "conditions[0].type: \"x\": no condition has this name"},
      {R"({"observations": [{"signal": "pid.available", "time": "x"}]})", "observations[0].time"},
      {R"({"lastEviction": {}})", "lastEviction.at: is missing"},
      {R"({"lastEviction": {"at": "2026-01-01T00:00:00Z", "observations":
           [{"signal": "pid.available", "available": 1}]}})",
       "lastEviction.observations[0].signal: must be a signal of pressure"}};
  for (const auto& [text, problem] : rows) {
    const auto read = ReadEvictionState(*ParseJson(text), kThresholds);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr(problem));
  }
}

}  // namespace
}  // namespace jettison
