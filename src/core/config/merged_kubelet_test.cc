#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/read_config.h"
#include "core/config/testing/test_documents.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kSource = "source: kubernetes\n";

std::vector<ConfigDocument> Documents(const std::string& text, const std::string& file) {
  std::vector<ConfigDocument> named;
  const auto documents = ParseDocuments(text);
  EXPECT_TRUE(documents) << text;
  for (const Value& document : *documents) named.push_back({file, document});
  return named;
}

// Our own documents of both kinds beside the kubelet's.
ConfigReading Beside(const std::string& theirs, const std::string& ours = "",
                     const std::string& jettison = kSource) {
  std::string text = kJettison + jettison;
  if (!ours.empty()) text += std::string("---\n") + kKubelet + ours;
  return ReadConfig(
      Documents(text, "/etc/j.yaml"),
      {.document = Documents(kKubelet + theirs, "/kubelet.yaml").front(), .why_not = ""});
}
// "memory.available<356Mi", "memory.available<1Gi for 30s".
std::vector<std::string> Shown(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> lines;
  for (const Threshold& threshold : thresholds) {
    std::string line = std::string(NameOf(threshold.signal)) + "<" + ThresholdText(threshold.value);
    if (!threshold.IsHard()) line += " for " + FormatDuration(threshold.grace_period);
    if (threshold.min_reclaim) line += " +" + ThresholdText(*threshold.min_reclaim);
    lines.push_back(std::move(line));
  }
  return lines;
}
std::vector<std::string> Ours(const ConfigReading& reading) {
  return Shown(reading.config.eviction.thresholds);
}

TEST(MergedKubelet, WhereNothingIsSaidTheThresholdsAreTheKubeletsAndAMargin) {
  const ConfigReading reading = Beside("");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Described(reading.warnings), IsEmpty());
  EXPECT_THAT(Described(reading.not_above_kubelet), IsEmpty());
  EXPECT_THAT(Ours(reading),
              ElementsAre("memory.available<356Mi", "allocatableMemory.available<100Mi"));
  ASSERT_TRUE(reading.kubelet_thresholds);
  EXPECT_THAT(Shown(*reading.kubelet_thresholds),
              ElementsAre("memory.available<100Mi", "nodefs.available<10%", "nodefs.inodesFree<5%",
                          "imagefs.available<15%", "imagefs.inodesFree<5%",
                          "allocatableMemory.available<100Mi"));
}

TEST(MergedKubelet, TheKubeletsOwnRulesHoldForItsThresholds) {
  struct Row {
    const char* theirs;
    std::vector<std::string> ours;
  };
  for (const Row& row : {
           Row{"evictionHard: {}", {}},
           Row{"evictionHard: {pid.available: '1000'}", {"pid.available<1500"}},
           Row{"evictionHard: {pid.available: 33.333%, memory.available: 10%}",
               {"memory.available<12%", "pid.available<34.333%",
                "allocatableMemory.available<10%"}},
           Row{"evictionHard: {pid.available: NaN%, memory.available: 100%}", {}},
           Row{"evictionHard: {containerfs.available: 10%, imagefs.inodesFree: 10%}", {}},
           Row{"evictionHard: {}\nevictionSoft: {pid.available: 15%, memory.available: 500Mi}\n"
               "evictionSoftGracePeriod: {pid.available: 0s, memory.available: 90s}",
               {"pid.available<16%", "memory.available<756Mi for 1m30s"}},
           Row{"evictionHard: {pid.available: '1000', memory.available: 0%, nodefs.available: 0%,\n"
               "  nodefs.inodesFree: 0%, imagefs.available: 0%}\nmergeDefaultEvictionSettings: "
               "true",
               {"pid.available<1500"}},
           Row{"enforceNodeAllocatable: [none]\nevictionHard: {memory.available: 1Gi}",
               {"memory.available<1280Mi"}},
           Row{"evictionHard: {memory.available: 1Gi}\n"
               "evictionSoft: {memory.available: 2Gi}\n"
               "evictionSoftGracePeriod: {memory.available: 30s}\n"
               "evictionMinimumReclaim: {memory.available: 500Mi}",
               {"memory.available<1280Mi +500Mi", "memory.available<2304Mi for 30s +500Mi",
                "allocatableMemory.available<1Gi +500Mi"}},
       }) {
    const ConfigReading reading = Beside(row.theirs, "",
                                         "source: kubernetes\n"
                                         "kubernetes: {defaultMemoryThreshold: false}\n");
    EXPECT_THAT(Described(reading.faults), IsEmpty()) << row.theirs;
    EXPECT_THAT(Described(reading.not_above_kubelet), IsEmpty()) << row.theirs;
    EXPECT_EQ(Ours(reading), row.ours) << row.theirs;
  }
}

