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

TEST(JettisonConfiguration, ThresholdsOnPressureComeBehindThoseOfTheKubelet) {
  EXPECT_EQ(Signals(Jettison("")).size(), Signals(Kubelet("")).size()) << "off by default";
  const ConfigReading reading =
      ReadText(std::string(kJettison) +
               "pressureHard: {io.pressure.some.avg60: 50%, memory.pressure.full.avg10: 20%}\n"
               "pressureSoft: {io.pressure.full.avg10: '2.5%'}\n"
               "pressureSoftGracePeriod: {io.pressure.full.avg10: 2m}\n---\n" +
               kKubelet + "evictionHard: {memory.available: 1Gi}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Signals(reading), ElementsAre("memory.available", "allocatableMemory.available",
                                            "memory.pressure.full.avg10", "io.pressure.some.avg60",
                                            "io.pressure.full.avg10"));
  EXPECT_EQ(reading.config.eviction.thresholds[3].grace_period, Duration::zero());
  EXPECT_EQ(reading.config.eviction.thresholds[4].grace_period, minutes(2));
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
  EXPECT_EQ(Jettison("source: kubernetes\nkubernetes: {kubeletDirectory: /k/}\n").config.node_fs,
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
           Row{"adopt: yes", "adopt: \"true\": must be none, observe or evict, not a "},
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
           Row{"evictionBackoff: {max: 5s}", "evictionBackoff.initial: \"10s\": must be at most m"},
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

TEST(Hooks, EveryFaultIsToldAtOnceAndNoSecret) {
  EXPECT_THAT(
      FaultsOfHooks("- exec: [page]\n  when: [Eviction]\n- url: ftp://there\n- timeout: 1h\n- 7\n"
                    "- exec: [/bin/page]\n  url: http://there/\n"
                    "- url: http://me:sec/ret@host/\n"),
      ElementsAre(HasSubstr("hooks[3]"), HasSubstr("hooks[0].when"), HasSubstr("hooks[0].exec"),
                  HasSubstr("hooks[1].url"),
                  AllOf(HasSubstr("hooks[2].exec"), HasSubstr("exec or url must be set")),
                  HasSubstr("hooks[2].timeout"), HasSubstr("use two hooks"),
                  AllOf(HasSubstr("hooks[5].url"), HasSubstr("%2F"), Not(HasSubstr("sec")))));
}

TEST(Hooks, AreEightAtMost) {
  std::string hooks;
  for (int i = 0; i < 9; ++i) hooks += "- exec: [/bin/page]\n";
  EXPECT_THAT(FaultsOfHooks(hooks), ElementsAre(HasSubstr("at most 8")));
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

std::vector<std::string> HttpFaults(const std::string& text) {
  return Described(Jettison("http: " + text + "\n").faults);
}

TEST(HttpConfiguration, ALoopbackAddressNeedsNothingAnotherOneTlsAndWhoMayAsk) {
  for (const char* text :
       {"{}", "{socket: '', address: '', bearerTokenFile: ''}", "{address: 127.0.0.1:80}",
        "{address: '[::1]:80'}", "{address: 127.0.0.1:80, bearerTokenFile: /t}",
        "{address: 127.0.0.1:80, allowAnyLocalUser: true}",
        "{address: 127.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k, clientCAFile: /ca}",
        "{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k, clientCAFile: /w}",
        "{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k, bearerTokenFile: /w}"}) {
    EXPECT_THAT(HttpFaults(text), IsEmpty()) << text;
  }
  EXPECT_THAT(HttpFaults("{address: 0.0.0.0:80}"),
              ElementsAre(HasSubstr("needs TLS"), HasSubstr("who they are")));
}

TEST(HttpConfiguration, EachWrongFieldIsAFault) {
  const std::string too_long = "{socket: /" + std::string(108, 'a') + "}";
  const std::pair<const char*, const char*> rows[] = {
      {"{sokcet: /a}", "did you mean \"socket\""},
      {"{socket: run/j.sock}", "must be an absolute path"},
      {"{socket: 7}", "must be text"},
      {too_long.c_str(), "at most 107 bytes"},
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
      {"{address: '[::]:80', bearerTokenFile: /t}", "needs TLS"},
      {"{address: 10.0.0.1:80, tlsCertFile: /c, tlsPrivateKeyFile: /k}", "who they are"},
      {"{bearerTokenFile: /k}", "has no effect without address"},
      {"{allowAnyLocalUser: true}", "has no effect without address"},
      {"{address: 127.0.0.1:80, bearerTokenFile: /t, allowAnyLocalUser: true}", "must not be set"},
      {"{address: 127.0.0.1:80, allowAnyLocalUser: yes please}", "must be true or false"},
  };
  for (const auto& [text, fault] : rows) {
    EXPECT_THAT(HttpFaults(text), ElementsAre(HasSubstr(fault))) << text;
  }
}

TEST(HttpConfiguration, OnTcpTheAgentMakesItselfATokenUnlessSaidOtherwise) {
  EXPECT_FALSE(HttpConfig{}.WantsOwnToken());
  EXPECT_TRUE(HttpConfig{.address = "127.0.0.1:1"}.WantsOwnToken());
  EXPECT_FALSE((HttpConfig{.address = "127.0.0.1:1", .bearer_token_file = "/t"}).WantsOwnToken());
  EXPECT_FALSE(
      (HttpConfig{.address = "127.0.0.1:1", .allow_any_local_user = true}).WantsOwnToken());
}

}  // namespace
}  // namespace jettison
