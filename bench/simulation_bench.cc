// What simulating a week of one node with 110 pods costs: 60,480 passes, 10 s apart, under 16
// policies side by side. The passes are made in place, so what is measured is the simulation and
// not the reading of a file.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "sim/whatif/whatif.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

constexpr std::uint32_t kSeed = 20260101;
constexpr std::size_t kPasses = 60'480;
constexpr std::int64_t kMiB = 1 << 20;

std::vector<CandidatePolicy> Policies(std::size_t count) {
  std::vector<CandidatePolicy> policies;
  for (std::size_t i = 0; i < count; ++i) {
    const auto line = static_cast<std::int64_t>(50 + i * 60) * kMiB;
    policies.push_back({.name = fmt::format("{}", i), .policy_for = [line](PassPolicy policy) {
                          policy.thresholds.front().value = Quantity::Of(line);
                          return policy;
                        }});
  }
  return policies;
}

// Memory swings between 4 GiB and 600 MiB once an hour: the highest lines are crossed each time.
std::uint64_t AvailableAt(std::size_t pass) {
  constexpr std::size_t kHour = 360;
  const std::size_t phase = pass % kHour < kHour / 2 ? pass % kHour : kHour - pass % kHour;
  return (std::uint64_t{4096} - phase * 3496 / (kHour / 2)) << 20;
}

// The passes of a week, made one after the other.
class Week {
 public:
  // With the kubelet's thresholds.
  explicit Week(std::size_t pods) : node_(pods, kSeed) {
    policy_ = std::make_shared<PassPolicy>();
    policy_->thresholds = DefaultThresholds();
    policy_->thresholds.erase(policy_->thresholds.begin() + 1);
    policy_->local_storage_capacity_isolation = false;
    for (const PodFacts& each : node_.facts) {
      facts_.push_back(std::make_shared<const PodFacts>(each));
    }
  }

  template <typename Take>
  void Tell(Take take) const {
    // The engine holds on to two passes at most.
    std::vector<std::shared_ptr<RecordedPass>> ring;
    for (int i = 0; i < 4; ++i) {
      ring.push_back(std::make_shared<RecordedPass>());
      ring.back()->policy = policy_;
      ring.back()->pods = facts_;
      ring.back()->summary = node_.summary;
    }
    for (std::size_t i = 0; i < kPasses; ++i) {
      const std::shared_ptr<RecordedPass>& pass = ring[i % ring.size()];
      pass->number = i + 1;
      pass->summary.node.memory->available_bytes = AvailableAt(i);
      pass->summary.node.memory->working_set_bytes = (64ULL << 30) - AvailableAt(i);
      pass->report.at = Instant(std::chrono::seconds(10 * (i + 1)));
      pass->report.observations = ObservationsFrom(pass->summary);
      take(std::shared_ptr<const RecordedPass>(pass));
    }
  }

 private:
  SyntheticNode node_;
  std::shared_ptr<PassPolicy> policy_;
  std::vector<std::shared_ptr<const PodFacts>> facts_;
};

void BM_Week(benchmark::State& bench) {
  const Week week(static_cast<std::size_t>(bench.range(0)));
  const auto policies = static_cast<std::size_t>(bench.range(1));
  std::size_t evictions = 0;
  for (auto _ : bench) {
    WhatIf whatif(Policies(policies), {});
    week.Tell([&whatif](const RecordedItem& item) { whatif.Add(item); });
    whatif.Finish();
    evictions = 0;
    for (const PolicyOutcome& outcome : whatif.Outcomes()) evictions += outcome.evictions.size();
  }
  bench.counters["evictions"] = static_cast<double>(evictions);
}
BENCHMARK(BM_Week)->Args({110, 16})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jettison
