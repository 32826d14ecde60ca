#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
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

TEST(KubeletMargin, APercentageStaysBelowTheWhole) {
  EXPECT_EQ(Derived("memory.available", "97%"), "99%");
  EXPECT_EQ(Derived("memory.available", "98%"), "99%");
  EXPECT_EQ(Derived("memory.available", "99%"), "99.5%");
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
