// Stalls and swap that are real, from the kernel's files to the pod that is chosen.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/swap.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agent/figures/stats_collector.h"
#include "agent/wake/memory_watch.h"
#include "core/decide/ranking.h"
#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/loop/steady_clock.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/join_group.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::Gt;
using testing::IsEmpty;
using testing::Lt;
using testing::Not;
using testing::SizeIs;

constexpr std::uint64_t kMiB = 1 << 20;
constexpr Duration kPatience = seconds(120);

// A node that is a group, with the best-effort pods "starved" and "calm".
class LivePressure : public testing::Test {
 protected:
  void SetUp() override {
    auto root = OpenHostCgroups({.remove_patience = std::chrono::seconds(60)});
    ASSERT_TRUE(root) << root.error().message;
    root_ = std::move(*root);
    ASSERT_TRUE(root_->Create(kNode, {}));
    auto groups = OpenHostCgroups({.node_cgroup = kNode});
    ASSERT_TRUE(groups) << groups.error().message;
    groups_ = std::move(*groups);
    for (const char* name : {"starved", "calm"}) {
      Pod pod;
      pod.uid = pod.name = name;
      facts_.push_back(std::make_unique<PodFacts>(FactsOf(pod, Profile::kStandalone)));
      pods_.push_back(facts_.back().get());
      ASSERT_TRUE(groups_->Create(GroupOf(name), {}));
    }
  }
  void TearDown() override {
    children_.clear();
    if (!root_) return;
    EXPECT_TRUE(root_->Remove(kNode));
  }
  static std::string GroupOf(std::string_view pod) {
    return kernel::PodGroup(QosClass::kBestEffort, pod, CgroupDriver::kCgroupfs);
  }
  // From now on the pod's processes wait whenever it has more.
  static void SetMemoryHigh(std::string_view pod, std::uint64_t bytes) {
    std::ofstream file("/sys/fs/cgroup/" + std::string(kNode) + "/" + GroupOf(pod) +
                       "/memory.high");
    file << bytes << std::flush;
    ASSERT_TRUE(file.good());
  }
  // A process of the pod that does this until the end of the test.
  ChildProcess& Run(const char* pod,
                    const std::function<void(const std::function<void()>&)>& body) {
    children_.push_back(std::make_unique<ChildProcess>(body));
    EXPECT_TRUE(JoinGroup(*groups_, GroupOf(pod), children_.back()->pid()));
    children_.back()->Start();
    return *children_.back();
  }
  void Hold(const char* pod, std::uint64_t bytes) {
    EXPECT_TRUE(Run(pod, [bytes](const auto& ready) {
                  TouchMemory(bytes);
                  ready();
                  SleepForever();
                }).AwaitReady());
  }
  std::unique_ptr<StatsCollector> Watch(const Threshold& threshold) {
    thresholds_ = {threshold};
    return std::make_unique<StatsCollector>(FigureSources{.node = *groups_,
                                                          .pods = *groups_,
                                                          .procfs = procfs_,
                                                          .whole_machine = false,
                                                          .node_fs = "/",
                                                          .thresholds = thresholds_},
                                            clock_, log_);
  }
  [[nodiscard]] bool IsMet(const NodeStats& node) const {
    return ThresholdsMet(thresholds_, ObservationsFrom({.node = node, .pods = {}}), false).any();
  }
  // The pod that would go.
  std::string Victim(StatsCollector& figures) {
    Summary summary;
    summary.node = figures.ReadNode();
    figures.ReadPods(pods_, nullptr, summary.pods);
    const std::vector<ActivePod> joined = JoinStats(pods_, summary);
    const auto victim = FirstVictim(joined, thresholds_.front().signal, {});
    return victim ? pods_[*victim]->pod.name : "nobody";
  }
  // The same once the threshold is met; `wait` is called between two readings.
  std::string VictimOnceMet(StatsCollector& figures, const std::function<void()>& wait) {
    const Instant began = clock_.Now();
    bool met = IsMet(figures.ReadNode());
    for (; !met && clock_.Now() - began < kPatience; met = IsMet(figures.ReadNode())) wait();
    return met ? Victim(figures) : "nobody: the threshold is not met";
  }
  std::vector<psi::PressureTrigger> Open() {
    return OpenTriggers(
        {.node = *groups_, .pods = *groups_, .pods_group = "none", .whole_machine = false},
        thresholds_, log_);
  }

  static constexpr const char* kNode = "jettison-pressure";
  const kernel::TemporaryFolder folder_;
  SteadyClock clock_;
  Log log_{LogFormat::kText, clock_,
           [](std::string_view line) { puts(std::string(line).c_str()); }};
  Procfs procfs_ = Procfs::Open().value();
  std::unique_ptr<Cgroups> root_;
  std::unique_ptr<Cgroups> groups_;
  std::vector<std::unique_ptr<PodFacts>> facts_;
  std::vector<const PodFacts*> pods_;
  std::vector<std::unique_ptr<ChildProcess>> children_;
  std::vector<Threshold> thresholds_;
};