TEST(MergedKubelet, WhatOursNamesIsOurs) {
  constexpr const char* kTheirs =
      "evictionHard: {memory.available: 100Mi, nodefs.available: 10%}\n"
      "evictionSoft: {memory.available: 1Gi}\nevictionSoftGracePeriod: {memory.available: 30s}\n"
      "enforceNodeAllocatable: [none]\n";
  struct Row {
    const char* ours;
    std::vector<std::string> thresholds;
  };
  for (const Row& row : {
           Row{"evictionHard: {memory.available: 500Mi}",
               {"memory.available<500Mi", "memory.available<1280Mi for 30s"}},
           Row{"evictionHard: {memory.available: 500Mi}\nmergeDefaultEvictionSettings: true",
               {"memory.available<500Mi", "memory.available<1280Mi for 30s"}},
           Row{"evictionHard: {}", {"memory.available<1280Mi for 30s"}},
           Row{"evictionSoft: {}", {"memory.available<356Mi"}},
           Row{"evictionSoft: {memory.available: 2Gi}\n"
               "evictionSoftGracePeriod: {memory.available: 20s}",
               {"memory.available<356Mi", "memory.available<2Gi for 20s"}},
           Row{"evictionSoftGracePeriod: {memory.available: 10s}",
               {"memory.available<356Mi", "memory.available<1280Mi for 10s"}},
       }) {
    const ConfigReading reading = Beside(kTheirs, row.ours);
    EXPECT_THAT(Described(reading.faults), IsEmpty()) << row.ours;
    EXPECT_THAT(Described(reading.not_above_kubelet), IsEmpty()) << row.ours;
    EXPECT_THAT(Described(reading.warnings), IsEmpty()) << row.ours;
    EXPECT_EQ(Ours(reading), row.thresholds) << row.ours;
  }
}

// As those of k3s and kind, which set evictionHard without it.
TEST(MergedKubelet, WhereTheKubeletHasNoThresholdOnMemoryItsDefaultAndAMarginAreOursAndThatIsSaid) {
  const char* const kNone[] = {"evictionHard: {nodefs.available: 5%}\n", "evictionHard: {}\n",
                               "evictionHard: {memory.available: 0%}\n"};
  for (const char* theirs : kNone) {
    const ConfigReading reading = Beside(theirs);
    EXPECT_THAT(Ours(reading), testing::Contains("memory.available<356Mi")) << theirs;
    EXPECT_TRUE(reading.config.own_memory_threshold);
    EXPECT_EQ(reading.config.eviction.thresholds.at(0).kubelet->value,
              ThresholdValue(*Quantity::Parse("100Mi")))
        << "above the kubelet's default only pods that exceed their request are candidates";
    EXPECT_THAT(Described(reading.warnings),
                ElementsAre(HasSubstr("/kubelet.yaml: evictionHard[memory.available]: the kubelet "
                                      "has no such threshold, so the agent has one of its own, "
                                      "356Mi")));
    EXPECT_THAT(Described(reading.not_above_kubelet), IsEmpty());
    const ConfigReading off = Beside(theirs, "",
                                     "source: kubernetes\n"
                                     "kubernetes: {defaultMemoryThreshold: false}\n");
    EXPECT_THAT(Ours(off), IsEmpty()) << theirs;
    EXPECT_THAT(Described(off.warnings), IsEmpty());
    const ConfigReading own = Beside(theirs, "evictionHard: {pid.available: '100'}\n");
    EXPECT_THAT(Ours(own), ElementsAre("pid.available<100"));
    EXPECT_FALSE(own.config.own_memory_threshold);
  }
}

