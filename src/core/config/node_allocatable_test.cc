#include "core/config/node_allocatable.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

Quantity Q(const char* text) {
  return *Quantity::Parse(text);
}

Threshold Hard(Signal signal, ThresholdValue value) {
  return {.signal = signal, .value = std::move(value), .min_reclaim = {}};
}

const ResourceList kCapacity = {
    {"cpu", Q("4")}, {"memory", Q("8Gi")}, {"ephemeral-storage", Q("100Gi")}, {"pid", Q("32768")}};
const NodeReservation kReservation = {
    .kube_reserved = {{"cpu", Q("100m")}, {"memory", Q("1Gi")}, {"pid", Q("1000")}},
    .system_reserved = {{"cpu", Q("400m")}, {"ephemeral-storage", Q("10Gi")}}};

TEST(NodeAllocatable, IsCapacityLessReservationsLessHardEviction) {
  const auto left = NodeAllocatable(
      kCapacity, kReservation,
      {Hard(Signal::kMemoryAvailable, Q("512Mi")), Hard(Signal::kNodeFsAvailable, Percentage{0.5F}),
       Hard(Signal::kImageFsAvailable, Q("1Gi"))});
  EXPECT_EQ(left.at("cpu"), Q("3500m"));
  EXPECT_EQ(left.at("memory"), Q("6656Mi"));
  EXPECT_EQ(left.at("ephemeral-storage"), Q("40Gi"));
  EXPECT_EQ(left.at("pid"), Q("31768"));
}

TEST(NodeAllocatable, SoftThresholdsReserveNothing) {
  Threshold soft = Hard(Signal::kMemoryAvailable, Q("4Gi"));
  soft.grace_period = std::chrono::minutes(1);
  EXPECT_EQ(NodeAllocatable(kCapacity, kReservation, {soft}).at("memory"), Q("7Gi"));
}

TEST(NodeAllocatable, IsNeverNegative) {
  const NodeReservation greedy = {.kube_reserved = {{"memory", Q("9Gi")}}, .system_reserved = {}};
  EXPECT_TRUE(NodeAllocatable(kCapacity, greedy, {}).at("memory").IsZero());
}

TEST(NodeAllocatable, TheLimitOfThePodsGroupLeavesTheEvictionThresholdIn) {
  EXPECT_EQ(NodeAllocatable(kCapacity, kReservation, {}).at("memory"), Q("7Gi"));
}

}  // namespace
}  // namespace jettison
