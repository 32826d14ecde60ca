#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apply/pass.h"
#include "core/explain/explain.h"
#include "sim/explain_now.h"

namespace jettison {

inline constexpr std::int64_t kMi = 1 << 20;

// A node of 1 GiB with pods as the test describes them, whose passes are recorded.
class ExplainTestBed {
 public:
  struct PodSpec {
    std::string name;
    std::int64_t memory_mi = 0;          // working set
    std::int64_t memory_request_mi = 0;  // none: zero
    std::int32_t priority = 0;
    bool measured = true;
  };

  ExplainTestBed() {
    policy.thresholds = {
        {.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100 * kMi)},
        {.signal = Signal::kNodeFsAvailable,
         .value = Percentage{0.1F},
         .min_reclaim = Quantity::Of(10 * kMi)},
        {.signal = Signal::kPidAvailable, .value = Quantity::Of(100, QuantityFormat::kDecimalSI)}};
    SetAvailable(500);
    summary.node.fs = FsStats{.available_bytes = Bytes(900),
                              .capacity_bytes = Bytes(1000),
                              .used_bytes = Bytes(100),
                              .inodes_free = 900,
                              .inodes = 1000};
    summary.node.rlimit = RlimitStats{.max_pid = 1000, .running = 200};
  }

  static std::uint64_t Bytes(std::int64_t mi) { return static_cast<std::uint64_t>(mi * kMi); }

  // Of 1024 MiB; 24 MiB of the usage are inactive file.
  void SetAvailable(std::int64_t mi) {
    summary.node.memory = MemoryStats{.available_bytes = Bytes(mi),
                                      .usage_bytes = Bytes(1024 - mi + 24),
                                      .working_set_bytes = Bytes(1024 - mi)};
  }

  void AddPod(const PodSpec& spec) {
    Pod pod;
    pod.name = spec.name;
    pod.uid = "uid-" + spec.name;
    pod.priority = spec.priority;
    Container& container = pod.containers.emplace_back();
    container.name = "main";
    if (spec.memory_request_mi > 0) {
      container.resources.requests.emplace("memory", Quantity::Of(spec.memory_request_mi * kMi));
    }
    AddPod(std::move(pod), spec);
  }
  void AddPod(Pod pod, const PodSpec& spec) {
    if (spec.measured) {
      summary.pods.push_back(
          {.uid = pod.uid,
           .name = pod.name,
           .namespace_ = pod.namespace_,
           .process_count = 10,
           .memory_working_set_bytes = Bytes(spec.memory_mi),
           .containers = {{.name = "main", .memory_working_set_bytes = Bytes(spec.memory_mi)}},
           .has_memory = true});
    }
    pods.push_back(std::make_shared<const PodFacts>(FactsOf(std::move(pod), Profile::kKubelet)));
  }
  PodStats& StatsOf(const std::string& name) {
    return *std::ranges::find(summary.pods, name, &PodStats::name);
  }

  // Passes at `now`, beginning with `state`, and leaves the next one in it.
  RecordedPass Pass() {
    RecordedPass pass{.number = ++passes,
                      .policy = std::make_shared<const PassPolicy>(policy),
                      .before = state,
                      .summary = summary,
                      .pods = pods,
                      .pace = pace};
    std::vector<const PodFacts*> active;
    for (const auto& facts : pods) active.push_back(facts.get());
    Ports ports_of_bed(*this);
    NodePorts ports{.killer = ports_of_bed, .reclaimer = ports_of_bed, .summaries = ports_of_bed};
    pass.report = RunPass(policy, {.now = now, .summary = summary, .pods = active, .pace = pace},
                          ports, state);
    return pass;
  }
  NodeNow Now() {
    return {.at = now,
            .passes = passes,
            .policy = std::make_shared<const PassPolicy>(policy),
            .state = state,
            .summary = std::make_shared<const Summary>(summary),
            .pods = pods};
  }

  PassPolicy policy;
  Summary summary;
  Summary after_reclaim;  // what a reclaim leads to
  ReclaimProgress progress = ReclaimProgress::kDone;
  std::vector<std::shared_ptr<const PodFacts>> pods;
  EvictionState state;
  std::optional<PaceInput> pace;
  Instant now{std::chrono::hours(24)};
  std::uint64_t passes = 0;

 private:
  class Ports final : public PodKiller, public NodeReclaimer, public SummarySource {
   public:
    explicit Ports(const ExplainTestBed& bed) : bed_(bed) {}
    Result<EvictOutcome> Evict(const EvictionOrder&, Instant) override {
      return EvictOutcome::kEnding;
    }
    Result<ReclaimProgress> DeleteDeadContainers() override { return bed_.progress; }
    Result<ReclaimProgress> DeleteUnusedImages() override { return bed_.progress; }
    Result<Summary> ReadSummary() override {
      return bed_.after_reclaim.node.fs ? bed_.after_reclaim : bed_.summary;
    }

   private:
    const ExplainTestBed& bed_;
  };
};

}  // namespace jettison
