#include "core/thresholds/kubelet_order.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Signal kMemory = Signal::kMemoryAvailable;

std::vector<Threshold> HardThreshold(const std::string& signal, const std::string& value) {
  return ParseThresholds({.hard = {{signal, value}}}).thresholds;
}
std::vector<Threshold> Soft(const std::string& value, const std::string& grace) {
  return ParseThresholds({.soft = {{"memory.available", value}},
                          .soft_grace_period = {{"memory.available", grace}}})
      .thresholds;
}
SignalCapacities Capacity(Signal signal, std::int64_t capacity) {
  SignalCapacities capacities;
  capacities[IndexOf(signal)] = capacity;
  return capacities;
}
std::vector<std::string> Described(const Faults& faults) {
  std::vector<std::string> lines;
  for (const Fault& fault : faults) lines.push_back(Describe(fault));
  return lines;
}

// Whether ours is known not to lie above the kubelet's.
bool IsFault(const std::vector<Threshold>& ours, const std::vector<Threshold>& theirs,
             const SignalCapacities& capacities = {}) {
  return !CheckAboveKubelet(ours, theirs, capacities).empty();
}

TEST(KubeletOrder, ValuesOfOneFormAreComparedWithoutACapacity) {
  struct Row {
    const char* ours;
    const char* theirs;
    bool is_fault;
  };
  for (const Row& row : {
           Row{"101Mi", "100Mi", false},
           Row{"100Mi", "100Mi", true},
           Row{"1Gi", "1024Mi", true},
           Row{"99Mi", "100Mi", true},
           Row{"10.1%", "10%", false},
           Row{"10%", "10%", true},
           Row{"5%", "10%", true},
           Row{"5%", "NaN%", false},
           Row{"5%", "100Mi", false},
           Row{"100Mi", "5%", false},
       }) {
    EXPECT_EQ(IsFault(HardThreshold("memory.available", row.ours),
                      HardThreshold("memory.available", row.theirs)),
              row.is_fault)
        << row.ours << " " << row.theirs;
  }
}

TEST(KubeletOrder, AnAmountAndAPercentageAreComparedByTheCapacity) {
  constexpr std::int64_t kGi = std::int64_t{1} << 30;
  struct Row {
    const char* ours;
    const char* theirs;
    std::int64_t capacity;
    bool is_fault;
  };
  for (const Row& row : {
           Row{"10%", "100Mi", kGi, false},
           Row{"5%", "100Mi", kGi, true},
           Row{"5%", "100Mi", 4 * kGi, false},
           Row{"1Gi", "50%", 2 * kGi, true},
           Row{"1Gi", "50%", 2 * kGi - 2, false},
       }) {
    EXPECT_EQ(
        IsFault(HardThreshold("memory.available", row.ours),
                HardThreshold("memory.available", row.theirs), Capacity(kMemory, row.capacity)),
        row.is_fault)
        << row.ours << " " << row.theirs << " of " << row.capacity;
  }
}

TEST(KubeletOrder, WhatTheOtherHasNoThresholdOfIsNotCompared) {
  EXPECT_FALSE(
      IsFault(HardThreshold("pid.available", "10"), HardThreshold("memory.available", "1Gi")));
  EXPECT_FALSE(IsFault({{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}},
                       HardThreshold("memory.available", "1Gi")));
}

TEST(KubeletOrder, ASoftThresholdLiesAboveTheKubeletsHardAndSoftOne) {
  EXPECT_TRUE(IsFault(Soft("1Gi", "30s"), HardThreshold("memory.available", "1Gi")));
  EXPECT_TRUE(IsFault(Soft("1Gi", "30s"), Soft("1Gi", "30s")));
  EXPECT_FALSE(IsFault(Soft("2Gi", "30s"), Soft("1Gi", "30s")));
  EXPECT_TRUE(IsFault(Soft("2Gi", "31s"), Soft("1Gi", "30s")));
  EXPECT_FALSE(IsFault(HardThreshold("memory.available", "500Mi"), Soft("1Gi", "30s")))
      << "a hard threshold is compared only with the hard one";
  EXPECT_TRUE(IsFault(HardThreshold("memory.available", "500Mi"), Soft("1Gi", "0s")))
      << "a soft one without grace acts like a hard one";
}

