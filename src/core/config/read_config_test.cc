#include "core/config/read_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "codec/documents/json.h"
#include "core/config/testing/test_documents.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ReadConfig, NothingSaidMeansTheDefaults) {
  const ConfigReading reading = ReadConfig({});
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Described(reading.warnings), IsEmpty());
  EXPECT_THAT(Signals(reading), ElementsAre("memory.available", "nodefs.available",
                                            "nodefs.inodesFree", "imagefs.available",
                                            "imagefs.inodesFree", "allocatableMemory.available"));
  EXPECT_EQ(reading.config.logs.directory, "/var/lib/jettison/logs");
  EXPECT_EQ(reading.config.node_fs, "/var/lib/jettison");
  EXPECT_EQ(reading.config.profile, Profile::kStandalone);
  EXPECT_EQ(reading.config.runtime, RuntimeKind::kProcess);
}

TEST(ReadConfig, EvictionHardHasDefaultsOnlyWhereItIsAbsentAsAWhole) {
  EXPECT_EQ(Signals(Kubelet("")).size(), 6U);
  EXPECT_EQ(Signals(Kubelet("evictionHard:\n")).size(), 6U);
  EXPECT_THAT(Signals(Kubelet("evictionHard: {}\n")), IsEmpty());
  EXPECT_THAT(Signals(Kubelet("evictionHard: {pid.available: '10'}\n")),
              ElementsAre("pid.available"));
}

TEST(ReadConfig, MergedDefaultsGiveWayToWhatIsWritten) {
  const ConfigReading reading = Kubelet(
      "mergeDefaultEvictionSettings: true\nenforceNodeAllocatable: []\n"
      "evictionHard: {pid.available: '10', memory.available: 0%, nodefs.available: 1Gi}\n");
  EXPECT_THAT(Signals(reading),
              ElementsAre("nodefs.available", "nodefs.inodesFree", "imagefs.available",
                          "imagefs.inodesFree", "pid.available"));
  EXPECT_EQ(std::get<Quantity>(reading.config.eviction.thresholds[0].value).ToString(), "1Gi");
}

TEST(ReadConfig, ADurationOfZeroMeansTheDefaultAndTheLongestIsAHundredYears) {
  const AgentConfig config = Kubelet(
                                 "evictionPressureTransitionPeriod: 0s\nfileCheckFrequency: 0s\n"
                                 "imageMinimumGCAge: 0s\nimageMaximumGCAge: 2562047h47m16s\n")
                                 .config;
  EXPECT_EQ(config.eviction.pressure_transition_period, minutes(5));
  EXPECT_EQ(config.file_check_frequency, seconds(20));
  EXPECT_EQ(config.image_gc.min_age, minutes(2));
  EXPECT_EQ(config.image_gc.max_age, std::chrono::hours(876000));
}

TEST(ReadConfig, ManifestsMayNotLieAmongTheAgentsOwnFiles) {
  for (const char* path : {"/var/lib/jettison", "/var/lib/jettison/pods",
                           "/var/lib/jettison/pods/mine", "/var/lib/jettison/logs"}) {
    EXPECT_THAT(Described(Kubelet(std::string("staticPodPath: ") + path + "\n").faults),
                ElementsAre(HasSubstr("must not be where the agent keeps its own files")))
        << path;
  }
  EXPECT_THAT(Kubelet("staticPodPath: /var/lib/jettison/podsX\n").faults, IsEmpty());
}

TEST(ReadConfig, ARelativePathCountsFromTheFolderOfItsFile) {
  const std::initializer_list<std::array<const char*, 3>> rows = {
      {"/etc/j/config.yaml", "pods//", "/etc/j/pods"},
      {"/config.yaml", "pods", "/pods"},
      {"conf/config.yaml", "../pods", "conf/../pods"},
      {"config.yaml", "pods", "pods"},
      {"/etc/config.yaml", "/pods/", "/pods"}};
  for (const auto& [file, written, path] : rows) {
    const std::string text = std::string(kKubelet) + "staticPodPath: " + written + "\n";
    EXPECT_EQ(ReadText(text, file).config.static_pod_path, path);
  }
}

