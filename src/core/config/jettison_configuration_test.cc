#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/agent_config.h"
#include "core/config/testing/test_documents.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(JettisonConfiguration, EveryFieldIsTakenOver) {
  const ConfigReading reading = Jettison(R"(
runtime: cri
root: /srv/j/
nodeCgroup: /guarded/slice
nodeFs: /data
nodeName: edge-1.example
profile: kubelet
http: {socket: "", address: "127.0.0.1:10350"}
memoryAvailable: available
logFormat: json
logLevel: warning
hooks: [{exec: [/bin/page]}]
dryRun: true
evictionBackoff: {initial: 1s, max: 1m}
monitoringInterval: 500ms
)");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  const AgentConfig& config = reading.config;
  EXPECT_EQ(config.runtime, RuntimeKind::kCri);
  EXPECT_EQ(config.root, "/srv/j");
  EXPECT_EQ(config.node_cgroup, "/guarded/slice");
  EXPECT_EQ(config.node_fs, "/data");
  EXPECT_EQ(config.node_name, "edge-1.example");
  EXPECT_EQ(config.profile, Profile::kKubelet);
  EXPECT_EQ(config.http.socket, "");
  EXPECT_EQ(config.http.address, "127.0.0.1:10350");
  EXPECT_EQ(config.memory_estimator, MemoryEstimator::kAvailable);
  EXPECT_TRUE(config.json_logs);
  EXPECT_EQ(config.log_level, LogLevel::kWarning);
  EXPECT_EQ(config.hooks.size(), 1U);
  EXPECT_TRUE(config.dry_run);
  EXPECT_EQ(config.eviction_backoff.initial, seconds(1));
  EXPECT_EQ(config.eviction_backoff.max, minutes(1));
  EXPECT_EQ(config.monitoring_interval, milliseconds(500));
  EXPECT_EQ(config.logs.directory, "/srv/j/logs");
}

TEST(JettisonConfiguration, AWordThatYamlReadsAsTrueIsToldAsThat) {
  EXPECT_THAT(Described(Jettison("adopt: yes").faults),
              ElementsAre(HasSubstr("adopt: \"true\": must be none, observe or evict, not a ")));
  EXPECT_THAT(Described(Jettison("adopt: off").faults),
              ElementsAre(HasSubstr("adopt: \"false\": must be none, observe or evict, not a ")));
}

