#include "core/thresholds/threshold_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace jettison {
namespace {

using ::testing::ElementsAre;

Threshold Of(Signal signal, std::int64_t amount, Duration grace = Duration::zero()) {
  return {.signal = signal,
          .value = Quantity::Of(amount),
          .grace_period = grace,
          .min_reclaim = Quantity::Of(amount * 10)};
}

std::vector<std::string> ShowAll(const std::vector<Threshold>& thresholds) {
  std::vector<std::string> lines;
  for (const Threshold& t : thresholds) {
    lines.push_back(std::string(NameOf(t.signal)) + " " + std::get<Quantity>(t.value).ToString() +
                    " " + FormatDuration(t.grace_period) + " " +
                    std::get<Quantity>(*t.min_reclaim).ToString());
  }
  return lines;
}

constexpr Duration kMinute = std::chrono::minutes(1);
TEST(ContainerFsThresholds, FollowNodeFsOrImageFsByTheLayout) {
  constexpr DiskLayout kOne = {};
  constexpr DiskLayout kDedicated = {.dedicated_image_fs = true};
  constexpr DiskLayout kSplit = {.dedicated_image_fs = true, .dedicated_container_fs = true};
  const std::vector<Threshold> all = {
      Of(Signal::kContainerFsAvailable, 1), Of(Signal::kNodeFsAvailable, 2),
      Of(Signal::kNodeFsAvailable, 3, kMinute), Of(Signal::kImageFsAvailable, 4),
      Of(Signal::kImageFsInodesFree, 5, kMinute)};
  const std::vector<std::string> kept = {"nodefs.available 2 0s 20", "nodefs.available 3 1m0s 30",
                                         "imagefs.available 4 0s 40",
                                         "imagefs.inodesFree 5 1m0s 50"};
  struct Row {
    std::optional<DiskLayout> layout;
    std::vector<Threshold> configured;
    int kept;
    std::vector<std::string> followers;
  };
  const std::vector<std::string> nodefs = {"containerfs.available 2 0s 20",
                                           "containerfs.available 3 1m0s 30"};
  for (const Row& row : {
           Row{kOne, all, 4, nodefs},
           Row{kSplit, all, 4, nodefs},
           Row{kDedicated,
               all,
               4,
               {"containerfs.available 4 0s 40", "containerfs.inodesFree 5 1m0s 50"}},
           Row{std::nullopt, all, 2, nodefs},  // not known yet: none on imagefs
           Row{kOne, {all[0]}, 0, {}},
       }) {
    std::vector<std::string> expected(kept.begin(), kept.begin() + row.kept);
    expected.insert(expected.end(), row.followers.begin(), row.followers.end());
    EXPECT_EQ(ShowAll(ThresholdsFor(row.configured, row.layout)), expected);
  }
  const std::vector<Threshold> two = {all[1], Of(Signal::kNodeFsAvailable, 3)};
  EXPECT_EQ(ShowAll(ThresholdsFor(two, kOne)).back(), "containerfs.available 3 0s 30")
      << "a soft one without grace counts as hard";
}

ThresholdValue ParsedValue(const std::string& text) {
  EvictionSettings settings;
  settings.hard = {{"nodefs.available", text}};
  const ThresholdParsing parsing = ParseThresholds(settings);
  EXPECT_TRUE(parsing.faults.empty()) << text;
  return parsing.thresholds.at(0).value;
}

TEST(ThresholdText, IsWhatAnOperatorWouldWrite) {
  for (const char* text : {"10%", "5%", "15%", "12.5%", "0.1%", "33.3%", "100Mi", "1Gi", "500M"}) {
    EXPECT_EQ(ThresholdText(ParsedValue(text)), text);
  }
}

TEST(ThresholdText, ReadsBackToTheSameBits) {
  std::mt19937 random(7);
  for (int i = 0; i < 2'000; ++i) {
    const auto tried = static_cast<float>(random() % 99'999'999 + 1) / 1e6F;
    const Percentage percentage{tried / 100};
    const std::string text = ThresholdText(percentage);
    if (text == "100%") continue;  // switches the threshold off
    ASSERT_EQ(std::get<Percentage>(ParsedValue(text)), percentage) << text;
  }
}

TEST(AlwaysMet, AValueThatIsNotBelowTheCapacityIsAFaultOfItsOwnForEachSignal) {
  constexpr std::int64_t kMi = std::int64_t{1} << 20;
  SignalCapacities capacities;
  capacities[IndexOf(Signal::kMemoryAvailable)] = 300 * kMi;
  capacities[IndexOf(Signal::kPidAvailable)] = 1000;
  std::vector<Threshold> thresholds =
      ParseThresholds({.hard = {{"memory.available", "300Mi"},
                                {"pid.available", "999"},
                                {"nodefs.available", "1Pi"}},
                       .soft = {{"memory.available", "99.9%"}, {"pid.available", "2k"}},
                       .soft_grace_period = {{"memory.available", "1m"}, {"pid.available", "1m"}}})
          .thresholds;
  thresholds.front().kubelet = KubeletLine{.value = Quantity::Of(100 * kMi)};
  std::vector<std::string> faults;
  for (const Fault& fault : CheckAlwaysMet(thresholds, capacities)) {
    faults.push_back(Describe(fault));
  }
  EXPECT_THAT(
      faults,
      ElementsAre("evictionHard[memory.available]: \"300Mi\": is not below 300Mi, the capacity of "
                  "this node, so it is always met; it never acts, and only the kubelet evicts for "
                  "this signal",
                  "evictionSoft[pid.available]: \"2k\": is not below 1k, the capacity of this "
                  "node, so it is always met; every pod that may be evicted is evicted for it"));
}

TEST(AlwaysMet, AMinimumReclaimThatCannotBeReachedIsAFault) {
  SignalCapacities capacities;
  capacities[IndexOf(Signal::kNodeFsAvailable)] = std::int64_t{64} << 30;
  std::vector<Threshold> thresholds =
      ParseThresholds({.hard = {{"nodefs.available", "10%"}}}).thresholds;
  const auto faults = [&](const char* min_reclaim) {
    thresholds.front().min_reclaim = *Quantity::Parse(min_reclaim);
    std::vector<std::string> texts;
    for (const Fault& fault : CheckAlwaysMet(thresholds, capacities))
      texts.push_back(Describe(fault));
    return texts;
  };
  EXPECT_THAT(faults("57Gi"), ElementsAre());
  EXPECT_THAT(faults("58Gi"),
              ElementsAre("evictionMinimumReclaim[nodefs.available]: \"58Gi\": lies with the "
                          "threshold of 10% above 64Gi, the capacity of this node, so a threshold "
                          "that was met once stays met"));
}

}  // namespace
}  // namespace jettison