TEST(MergedKubelet, EachThresholdThatDoesNotLieAboveIsAFault) {
  const ConfigReading reading =
      Beside("evictionHard: {memory.available: 100Mi, nodefs.available: 10%}\n",
             "evictionHard: {memory.available: 50Mi, nodefs.available: 10%, pid.available: '9'}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(
      Described(reading.not_above_kubelet),
      ElementsAre(HasSubstr("/etc/j.yaml: evictionHard[memory.available]: \"50Mi\": must be more "
                            "than 100Mi, which is the kubelet's"),
                  HasSubstr("evictionHard[nodefs.available]: \"10%\": must be more than 10%")));
}

TEST(MergedKubelet, TheKubeletsMembersAreTheDefaultOfOurs) {
  const AgentConfig theirs = Beside(R"(
cgroupDriver: systemd
cgroupRoot: /a
podLogsDir: /logs
kubeReserved: {memory: 1Gi}
evictionPressureTransitionPeriod: 30s
evictionMaxPodGracePeriod: 60
containerRuntimeEndpoint: unix:///c.sock
staticPodPath: /etc/kubernetes/manifests
oomScoreAdj: 0
logging: {format: json}
)")
                                 .config;
  EXPECT_EQ(theirs.cgroup_driver, CgroupDriver::kSystemd);
  EXPECT_EQ(theirs.cgroup_root, "/a");
  EXPECT_EQ(theirs.logs.directory, "/logs");
  EXPECT_EQ(theirs.reservation.kube_reserved.at("memory").ToString(), "1Gi");
  EXPECT_EQ(theirs.eviction.pressure_transition_period, seconds(30));
  EXPECT_EQ(theirs.eviction.max_pod_grace_period_seconds, 60);
  EXPECT_EQ(theirs.container_runtime_endpoint, "unix:///c.sock");
  EXPECT_EQ(theirs.static_pod_path, "") << "the kubelet runs them";
  EXPECT_EQ(theirs.oom_score_adj, -999) << "it is the kubelet's own";
  EXPECT_FALSE(theirs.json_logs) << "it is the kubelet's own";
  EXPECT_TRUE(theirs.kernel_memcg_notification);
  EXPECT_FALSE(Beside("", "kernelMemcgNotification: false\nevictionHard: null\n")
                   .config.kernel_memcg_notification);
  const AgentConfig ours =
      Beside("cgroupRoot: /a\nevictionPressureTransitionPeriod: 30s\n",
             "cgroupRoot: /b\nevictionPressureTransitionPeriod: 1m\nevictionHard: null\n")
          .config;
  EXPECT_EQ(ours.cgroup_root, "/b");
  EXPECT_EQ(ours.eviction.pressure_transition_period, minutes(1));
  EXPECT_EQ(ours.logs.directory, "/var/log/pods");
}