TEST(JettisonConfiguration, ThresholdsOnPressureComeBehindThoseOfTheKubelet) {
  EXPECT_EQ(Signals(Jettison("")).size(), Signals(Kubelet("")).size()) << "off by default";
  const ConfigReading reading =
      ReadText(std::string(kJettison) +
               "pressureHard: {memory.pressure.full.avg10: 20%}\n"
               "pressureSoft: {io.pressure.some.avg60: '40%'}\n"
               "pressureSoftGracePeriod: {io.pressure.some.avg60: 2m}\n---\n" +
               kKubelet + "evictionHard: {memory.available: 1Gi}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  const std::vector<Threshold>& thresholds = reading.config.eviction.thresholds;
  ASSERT_EQ(thresholds.size(), 4U);
  EXPECT_EQ(thresholds[0].signal, Signal::kMemoryAvailable);
  EXPECT_EQ(thresholds[1].signal, Signal::kAllocatableMemoryAvailable);
  EXPECT_EQ(thresholds[2].signal, Signal::kMemoryPressureFullAvg10);
  EXPECT_TRUE(thresholds[2].IsHard());
  EXPECT_EQ(thresholds[3].signal, Signal::kIoPressureSomeAvg60);
  EXPECT_EQ(thresholds[3].grace_period, minutes(2));
}

TEST(JettisonConfiguration, TheSourceBringsWhatSuitsIt) {
  EXPECT_EQ(Jettison("").config.source, SourceKind::kManifests);
  EXPECT_EQ(Jettison("source: manifests\n").config.adopt, AdoptPolicy::kObserve);
  const ConfigReading reading = Jettison("source: kubernetes\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  const AgentConfig& config = reading.config;
  EXPECT_EQ(config.source, SourceKind::kKubernetes);
  EXPECT_EQ(config.adopt, AdoptPolicy::kEvict);
  EXPECT_EQ(config.profile, Profile::kKubelet);
  EXPECT_EQ(config.node_fs, "/var/lib/kubelet");
  EXPECT_EQ(config.logs.directory, "/var/log/pods");
  EXPECT_EQ(config.kubernetes.kubeconfig, "");
  EXPECT_EQ(config.kubernetes.kubelet_configuration, "");
  EXPECT_EQ(config.kubernetes.jobs, JobEnding::kKill);
  EXPECT_FALSE(config.kubernetes.evict_daemon_sets);
  EXPECT_FALSE(config.kubernetes.collect_images);
}

TEST(JettisonConfiguration, EveryFieldOfKubernetesIsTakenOver) {
  const ConfigReading reading = Jettison(R"(
source: kubernetes
adopt: observe
profile: standalone
nodeFs: /data
kubernetes:
  kubeconfig: /etc/j/kubeconfig
  kubeletConfiguration: /var/lib/kubelet/config.yaml
  kubeletDirectory: /data/kubelet/
  evictDaemonSets: true
  jobs: terminate
  collectImages: true
  softEvictionsPerHour: 6
  softEvictionCoolDown: 5m
)");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  const AgentConfig& config = reading.config;
  EXPECT_EQ(config.kubernetes.kubeconfig, "/etc/j/kubeconfig");
  EXPECT_EQ(config.kubernetes.kubelet_configuration, "/var/lib/kubelet/config.yaml");
  EXPECT_EQ(config.kubernetes.kubelet_directory, "/data/kubelet");
  EXPECT_TRUE(config.kubernetes.evict_daemon_sets);
  EXPECT_EQ(config.kubernetes.jobs, JobEnding::kTerminate);
  EXPECT_TRUE(config.kubernetes.collect_images);
  EXPECT_EQ(config.kubernetes.soft_evictions_per_hour, 6);
  EXPECT_EQ(config.kubernetes.soft_eviction_cool_down, std::chrono::minutes(5));
  EXPECT_EQ(config.adopt, AdoptPolicy::kObserve) << "it overrides the source's default";
  EXPECT_EQ(config.profile, Profile::kStandalone);
  EXPECT_EQ(config.node_fs, "/data");
  EXPECT_EQ(Jettison("source: kubernetes\nkubernetes: {kubeletDirectory: /k}\n").config.node_fs,
            "/k");
}

TEST(JettisonConfiguration, EveryFaultOfKubernetesIsNamedAtOnce) {
  const ConfigReading reading = Jettison(
      "source: kubernetes\nruntime: cri\n"
      "kubernetes: {kubeconfg: /x, kubeconfig: x, kubeletConfiguration: [], "
      "kubeletDirectory: ../k, collectImages: 'yes', evictDaemonSets: 1, jobs: term, "
      "softEvictionsPerHour: 0, "
      "softEvictionCoolDown: 2h}\n");
  EXPECT_THAT(
      Described(reading.faults),
      ElementsAre(HasSubstr("kubernetes.kubeconfg: \"/x\": there is no such field (did you mean "
                            "\"kubeconfig\"?); allowed: "),
                  HasSubstr("kubernetes.kubeconfig: \"x\": must be an absolute path"),
                  HasSubstr("kubernetes.kubeletConfiguration: \"a list\": must be text"),
                  HasSubstr("kubernetes.kubeletDirectory: \"../k\": must be an absolute path"),
                  HasSubstr("kubernetes.collectImages: \"yes\": must be true or false"),
                  HasSubstr("kubernetes.evictDaemonSets: \"1\": must be true or false"),
                  HasSubstr("kubernetes.jobs: \"term\": must be kill or terminate"),
                  HasSubstr("kubernetes.softEvictionsPerHour: \"0\": "),
                  HasSubstr("kubernetes.softEvictionCoolDown: \"2h\": "),
                  HasSubstr("runtime: \"cri\": must not be set where source is kubernetes")));
}

TEST(JettisonConfiguration, ARemovedSettingIsAWarning) {
  const ConfigReading reading = Jettison("nodeStatusFile: /run/j/node.json\nmemoryReclaim: idle\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Described(reading.warnings),
              ElementsAre(HasSubstr("memoryReclaim: \"idle\": has no effect: it was removed"),
                          HasSubstr("nodeStatusFile: \"/run/j/node.json\": has no effect")));
}

TEST(JettisonConfiguration, EachRefusedFieldIsOneFault) {
  struct Row {
    const char* text;
    const char* fault;
  };
  for (const Row& row : {
           Row{"dryrun: true", "there is no such field (did you mean \"dryRun\"?)"},
           Row{"runtime: docker", "runtime: \"docker\": must be process or cri"},
           Row{"http: {address: '0'}", "http.address: \"0\": must be an IP address with a port"},
           Row{"profile: Kubelet", "did you mean \"kubelet\"?"},
           Row{"memoryAvailable: avail", "workingSet"},
           Row{"root: var", "must be an absolute path"},
           Row{"nodeCgroup: ../x", "must be an absolute path"},
           Row{"nodeName: Edge", "lower-case letters"},
           Row{"logFormat: xml", "must be text or json"},
           Row{"logLevel: loud", "must be debug, info, warning or error"},
           Row{"hooks: [{exec: [page]}]", "hooks[0].exec: \"page\": must begin with"},
           Row{"monitoringInterval: 1ms", "must be at least 100ms"},
           Row{"evictionBackoff: {first: 1s}", "evictionBackoff.first: \"1s\": there is no such"},
           Row{"evictionBackoff: {max: 5s}", "evictionBackoff.max: \"5s\": must be at least initi"},
           Row{"evictionBackoff: {initial: 10m}", "must be at most max, which is 5m0s"},
           Row{"evictionBackoff: 5s", "must be a map, not a string"},
           Row{"pressureHard: 20%", "pressureHard: \"20%\": must be a map, not a string"},
           Row{"pressureHard: {memory.pressure.some.avg10: 20}",
               "pressureHard[memory.pressure.some.avg10]: \"20\": must be text"},
           Row{"pressureHard: {memory.pressure.some.avg1: 20%}", "did you mean \"memory.pre"},
           Row{"pressureSoft: {io.pressure.some.avg10: 20%}", "needs a grace period"},
           Row{"swapHard: 1Gi", "swapHard: \"1Gi\": must be a map, not a string"},
           Row{"swapHard: {swap.free: 1Gi}", "allowed: swap.available"},
           Row{"source: cluster", "source: \"cluster\": must be manifests or kubernetes"},
           Row{"kubernetes: {}", "kubernetes: has no effect unless source is kubernetes"},
           Row{"source: manifests\nkubernetes: {jobs: kill}", "has no effect unless source"},
           Row{"pressuresoft: {}", "did you mean \"pressureSoft\"?"},
       }) {
    const ConfigReading reading = Jettison(row.text);
    EXPECT_EQ(reading.faults.size(), 1U) << row.text;
    EXPECT_THAT(FirstFault(reading), HasSubstr(row.fault)) << row.text;
  }
}

std::vector<std::string> FaultsOfHooks(const std::string& hooks) {
  return Described(Jettison("hooks:\n" + hooks).faults);
}

TEST(Hooks, AreProgramsAndAddresses) {
  const ConfigReading reading = Jettison(
      "hooks:\n"
      "- name: pager\n  when: [AfterEviction]\n  exec: [/bin/page, --now]\n  timeout: 2s\n"
      "- url: http://127.0.0.1:9000/told\n  minInterval: 100ms\n");
  EXPECT_THAT(reading.faults, IsEmpty());
  ASSERT_EQ(reading.config.hooks.size(), 2U);
  const HookConfig& pager = reading.config.hooks[0];
  EXPECT_EQ(pager.name, "pager");
  EXPECT_THAT(pager.when, ElementsAre(Occasion::kAfterEviction));
  EXPECT_THAT(pager.exec, ElementsAre("/bin/page", "--now"));
  EXPECT_EQ(pager.timeout, seconds(2));
  const HookConfig& address = reading.config.hooks[1];
  EXPECT_EQ(address.name, "hook 2");
  EXPECT_EQ(address.when.size(), kAllOf<Occasion>.size()) << "for every occasion by default";
  EXPECT_EQ(address.url, "http://127.0.0.1:9000/told");
  EXPECT_EQ(address.min_interval, milliseconds(100));
}

TEST(Hooks, EveryFaultIsToldAtOnce) {
  EXPECT_THAT(
      FaultsOfHooks("- exec: [page]\n  when: [Eviction]\n- url: ftp://there\n- timeout: 1h\n- 7\n"),
      ElementsAre(HasSubstr("hooks[3]"), HasSubstr("hooks[0].when"), HasSubstr("hooks[0].exec"),
                  HasSubstr("hooks[1].url"),
                  AllOf(HasSubstr("hooks[2].exec"), HasSubstr("exec or url must be set")),
                  HasSubstr("hooks[2].timeout")));
}

TEST(Hooks, OfTwoWhomToTellEachWantsItsOwn) {
  EXPECT_THAT(FaultsOfHooks("- exec: [/bin/page]\n  url: http://there/\n"),
              ElementsAre(HasSubstr("use two hooks")));
}

TEST(Hooks, AFaultOfAUrlTellsNoSecret) {
  const auto faults = FaultsOfHooks("- url: http://me:sec/ret@host/\n");
  EXPECT_THAT(faults, ElementsAre(AllOf(HasSubstr("/etc/j/c.yaml"), HasSubstr("hooks[0].url"),
                                        HasSubstr("%2F"), Not(HasSubstr("sec")))));
}

TEST(Hooks, AreEightAtMost) {
  std::string hooks;
  for (int i = 0; i < 9; ++i) hooks += "- exec: [/bin/page]\n";
  EXPECT_THAT(FaultsOfHooks(hooks), ElementsAre(HasSubstr("at most 8")));
}

TEST(RecordingConfiguration, ItIsOnUnlessSomethingElseIsSaid) {
  const ConfigReading reading = Jettison("");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_TRUE(reading.config.recording.enabled);
  EXPECT_EQ(reading.config.recording.max_bytes, 64 << 20);
  EXPECT_EQ(reading.config.recording.max_age, std::chrono::hours(336));
}

TEST(RecordingConfiguration, EveryFieldIsTakenOver) {
  const ConfigReading reading =
      Jettison("recording: {enabled: false, maxSize: 1Gi, maxAge: 48h}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_FALSE(reading.config.recording.enabled);
  EXPECT_EQ(reading.config.recording.max_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(reading.config.recording.max_age, std::chrono::hours(48));
}

TEST(RecordingConfiguration, EveryFaultIsFoundAtOnce) {
  const ConfigReading reading =
      Jettison("recording: {enabled: maybe, maxSize: 1Ki, maxAge: 1s, folder: /x}\n");
  EXPECT_THAT(
      Described(reading.faults),
      testing::UnorderedElementsAre(HasSubstr("recording.enabled"), HasSubstr("from 1Mi to 1Ti"),
                                    HasSubstr("recording.maxAge"),
                                    HasSubstr("recording.folder: \"/x\": there is no such field")));
}

using ::testing::SizeIs;

struct HttpReading {
  HttpConfig config;
  std::vector<std::string> faults;
};

HttpReading ReadHttp(const std::string& text) {
  const ConfigReading reading = Jettison("http: " + text + "\n");
  return {.config = reading.config.http, .faults = Described(reading.faults)};
}

TEST(HttpConfiguration, NothingSaidMeansTheSocketAlone) {
  const HttpReading read = ReadHttp("{}");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.config.socket, "/run/jettison/jettison.sock");
  EXPECT_EQ(read.config.address, "");
}

TEST(HttpConfiguration, EveryFieldIsTakenOver) {
  const HttpReading read = ReadHttp(R"(
  socket: /s/j.sock
  socketGroup: adm
  address: 0.0.0.0:10350
  tlsCertFile: /c.pem
  tlsPrivateKeyFile: /k.pem
  clientCAFile: /ca.pem
  bearerTokenFile: /token
)");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.config.socket, "/s/j.sock");
  EXPECT_EQ(read.config.socket_group, "adm");
  EXPECT_EQ(read.config.address, "0.0.0.0:10350");
  EXPECT_EQ(read.config.tls_cert_file, "/c.pem");
  EXPECT_EQ(read.config.tls_private_key_file, "/k.pem");
  EXPECT_EQ(read.config.client_ca_file, "/ca.pem");
  EXPECT_EQ(read.config.bearer_token_file, "/token");
}

TEST(HttpConfiguration, AnEmptyTextMeansNone) {
  const HttpReading read = ReadHttp("{socket: '', address: '', bearerTokenFile: ''}");
  EXPECT_THAT(read.faults, IsEmpty());
  EXPECT_EQ(read.config.socket, "");
}

TEST(HttpConfiguration, ALoopbackAddressNeedsNothing) {
  for (const char* text :
       {"{address: 127.0.0.1:80}", "{address: '[::1]:80'}",
        "{address: 127.0.0.1:80, bearerTokenFile: /t}",
        "{address: 127.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k}",
        "{address: 127.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k, clientCAFile: /ca}"}) {
    EXPECT_THAT(ReadHttp(text).faults, IsEmpty()) << text;
  }
}

TEST(HttpConfiguration, AnotherAddressNeedsTlsAndWhoMayAsk) {
  EXPECT_THAT(ReadHttp("{address: 0.0.0.0:80}").faults,
              ElementsAre(HasSubstr("needs TLS"), HasSubstr("who they are")));
  EXPECT_THAT(ReadHttp("{address: '[::]:80', bearerTokenFile: /t}").faults,
              ElementsAre(HasSubstr("needs TLS")));
  EXPECT_THAT(ReadHttp("{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k}").faults,
              ElementsAre(HasSubstr("who they are")));
  for (const char* who : {"clientCAFile", "bearerTokenFile"}) {
    EXPECT_THAT(ReadHttp(std::string("{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: "
                                     "/k, ") +
                         who + ": /w}")
                    .faults,
                IsEmpty());
  }
}

TEST(HttpConfiguration, EachWrongFieldIsAFault) {
  const std::pair<const char*, const char*> rows[] = {
      {"{sokcet: /a}", "did you mean \"socket\""},
      {"{socket: run/j.sock}", "must be an absolute path"},
      {"{socket: /a/../b}", "must not contain '..'"},
      {"{socket: 7}", "must be text"},
      {"{socketGroup: 'a b'}", "name or number of a group"},
      {"{socket: '', socketGroup: adm}", "has no effect"},
      {"{address: localhost:80}", "must be an IP address with a port"},
      {"{address: 127.0.0.1}", "must be an IP address with a port"},
      {"{address: 127.0.0.1:0}", "from 1 to 65535"},
      {"{address: 80}", "must be text"},
      {"{address: 127.0.0.1:80, tlsCertFile: /c}", "needs tlsPrivateKeyFile"},
      {"{address: 127.0.0.1:80, tlsPrivateKeyFile: /k}", "needs tlsCertFile"},
      {"{address: 127.0.0.1:80, clientCAFile: /k}", "need TLS"},
      {"{address: 127.0.0.1:80, bearerTokenFile: k}", "must be an absolute path"},
      {"{bearerTokenFile: /k}", "has no effect without address"},
  };
  for (const auto& [text, fault] : rows) {
    EXPECT_THAT(ReadHttp(text).faults, ElementsAre(HasSubstr(fault))) << text;
  }
  const std::string longest(108, 'a');
  EXPECT_THAT(ReadHttp("{socket: /" + longest + "}").faults,
              ElementsAre(HasSubstr("at most 107 bytes")));
}

TEST(HttpConfiguration, OnTcpTheAgentMakesItselfATokenUnlessSaidOtherwise) {
  EXPECT_FALSE(ReadHttp("{}").config.WantsOwnToken());
  EXPECT_TRUE(ReadHttp("{address: '127.0.0.1:1'}").config.WantsOwnToken());
  EXPECT_FALSE(ReadHttp("{address: '127.0.0.1:1', bearerTokenFile: /t}").config.WantsOwnToken());
  const HttpReading open = ReadHttp("{address: '127.0.0.1:1', allowAnyLocalUser: true}");
  EXPECT_THAT(open.faults, IsEmpty());
  EXPECT_FALSE(open.config.WantsOwnToken());
  for (const char* wrong :
       {"{allowAnyLocalUser: true}",
        "{address: '127.0.0.1:1', bearerTokenFile: /t, allowAnyLocalUser: true}",
        "{address: '127.0.0.1:1', allowAnyLocalUser: yes please}"}) {
    EXPECT_THAT(ReadHttp(wrong).faults, SizeIs(1)) << wrong;
  }
}

TEST(HttpConfiguration, OfAnotherOnlyTheNamesOfFilesThatBothHaveAreTakenOver) {
  const HttpConfig running{.address = "127.0.0.1:1",
                           .tls_cert_file = "/a.crt",
                           .tls_private_key_file = "/a.key",
                           .client_ca_file = "/a.ca"};
  const HttpConfig next = WithFilesOf(running, {.address = "127.0.0.1:2",
                                                .tls_cert_file = "/b.crt",
                                                .tls_private_key_file = "/b.key",
                                                .bearer_token_file = "/b.token"});
  EXPECT_EQ(next.address, "127.0.0.1:1");
  EXPECT_EQ(next.tls_cert_file, "/b.crt");
  EXPECT_EQ(next.tls_private_key_file, "/b.key");
  EXPECT_EQ(next.client_ca_file, "/a.ca") << "it was removed";
  EXPECT_EQ(next.bearer_token_file, "") << "it was added";
  EXPECT_EQ(WithFilesOf(running, {.client_ca_file = "/b.ca"}).client_ca_file, "/b.ca");
  EXPECT_EQ(WithFilesOf({.bearer_token_file = "/a"}, {.bearer_token_file = "/b"}).bearer_token_file,
            "/b");
}

}  // namespace
}  // namespace jettison
