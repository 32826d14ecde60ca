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
      {"imageMaximumGCAge", [](auto& c) { c.image_gc.max_age = seconds(1); }},
      {"kubeReserved", [](auto& c) { c.reservation.kube_reserved["cpu"] = Quantity::Of(1); }},
      {"systemReserved", [](auto& c) { c.reservation.system_reserved["pid"] = Quantity::Of(1); }},
      {"enforceNodeAllocatable", [](auto& c) { c.reservation.enforce_pods = false; }},
      {"kubeReservedCgroup", [](auto& c) { c.reservation.kube_enforced = {.group = "a"}; }},
      {"systemReservedCgroup", [](auto& c) { c.reservation.system_enforced = {.group = "a"}; }},
      {"kernelMemcgNotification", [](auto& c) { c.kernel_memcg_notification = true; }},
      {"crashLoopBackOff.maxContainerRestartPeriod",
       [](auto& c) { c.restart_backoff.max = seconds(1); }},
      {"staticPodPath", [](auto& c) { c.static_pod_path = "/pods"; }},
      {"fileCheckFrequency", [](auto& c) { c.file_check_frequency = seconds(1); }},
      {"cgroupRoot", [](auto& c) { c.cgroup_root = "/a"; }},
      {"cgroupDriver", [](auto& c) { c.cgroup_driver = CgroupDriver::kSystemd; }},
      {"cgroupsPerQOS", [](auto& c) { c.cgroups_per_qos = false; }},
      {"podPidsLimit", [](auto& c) { c.pod_pids_limit = 5; }},
      {"cpuCFSQuota", [](auto& c) { c.cpu_quota.enforced = false; }},
      {"podLogsDir", [](auto& c) { c.logs.directory = "/logs"; }},
      {"containerLogMaxSize", [](auto& c) { c.logs.max_size_bytes = 2; }},
      {"containerLogMaxFiles", [](auto& c) { c.logs.max_files = 2; }},
      {"oomScoreAdj", [](auto& c) { c.oom_score_adj = 1; }},
      {"containerRuntimeEndpoint", [](auto& c) { c.container_runtime_endpoint = "unix:///x"; }},
      {"imageServiceEndpoint", [](auto& c) { c.image_service_endpoint = "unix:///x"; }},
      {"runtimeRequestTimeout", [](auto& c) { c.runtime_request_timeout = seconds(1); }},
      {"monitoringInterval", [](auto& c) { c.monitoring_interval = seconds(1); }},
      {"evictionBackoff.max", [](auto& c) { c.eviction_backoff.max = seconds(1); }},
      {"source", [](auto& c) { c.source = SourceKind::kKubernetes; }},
      {"kubernetes.kubeconfig", [](auto& c) { c.kubernetes.kubeconfig = "/x"; }},
      {"kubernetes.collectImages",
       [](auto& c) { c.kubernetes.collect_images = !c.kubernetes.collect_images; }},
      {"runtime", [](auto& c) { c.runtime = RuntimeKind::kCri; }},
      {"adopt", [](auto& c) { c.adopt = AdoptPolicy::kEvict; }},
      {"profile", [](auto& c) { c.profile = Profile::kKubelet; }},
      {"root", [](auto& c) { c.root = "/x"; }},
      {"nodeCgroup", [](auto& c) { c.node_cgroup = "/x"; }},
      {"nodeFs", [](auto& c) { c.node_fs = "/x"; }},
      {"nodeName", [](auto& c) { c.node_name = "x"; }},
      {"memoryAvailable", [](auto& c) { c.memory_estimator = MemoryEstimator::kAvailable; }},
      {"http.socket", [](auto& c) { c.http.socket = "/x"; }},
      {"http.socketGroup", [](auto& c) { c.http.socket_group = "x"; }},
      {"http.address", [](auto& c) { c.http.address = "127.0.0.1:1"; }},
      {"http.bearerTokenFile", [](auto& c) { c.http.bearer_token_file = "/token"; }},
      {"http.tlsCertFile", [](auto& c) { c.http.tls_cert_file.clear(); }},
      {"dryRun", [](auto& c) { c.dry_run = true; }},
      {"logFormat", [](auto& c) { c.json_logs = true; }},
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

TEST(ConfigChanges, TheSameConfigurationChangesNothing) {
  const ConfigChanges changes = ChangesOf(Running(), Running());
  EXPECT_THAT(changes.at_once, IsEmpty());
  EXPECT_THAT(changes.need_restart, IsEmpty());
}

}  // namespace
}  // namespace jettison