TEST(MergedKubelet, WhatTheKubeletDoesIsLeftToIt) {
  const ConfigReading reading = Beside(
      "imageGCHighThresholdPercent: 70\nimageGCLowThresholdPercent: 60\n"
      "imageMaximumGCAge: 24h\nenforceNodeAllocatable: [pods, kube-reserved]\n"
      "kubeReservedCgroup: /kube\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  const AgentConfig& config = reading.config;
  EXPECT_EQ(config.image_gc.high_threshold_percent, 100);
  EXPECT_EQ(config.image_gc.max_age, Duration::zero());
  EXPECT_FALSE(config.logs.max_size_bytes);
  EXPECT_FALSE(config.reservation.enforce_pods);
  EXPECT_FALSE(config.reservation.kube_enforced);
  EXPECT_EQ(Signals(reading).back(), "allocatableMemory.available")
      << "the limit that the kubelet puts on its pods is watched";
}

TEST(MergedKubelet, WhereImagesAreCollectedTheThresholdsAreTheKubeletsUnlessOursAreSet) {
  constexpr const char* kTheirs =
      "imageGCHighThresholdPercent: 70\nimageGCLowThresholdPercent: 60\n"
      "imageMinimumGCAge: 5m\nimageMaximumGCAge: 24h\n";
  const std::string collect = std::string(kSource) + "kubernetes: {collectImages: true}\n";
  const ConfigReading theirs = Beside(kTheirs, "", collect);
  EXPECT_THAT(Described(theirs.faults), IsEmpty());
  EXPECT_EQ(theirs.config.image_gc.high_threshold_percent, 70);
  EXPECT_EQ(theirs.config.image_gc.low_threshold_percent, 60);
  EXPECT_EQ(theirs.config.image_gc.min_age, minutes(5));
  EXPECT_EQ(theirs.config.image_gc.max_age, std::chrono::hours(24));
  const ImageGcPolicy ours =
      Beside(kTheirs, "imageGCHighThresholdPercent: 65\n", collect).config.image_gc;
  EXPECT_EQ(ours.high_threshold_percent, 65);
  EXPECT_EQ(ours.low_threshold_percent, 60);
}

TEST(MergedKubelet, FaultsHaveTheFileThatTheyStandInAndWarningsAreAboutOurs) {
  const ConfigReading reading = Beside(
      "maxPods: 5\nfeatureGates: {A: true}\ncgroupDriver: other\nevictionHard: {x: 1Gi, "
      "memory.available: "
      "1Gi}\nevictionMinimumReclaim: {pid.available: '1'}\ncgroupsPerQOS: false\n",
      "maxPods: 7\noomScoreAdj: 5000\nstaticPodPath: /etc/pods\n");
  EXPECT_THAT(Described(reading.faults),
              ElementsAre(HasSubstr("/kubelet.yaml: evictionHard[x]: \"1Gi\": no eviction signal"),
                          HasSubstr("/kubelet.yaml: cgroupsPerQOS: \"false\": must be true where "),
                          HasSubstr("/kubelet.yaml: cgroupDriver: \"other\": must be"),
                          HasSubstr("/etc/j.yaml: oomScoreAdj: \"5000\""),
                          HasSubstr("/etc/j.yaml: staticPodPath: \"/etc/pods\": must not be set")));
  EXPECT_THAT(Described(reading.warnings), ElementsAre(HasSubstr("/etc/j.yaml: maxPods: \"7\"")));
}

TEST(MergedKubelet, WithoutTheKubeletsNothingIsEvictedOnAGuess) {
  const auto read = [](const std::string& text) {
    return ReadConfig(Documents(text, "/etc/j.yaml"),
                      {.document = {}, .why_not = "the API server is away"});
  };
  const std::string jettison = std::string(kJettison) + kSource;
  const std::string both = jettison + "---\n" + kKubelet;
  for (const std::string& text : {jettison, both, both + "evictionHard: null\n"}) {
    EXPECT_THAT(Described(read(text).faults),
                ElementsAre(HasSubstr("/etc/j.yaml: evictionHard: must be set where the kubelet's "
                                      "own configuration is not known, as nothing is evicted on a "
                                      "guess (the API server is away)")))
        << text;
  }
  const ConfigReading own = read(both + "evictionHard: {memory.available: 1Gi}\n");
  EXPECT_THAT(Described(own.faults), IsEmpty());
  EXPECT_THAT(Described(own.warnings),
              ElementsAre(HasSubstr("is not known whether it lies above")));
  EXPECT_FALSE(own.kubelet_thresholds);
}

TEST(MergedKubelet, AKubeletCountsForItsOwnSourceAlone) {
  const ConfigReading reading = Beside("evictionHard: {memory.available: 1Gi}\n", "", "");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_EQ(Ours(reading).front(), "memory.available<100Mi");
  EXPECT_FALSE(reading.kubelet_thresholds);
  EXPECT_EQ(reading.config.image_gc.high_threshold_percent, 85);
}

}  // namespace
}  // namespace jettison
