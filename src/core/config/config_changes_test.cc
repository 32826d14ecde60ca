#include "core/config/config_changes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/thresholds/threshold_parsing.h"
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
  config.http.tls_cert_file = "/a.crt";
  config.http.tls_private_key_file = "/a.key";
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
      {"http.tlsCertFile", [](auto& c) { c.http.tls_cert_file = "/b.crt"; }},
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
      {"http.tlsCertFile", [](auto& c) { c.http.tls_cert_file.clear(); }},
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

// What is read of this setting, with a hard threshold on memory and one on pressure.
AgentConfig WithPods(bool enforced, const std::string& memory, const std::string& grace = "1m") {
  AgentConfig config;
  config.reservation.enforce_pods = enforced;
  config.eviction.thresholds =
      ParseThresholds({.hard = {{"memory.available", memory}, {"pid.available", "10%"}},
                       .soft = {{"memory.available", "1Gi"}},
                       .soft_grace_period = {{"memory.available", grace}},
                       .enforce_pods = enforced})
          .thresholds;
  config.eviction.thresholds.push_back(
      {.signal = Signal::kMemoryPressureSomeAvg10, .value = Quantity::Of(1), .min_reclaim = {}});
  return config;
}

std::vector<std::string> Texts(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> texts;
  for (const Threshold& threshold : thresholds) {
    texts.push_back(fmt::format("{} {} {}", NameOf(threshold.signal),
                                ThresholdText(threshold.value),
                                FormatDuration(threshold.grace_period)));
  }
  return texts;
}

TEST(ConfigChanges, ThePodsHaveAThresholdExactlyAsLongAsTheirGroupHasALimit) {
  for (const bool running : {true, false}) {
    for (const bool read : {true, false}) {
      for (const char* memory : {"100Mi", "200Mi"}) {
        for (const char* grace : {"1m", "0s"}) {  // a soft one without is copied, too
          EXPECT_EQ(
              Texts(ThresholdsAtOnce(WithPods(running, "100Mi"), WithPods(read, memory, grace))),
              Texts(WithPods(running, memory, grace).eviction.thresholds))
              << running << read << memory << grace;
        }
      }
    }
  }
}

TEST(ConfigChanges, AThresholdOnTheMemoryOfThePodsThatWasConfiguredStays) {
  for (const bool enforced : {true, false}) {
    AgentConfig running = WithPods(enforced, "100Mi");
    AgentConfig read = WithPods(!enforced, "100Mi");
    for (AgentConfig* config : {&running, &read}) {
      config->eviction.thresholds =
          ParseThresholds(
              {.hard = {{"memory.available", "100Mi"}, {"allocatableMemory.available", "100Mi"}},
               .enforce_pods = config->reservation.enforce_pods})
              .thresholds;
    }
    read.eviction.thresholds = ThresholdsAtOnce(running, read);
    EXPECT_THAT(ChangesOf(running, read).at_once, IsEmpty()) << enforced;
    EXPECT_THAT(ChangesOf(running, read).need_restart, ElementsAre("enforceNodeAllocatable"));
  }
}

}  // namespace
}  // namespace jettison
