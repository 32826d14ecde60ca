#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "kernel/groups/plain_plan.h"
#include "kernel/processes/host_processes.h"
#include "kernel/processes/proc_files.h"
#include "machine/host_cgroups.h"
#include "machine/pods/open_sources.h"
#include "ports/fakes/fake_clock.h"
#include "rpc/client.h"
#include "runtimes/cri/cri_runtime.h"
#include "runtimes/cri/test_bed/containerd_remains.h"
#include "runtimes/cri/test_bed/event_reader.h"
#include "runtimes/cri/test_bed/live_containerd.h"
#include "runtimes/cri/values/plain_pod.h"

namespace jettison::cri {

// An agent's runtime that looks after the pods of others, on a containerd of its own.
class LiveForeignBed : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    auto host = OpenHostCgroups({});
    if (!host) GTEST_SKIP() << host.error().message;
    auto bed = LiveContainerd::Start();
    ASSERT_TRUE(bed) << bed.error().message;
    bed_ = std::move(*bed);
    ASSERT_TRUE((*host)->Create(bed_->group(), {}));
    auto node = OpenHostCgroups({.node_cgroup = bed_->group()});
    ASSERT_TRUE(node) << node.error().message;
    cgroups_ = std::move(*node);
    auto calls = Connect(bed_->endpoint());
    ASSERT_TRUE(calls) << calls.error().message;
    CriRuntimeOptions options{
        .root = folder_.path(),
        .cgroup_prefix = "/" + bed_->group(),
        .written_pods = std::make_shared<pod_host::PodsByUid>(known_),
        .relist_period = std::chrono::milliseconds(100),
        .log = [this](std::string_view message) { logged_.emplace_back(message); }};
    Calls& shared = **calls;
    auto own = OpenCriRuntime(options, std::move(*calls), *cgroups_, *cgroups_, clock_);
    ASSERT_TRUE(own) << own.error().message;
    auto all = WithPodsOfOthers(std::move(*own), {.calls = shared,
                                                  .options = options,
                                                  .adopt = true,
                                                  .processes = std::make_unique<HostProcesses>(),
                                                  .cgroups = *cgroups_,
                                                  .group_end = *cgroups_,
                                                  .clock = clock_});
    ASSERT_TRUE(all) << all.error().message;
    runtime_ = std::move(*all);
  }
  void TearDown() override {
    if (!bed_) return;
    runtime_.reset();
    cgroups_.reset();
    const std::string folder = bed_->folder();
    const std::string group = bed_->group();
    bed_.reset();
    EXPECT_THAT(ProcessesOf(folder), testing::IsEmpty());
    EXPECT_THAT(GroupsNamed(group), testing::IsEmpty());
  }

  // Whether a process of the group handles TERM, which is waited for: process 1 of a container does
  // not get a signal that it has no handler for.
  [[nodiscard]] bool HandlesTerm(const std::string& group) {
    for (int i = 0; i < 2000; ++i) {
      for (const pid_t pid : cgroups_->Processes(group).value_or(std::vector<pid_t>{})) {
        const std::string folder = "/proc/" + std::to_string(pid);
        const auto status = pod_host::ReadFile(folder + "/status");
        const std::size_t at = status ? status->find("SigCgt:") : std::string::npos;
        // What runs before the program handles every signal, and does nothing with it.
        const bool is_program = !IsPrepared(pod_host::ReadFile(folder + "/stat").value_or(""));
        if (at == std::string::npos || !is_program) continue;
        const auto caught = std::stoull(status->substr(at + 7), nullptr, 16);
        if ((caught >> (SIGTERM - 1) & 1U) != 0) return true;
      }
      ::usleep(10'000);
    }
    return false;
  }
  [[nodiscard]] ContainerRuntime& runtime() { return *runtime_; }
  template <typename Event>
  [[nodiscard]] const Event* Await(const std::string& uid,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    return events_.Await<Event>(*runtime_, uid, timeout);
  }

  pod_host::TemporaryFolder folder_;
  FakeClock clock_{Instant(std::chrono::seconds(100))};
  std::unique_ptr<LiveContainerd> bed_;
  std::unique_ptr<Cgroups> cgroups_;
  std::unique_ptr<ContainerRuntime> runtime_;
  const std::map<std::string, Pod> known_;  // none
  std::vector<std::string> logged_;
  EventReader events_;
};

}  // namespace jettison::cri
