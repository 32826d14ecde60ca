// What a pass reads of pods, in real control groups of this kernel: what has been read once is not
// opened again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/figures/stats_collector.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"
#include "ports/fakes/scarcity.h"

namespace jettison {
namespace {

// A container runtime that names groups by IDs as long as containerd's, and has one pod of somebody
// else, which lies elsewhere.
class RuntimeWithLongNames : public FakeRuntime {
 public:
  [[nodiscard]] std::string_view GroupOf(const std::string& pod_uid,
                                         const std::string& container) const override {
    return names.at(pod_uid).at(container);
  }
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(
      const std::string& pod_uid) const override {
    return pod_uid == "foreign" ? foreign : none;
  }

  std::map<std::string, std::map<std::string, std::string>> names;  // by pod, then container
  std::vector<std::string> foreign;
  const std::vector<std::string> none;
};

// A node with three pods of two containers, below a group of this test's own.
class LiveReading : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    const auto host = OpenHostCgroups({});
    ASSERT_TRUE(host) << host.error().message;
    ASSERT_TRUE((*host)->Create(node_, {.memory_bytes = std::uint64_t{1} << 30}));
    auto opened = OpenHostCgroups({.node_cgroup = node_});
    ASSERT_TRUE(opened) << opened.error().message;
    groups_ = std::move(*opened);
  }
  void TearDown() override {
    if (!groups_) return;
    for (const std::string& group : {std::string(kernel::kPodsGroup), std::string("others")}) {
      EXPECT_TRUE(groups_->Remove(group));
    }
    groups_.reset();
    const auto host = OpenHostCgroups({});
    EXPECT_TRUE(host && (*host)->Remove(node_));
  }

  // Adds a pod whose containers' groups are called `prefix` and their names.
  void AddPod(const std::string& uid, const std::string& prefix = "") {
    Pod pod;
    pod.uid = uid;
    pod.name = "a-pod-with-a-long-name-" + uid;
    const bool foreign = uid == "foreign";
    for (const std::string name : {"first", "a-container-with-a-long-name"}) {
      pod.containers.emplace_back().name = name;
      const std::string group = foreign ? "others" : kernel::PodGroup(QosClass::kBestEffort, uid);
      ASSERT_TRUE(groups_->Create(kernel::ContainerGroup(group, prefix + name), {}));
      runtime_.names[uid][name] = foreign ? "others/" + prefix + name : prefix + name;
      if (foreign) runtime_.foreign.push_back("others/" + prefix + name);
    }
    pods_.push_back(FactsOf(std::move(pod), Profile::kStandalone));
  }

  [[nodiscard]] FigureSources Sources(const ContainerRuntime* runtime) {
    return {.node = *groups_,
            .pods = *groups_,
            .procfs = procfs_.value(),
            .whole_machine = false,
            .node_fs = "/",
            .runtime = runtime};
  }
  [[nodiscard]] std::vector<const PodFacts*> Pods() const {
    std::vector<const PodFacts*> pods;
    for (const PodFacts& facts : pods_) pods.push_back(&facts);
    return pods;
  }

  const Result<Procfs> procfs_ = Procfs::Open();
  const std::string node_ = "jettison-reading-" + std::to_string(::getpid());
  const FakeClock clock_{Instant(std::chrono::hours(1))};
  const Log log_{LogFormat::kText, clock_, [](std::string_view line) { ADD_FAILURE() << line; }};
  std::unique_ptr<Cgroups> groups_;
  RuntimeWithLongNames runtime_;
  std::vector<PodFacts> pods_;
};

// So that a pod is not passed over where the process has no descriptor left.
TEST_F(LiveReading, WhatAFullPassHasReadIsReadAgainWithoutADescriptor) {
  const std::string id(64, 'f');
  AddPod("00000000-0000-0000-0000-00000000000a", id);
  AddPod("b");
  AddPod("foreign", id);
  StatsCollector figures(Sources(&runtime_), clock_, log_);
  const std::vector<const PodFacts*> pods = Pods();
  std::vector<PodStats> stats;
  figures.ReadPods(pods, nullptr, stats);
  for (const PodStats& pod : stats) {
    EXPECT_TRUE(pod.containers.at(1).memory_working_set_bytes) << pod.uid;
  }
  const ScarceDescriptors none;
  figures.ReadMemoryOf(pods, stats);
  for (const PodStats& pod : stats) EXPECT_TRUE(pod.memory_working_set_bytes) << pod.uid;
}

}  // namespace
}  // namespace jettison
