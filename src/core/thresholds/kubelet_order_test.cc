#include "core/thresholds/kubelet_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thresholds/kubelet_margin.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST(KubeletOrder, ValuesOfOneFormAreComparedWithoutACapacity) {
  struct Row {
    const char* ours;
    const char* theirs;
    KubeletOrder order;
  };
  for (const Row& row : {
           Row{"101Mi", "100Mi", KubeletOrder::kAbove},
           Row{"100Mi", "100Mi", KubeletOrder::kNotAbove},
           Row{"1Gi", "1024Mi", KubeletOrder::kNotAbove},
           Row{"99Mi", "100Mi", KubeletOrder::kNotAbove},
           Row{"10.1%", "10%", KubeletOrder::kAbove},
           Row{"10%", "10%", KubeletOrder::kNotAbove},
           Row{"5%", "10%", KubeletOrder::kNotAbove},
           Row{"5%", "NaN%", KubeletOrder::kAbove},
           Row{"5%", "100Mi", KubeletOrder::kUnknown},
           Row{"100Mi", "5%", KubeletOrder::kUnknown},
       }) {
    EXPECT_EQ(OrderOf(HardThreshold("memory.available", row.ours)[0],
                      HardThreshold("memory.available", row.theirs), {}),
              row.order)
        << row.ours << " " << row.theirs;
  }
}

TEST(KubeletOrder, AnAmountAndAPercentageAreComparedByTheCapacity) {
  constexpr std::int64_t kGi = std::int64_t{1} << 30;
  struct Row {
    const char* ours;
    const char* theirs;
    std::int64_t capacity;
    KubeletOrder order;
  };
  for (const Row& row : {
           Row{"10%", "100Mi", kGi, KubeletOrder::kAbove},
           Row{"5%", "100Mi", kGi, KubeletOrder::kNotAbove},
           Row{"5%", "100Mi", 4 * kGi, KubeletOrder::kAbove},
           Row{"1Gi", "50%", 2 * kGi, KubeletOrder::kNotAbove},
           Row{"1Gi", "50%", 2 * kGi - 2, KubeletOrder::kAbove},
       }) {
    EXPECT_EQ(
        OrderOf(HardThreshold("memory.available", row.ours)[0],
                HardThreshold("memory.available", row.theirs), Capacity(kMemory, row.capacity)),
        row.order)
        << row.ours << " " << row.theirs << " of " << row.capacity;
  }
}

TEST(KubeletOrder, WhatTheOtherHasNoThresholdOfIsNotCompared) {
  EXPECT_EQ(OrderOf(HardThreshold("pid.available", "10")[0],
                    HardThreshold("memory.available", "1Gi"), {}),
            KubeletOrder::kAbove);
  EXPECT_EQ(OrderOf({.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}},
                    HardThreshold("memory.available", "1Gi"), {}),
            KubeletOrder::kAbove);
}

TEST(KubeletOrder, ASoftThresholdLiesAboveTheKubeletsHardAndSoftOne) {
  EXPECT_EQ(OrderOf(Soft("1Gi", "30s")[0], HardThreshold("memory.available", "1Gi"), {}),
            KubeletOrder::kNotAbove);
  EXPECT_EQ(OrderOf(Soft("1Gi", "30s")[0], Soft("1Gi", "30s"), {}), KubeletOrder::kNotAbove);
  EXPECT_EQ(OrderOf(Soft("2Gi", "30s")[0], Soft("1Gi", "30s"), {}), KubeletOrder::kAbove);
  EXPECT_EQ(OrderOf(Soft("2Gi", "31s")[0], Soft("1Gi", "30s"), {}), KubeletOrder::kNotAbove);
  EXPECT_EQ(OrderOf(HardThreshold("memory.available", "500Mi")[0], Soft("1Gi", "30s"), {}),
            KubeletOrder::kAbove)
      << "a hard threshold is compared only with the hard one";
  EXPECT_EQ(OrderOf(HardThreshold("memory.available", "500Mi")[0], Soft("1Gi", "0s"), {}),
            KubeletOrder::kNotAbove)
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

TEST(KubeletOrder, ASoftThresholdIsOneFaultThatNamesTheKubeletsSoftOne) {
  std::vector<Threshold> theirs = HardThreshold("memory.available", "100Mi");
  theirs.push_back(Soft("1Gi", "30s")[0]);
  EXPECT_THAT(Described(CheckAboveKubelet(Soft("50Mi", "30s"), theirs, {})),
              ElementsAre(HasSubstr("must be more than 1Gi, which is the kubelet's evictionSoft")));
}

TEST(KubeletOrder, TheAllocatableCopyIsToldOfWithItsThresholdAndGoesWithIt) {
  const EvictionSettings ours{.hard = {{"memory.available", "50Mi"}, {"pid.available", "9"}},
                              .enforce_pods = true};
  const EvictionSettings theirs{.hard = {{"memory.available", "100Mi"}}, .enforce_pods = true};
  const std::vector<Threshold> mine = ParseThresholds(ours).thresholds;
  const std::vector<Threshold> kubelets = ParseThresholds(theirs).thresholds;
  ASSERT_EQ(mine.size(), 3U);
  EXPECT_EQ(CheckAboveKubelet(mine, kubelets, {}).size(), 1U);
  const std::vector<Threshold> left = ThoseAboveKubelet(mine, kubelets, {});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].signal, Signal::kPidAvailable);
}

TEST(KubeletOrder, WhatIsDerivedFromTheKubeletsThresholdsLiesAboveThem) {
  const EvictionSettings theirs{
      .hard = DefaultEvictionHard(),
      .soft = {{"memory.available", "500Mi"}, {"pid.available", "99%"}},
      .soft_grace_period = {{"memory.available", "30s"}, {"pid.available", "1m"}},
      .enforce_pods = true};
  const std::vector<Threshold> kubelets = ParseThresholds(theirs).thresholds;
  const std::vector<Threshold> mine = ParseThresholds(SettingsAbove(theirs)).thresholds;
  ASSERT_EQ(mine.size(), 4U);  // memory and processes
  for (const Threshold& threshold : mine) {
    EXPECT_EQ(OrderOf(threshold, kubelets, {}), KubeletOrder::kAbove) << NameOf(threshold.signal);
  }
}

}  // namespace
}  // namespace jettison
