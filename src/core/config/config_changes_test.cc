#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/config/agent_config.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

AgentConfig Running() {
  AgentConfig config;
  config.eviction.thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100), .min_reclaim = {}}};
  config.hooks = {{.name = "told", .when = {Occasion::kAfterEviction}, .exec = {"/bin/true"}}};
  return config;
}

struct ChangeRow {
  std::string name;
  std::function<void(AgentConfig&)> change;
};

TEST(ConfigChanges, WhatTakesEffectAtOnceIsTakenOver) {
  const std::vector<ChangeRow> rows = {
      {"eviction thresholds", [](auto& c) { c.eviction.thresholds[0].value = Quantity::Of(7); }},
      {"eviction thresholds", [](auto& c) { c.eviction.thresholds[0].grace_period = seconds(1); }},
      {"eviction thresholds",
       [](auto& c) { c.eviction.thresholds[0].min_reclaim = Quantity::Of(1); }},
      {"eviction thresholds", [](auto& c) { c.eviction.thresholds.clear(); }},
      {"evictionPressureTransitionPeriod",
       [](auto& c) { c.eviction.pressure_transition_period = seconds(1); }},
      {"evictionMaxPodGracePeriod", [](auto& c) { c.eviction.max_pod_grace_period_seconds = 9; }},
      {"hooks", [](auto& c) { c.hooks[0].timeout = seconds(9); }},
      {"hooks", [](auto& c) { c.hooks.clear(); }},
      {"logLevel", [](auto& c) { c.log_level = LogLevel::kDebug; }},
  };
  for (const ChangeRow& row : rows) {
    AgentConfig read = Running();
    row.change(read);
    const ConfigChanges changes = ChangesOf(Running(), read);
    EXPECT_THAT(changes.at_once, ElementsAre(row.name));
    EXPECT_THAT(changes.need_restart, IsEmpty()) << row.name;
    EXPECT_THAT(ChangesOf(changes.config, read).at_once, IsEmpty()) << row.name << " holds now";
  }
}

TEST(ConfigChanges, EverythingElseIsNamedAndStays) {
  const std::vector<ChangeRow> rows = {
      {"localStorageCapacityIsolation",
       [](auto& c) { c.eviction.local_storage_capacity_isolation = false; }},
      {"kubeReserved", [](auto& c) { c.reservation.kube_reserved["cpu"] = Quantity::Of(1); }},
      {"enforceNodeAllocatable", [](auto& c) { c.reservation.enforce_pods = false; }},
      {"crashLoopBackOff.maxContainerRestartPeriod",
       [](auto& c) { c.restart_backoff.max = seconds(1); }},
      {"podLogsDir", [](auto& c) { c.logs.directory = "/logs"; }},
      {"evictionBackoff.max", [](auto& c) { c.eviction_backoff.max = seconds(1); }},
      {"kubernetes.collectImages",
       [](auto& c) { c.kubernetes.collect_images = !c.kubernetes.collect_images; }},
      {"root", [](auto& c) { c.root = "/x"; }},
      {"http.socket", [](auto& c) { c.http.socket = "/x"; }},
      {"http.bearerTokenFile", [](auto& c) { c.http.bearer_token_file = "/token"; }},
      {"http.tlsCertFile", [](auto& c) { c.http.tls_cert_file = "/b.crt"; }},
  };
  for (const ChangeRow& row : rows) {
    AgentConfig read = Running();
    row.change(read);
    const ConfigChanges changes = ChangesOf(Running(), read);
    EXPECT_THAT(changes.need_restart, ElementsAre(row.name));
    EXPECT_THAT(changes.at_once, IsEmpty()) << row.name;
    const ConfigChanges none = ChangesOf(Running(), changes.config);
    EXPECT_THAT(none.need_restart, IsEmpty()) << row.name << " has not changed";
  }
}

TEST(ConfigChanges, WhereTheLimitOfThePodsGroupWaitsForARestartTheThresholdsDoAsWell) {
  const auto with_pods = [](bool enforced, const char* memory) {
    AgentConfig config;
    config.reservation.enforce_pods = enforced;
    config.eviction.thresholds =
        ParseThresholds({.hard = {{"memory.available", memory}}, .enforce_pods = enforced})
            .thresholds;
    return config;
  };
  const AgentConfig running = with_pods(true, "100Mi");
  const ConfigChanges changes = ChangesOf(running, with_pods(false, "200Mi"));
  EXPECT_THAT(changes.at_once, IsEmpty());
  EXPECT_THAT(changes.need_restart, ElementsAre("eviction thresholds", "enforceNodeAllocatable"));
  EXPECT_EQ(changes.config.eviction.thresholds, running.eviction.thresholds);
}

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

TEST(NodeAllocatable, IsNeverNegativeAndSoftThresholdsReserveNothing) {
  Threshold soft = Hard(Signal::kMemoryAvailable, Q("4Gi"));
  soft.grace_period = std::chrono::minutes(1);
  EXPECT_EQ(NodeAllocatable(kCapacity, kReservation, {soft}).at("memory"), Q("7Gi"));
  const NodeReservation greedy = {.kube_reserved = {{"memory", Q("9Gi")}}, .system_reserved = {}};
  EXPECT_TRUE(NodeAllocatable(kCapacity, greedy, {}).at("memory").IsZero());
}

}  // namespace
}  // namespace jettison
