#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/testing/test_documents.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMain = "/etc/j/jettison.yaml";

// Texts of drop-ins, named by their places: "/etc/j/conf.d/0.yaml".
ConfigReading WithDropIns(const std::string& main, const std::vector<std::string>& drop_ins,
                          const KubeletSide& kubelet = {}) {
  std::vector<ConfigDocument> documents;
  const auto add = [&documents](const std::string& text, const std::string& file, bool drop_in) {
    const auto parsed = ParseDocuments(text);
    ASSERT_TRUE(parsed) << text;
    for (const Value& document : *parsed) {
      documents.push_back({.file = file, .document = document, .drop_in = drop_in});
    }
  };
  add(main, kMain, false);
  for (std::size_t i = 0; i < drop_ins.size(); ++i) {
    add(drop_ins[i], "/etc/j/conf.d/" + std::to_string(i) + ".yaml", true);
  }
  return ReadConfig(documents, kubelet);
}

std::string K(const std::string& text) {
  return kKubelet + text;
}
std::string J(const std::string& text) {
  return kJettison + text;
}

std::string AmountOf(const ConfigReading& reading, Signal signal) {
  for (const Threshold& threshold : reading.config.eviction.thresholds) {
    if (threshold.signal == signal) return std::get<Quantity>(threshold.value).ToString();
  }
  return "none";
}

TEST(DropIns, AMapIsMergedMemberByMemberAndTheLastOneCounts) {
  const ConfigReading reading = WithDropIns(
      K("evictionHard: {memory.available: 200Mi, pid.available: '10'}\noomScoreAdj: -5\n"),
      {K("evictionHard: {memory.available: 300Mi, nodefs.available: 1Gi}\n"),
       K("evictionHard: {memory.available: 400Mi}\n")});
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_EQ(AmountOf(reading, Signal::kMemoryAvailable), "400Mi");
  EXPECT_EQ(AmountOf(reading, Signal::kNodeFsAvailable), "1Gi");
  EXPECT_EQ(AmountOf(reading, Signal::kPidAvailable), "10");
  EXPECT_EQ(reading.config.oom_score_adj, -5);
}

TEST(DropIns, AListReplacesWhatWasThereAndNullTakesItBack) {
  const ConfigReading reading = WithDropIns(
      K("enforceNodeAllocatable: [pods, kube-reserved]\nkubeReservedCgroup: /k\n"
        "evictionHard: {memory.available: 200Mi, pid.available: '10'}\noomScoreAdj: -5\n"),
      {K("enforceNodeAllocatable: [pods]\nevictionHard: {pid.available: null}\n"
         "oomScoreAdj: null\n")});
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_TRUE(reading.config.reservation.enforce_pods);
  EXPECT_FALSE(reading.config.reservation.kube_enforced);
  EXPECT_EQ(AmountOf(reading, Signal::kPidAvailable), "none");
  EXPECT_EQ(reading.config.oom_score_adj, -999);
}

TEST(DropIns, AThresholdThatIsAddedToTheDefaultsLeavesTheOthers) {
  EXPECT_THAT(
      Signals(WithDropIns("", {K("evictionHard: {memory.available: 300Mi}\n")})),
      ElementsAre("memory.available", "nodefs.available", "nodefs.inodesFree", "imagefs.available",
                  "imagefs.inodesFree", "allocatableMemory.available"));
  EXPECT_THAT(Signals(WithDropIns(K("mergeDefaultEvictionSettings: false\n"),
                                  {K("evictionHard: {pid.available: '5'}\n")})),
              ElementsAre("pid.available"));
  EXPECT_THAT(Signals(WithDropIns("", {K("evictionHard: {pid.available: '5'}\n"
                                         "mergeDefaultEvictionSettings: false\n")})),
              ElementsAre("pid.available"));
}

