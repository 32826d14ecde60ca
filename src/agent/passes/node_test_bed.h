#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/passes/node.h"
#include "agent/pods/testing/wanted_pods.h"
#include "ports/clock.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {

inline constexpr std::uint64_t kMi = 1 << 20;

inline Pod PodNamed(const std::string& name) {
  Pod pod;
  pod.name = name;
  pod.uid = name;
  pod.containers.emplace_back().name = "c";
  return pod;
}

// Figures as the test sets them.
class FakeFigures : public Figures {
 public:
  explicit FakeFigures(const Clock& clock) : clock_(clock) {}

  NodeStats ReadNode() override {
    ++looks;
    NodeStats stats = node;
    if (stats.memory) stats.memory->time = clock_.Now();
    if (stats.pods_memory) stats.pods_memory->time = clock_.Now();
    if (stats.fs) stats.fs->time = clock_.Now();
    if (stats.rlimit) stats.rlimit->time = clock_.Now();
    if (stats.swap) stats.swap->time = clock_.Now();
    if (stats.memory_pressure) stats.memory_pressure->time = clock_.Now();
    return stats;
  }
  void AfterFullPass() override {}
  void ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                std::vector<PodStats>& stats) override {
    stats.clear();
    for (const PodFacts* facts : pods) {
      PodStats& pod = stats.emplace_back();
      pod.uid = facts->pod.uid;
      pod.has_memory = true;
      pod.memory_working_set_bytes = memory[facts->pod.name];
      if (tasks.contains(facts->pod.name)) pod.process_count = tasks[facts->pod.name];
      if (swap.contains(facts->pod.name)) pod.swap_bytes = swap[facts->pod.name];
      if (disk == nullptr) continue;
      const auto use = disk->find(pod.uid);
      if (use == disk->end()) continue;
      pod.ephemeral_storage = use->second.total;
      pod.volumes = use->second.volumes;
      for (const auto& container : use->second.containers) {
        pod.containers.push_back(
            {.name = container.name, .rootfs = container.rootfs, .logs = container.logs});
      }
    }
  }
  void ReadMemoryOf(std::span<const PodFacts* const> pods, std::vector<PodStats>& stats) override {
    ReadPods(pods, nullptr, stats);
  }
  void ReadContainersOf(const PodFacts& pod, PodStats& stats) override {
    stats.containers.resize(1);
    stats.containers[0].name = pod.pod.containers[0].name;
    stats.containers[0].memory_working_set_bytes = memory[pod.pod.name];
  }
  void ForgetOthers(std::span<const PodFacts* const> /*pods*/) override {}
  void SetAvailable(std::uint64_t mi, std::uint64_t inactive_mi = 0) {
    node.memory = MemoryStats{.time = std::nullopt,
                              .available_bytes = mi * kMi,
                              .usage_bytes = (500 - mi + inactive_mi) * kMi,
                              .working_set_bytes = (500 - mi) * kMi};
  }

  NodeStats node;
  // Lost to waiting for memory in the last ten seconds, hundredths of a percent.
  void SetStalls(std::int32_t share) {
    node.memory_pressure = PressureStats{.some = {.avg10 = share}};
  }

  int looks = 0;                                // at the node
  std::map<std::string, std::uint64_t> memory;  // by pod name
  std::map<std::string, std::uint64_t> swap;    // the same
  std::map<std::string, std::uint64_t> tasks;   // the same

 private:
  const Clock& clock_;
};

class FakeWalks : public DiskWalks {
 public:
  void Start(std::span<const PodFacts* const>, bool) override { ++started; }
  void SetUrgent(bool urgent) override { is_urgent = urgent; }
  DiskUse LastKnown() override { return known; }
  std::optional<Instant> UnreadUntil() override { return unread_until; }
  void Forget(const std::string& pod_uid) override { known.erase(pod_uid); }
  int started = 0;
  bool is_urgent = false;
  DiskUse known;
  std::optional<Instant> unread_until;
};