// Looks as the agent does: when the kernel tells of stalls, and each half second.
TEST_F(LivePressure, WhoeverWaitsForMemoryRaisesTheAverageAndTheLargestPodGoes) {
  constexpr std::int32_t kShare = 2000;
  const auto figures = Watch(
      {.signal = Signal::kMemoryPressureSomeAvg10, .value = LeftOf(kShare), .min_reclaim = {}});
  const auto alarms = Open();
  ASSERT_THAT(alarms, Not(IsEmpty()));
  NodeStats node = figures->ReadNode();
  ASSERT_TRUE(node.memory_pressure && !IsMet(node)) << "at rest";
  Hold("calm", 2 * kMiB);
  SetMemoryHigh("starved", 8 * kMiB);
  Run("starved", [](const auto&) {
    TouchMemory(64 * kMiB);
    SleepForever();
  });
  int told = 0;
  EXPECT_EQ(VictimOnceMet(*figures,
                          [&] {
                            pollfd poll{.fd = alarms.front().fd(), .events = POLLPRI, .revents = 0};
                            if (::poll(&poll, 1, 500) > 0) ++told;
                          }),
            "starved");
  EXPECT_THAT(told, Gt(0));
}

TEST_F(LivePressure, WhoWaitsForADiskGoesForIt) {
  const auto figures =
      Watch({.signal = Signal::kIoPressureSomeAvg10, .value = LeftOf(100), .min_reclaim = {}});
  const auto alarms = Open();
  ASSERT_THAT(alarms, SizeIs(2)) << "of memory and of I/O";
  Hold("calm", 32 * kMiB);
  Run("starved", [this](const auto&) {
    const FileDescriptor file(
        ::open((folder_.path() + "/file").c_str(), O_RDWR | O_CREAT | O_DSYNC | O_CLOEXEC, 0600));
    const std::array<char, 4096> block{};
    while (::pwrite(file.get(), block.data(), block.size(), 0) > 0) {
    }
    SleepForever();
  });
  EXPECT_EQ(VictimOnceMet(*figures, [] { ::poll(nullptr, 0, 500); }), "starved");
}

// A file as mkswap(8) leaves it, switched on and off.
class SwapFile {
 public:
  explicit SwapFile(std::string path) : path_(std::move(path)) {
    constexpr std::size_t kPage = 4096;
    std::vector<char> content(kBytes);
    struct Header {
      std::uint32_t version;
      std::uint32_t last_page;
    };
    const Header header{.version = 1, .last_page = kBytes / kPage - 1};
    std::memcpy(&content[1024], &header, sizeof header);
    std::memcpy(&content[kPage - 10], "SWAPSPACE2", 10);
    const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const auto written = ::write(file.get(), content.data(), content.size());
    on_ = written == static_cast<ssize_t>(content.size()) && ::fsync(file.get()) == 0 &&
          ::swapon(path_.c_str(), 0) == 0;
  }
  SwapFile(const SwapFile&) = delete;
  SwapFile& operator=(const SwapFile&) = delete;
  ~SwapFile() {
    if (on_) ::swapoff(path_.c_str());
  }
  static constexpr std::uint32_t kBytes = 32 << 20;
  [[nodiscard]] bool on() const { return on_; }

 private:
  std::string path_;
  bool on_ = false;
};

TEST_F(LivePressure, WhoHasSwapGoesWhenItRunsOutThoughAnotherHasMoreMemory) {
  const auto figures = Watch({.signal = Signal::kSwapAvailable,
                              .value = Percentage{0.75F},
                              .grace_period = {},
                              .min_reclaim = {}});
  EXPECT_FALSE(ObservationsFrom({.node = figures->ReadNode(), .pods = {}})[Signal::kSwapAvailable])
      << "a machine without swap";
  const SwapFile swap(folder_.path() + "/swap");
  ASSERT_TRUE(swap.on());
  NodeStats node = figures->ReadNode();
  const auto all = static_cast<std::uint64_t>(
      ObservationsFrom({.node = node, .pods = {}})[Signal::kSwapAvailable]->capacity);
  EXPECT_THAT(all, AllOf(Gt(SwapFile::kBytes - kMiB), Lt(SwapFile::kBytes)));
  EXPECT_FALSE(IsMet(node));
  Hold("calm", 48 * kMiB);
  SetMemoryHigh("starved", 8 * kMiB);
  Hold("starved", 24 * kMiB);
  EXPECT_EQ(VictimOnceMet(*figures, [] { ::poll(nullptr, 0, 100); }), "starved");
  children_.clear();  // or what they have in there is read back before it goes
}

}  // namespace
}  // namespace jettison
