#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/choices.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/processes/processes.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/pods/pods_of_node.h"
#include "rpc/client.h"
#include "runtimes/cri/cri_runtime.h"
#include "runtimes/cri/test_bed/fake_runtime_bed.h"
#include "runtimes/cri/test_bed/live_containerd.h"

namespace jettison::cri {

// A pod whose container runs the test program.
inline Pod TestPod(const std::string& uid, std::vector<std::string> arguments = {"pause"}) {
  Pod pod = SimplePod(uid);
  pod.containers[0].image = LiveContainerd::kTestImage;
  pod.containers[0].image_pull_policy = PullPolicy::kNever;
  pod.containers[0].args = std::move(arguments);
  return pod;
}

inline constexpr kernel::LimitSettings kLimitSettings{.pod_pids_limit = 1000};

// The runtime on a containerd of its own, with real processes in real control groups.
class LiveCriRuntime : public testing::Test, public DrivenRuntime {
 protected:
  using DrivenRuntime::Run;

  LiveCriRuntime() {
    limits = kLimitSettings;
    oom_score_adj = 500;
  }
  void SetUp() override { Begin(CgroupDriver::kCgroupfs); }
  // The node is a group of its own, with systemd the whole machine: systemd knows no other.
  void Begin(CgroupDriver driver) {
    if (const auto obstacle = LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    auto host = OpenHostCgroups({});
    if (!host) GTEST_SKIP() << host.error().message;
    driver_ = driver;
    auto bed = LiveContainerd::Start({.cgroup_driver = driver});
    ASSERT_TRUE(bed) << bed.error().message;
    bed_ = std::move(*bed);
    if (driver == CgroupDriver::kCgroupfs) {
      node_ = bed_->group();
      const auto made = (*host)->Create(node_, {});
      ASSERT_TRUE(made) << made.error().message;
    }
    auto node = OpenHostCgroups({.node_cgroup = node_});
    ASSERT_TRUE(node) << node.error().message;
    cgroups_ = std::move(*node);
    Open();
  }
  void TearDown() override {
    if (!bed_) return;
    Close();
    cgroups_.reset();
    const std::string folder = bed_->folder();
    const std::string group = bed_->group();
    bed_.reset();
    EXPECT_THAT(ProcessesOf(folder), testing::IsEmpty());
    EXPECT_THAT(GroupsNamed(group), testing::IsEmpty());
    EXPECT_THAT(kernel::MountsBelow(root()).value(), testing::IsEmpty());
  }

  // Begins anew, as a restarted agent does.
  void Open() {
    Close();
    auto calls = Connect(bed_->endpoint());
    ASSERT_TRUE(calls) << calls.error().message;
    CriRuntimeOptions options{
        {.root = root(),
         .written_pods = std::make_shared<kernel::PodsByUid>(known, kLimitSettings),
         .cgroup_driver = driver_,
         .log_max_bytes = log_max_bytes_,
         .log_max_files = 4,
         .log_period = std::chrono::milliseconds(100),
         .log = [this](std::string_view message) { logged.emplace_back(message); }},
        node_.empty() ? "" : "/" + node_};
    options.relist_period = std::chrono::milliseconds(200);
    Calls& shared = **calls;
    auto own = OpenCriRuntime(options, std::move(*calls), *cgroups_, *cgroups_, clock_);
    ASSERT_TRUE(own) << own.error().message;
    auto all = WithForeignPods(std::move(*own), {.calls = shared,
                                                 .options = options,
                                                 .adopt = adopt_foreign_,
                                                 .processes = std::make_unique<HostProcesses>(),
                                                 .cgroups = *cgroups_,
                                                 .group_end = *cgroups_,
                                                 .clock = clock_});
    ASSERT_TRUE(all) << all.error().message;
    runtime_ = std::move(*all);
  }
  [[nodiscard]] std::string GroupOf(const Pod& pod) const {
    return kernel::PodGroup(QosClass::kBurstable, pod.uid, driver_);
  }
  [[nodiscard]] const std::string& root() const { return folder_.path(); }
  // What a run has printed.
  [[nodiscard]] std::string LogOf(const Pod& pod, int attempt = 0,
                                  const std::string& name = "main") const {
    return kernel::ReadFile(kernel::Paths(root()).Log(pod, name, attempt)).value_or("no log");
  }
  [[nodiscard]] int ContainersInContainerd() {
    const auto listed = bed_->Await<api::ListContainersResponse>([&](auto answer) {
      bed_->calls().Make(kListContainers, {}, std::chrono::seconds(10), std::move(answer));
    });
    return listed ? listed->containers_size() : -1;
  }
  [[nodiscard]] std::vector<pid_t> ProcessesIn(const Pod& pod) {
    return cgroups_->Processes(GroupOf(pod)).value_or(std::vector<pid_t>{});
  }
  // What the kernel's file of a group says; the names of the files are of both versions.
  [[nodiscard]] std::string SettingOf(const std::string& group,
                                      const std::vector<std::string>& files) const {
    const std::string path = node_ + "/" + group;
    for (const std::string& folder : GroupsNamed(path)) {
      if (!folder.ends_with("/" + path)) continue;
      for (const std::string& file : files) {
        if (const auto text = kernel::ReadFile(folder + "/" + file)) return *text;
      }
    }
    return "no such file";
  }
  // A pod that asks for half a CPU and may use this much memory, as ExpectLimits looks for.
  [[nodiscard]] static Pod LimitedPod(const std::string& uid,
                                      std::vector<std::string> arguments = {"pause"}) {
    Pod pod = TestPod(uid, std::move(arguments));
    pod.containers[0].resources = {.requests = {{"cpu", *Quantity::Parse("500m")}},
                                   .limits = {{"memory", *Quantity::Parse("32Mi")}}};
    return pod;
  }
  // What was read, or a failure that says why nothing was.
  template <typename T>
  [[nodiscard]] static T Read(const Result<T>& result) {
    if (!result) ADD_FAILURE() << result.error().message;
    return result.value_or(T{});
  }
  // The limits of the pod and of its container are in force, and read where the kernel has them.
  void ExpectLimits(const Pod& pod) {
    const std::optional<std::uint64_t> memory = 32U << 20;
    const std::string group = GroupOf(pod);
    const std::string container = kernel::ContainerGroup(group, runtime().GroupOf(pod.uid, "main"));
    EXPECT_EQ(Read(cgroups_->ReadMemoryLimit(group)), memory);
    EXPECT_EQ(Read(cgroups_->ReadMemoryLimit(container)), memory);
    EXPECT_GT(Read(cgroups_->ReadMemory(container)).usage, 0U);
    EXPECT_GE(Read(cgroups_->ReadPids(group)), 2U);
    EXPECT_EQ(SettingOf(group, {"pids.max"}), "1000\n");
    EXPECT_THAT(SettingOf(group, {"cpu.weight", "cpu.shares"}), testing::AnyOf("59\n", "512\n"));
    for (const pid_t pid : Read(cgroups_->Processes(container))) {
      EXPECT_EQ(Read(kernel::ReadFile("/proc/" + std::to_string(pid) + "/oom_score_adj")), "500\n");
    }
  }
  // Removes the pod and looks for what is left of it anywhere.
  void RemoveAndLookForRemains(const Pod& pod) {
    runtime().RemovePod(pod.uid);
    ASSERT_NE(Await<PodRemoved>(pod.uid), nullptr) << Said();
    EXPECT_THAT(GroupsNamed(node_ + "/" + GroupOf(pod)), testing::IsEmpty());
    EXPECT_THAT(*kernel::NamesIn(root() + "/pods"), testing::IsEmpty());
    EXPECT_THAT(*kernel::NamesIn(root() + "/logs"), testing::IsEmpty());
    EXPECT_THAT(kernel::MountsBelow(root()).value(), testing::IsEmpty());
    const auto left = bed_->Await<api::ListPodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kListPodSandbox, api::ListPodSandboxRequest(), std::chrono::seconds(10),
                         std::move(answer));
    });
    ASSERT_TRUE(left);
    EXPECT_EQ(left->items_size(), 0);
  }

  kernel::TemporaryFolder folder_;
  RealClock clock_;
  std::unique_ptr<LiveContainerd> bed_;
  CgroupDriver driver_ = CgroupDriver::kCgroupfs;
  std::string node_;  // its group, without leading slash
  std::unique_ptr<Cgroups> cgroups_;
  bool adopt_foreign_ = false;
  std::optional<std::int64_t> log_max_bytes_;
};

}  // namespace jettison::cri
