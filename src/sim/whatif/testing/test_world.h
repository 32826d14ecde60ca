#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "apply/pass.h"
#include "core/decide/eviction_pace.h"
#include "core/pods/admission.h"
#include "core/recording/recording.h"
#include "sim/whatif/whatif.h"

namespace jettison {

inline constexpr std::int64_t kMiB = 1 << 20;

// A pod of the test's world.
struct TestPod {
  std::string name;
  std::int32_t priority = 0;
  std::int64_t request = 0;
  double hold = 0;    // MiB, from its start on
  double rate = 0;    // MiB a second, ...
  double begins = 0;  // ... so many seconds after its start
  double most = 1e9;  // MiB
};

// A node of 256 MiB that lives by the rules of the agent, in ticks of 50 ms: a pass each second and
// where a line is crossed; evicted pods are gone 100 ms later and come back after 10 s. What its
// passes see is a recording.
class TestWorld {
 public:
  static constexpr std::int64_t kCapacity = 256 * kMiB;
  static constexpr Duration kTick = std::chrono::milliseconds(50);
  static constexpr RecordedSettings kSettings = {.monitoring_interval = std::chrono::seconds(1),
                                                 .backoff_initial = std::chrono::seconds(10),
                                                 .backoff_max = std::chrono::minutes(5)};

  struct Evicted {
    std::string uid;
    Instant at;
  };

  TestWorld(const std::vector<TestPod>& pods, PassPolicy policy)
      : policy_(std::make_shared<const PassPolicy>(std::move(policy))) {
    for (const TestPod& pod : pods) lives_.push_back(MakeLife(pod));
  }

  // Random pods: some hold, some leak, some grow in one go.
  static std::vector<TestPod> RandomPods(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto within = [&random](double least, double most) {
      return std::uniform_real_distribution<double>(least, most)(random);
    };
    std::vector<TestPod> pods;
    const auto count = static_cast<std::size_t>(within(3, 7));
    for (std::size_t i = 0; i < count; ++i) {
      TestPod pod{.name = fmt::format("pod-{}", i), .hold = std::floor(within(5, 30))};
      pod.priority = static_cast<std::int32_t>(within(0, 3)) * 100;
      if (within(0, 1) < 0.5) pod.request = static_cast<std::int64_t>(within(8, 64)) * kMiB;
      if (within(0, 1) < 0.6) {
        pod.rate = within(0.8, 8);
        pod.begins = within(0, 30);
        pod.most = within(80, 400);
      }
      pods.push_back(pod);
    }
    return pods;
  }

  // Lives for so long.
  void Run(Duration time) {
    items_.emplace_back(RecordingAbout{.at = now_,
                                       .node = "test",
                                       .maker = "test",
                                       .profile = Profile::kStandalone,
                                       .settings = kSettings});
    const Instant end = now_ + time;
    for (; now_ < end; now_ += kTick) Tick();
  }

  [[nodiscard]] const std::vector<RecordedItem>& items() const { return items_; }
  [[nodiscard]] const std::vector<Evicted>& evictions() const { return evictions_; }

 private:
  struct Life {
    TestPod spec;
    std::shared_ptr<const PodFacts> facts;
    Instant started{std::chrono::hours(24)};
    std::optional<Instant> gone;  // was evicted
    Instant due;
    Duration backoff = std::chrono::seconds(10);
    bool there = true;
  };
  class Effects final : public PodKiller, public NodeReclaimer, public SummarySource {
   public:
    Result<EvictOutcome> Evict(const EvictionOrder&, Instant) override {
      return EvictOutcome::kEnding;
    }
    Result<ReclaimProgress> DeleteDeadContainers() override { return ReclaimProgress::kDone; }
    Result<ReclaimProgress> DeleteUnusedImages() override { return ReclaimProgress::kDone; }
    Result<Summary> ReadSummary() override { return Summary{}; }
  };

  static Life MakeLife(const TestPod& spec) {
    Pod pod{.name = spec.name};
    pod.uid = "uid-" + spec.name;
    pod.priority = spec.priority;
    Container& container = pod.containers.emplace_back();
    container.name = "main";
    if (spec.request > 0)
      container.resources.requests.emplace("memory", Quantity::Of(spec.request));
    return {
        .spec = spec,
        .facts = std::make_shared<const PodFacts>(FactsOf(std::move(pod), Profile::kStandalone))};
  }

  [[nodiscard]] std::int64_t MemoryOf(const Life& life) const {
    if (!life.there) return 0;
    const double age = std::chrono::duration<double>(now_ - life.started).count();
    const double grown = std::max(age - life.spec.begins, 0.0) * life.spec.rate;
    return static_cast<std::int64_t>(std::min(life.spec.hold + grown, life.spec.most) * kMiB);
  }

