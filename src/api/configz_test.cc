#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "api/api.h"
#include "codec/documents/documents.h"
#include "codec/documents/json.h"
#include "core/config/read_config.h"

namespace jettison {
namespace {

AgentConfig Read(const std::vector<Value>& documents) {
  std::vector<ConfigDocument> named;
  for (const Value& document : documents) named.push_back({"/etc/jettison/c.yaml", document});
  const ConfigReading reading = ReadConfig(named);
  EXPECT_TRUE(reading.faults.empty()) << DescribeAll(reading.faults);
  return reading.config;
}

AgentConfig ReadText(const std::string& text) {
  const auto documents = ParseDocuments(text);
  EXPECT_TRUE(documents) << text;
  return Read(documents.value_or(std::vector<Value>{}));
}

AgentConfig ReadBack(const std::string& configz) {
  const auto document = ParseJson(configz);
  EXPECT_TRUE(document) << document.error().message << configz;
  if (!document) return {};
  return Read({*document->Find("kubeletconfig"), *document->Find("jettisonconfig")});
}

bool Same(const Threshold& a, const Threshold& b) {
  return a.signal == b.signal && a.value == b.value && a.grace_period == b.grace_period &&
         a.min_reclaim == b.min_reclaim;
}

void ExpectTheSame(const AgentConfig& config) {
  const std::string text = ConfigzJson(config);
  const AgentConfig again = ReadBack(text);
  EXPECT_EQ(ConfigzJson(again), text);
  ASSERT_EQ(again.eviction.thresholds.size(), config.eviction.thresholds.size()) << text;
  for (std::size_t i = 0; i < config.eviction.thresholds.size(); ++i) {
    EXPECT_TRUE(Same(again.eviction.thresholds[i], config.eviction.thresholds[i])) << i;
  }
  EXPECT_EQ(again.reservation.enforce_pods, config.reservation.enforce_pods);
  EXPECT_EQ(again.static_pod_path, config.static_pod_path);
  EXPECT_EQ(again.pod_pids_limit, config.pod_pids_limit);
  EXPECT_EQ(again.logs.max_size_bytes, config.logs.max_size_bytes);
  EXPECT_EQ(again.http.address, config.http.address);
}

TEST(Configz, OfNothingButDefaultsReadsBack) {
  ExpectTheSame(ReadText("kind: JettisonConfiguration\napiVersion: jettison.io/v1alpha1\n"));
}

TEST(Configz, OfARealKubeletsConfigurationReadsBack) {
  std::ostringstream text;
  text << std::ifstream(JETTISON_TESTDATA
                        "/../../src/core/config/testdata/kubelet-1.32-effective.json")
              .rdbuf();
  ASSERT_FALSE(text.str().empty());
  ExpectTheSame(ReadText(text.str()));
}

constexpr const char* kEverything = R"(
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 5%, nodefs.available: 12.5%, pid.available: "100",
  containerfs.available: 1Gi}
evictionSoft: {memory.available: 1Gi, imagefs.inodesFree: 7%}
evictionSoftGracePeriod: {memory.available: 90s, imagefs.inodesFree: 1h}
evictionMinimumReclaim: {memory.available: 200Mi, nodefs.available: 1%}
evictionMaxPodGracePeriod: 45
evictionPressureTransitionPeriod: 30s
kubeReserved: {cpu: 500m, memory: 1Gi}
systemReserved: {ephemeral-storage: 2Gi, pid: "1000"}
kubeReservedCgroup: /kube.slice
systemReservedCgroup: /system.slice
enforceNodeAllocatable: [pods, kube-reserved, system-reserved-compressible]
imageGCHighThresholdPercent: 70
imageGCLowThresholdPercent: 60
imageMaximumGCAge: 48h
podPidsLimit: 4096
containerLogMaxSize: "-1"
cgroupRoot: /guarded
kernelMemcgNotification: true
staticPodPath: /etc/pods
crashLoopBackOff: {maxContainerRestartPeriod: 20s}
logging: {format: json}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
runtime: cri
adopt: evict
profile: kubelet
nodeName: node-1
nodeCgroup: /guarded
nodeFs: /var
memoryAvailable: available
logLevel: debug
monitoringInterval: 5s
evictionBackoff: {initial: 20s, max: 10m}
pressureHard: {memory.pressure.full.avg10: 20.5%}
pressureSoft: {io.pressure.some.avg60: 60%}
pressureSoftGracePeriod: {io.pressure.some.avg60: 2m}
swapHard: {swap.available: 7%}
swapSoft: {swap.available: 1Gi}
swapSoftGracePeriod: {swap.available: 90s}
hooks:
- {name: tell, when: [ConditionChange], exec: [/bin/true, a b], timeout: 3s}
- {name: post, when: [BeforeEviction, AfterEviction], url: "http://127.0.0.1:9000/x"}
http: {socket: "", address: "127.0.0.1:10350", bearerTokenFile: /etc/token}
dryRun: true
)";

TEST(Configz, OfEverythingThatCanBeSetReadsBack) {
  ExpectTheSame(ReadText(kEverything));
}

// It says where the pods come from, and no `runtime`, which may not be set then.
TEST(Configz, BesideAKubeletReadsBack) {
  const AgentConfig config = ReadText(R"(
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
source: kubernetes
kubernetes: {kubeconfig: /etc/k, kubeletConfiguration: /etc/kubelet.yaml, kubeletDirectory: /k,
  collectImages: true, evictDaemonSets: true, jobs: terminate, softEvictionsPerHour: 7,
  softEvictionCoolDown: 0s}
dryRun: true
---
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 1Gi}
enforceNodeAllocatable: [none]
)");
  ExpectTheSame(config);
  const AgentConfig again = ReadBack(ConfigzJson(config));
  EXPECT_EQ(again.source, SourceKind::kKubernetes);
  EXPECT_EQ(again.kubernetes.kubeconfig, "/etc/k");
  EXPECT_EQ(again.kubernetes.kubelet_configuration, "/etc/kubelet.yaml");
  EXPECT_EQ(again.kubernetes.kubelet_directory, "/k");
  EXPECT_TRUE(again.kubernetes.collect_images);
  EXPECT_TRUE(again.kubernetes.evict_daemon_sets);
  EXPECT_EQ(again.kubernetes.jobs, JobEnding::kTerminate);
  EXPECT_EQ(again.kubernetes.soft_evictions_per_hour, 7);
  EXPECT_EQ(again.kubernetes.soft_eviction_cool_down, Duration::zero());
}

TEST(Configz, TellsNoSecretOfAHook) {
  const std::string text = ConfigzJson(ReadText(R"(
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
hooks:
- {name: a, url: "https://me:secret@host/path?token=secret"}
- {name: b, exec: [/bin/curl, "https://me:secret@host/?secret"]}
)"));
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  EXPECT_NE(text.find("https://<redacted>@host/path?<redacted>"), std::string::npos) << text;
}

}  // namespace
}  // namespace jettison