// Done at once, or under way until the test says that it is over.
class FakeReclaimer : public LastingReclaimer {
 public:
  Result<ReclaimProgress> DeleteDeadContainers() override {
    asked.emplace_back("containers");
    return ReclaimProgress::kDone;
  }
  Result<ReclaimProgress> DeleteUnusedImages() override {
    asked.emplace_back("images");
    if (!lasting || over) return ReclaimProgress::kDone;
    under_way = true;
    return ReclaimProgress::kUnderWay;
  }
  void Advance(Instant) override {}
  std::optional<Instant> NextDeadline() const override { return std::nullopt; }
  bool UnderWay() const override { return under_way; }
  void Forget() override { over = false; }
  void End() {
    under_way = false;
    over = true;
  }

  bool lasting = false;
  bool under_way = false;
  bool over = false;  // and not forgotten
  std::vector<std::string> asked;
};

inline Threshold Of(Signal signal, std::uint64_t mi, int grace_seconds = 0) {
  return {.signal = signal,
          .value = Quantity::Of(static_cast<std::int64_t>(mi * kMi)),
          .grace_period = std::chrono::seconds(grace_seconds),
          .min_reclaim = std::nullopt};
}

// Hard memory at 100Mi, soft at 200Mi for 60 s, hard nodefs at 50Mi; two pods, "hog" the larger.
class NodeTestBed : public testing::Test {
 protected:
  NodeTestBed() {
    figures_.SetAvailable(400);
    figures_.node.fs =
        FsStats{.time = std::nullopt, .available_bytes = 1000 * kMi, .capacity_bytes = 2000 * kMi};
    figures_.memory = {{"hog", 300 * kMi}, {"idle", kMi}};
  }
  void MakeNode(bool dry_run = false) {
    dependencies_.soft = soft_;
    dependencies_.dry_run = dry_run;
    node_ = std::make_unique<Node>(
        NodeSettings{.policy = {.thresholds = thresholds_,
                                .pressure_transition_period = std::chrono::seconds(30),
                                .max_pod_grace_period_seconds = 20,
                                .hard_first = soft_ != nullptr},
                     .layout_known = layout_known_,
                     .monitoring_interval = std::chrono::seconds(10),
                     .walk_serves = walk_serves_,
                     .memory_notifications = notified_,
                     .record_passes = record_passes_},
        NodeDependencies{.clock = clock_,
                         .figures = figures_,
                         .disk_walks = walks_,
                         .pods = pods_,
                         .reclaimer = reclaimer_,
                         .events = events_,
                         .log = log_,
                         .arm = [this](auto levels) { armed_.push_back(std::move(levels)); },
                         .sweep_groups = [this] { ++collections_; },
                         .on_full_pass = [this] { ++full_passes_; },
                         .on_pass =
                             [this](const auto& pass) {
                               if (!pass->report.evictions.empty()) evictions_.push_back(pass);
                             },
                         .soft = soft_,
                         .listeners = listeners_});
  }
  void Start(bool dry_run = false, std::optional<DiskLayout> layout = {}) {
    MakeNode(dry_run);
    if (layout) {
      node_->SetLayout(*layout,
                       {Of(Signal::kNodeFsAvailable, 50), Of(Signal::kImageFsAvailable, 50)});
    }
    node_->Begin();
    pods_.SetWanted(WantedPods(wanted_), clock_.Now());
    Deliver();
    node_->DiskMeasured(disk_);
    runtime_.TakeCommands();
    lines_.clear();
  }
  void Deliver() {
    for (auto told = runtime_.TakeEvents(); !told.empty(); told = runtime_.TakeEvents()) {
      for (const RuntimeEvent& event : told) pods_.Handle(event, clock_.Now());
    }
    node_->Advance();
  }
  void Pass(Duration time) {
    clock_.Advance(time);
    runtime_.SetNow(clock_.Now());
    node_->Advance();
    Deliver();
  }
  // A full pass at the next interval.
  void FullPass() {
    Pass(std::chrono::seconds(10));
    Measure();
  }
  // Steps from deadline to deadline of the node's own for `time`; returns their number.
  int Turn(Duration time) {
    const Instant end = clock_.Now() + time;
    int turns = 0;
    for (auto next = node_->NextDeadline(); next && *next <= end; next = node_->NextDeadline()) {
      Pass(std::max(*next - clock_.Now(), Duration{1}));
      Measure();
      ++turns;
    }
    clock_.Advance(end - clock_.Now());
    return turns;
  }
  // Disk pressure, and a reclaim of it that takes its time.
  void StartLastingReclaim() {
    reclaimer_.lasting = true;
    figures_.node.fs->available_bytes = 49 * kMi;
    disk_["hog"].total = {.used_bytes = 30 * kMi, .inodes_used = 3};
    disk_["hog"].containers = {{.name = "c", .rootfs = {}, .logs = disk_["hog"].total}};
    FullPass();
  }
  void Crossed() { node_->Look(Node::Wakeup::kMemoryLevel); }
  // After three seconds so many MiB are left, and the kernel says so.
  void MemoryFallsTo(std::uint64_t mi) {
    figures_.SetAvailable(mi);
    Pass(std::chrono::seconds(3));
    Crossed();
  }
  // A hard threshold at 100 of 1,000 process ids, of which 100 are taken.
  void WatchProcessIds(std::uint64_t of_hog, std::uint64_t of_idle) {
    thresholds_.push_back({.signal = Signal::kPidAvailable, .value = Quantity::Of(100)});
    figures_.node.rlimit = RlimitStats{.max_pid = 1000, .running = 100};
    figures_.tasks = {{"hog", of_hog}, {"idle", of_idle}};
  }
  // The last pass has evicted a pod for the signal, and decides the same by its record.
  void ExpectEvictedFor(Signal signal) const {
    ASSERT_FALSE(evictions_.empty());
    const RecordedPass& pass = *evictions_.back();
    ASSERT_TRUE(pass.report.acting_for);
    EXPECT_EQ(pass.report.acting_for->signal, signal);
    const std::vector<ActivePod> pods = JoinStats(PointersTo(pass.pods), pass.summary);
    const PassDecision again = DecidePass(
        *pass.policy, PlanReading(*pass.policy, pass.before, pass.summary.node, pass.report.at),
        pods, pass.pace);
    ASSERT_TRUE(again.decision.victim);
    EXPECT_EQ(pass.policy->thresholds[*again.decision.threshold].signal, signal);
    EXPECT_EQ(pass.pods[*again.decision.victim]->pod.uid,
              pass.report.evictions.front().order.pod_uid);
    EXPECT_FALSE(again.pause);
  }
  // The walk is back, with figures of this moment where the test gives no other.
  void Measure() {
    DiskUse disk = disk_;
    for (auto& [uid, use] : disk) {
      if (use.measured_at == Instant{}) use.measured_at = clock_.Now();
    }
    node_->DiskMeasured(disk);
  }

