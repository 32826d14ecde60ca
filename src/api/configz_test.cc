#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "api/api.h"
#include "codec/documents/documents.h"
#include "codec/documents/json.h"
#include "core/config/read_config.h"
#include "core/thresholds/fields.h"

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
  EXPECT_EQ(again.static_pod_path, config.static_pod_path);
  EXPECT_EQ(again.pod_pids_limit, config.pod_pids_limit);
  EXPECT_EQ(again.http.address, config.http.address);
}

TEST(Configz, OfARealKubeletsConfigurationReadsBack) {
  std::ostringstream text;
  text << std::ifstream(JETTISON_TESTDATA
                        "/../../src/core/config/testdata/kubelet-1.32-effective.json")
              .rdbuf();
  ASSERT_FALSE(text.str().empty());
  ExpectTheSame(ReadText(text.str()));
}

// Expects what a document says, member by member, in what is shown.
void ExpectShown(const Value& said, const Value* shown, const std::string& name) {
  ASSERT_NE(shown, nullptr) << name;
  if (const auto* members = said.AsMap()) {
    for (const auto& [key, value] : *members) ExpectShown(value, shown->Find(key), key);
  } else if (const auto* items = said.AsList()) {
    ASSERT_EQ(shown->AsList()->size(), items->size()) << name;
    for (std::size_t i = 0; i < items->size(); ++i) {
      ExpectShown((*items)[i], &(*shown->AsList())[i], name);
    }
  } else {
    EXPECT_EQ(Shown(*shown), Shown(said)) << name;
  }
}

// `text` has a KubeletConfiguration first.
void ExpectAllShown(const std::string& text) {
  const auto documents = ParseDocuments(text);
  ASSERT_TRUE(documents) << documents.error().message;
  const AgentConfig config = Read(*documents);
  ExpectTheSame(config);
  const auto configz = ParseJson(ConfigzJson(config));
  ExpectShown(documents->at(0), configz->Find("kubeletconfig"), "");
  ExpectShown(documents->at(1), configz->Find("jettisonconfig"), "");
}

TEST(Configz, HasEverySettingOfTheConfigurationAndReadsBack) {
  ExpectAllShown(R"(
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 5%, nodefs.available: 12.5%, pid.available: "100",
  containerfs.available: 1Gi}
evictionSoft: {memory.available: 1Gi, imagefs.inodesFree: 7%}
evictionSoftGracePeriod: {memory.available: 1m30s, imagefs.inodesFree: 1h0m0s}
evictionMinimumReclaim: {memory.available: 200Mi, nodefs.available: 1%}
evictionMaxPodGracePeriod: 45
evictionPressureTransitionPeriod: 30s
localStorageCapacityIsolation: false
kubeReserved: {cpu: 500m, memory: 1Gi}
systemReserved: {ephemeral-storage: 2Gi, pid: 1k}
kubeReservedCgroup: /kube.slice
systemReservedCgroup: /system.slice
enforceNodeAllocatable: [pods, kube-reserved, system-reserved-compressible]
imageGCHighThresholdPercent: 70
imageGCLowThresholdPercent: 60
imageMinimumGCAge: 1m0s
imageMaximumGCAge: 48h0m0s
podPidsLimit: 4096
containerLogMaxSize: 1Mi
containerLogMaxFiles: 3
podLogsDir: /logs
cgroupRoot: /guarded
cgroupDriver: systemd
cpuCFSQuota: false
cpuCFSQuotaPeriod: 50ms
oomScoreAdj: -500
kernelMemcgNotification: true
staticPodPath: /etc/pods
fileCheckFrequency: 1s
containerRuntimeEndpoint: unix:///c.sock
runtimeRequestTimeout: 15s
crashLoopBackOff: {maxContainerRestartPeriod: 20s}
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
source: manifests
runtime: process
adopt: evict
profile: kubelet
root: /srv/j
nodeName: edge-1.example
nodeCgroup: /guarded/slice
nodeFs: /data
memoryAvailable: available
logLevel: warning
logFormat: json
monitoringInterval: 500ms
evictionBackoff: {initial: 1s, max: 1m0s}
pressureHard: {memory.pressure.full.avg10: 20.5%}
pressureSoft: {io.pressure.some.avg60: 60%}
pressureSoftGracePeriod: {io.pressure.some.avg60: 2m0s}
swapHard: {swap.available: 7%}
swapSoft: {swap.available: 1Gi}
swapSoftGracePeriod: {swap.available: 1m30s}
hooks:
- {name: tell, when: [ConditionChange], exec: [/bin/true, a b], timeout: 3s}
- {name: post, when: [BeforeEviction, AfterEviction], url: "http://127.0.0.1:9000/x"}
http: {socket: /s/j.sock, socketGroup: adm, address: "0.0.0.0:10350", tlsCertFile: /c.pem,
  tlsPrivateKeyFile: /k.pem, clientCAFile: /ca.pem, bearerTokenFile: /etc/token}
recording: {enabled: false, maxSize: 1Gi, maxAge: 48h0m0s}
dryRun: true
)");
}

// It says where the pods come from, and no `runtime`, which may not be set then.
TEST(Configz, BesideAKubeletReadsBack) {
  ExpectAllShown(R"(
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
evictionHard: {memory.available: 1Gi}
enforceNodeAllocatable: [none]
containerLogMaxSize: "-1"
---
apiVersion: jettison.io/v1alpha1
kind: JettisonConfiguration
source: kubernetes
adopt: observe
profile: standalone
kubernetes: {kubeconfig: /etc/k, kubeletConfiguration: /etc/kubelet.yaml, kubeletDirectory: /k,
  collectImages: true, defaultMemoryThreshold: false, evictDaemonSets: true, jobs: terminate,
  softEvictionsPerHour: 7, softEvictionCoolDown: 0s}
http: {socket: "", address: "127.0.0.1:10350", allowAnyLocalUser: true}
)");
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