TEST(ReadConfig, ReservationsAreEnforcedOnTheGroupsThatAreNamed) {
  const ConfigReading reading = Kubelet(
      "enforceNodeAllocatable: [pods, kube-reserved, system-reserved-compressible]\n"
      "kubeReservedCgroup: /podruntime.slice\nsystemReservedCgroup: /system/all\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Described(reading.warnings), IsEmpty());
  const NodeReservation& reservation = reading.config.reservation;
  EXPECT_TRUE(reservation.enforce_pods);
  EXPECT_EQ(reservation.kube_enforced->group, "podruntime.slice");
  EXPECT_FALSE(reservation.kube_enforced->compressible_only);
  EXPECT_EQ(reservation.system_enforced->group, "system/all");
  EXPECT_TRUE(reservation.system_enforced->compressible_only);
  EXPECT_FALSE(Kubelet("kubeReservedCgroup: /a\n").config.reservation.kube_enforced);
  const ConfigReading bare =
      Kubelet("enforceNodeAllocatable: [system-reserved]\nsystemReservedCgroup: system.slice\n");
  EXPECT_THAT(Described(bare.faults), IsEmpty());
  EXPECT_EQ(bare.config.reservation.system_enforced->group, "system.slice");
}

TEST(ReadConfig, ThousandthsOfBytesAreAWarningWithWhatTheyAre) {
  const ConfigReading reading = Kubelet(
      "evictionHard: {memory.available: 500m, pid.available: 10%}\n"
      "evictionMinimumReclaim: {memory.available: 1m}\n"
      "systemReserved: {cpu: 500m, memory: 512m}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Described(reading.warnings),
              testing::UnorderedElementsAre(
                  HasSubstr("evictionHard[memory.available]: \"500m\": is 0.5, because m is a "
                            "thousandth; did you mean 500M or 500Mi?"),
                  HasSubstr("evictionMinimumReclaim[memory.available]: \"1m\": is 0.001"),
                  HasSubstr("systemReserved[memory]: \"512m\": is 0.512")));
}

TEST(ReadConfig, ASliceCannotBeMovedBelowANodesGroup) {
  const std::string both =
      std::string(kKubelet) + "cgroupDriver: systemd\n---\n" + kJettison + "nodeCgroup: /node\n";
  EXPECT_THAT(Described(ReadText(both).faults), IsEmpty());
  EXPECT_THAT(FirstFault(ReadText(both + "runtime: cri\n")), HasSubstr("cgroupDriver"));
}

TEST(ReadConfig, ASoftThresholdThatIsNotAboveTheHardOneIsAWarning) {
  const auto warnings = [](const std::string& hard, const std::string& soft) {
    const ConfigReading reading = Kubelet("evictionHard: {memory.available: " + hard +
                                          "}\nevictionSoft: {memory.available: " + soft +
                                          "}\nevictionSoftGracePeriod: {memory.available: 30s}\n");
    EXPECT_THAT(reading.faults, IsEmpty());
    return Described(reading.warnings);
  };
  EXPECT_THAT(warnings("200Mi", "100Mi"),
              ElementsAre(HasSubstr(
                  "evictionSoft[memory.available]: \"100Mi\": is never acted for: it is not above "
                  "the hard threshold of this signal (200Mi), which evicts at once")));
  EXPECT_THAT(warnings("10%", "10%"), ElementsAre(HasSubstr("\"10%\": is never acted for")));
  EXPECT_THAT(warnings("100Mi", "200Mi"), IsEmpty());
  EXPECT_THAT(warnings("5%", "10%"), IsEmpty());
  EXPECT_THAT(warnings("1Gi", "5%"), IsEmpty()) << "that depends on the capacity";
}

TEST(ReadConfig, EachRefusedFieldIsOneFaultThatNamesWhatIsAllowed) {
  struct Row {
    const char* text;
    const char* fault;
  };
  for (const Row& row : {
           Row{"evictionHard: [a]", "evictionHard: \"a list\": must be a map, not a list"},
           Row{"evictionHard: {memory.available: 100}",
               "evictionHard[memory.available]: \"100\": must be text (put it in quotes), not a"},
           Row{"evictionMaxPodGracePeriod: 1.5", "must be a whole number"},
           Row{"evictionMaxPodGracePeriod: '1'", "must be a whole number, not a string"},
           Row{"evictionPressureTransitionPeriod: 5",
               "\"5\": must be a duration such as 1m30s, not a number"},
           Row{"evictionPressureTransitionPeriod: 5 m", "must be a duration such as 1m30s"},
           Row{"evictionPressureTransitionPeriod: -5m", "must be at least 0s"},
           Row{"fileCheckFrequency: 1ms", "must be at least 100ms"},
           Row{"kernelMemcgNotification: 'true'", "must be true or false, not a string"},
           Row{"imageGCHighThresholdPercent: 101", "must be a whole number from 0 to 100"},
           Row{"imageGCHighThresholdPercent: 80", "imageGCLowThresholdPercent: \"80\": must be le"},
           Row{"imageMaximumGCAge: 1m", "must be more than imageMinimumGCAge, which is 2m0s"},
           Row{"kubeReserved: {gpu: '1'}", "kubeReserved[gpu]: \"1\": this resource cannot be res"},
           Row{"systemReserved: {cpu: '-1'}", "systemReserved[cpu]: \"-1\": must be an amount"},
           Row{"enforceNodeAllocatable: [pod]", "did you mean \"pods\"?"},
           Row{"enforceNodeAllocatable: [none, pods]", "must be the only entry"},
           Row{"enforceNodeAllocatable: [kube-reserved]", "set kubeReservedCgroup"},
           Row{"enforceNodeAllocatable: [kube-reserved, kube-reserved-compressible]\n"
               "kubeReservedCgroup: /a",
               "excludes kube-reserved"},
           Row{"cgroupRoot: a", "must be an absolute path"},
           Row{"cgroupDriver: openrc", "must be cgroupfs or systemd"},
           Row{"cgroupRoot: 5", "cgroupRoot: \"5\": must be text"},
           Row{"cpuCFSQuotaPeriod: 2s", "must be from 1ms to 1s"},
           Row{"oomScoreAdj: -1001", "must be a whole number from -1000 to 1000"},
           Row{"containerLogMaxSize: 0", "must be text"},
           Row{"containerLogMaxSize: x", "must be an amount such as 10Mi"},
           Row{"containerLogMaxSize: 10m", "did you mean 10M or 10Mi?"},
           Row{"containerLogMaxFiles: 1", "must be a whole number from 2"},
           Row{"podLogsDir: /a/../b", "must not contain '..'"},
           Row{"crashLoopBackOff: {maxContainerRestartPeriod: 10m}",
               "crashLoopBackOff.maxContainerRestartPeriod: \"10m\": must be from 1s to 5m0s"},
           Row{"logging: {format: xml}", "logging.format: \"xml\": must be text or json$"},
           Row{"logging: {format: yes}",
               "logging.format: \"true\": must be text or json, not a boolean$"},
       }) {
    const ConfigReading reading = Kubelet(row.text);
    EXPECT_EQ(reading.faults.size(), 1U) << row.text;
    EXPECT_THAT(FirstFault(reading) + "$", HasSubstr(row.fault)) << row.text;
    EXPECT_THAT(FirstFault(reading), HasSubstr("/etc/j/c.yaml: ")) << row.text;
  }
}

TEST(ReadConfig, EveryFaultOfEveryDocumentIsReported) {
  const ConfigReading reading =
      ReadText(std::string(kKubelet) +
               "evictionHard: {x: y}\noomScoreAdj: a\nimageGCHighThresholdPercent: -1\n---\n" +
               kJettison + "runtime: x\nfoo: bar\n");
  EXPECT_EQ(reading.faults.size(), 5U);
}

TEST(ReadConfig, DocumentsMustSayWhatTheyAre) {
  struct Row {
    const char* text;
    const char* fault;
  };
  for (const Row& row : {
           Row{"a: 1", "kind: must be KubeletConfiguration or JettisonConfiguration"},
           Row{"kind: 5", "kind: \"5\": must be text"},
           Row{"kind: kubeletconfiguration", "did you mean \"KubeletConfiguration\"?"},
           Row{"kind: Pod", "must be KubeletConfiguration or JettisonConfiguration"},
           Row{"kind: KubeletConfiguration", "apiVersion: must be kubelet.config.k8s.io/v1beta1"},
           Row{"kind: JettisonConfiguration\napiVersion: v1", "must be jettison.io/v1alpha1 where"},
           Row{"- a", "a configuration is a map with apiVersion and kind, not a list"},
       }) {
    const ConfigReading reading = ReadText(row.text);
    EXPECT_EQ(reading.faults.size(), 1U) << row.text;
    EXPECT_THAT(FirstFault(reading), HasSubstr(row.fault)) << row.text;
  }
}

TEST(ReadConfig, AKindMayStandThereOnce) {
  const ConfigReading reading = ReadText(std::string(kKubelet) + "---\n" + kKubelet);
  EXPECT_THAT(
      FirstFault(reading),
      HasSubstr(
          "there may be only one KubeletConfiguration; the first is in /etc/j/c.yaml, line 1"));
}

TEST(ReadConfig, TheOwnLogFormatWinsOverTheKubelets) {
  EXPECT_FALSE(ReadText(std::string(kKubelet) + "logging: {format: json}\n---\n" + kJettison +
                        "logFormat: text\n")
                   .config.json_logs);
}

TEST(ReadConfig, FieldsThatAreMisspeltOrUnusedAreWarnedOf) {
  const ConfigReading reading = Kubelet(
      "evictionHrad: {}\nmemorySwap: {swapBehavior: NoSwap}\nport: 1\nmaxPods: 110\n"
      "featureGates: {NodeSwap: true}\nsingleProcessOOMKill: true\nrunOnce: false\n"
      "cgroupsPerQOS: false\nimageServiceEndpoint: unix:///i.sock\n"
      "evictionSoft: {containerfs.available: 0%}\n");
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(
      Described(reading.warnings),
      ElementsAre(HasSubstr("evictionHrad: \"a map\": KubeletConfiguration has no such field (did "
                            "you mean \"evictionHard\"?); it is ignored"),
                  HasSubstr("memorySwap: \"a map\": is not used by jettison"),
                  HasSubstr("featureGates"), HasSubstr("cgroupsPerQOS"),
                  HasSubstr("imageServiceEndpoint"),
                  HasSubstr("evictionSoft[containerfs.available]: \"0%\": has no effect")));
  EXPECT_THAT(Described(Kubelet("singleProcessOOMKill: false\n").warnings),
              ElementsAre(HasSubstr("singleProcessOOMKill")));
}

TEST(ReadConfig, ARealKubeletsWholeConfigurationIsRead) {
  std::ifstream file(JETTISON_ROOM_TESTDATA "/kubelet-1.32-effective.json");
  std::stringstream text;
  text << file.rdbuf();
  const ConfigReading reading = ReadText(text.str());
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(Described(reading.warnings), ElementsAre(HasSubstr("maxPods")));
  EXPECT_EQ(Signals(reading).size(), 7U);
  EXPECT_EQ(reading.config.static_pod_path, "/etc/kubernetes/manifests");
  EXPECT_EQ(reading.config.cgroup_root, "/node");
  EXPECT_EQ(reading.config.eviction.pressure_transition_period, seconds(1));
  EXPECT_EQ(reading.config.image_gc.high_threshold_percent, 100);
  EXPECT_TRUE(reading.config.kernel_memcg_notification);
  EXPECT_FALSE(reading.config.pod_pids_limit);
}

std::string Show(const ThresholdValue& value) {
  if (const auto* amount = std::get_if<Quantity>(&value)) return amount->ToString();
  return fmt::format("share {}", std::get<Percentage>(value).fraction);
}

std::vector<std::string> Show(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> lines;
  for (const Threshold& t : thresholds) {
    lines.push_back(fmt::format("{} LessThan {} grace {} reclaim {}", NameOf(t.signal),
                                Show(t.value), FormatDuration(t.grace_period),
                                t.min_reclaim ? Show(*t.min_reclaim) : "none"));
  }
  std::ranges::sort(lines);
  return lines;
}

std::string ShowRecorded(const Value& threshold, std::string_view amount, std::string_view share) {
  if (const Value* text = threshold.Find(amount)) return *text->AsString();
  const Value* number = threshold.Find(share);
  return number == nullptr ? "none" : fmt::format("share {}", std::stof(number->AsNumber()->text));
}

std::vector<std::string> ShowRecorded(const Value& record) {
  std::vector<std::string> lines;
  const Value* thresholds = record.Find("thresholds");
  if (thresholds == nullptr || thresholds->IsNull()) return lines;
  for (const Value& t : *thresholds->AsList()) {
    lines.push_back(fmt::format("{} {} {} grace {} reclaim {}", *t.Find("signal")->AsString(),
                                *t.Find("operator")->AsString(),
                                ShowRecorded(t, "quantity", "percentage"),
                                *t.Find("gracePeriod")->AsString(),
                                ShowRecorded(t, "minReclaimQuantity", "minReclaimPercentage")));
  }
  std::ranges::sort(lines);
  return lines;
}

// Random eviction settings and the kubelet's result for each.
//
// The record's settings as an equivalent KubeletConfiguration: an absent member means no setting in
// a record, but the defaults in a configuration.
Value AsConfiguration(const Value& config) {
  const auto text = [](const char* word) { return Value(std::string(word)); };
  Value::Map members = *config.AsMap();
  members.emplace_back("kind", text("KubeletConfiguration"));
  members.emplace_back("apiVersion", text("kubelet.config.k8s.io/v1beta1"));
  if (config.Find("evictionHard") == nullptr) members.emplace_back("evictionHard", Value::Map{});
  // The records are about thresholds. If they enforce reservations, they do not name the group.
  for (const char* group : {"kubeReservedCgroup", "systemReservedCgroup"}) {
    members.emplace_back(group, text("/reserved"));
  }
  if (config.Find("enforceNodeAllocatable") == nullptr) {
    members.emplace_back("enforceNodeAllocatable", Value::List{text("none")});
  }
  return Value(std::move(members));
}

TEST(ThresholdConformance, EveryRecordedSettingIsAcceptedOrRefusedAndMeansTheSame) {
  std::ifstream file(JETTISON_VECTORS "/thresholds.ndjson");
  ASSERT_TRUE(file) << "the vectors are missing";
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = ParseJson(line);
    ASSERT_TRUE(record) << record.error().message;
    const Value& config = *record->Find("config");
    const ConfigReading reading = ReadConfig({{"x.json", AsConfiguration(config)}});
    const bool accepted = *record->Find("ok")->AsBool();
    ASSERT_EQ(reading.faults.empty(), accepted) << line;
    if (!accepted) continue;
    ASSERT_EQ(Show(reading.config.eviction.thresholds), ShowRecorded(*record)) << line;
  }
  EXPECT_GE(records, 400);
}

}  // namespace
}  // namespace jettison