  FakeClock clock_{Instant(std::chrono::hours(1))};
  FakeRuntime runtime_;
  FakeFigures figures_{clock_};
  FakeWalks walks_;
  Duration walk_serves_{0};
  bool layout_known_ = true;
  std::vector<std::vector<MemoryLevel>> armed_;  // of which the kernel was asked to notify
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  EventLog events_{log_, 100};
  WorkerDependencies dependencies_{runtime_, events_, log_, 500 * kMi};
  PodTable pods_{Profile::kStandalone, kComeBackRule, dependencies_};
  FakeReclaimer reclaimer_;
  SoftEvictions* soft_ = nullptr;  // who is asked; null: nobody
  std::vector<NodeListener*> listeners_;
  std::vector<Threshold> thresholds_ = {Of(Signal::kMemoryAvailable, 100),
                                        Of(Signal::kMemoryAvailable, 200, 60),
                                        Of(Signal::kNodeFsAvailable, 50)};
  std::vector<Pod> wanted_ = {PodNamed("hog"), PodNamed("idle")};
  bool notified_ = true;
  bool record_passes_ = false;
  std::vector<std::shared_ptr<const RecordedPass>> evictions_;
  DiskUse disk_;
  int collections_ = 0;  // of what is left of pods that are gone
  int full_passes_ = 0;
  std::unique_ptr<Node> node_;
};

}  // namespace jettison