TEST(DropIns, EveryFaultNamesTheFileThatItStandsIn) {
  const ConfigReading reading =
      WithDropIns(K("evictionHard: {memory.avaliable: 5%}\n---\n") + J("profile: none\n"),
                  {K("evictionHard: {pid.available: many}\n"),
                   J("hooks: [{exec: 1}]\nhttp: {address: nowhere}\ntypo: 1\n") + "---\n" +
                       K("oomScoreAdj: 5000\nmaxPods: 7\n")});
  EXPECT_THAT(
      Described(reading.faults),
      testing::UnorderedElementsAre(
          HasSubstr("/etc/j/jettison.yaml: evictionHard[memory.avaliable]"),
          HasSubstr("/etc/j/conf.d/0.yaml: evictionHard[pid.available]"),
          HasSubstr("/etc/j/jettison.yaml: profile"), HasSubstr("/etc/j/conf.d/1.yaml: hooks[0]"),
          HasSubstr("/etc/j/conf.d/1.yaml: http.address"), HasSubstr("/etc/j/conf.d/1.yaml: typo"),
          HasSubstr("/etc/j/conf.d/1.yaml: oomScoreAdj")));
  EXPECT_THAT(Described(reading.warnings), ElementsAre(HasSubstr("/etc/j/conf.d/1.yaml: maxPods")));
}

TEST(DropIns, BesideAKubeletItsThresholdsAreTheDefaultsAndALowerOneNamesItsFile) {
  const Value theirs =
      ParseDocuments(K("evictionHard: {memory.available: 500Mi, pid.available: '100'}\n"))
          .value()
          .front();
  const ConfigReading reading =
      WithDropIns(J("source: kubernetes\n"), {K("evictionHard: {memory.available: 100Mi}\n")},
                  {.document = ConfigDocument{"/kubelet.yaml", theirs}, .why_not = {}});
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_EQ(AmountOf(reading, Signal::kMemoryAvailable), "100Mi");
  EXPECT_EQ(AmountOf(reading, Signal::kPidAvailable), "600");
  EXPECT_THAT(Described(reading.not_above_kubelet),
              ElementsAre(HasSubstr("conf.d/0.yaml: evictionHard[memory.available]")));
}

TEST(DropIns, ARelativePathCountsFromTheFolderOfItsFile) {
  EXPECT_EQ(WithDropIns(K("staticPodPath: pods\n"), {K("oomScoreAdj: 1\n")}).config.static_pod_path,
            "/etc/j/pods");
  EXPECT_EQ(
      WithDropIns(K("staticPodPath: a\n"), {K("staticPodPath: pods\n")}).config.static_pod_path,
      "/etc/j/conf.d/pods");
}

TEST(DropIns, AKindStandsOnceInADropInAndOneWithoutChangesNothing) {
  const std::string twice = J("dryRun: true\n---\n") + J("dryRun: false\n");
  const ConfigReading reading = WithDropIns("", {twice, "dryRun: false\n"});
  EXPECT_THAT(Described(reading.faults),
              ElementsAre(HasSubstr("conf.d/0.yaml: kind: \"JettisonConfiguration\": there may be "
                                    "only one JettisonConfiguration in a drop-in"),
                          HasSubstr("conf.d/1.yaml: kind")));
  EXPECT_TRUE(reading.config.dry_run);
}

TEST(DropIns, WhatHoldsFromWhichFileIsTold) {
  const ConfigReading reading = WithDropIns(
      K("evictionHard: {memory.available: 200Mi}\n"),
      {K("evictionHard: {pid.available: '5', memory.available: 1Gi}\n---\n") + J("dryRun: true\n"),
       J("dryRun: false\nevictionBackoff: {max: 1m}\n"), J("evictionBackoff: {max: 2m}\n")});
  ASSERT_EQ(reading.drop_ins.size(), 3U);
  EXPECT_THAT(reading.drop_ins[0].fields,
              ElementsAre("evictionHard[pid.available]", "evictionHard[memory.available]"));
  EXPECT_THAT(reading.drop_ins[1].fields, ElementsAre("dryRun"));
  EXPECT_THAT(reading.drop_ins[2].fields, ElementsAre("evictionBackoff.max"));
}

TEST(DropIns, AMapTakesThePlaceOfWhatIsNone) {
  const ConfigReading reading =
      WithDropIns(J("http: 5\n"), {J("http: 6\n"), J("http: {socket: /a.sock}\n")});
  EXPECT_THAT(Described(reading.faults), IsEmpty());
  EXPECT_THAT(reading.drop_ins[0].fields, IsEmpty());
  EXPECT_THAT(reading.drop_ins[1].fields, ElementsAre("http.socket"));
}

}  // namespace
}  // namespace jettison
