#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/recordings/scenario_policy.h"
#include "core/config/testing/test_documents.h"
#include "core/model/pressure.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

PassPolicy Policy() {
  PassPolicy policy;
  policy.thresholds = {{.signal = Signal::kMemoryAvailable,
                        .value = *Quantity::Parse("200Mi"),
                        .min_reclaim = *Quantity::Parse("50Mi")},
                       {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.1F}},
                       {.signal = Signal::kMemoryAvailable,
                        .value = *Quantity::Parse("400Mi"),
                        .grace_period = seconds(90),
                        .min_reclaim = *Quantity::Parse("50Mi")},
                       {.signal = Signal::kAllocatableMemoryAvailable,
                        .value = *Quantity::Parse("200Mi"),
                        .min_reclaim = *Quantity::Parse("50Mi")},
                       {.signal = Signal::kContainerFsAvailable, .value = Percentage{0.1F}}};
  policy.pressure_transition_period = seconds(45);
  policy.max_pod_grace_period_seconds = 7;
  return policy;
}

TEST(ConfigurationWriter, WritesAKubeletConfigurationInYaml) {
  EXPECT_EQ(ConfigurationYaml(Policy()),
            "apiVersion: kubelet.config.k8s.io/v1beta1\n"
            "kind: KubeletConfiguration\n"
            "evictionHard:\n"
            "  memory.available: \"200Mi\"\n"
            "  nodefs.available: \"10%\"\n"
            "evictionSoft:\n"
            "  memory.available: \"400Mi\"\n"
            "evictionSoftGracePeriod:\n"
            "  memory.available: \"1m30s\"\n"
            "evictionMinimumReclaim:\n"
            "  memory.available: \"50Mi\"\n"
            "evictionPressureTransitionPeriod: 45s\n"
            "evictionMaxPodGracePeriod: 7\n");
}

TEST(ConfigurationWriter, WhatIsWrittenIsReadToTheSameThresholds) {
  PassPolicy policy = Policy();
  policy.thresholds.push_back({.signal = Signal::kMemoryPressureFullAvg10, .value = LeftOf(2500)});
  const ConfigReading reading = ReadText(ConfigurationYaml(policy));
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  const EvictionPolicy& read = reading.config.eviction;
  EXPECT_EQ(read.pressure_transition_period, policy.pressure_transition_period);
  EXPECT_EQ(read.max_pod_grace_period_seconds, 7);
  const EvictionSettings settings = SettingsOf(read.thresholds);
  EXPECT_EQ(settings.hard.at("memory.available"), "200Mi");
  EXPECT_EQ(settings.soft_grace_period.at("memory.available"), "1m30s");
  EXPECT_EQ(settings.minimum_reclaim.at("memory.available"), "50Mi");
  EXPECT_TRUE(std::ranges::any_of(read.thresholds, [](const Threshold& threshold) {
    return threshold.signal == Signal::kMemoryPressureFullAvg10;
  }));
}

std::vector<std::string> LinesOf(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> lines;
  for (const Threshold& threshold : thresholds) {
    lines.push_back(std::string(NameOf(threshold.signal)) + " " + ThresholdText(threshold.value));
  }
  std::ranges::sort(lines);
  return lines;
}

TEST(ConfigurationWriter, AThresholdOnAllocatableMemoryThatIsNoCopyIsWritten) {
  PassPolicy policy = Policy();
  policy.thresholds.pop_back();
  policy.thresholds.push_back(
      {.signal = Signal::kAllocatableMemoryAvailable, .value = *Quantity::Parse("300Mi")});
  const ConfigReading reading = ReadText(ConfigurationYaml(policy));
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_EQ(LinesOf(reading.config.eviction.thresholds), LinesOf(policy.thresholds));
}

}  // namespace
}  // namespace jettison