TEST(KubeletOrder, AFaultNamesTheFieldBothValuesAndWhatIsAllowed) {
  EXPECT_THAT(
      Described(CheckAboveKubelet(HardThreshold("memory.available", "50Mi"),
                                  HardThreshold("memory.available", "100Mi"), {})),
      ElementsAre("evictionHard[memory.available]: \"50Mi\": must be more than 100Mi, which "
                  "is the kubelet's evictionHard[memory.available], or the kubelet evicts "
                  "first; 356Mi leaves time enough"));
  EXPECT_THAT(Described(CheckAboveKubelet(Soft("2Gi", "2m"), Soft("1Gi", "30s"), {})),
              ElementsAre("evictionSoftGracePeriod[memory.available]: \"2m0s\": must be at most "
                          "30s, the value of the kubelet, or the kubelet evicts first"));
  EXPECT_THAT(CheckAboveKubelet(HardThreshold("memory.available", "5%"),
                                HardThreshold("memory.available", "1Gi"), {}),
              IsEmpty())
      << "the capacity is not known";
}

std::string LineOf(const Threshold& threshold) {
  if (!threshold.kubelet) return "none";
  return fmt::format("{} {}", ThresholdText(threshold.kubelet->value),
                     FormatDuration(threshold.kubelet->grace_period));
}

TEST(KubeletOrder, TheLineIsTheKubeletsThresholdOfTheSignalAndOursWhereItHasNone) {
  const auto soft = Soft("1Gi", "30s");
  std::vector<Threshold> both = HardThreshold("memory.available", "100Mi");
  both.push_back(soft[0]);
  struct Row {
    std::vector<Threshold> ours;
    std::vector<Threshold> theirs;
    const char* line;
  };
  for (const Row& row : {
           Row{HardThreshold("memory.available", "356Mi"), both, "100Mi 0s"},
           Row{Soft("2Gi", "20s"), both, "1Gi 30s"},
           Row{Soft("2Gi", "20s"), HardThreshold("memory.available", "100Mi"), "100Mi 0s"},
           Row{HardThreshold("memory.available", "2Gi"), soft, "1Gi 30s"},
           Row{HardThreshold("pid.available", "500"), both, "500 0s"},
           Row{{{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}}, both, "none"},
       }) {
    EXPECT_EQ(LineOf(WithKubeletLines(row.ours, row.theirs)[0]), row.line);
  }
}

TEST(KubeletOrder, TheThresholdOfAllPodsIsTheKubeletsOwn) {
  const EvictionSettings ours{.hard = {{"memory.available", "356Mi"}}, .enforce_pods = true};
  const EvictionSettings theirs{.hard = {{"memory.available", "100Mi"}}, .enforce_pods = true};
  const std::vector<Threshold> kubelets = ParseThresholds(theirs).thresholds;
  const std::vector<Threshold> both = WithKubeletLines(ParseThresholds(ours).thresholds, kubelets);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[1].signal, Signal::kAllocatableMemoryAvailable);
  EXPECT_EQ(ThresholdText(both[1].value), "100Mi");
  EXPECT_EQ(LineOf(both[1]), "100Mi 0s");
  EXPECT_FALSE(IsFault(both, kubelets));
  EXPECT_EQ(
      WithKubeletLines(ParseThresholds(ours).thresholds, HardThreshold("memory.available", "100Mi"))
          .size(),
      1U)
      << "the kubelet limits no group of all pods";
}

TEST(KubeletOrder, TheLinesCanBeReadFromTheThresholdsThatTheyAre) {
  std::vector<Threshold> theirs = HardThreshold("memory.available", "100Mi");
  theirs.push_back(Soft("1Gi", "30s")[0]);
  std::vector<Threshold> ours = HardThreshold("memory.available", "356Mi");
  ours.push_back(Soft("2Gi", "20s")[0]);
  ours.push_back(HardThreshold("pid.available", "500")[0]);
  const std::vector<Threshold> beside = WithKubeletLines(ours, theirs);
  const std::vector<Threshold> again = WithKubeletLines(ours, KubeletThresholdsOf(beside));
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(LineOf(again[i]), LineOf(beside[i]));
}

