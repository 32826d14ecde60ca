#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/thresholds/threshold_parsing.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;

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
