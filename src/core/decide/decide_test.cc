#include "core/decide/decide.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/decide/eviction_order.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

TEST(MostUrgent, PutsStallsOnMemoryBehindItsShortageAndStallsOnIoLast) {
  const std::vector<Threshold> thresholds = {{.signal = Signal::kIoPressureFullAvg10},
                                             {.signal = Signal::kPidAvailable},
                                             {.signal = Signal::kMemoryPressureSomeAvg60},
                                             {.signal = Signal::kMemoryPressureFullAvg10},
                                             {.signal = Signal::kAllocatableMemoryAvailable}};
  ThresholdSet among;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    among.set(i);
    EXPECT_EQ(MostUrgent(thresholds, among), i);
  }
}

using std::chrono::seconds;

struct OrderFixture {
  OrderFixture() {
    Pod pod;
    pod.uid = "u";
    pod.name = "web";
    pod.containers.resize(2);
    pod.containers[0].name = "a";
    pod.containers[0].resources.requests.emplace("memory", *Quantity::Parse("64Mi"));
    pod.containers[1].name = "b";
    facts = FactsOf(pod, Profile::kStandalone);
    stats.has_memory = true;
    stats.memory_working_set_bytes = 100 << 20;
    stats.containers = {{.name = "b", .memory_working_set_bytes = 5},
                        {.name = "a", .memory_working_set_bytes = 65 << 20},
                        {.name = "gone", .memory_working_set_bytes = 1}};
    seen[Signal::kMemoryAvailable] = Observation{.available = 90 << 20, .capacity = 1 << 30};
  }
  EvictionOrder Order(const Threshold& threshold, std::int64_t maximum = 40) const {
    return OrderFor(ActivePod{&facts, &stats}, threshold, seen[threshold.signal], maximum);
  }
  PodFacts facts;
  PodStats stats;
  Observations seen;
};

Threshold Hard(Signal signal) {
  return {.signal = signal, .value = *Quantity::Parse("100Mi")};
}

TEST(EvictionOrder, OfASignalThatTheKubeletHasNotGotTellsTheFigureByWhichThePodWasChosen) {
  OrderFixture f;
  f.stats.io_some_avg10 = 4150;
  f.stats.swap_bytes = 300 << 20;
  f.seen[Signal::kMemoryPressureFullAvg10] = Observation{kWholeTime - 3412, kWholeTime};
  f.seen[Signal::kIoPressureSomeAvg60] = Observation{kWholeTime - 6000, kWholeTime};
  f.seen[Signal::kSwapAvailable] = Observation{40 << 20, 1 << 30};
  struct Row {
    Threshold threshold;
    const char* message;
    std::map<std::string, std::string, std::less<>> annotations;
  };
  const Row rows[] = {
      {{.signal = Signal::kMemoryPressureFullAvg10, .value = LeftOf(2000)},
       "The node was stalled on resource: memory. Threshold: 20%, memory.pressure.full.avg10: "
       "34.12%. Container b was using 5, request is 0, has larger consumption of memory. "
       "Container a was using 65Mi, request is 64Mi, has larger consumption of memory. ",
       {{"offending_containers", "b,a"},
        {"offending_containers_usage", "5,65Mi"},
        {"starved_resource", "memory"}}},
      {{.signal = Signal::kIoPressureSomeAvg60, .value = LeftOf(5050)},
       "The node was stalled on resource: io. Threshold: 50.5%, io.pressure.some.avg60: 60%. "
       "Pod web was stalled on io itself for 41.5% of the last 10s. ",
       {{"offending_pod", "web"},
        {"offending_pod_usage", "41.5%"},
        {"offending_containers", ""},
        {"offending_containers_usage", ""},
        {"starved_resource", "io"}}},
      {Hard(Signal::kSwapAvailable),
       "The node was low on resource: swap. Threshold quantity: 100Mi, available: 40Mi. "
       "Pod web was using 300Mi of swap. ",
       {{"offending_pod", "web"},
        {"offending_pod_usage", "300Mi"},
        {"offending_containers", ""},
        {"offending_containers_usage", ""},
        {"starved_resource", "swap"}}},
  };
  for (const Row& row : rows) {
    const EvictionOrder order = f.Order(row.threshold);
    EXPECT_EQ(order.message, row.message);
    EXPECT_EQ(order.annotations, row.annotations);
    EXPECT_EQ(order.grace_period_seconds, 1);
  }
}

TEST(EvictionOrder, GracePeriodIsOneSecondWhenHardElseTheSmallerOfMaximumAndThePodsOwn) {
  OrderFixture f;
  Threshold soft = Hard(Signal::kMemoryAvailable);
  soft.grace_period = seconds(1);
  EXPECT_EQ(f.Order(Hard(Signal::kMemoryAvailable)).grace_period_seconds, 1);
  EXPECT_EQ(f.Order(soft, -1).grace_period_seconds, 30) << "the default of a pod's own";
  EXPECT_EQ(f.Order(soft).grace_period_seconds, 40) << "the pod has no grace period of its own";
  f.facts.pod.termination_grace_period_seconds = 30;
  EXPECT_EQ(f.Order(soft).grace_period_seconds, 30);
  EXPECT_EQ(f.Order(soft, 10).grace_period_seconds, 10);
  f.facts.pod.termination_grace_period_seconds = 0;
  EXPECT_EQ(f.Order(soft).grace_period_seconds, 0);
}

}  // namespace
}  // namespace jettison
