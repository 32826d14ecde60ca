#include "core/thresholds/thresholds_beside_kubelet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thresholds/threshold_parsing.h"
#include "core/thresholds/threshold_text.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kGi = std::int64_t{1} << 30;

class ThresholdsBeside : public testing::Test {
 protected:
  void Set(SignalSettings ours, SignalSettings theirs) {
    set_faults_ = beside_.Set(ParseThresholds({.hard = std::move(ours)}).thresholds,
                              ParseThresholds({.hard = std::move(theirs)}).thresholds);
  }
  [[nodiscard]] std::vector<std::string> Usable() const {
    std::vector<std::string> texts;
    for (const Threshold& threshold : beside_.Usable()) {
      texts.push_back(ThresholdText(threshold.value));
    }
    return texts;
  }
  [[nodiscard]] Faults Learn(Signal signal, std::int64_t capacity) {
    SignalCapacities capacities;
    capacities[IndexOf(signal)] = capacity;
    auto learned = beside_.Learn(capacities);
    usable_changed_ = learned.usable_changed;
    return std::move(learned.faults);
  }
  ThresholdsBesideKubelet beside_;
  Faults set_faults_;
  bool usable_changed_ = false;
};

TEST_F(ThresholdsBeside, WithoutAKubeletAllOfOursMayBeEvictedBy) {
  EXPECT_THAT(beside_.Set(ParseThresholds({.hard = {{"memory.available", "5%"}}}).thresholds, {}),
              IsEmpty());
  EXPECT_THAT(Usable(), ElementsAre("5%"));
  EXPECT_FALSE(beside_.NeedsCapacities());
}

TEST_F(ThresholdsBeside, WhatCannotBeComparedYetIsNotEvictedBy) {
  Set({{"memory.available", "10%"}, {"nodefs.available", "12%"}},
      {{"memory.available", "100Mi"}, {"nodefs.available", "10%"}});
  EXPECT_THAT(Usable(), ElementsAre("12%"));
  EXPECT_TRUE(beside_.NeedsCapacities());
  EXPECT_THAT(Learn(Signal::kNodeFsAvailable, kGi), IsEmpty());
  EXPECT_FALSE(usable_changed_) << "of another signal";
  EXPECT_THAT(Usable(), ElementsAre("12%"));
  EXPECT_THAT(Learn(Signal::kMemoryAvailable, 8 * kGi), IsEmpty());
  EXPECT_TRUE(usable_changed_);
  EXPECT_THAT(Usable(), ElementsAre("10%", "12%"));
}

TEST_F(ThresholdsBeside, WhatTurnsOutNotToLieAboveIsTheOnlyFault) {
  Set({{"memory.available", "1%"}, {"nodefs.available", "5%"}},
      {{"memory.available", "100Mi"}, {"nodefs.available", "10%"}});
  const Faults faults = Learn(Signal::kMemoryAvailable, kGi);
  ASSERT_EQ(faults.size(), 1U) << "that of nodefs was known before";
  EXPECT_THAT(Describe(faults[0]),
              HasSubstr("evictionHard[memory.available]: \"1%\": must be more"));
  EXPECT_THAT(Usable(), IsEmpty());
  EXPECT_THAT(Learn(Signal::kMemoryAvailable, kGi), IsEmpty()) << "reported once";
}

TEST_F(ThresholdsBeside, CapacitiesHoldForWhatIsSetLater) {
  Set({}, {});
  EXPECT_THAT(Learn(Signal::kMemoryAvailable, 8 * kGi), IsEmpty());
  Set({{"memory.available", "10%"}}, {{"memory.available", "100Mi"}});
  EXPECT_THAT(Usable(), ElementsAre("10%"));
  EXPECT_THAT(set_faults_, IsEmpty());
}

TEST_F(ThresholdsBeside, WhatIsSetLaterAndLiesBelowByThemIsAFault) {
  Set({}, {});
  (void)Learn(Signal::kMemoryAvailable, 8 * kGi);
  Set({{"memory.available", "1%"}, {"nodefs.available", "5%"}},
      {{"memory.available", "100Mi"}, {"nodefs.available", "10%"}});
  ASSERT_EQ(set_faults_.size(), 1U) << "that of nodefs is known without a capacity";
  EXPECT_EQ(set_faults_[0].key, "evictionHard[memory.available]");
  EXPECT_THAT(Usable(), IsEmpty());
}

TEST_F(ThresholdsBeside, AnotherCapacityIsComparedByAnew) {
  Set({{"memory.available", "10%"}}, {{"memory.available", "500Mi"}});
  EXPECT_THAT(Learn(Signal::kMemoryAvailable, 8 * kGi), IsEmpty());
  EXPECT_THAT(Learn(Signal::kMemoryAvailable, 9 * kGi), IsEmpty());
  EXPECT_FALSE(usable_changed_);
  EXPECT_EQ(Learn(Signal::kMemoryAvailable, 4 * kGi).size(), 1U);
  EXPECT_TRUE(usable_changed_);
  EXPECT_THAT(Usable(), IsEmpty());
  EXPECT_THAT(Learn(Signal::kMemoryAvailable, 16 * kGi), IsEmpty());
  EXPECT_TRUE(usable_changed_);
  EXPECT_THAT(Usable(), ElementsAre("10%"));
}

}  // namespace
}  // namespace jettison