TEST(KubeletOrder, WhatIsDerivedFromTheKubeletsThresholdsLiesAboveThem) {
  const EvictionSettings theirs{
      .hard = DefaultEvictionHard(),
      .soft = {{"memory.available", "500Mi"}, {"pid.available", "99%"}},
      .soft_grace_period = {{"memory.available", "30s"}, {"pid.available", "1m"}},
      .enforce_pods = true};
  const std::vector<Threshold> kubelets = ParseThresholds(theirs).thresholds;
  EvictionSettings derived = SettingsAbove(kubelets);
  derived.enforce_pods = true;
  const std::vector<Threshold> mine =
      WithKubeletLines(ParseThresholds(derived).thresholds, kubelets);
  ASSERT_EQ(mine.size(), 4U);  // memory and processes
  EXPECT_FALSE(IsFault(mine, kubelets));
}

using ::testing::Pair;

// One hard threshold of the kubelet, as ours is derived from it.
std::string Derived(const std::string& signal, const std::string& theirs) {
  const EvictionSettings ours =
      SettingsAbove(ParseThresholds({.hard = {{signal, theirs}}}).thresholds);
  const auto at = ours.hard.find(signal);
  return at == ours.hard.end() ? "none" : at->second;
}

TEST(KubeletMargin, EachSignalHasAMarginInTheFormOfTheKubeletsThreshold) {
  struct Row {
    const char* signal;
    const char* theirs;
    const char* ours;
  };
  for (const Row& row : {
           Row{"memory.available", "100Mi", "356Mi"},
           Row{"memory.available", "1Gi", "1280Mi"},
           Row{"memory.available", "10%", "12%"},
           Row{"allocatableMemory.available", "100Mi", "100Mi"},
           Row{"pid.available", "1000", "1500"},
           Row{"pid.available", "33.333%", "34.333%"},
       }) {
    EXPECT_EQ(Derived(row.signal, row.theirs), row.ours) << row.signal << " " << row.theirs;
  }
}

TEST(KubeletMargin, TheTextOfAPercentageReadsAsTheValue) {
  for (int tenths = 1; tenths < 1000; ++tenths) {
    const Percentage theirs{static_cast<float>(tenths) / 10 / 100};
    const ThresholdValue ours = WithMargin(Signal::kNodeFsAvailable, theirs);
    EXPECT_LE(ThresholdText(ours).size(), 8U) << ThresholdText(ours);
    EXPECT_GT(std::get<Percentage>(ours).fraction, theirs.fraction);
  }
}

// The kubelet removes images and dead containers first, which only the kubelet does.
TEST(KubeletMargin, DisksAreLeftToTheKubelet) {
  for (const char* signal :
       {"nodefs.available", "nodefs.inodesFree", "imagefs.available", "imagefs.inodesFree",
        "containerfs.available", "containerfs.inodesFree"}) {
    EXPECT_EQ(Derived(signal, "10%"), "none");
  }
}

TEST(KubeletMargin, WhatIsOffIsNotDerived) {
  EXPECT_EQ(Derived("memory.available", "0%"), "none");
  EXPECT_EQ(Derived("memory.available", "100%"), "none");
  EXPECT_EQ(Derived("memory.available", "NaN%"), "none");
  EXPECT_EQ(Derived("memory.available", "nonsense"), "none");
}

TEST(KubeletMargin, SoftThresholdsKeepTheirGracePeriods) {
  const EvictionSettings ours = SettingsAbove(
      ParseThresholds({.soft = {{"memory.available", "500Mi"}, {"pid.available", "15%"}},
                       .soft_grace_period = {{"memory.available", "90s"}, {"pid.available", "0s"}}})
          .thresholds);
  EXPECT_THAT(ours.hard, ElementsAre(Pair("pid.available", "16%"))) << "it acts like a hard one";
  EXPECT_THAT(ours.soft, ElementsAre(Pair("memory.available", "756Mi")));
  EXPECT_THAT(ours.soft_grace_period, ElementsAre(Pair("memory.available", "1m30s")));
}

}  // namespace
}  // namespace jettison