  void Tick() {
    for (Life& life : lives_) {
      if (life.there && life.gone && now_ >= *life.gone) life.there = false;
    }
    if (gone_ && now_ >= *gone_) {
      pace_.CleanedUp(true, *gone_);
      gone_.reset();
    }
    LetBack();
    Summary summary;
    std::int64_t used = 16 * kMiB;
    std::vector<std::shared_ptr<const PodFacts>> pods;
    for (const Life& life : lives_) {
      used += MemoryOf(life);
      if (!life.there || life.gone) continue;
      summary.pods.push_back(
          {.uid = life.facts->pod.uid,
           .name = life.spec.name,
           .namespace_ = "default",
           .memory_working_set_bytes = static_cast<std::uint64_t>(MemoryOf(life)),
           .has_memory = true});
      pods.push_back(life.facts);
    }
    used = std::min(used, kCapacity);
    summary.node.memory =
        MemoryStats{.time = now_,
                    .available_bytes = static_cast<std::uint64_t>(kCapacity - used),
                    .working_set_bytes = static_cast<std::uint64_t>(used)};
    Look(std::move(summary), std::move(pods));
  }

  void Look(Summary summary, std::vector<std::shared_ptr<const PodFacts>> pods) {
    const Observations seen = ObservationsFrom(summary);
    const Evaluation evaluation = Evaluate(*policy_, state_, seen, now_);
    const auto threshold = MostUrgent(policy_->thresholds, evaluation.acting);
    const bool by_clock = now_ >= next_pass_;
    const bool newly = (evaluation.met & ~known_).any();
    if (!by_clock && !newly && !threshold) return;
    if (gone_ && !(threshold && policy_->thresholds[*threshold].IsHard())) return;
    if (by_clock) next_pass_ = now_ + std::chrono::seconds(1);
    Pass(std::move(summary), std::move(pods), threshold, by_clock);
  }

  void Pass(Summary summary, std::vector<std::shared_ptr<const PodFacts>> pods,
            std::optional<std::size_t> threshold, bool by_clock) {
    auto pass = std::make_shared<RecordedPass>();
    pass->policy = policy_;
    pass->before = state_;
    pass->summary = std::move(summary);
    pass->pods = std::move(pods);
    if (threshold) {
      const Signal signal = policy_->thresholds[*threshold].signal;
      pass->pace = PaceInput{.signal = signal, .kubelet_decides = pace_.KubeletDecides(now_)};
      if (!by_clock) pass->pace->next_by_clock = next_pass_;
    }
    std::vector<const PodFacts*> active;
    for (const auto& facts : pass->pods) active.push_back(facts.get());
    Effects effects;
    NodePorts ports{.killer = effects, .reclaimer = effects, .summaries = effects};
    EvictionState state = state_;
    pass->report = RunPass(
        *policy_, {.now = now_, .summary = pass->summary, .pods = active, .pace = pass->pace},
        ports, state);
    if (!by_clock && pass->report.evictions.empty() && pass->report.pause) return;
    state_ = state;
    known_ = pass->report.evaluation.met;
    may_let_back_ = true;
    for (const EvictionRecord& eviction : pass->report.evictions) Evict(eviction);
    pass->number = ++passes_;
    items_.emplace_back(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }

  void Evict(const EvictionRecord& eviction) {
    const auto life = std::ranges::find_if(
        lives_, [&](const Life& each) { return each.facts->pod.uid == eviction.order.pod_uid; });
    life->gone = now_ + std::chrono::milliseconds(100);
    life->due = *life->gone + life->backoff;
    life->backoff = std::min<Duration>(life->backoff * 2, std::chrono::minutes(5));
    evictions_.push_back({eviction.order.pod_uid, now_});
    pace_.Evicted(eviction.order.grace_period_seconds <= 1, now_);
    gone_ = std::max(gone_.value_or(*life->gone), *life->gone);
  }

  void LetBack() {
    if (!may_let_back_ || state_.met.any()) return;
    std::vector<Life*> away;
    std::vector<WaitingPod> waiting;
    for (Life& life : lives_) {
      if (life.there) continue;
      away.push_back(&life);
      waiting.push_back(
          {.name = life.spec.name,
           .priority = life.spec.priority,
           .due = life.due,
           .admitted = Admit(life.facts->pod, state_.conditions, Profile::kStandalone).admit});
    }
    const auto next = NextToComeBack(waiting);
    if (!next || waiting[*next].due > now_) return;
    Life* const first = away[*next];
    first->there = true;
    first->gone.reset();
    first->started = now_ + std::chrono::milliseconds(200);
    may_let_back_ = false;
  }

  std::shared_ptr<const PassPolicy> policy_;
  std::vector<Life> lives_;
  EvictionState state_;
  ThresholdSet known_;
  EvictionPace pace_;
  std::optional<Instant> gone_;  // the last of the pods that are awaited
  Instant now_{std::chrono::hours(24)};
  Instant next_pass_{std::chrono::hours(24)};
  std::uint64_t passes_ = 0;
  bool may_let_back_ = false;
  std::vector<RecordedItem> items_;
  std::vector<Evicted> evictions_;
};

// A policy with one hard threshold on memory.available.
inline PassPolicy HardAt(std::int64_t mib, Duration transition = std::chrono::seconds(30)) {
  PassPolicy policy;
  policy.thresholds = {{.signal = Signal::kMemoryAvailable, .value = Quantity::Of(mib * kMiB)}};
  policy.pressure_transition_period = transition;
  policy.local_storage_capacity_isolation = false;
  return policy;
}

inline CandidatePolicy Candidate(std::string name, PassPolicy policy) {
  return {.name = std::move(name),
          .policy_for = [policy = std::move(policy)](const PassPolicy&) { return policy; }};
}

inline CandidatePolicy InForce() {
  return {.name = "in force", .policy_for = {}};
}

}  // namespace jettison
