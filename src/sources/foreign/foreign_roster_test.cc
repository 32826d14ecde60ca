#include "sources/foreign/foreign_roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/processes/fake_processes.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A container manager that answers when it is asked, and records its calls.
class FakeContainerKeeper : public ContainerKeeper {
 public:
  explicit FakeContainerKeeper(std::vector<std::string>& heard) : heard_(heard) {}
  void AskHowItStands(Duration, StandingAnswer answer) override {
    answer(ContainerStanding{.state = ContainerStanding::State::kEnded, .end = {.exit_code = 137}});
  }
  void TellToStop(Duration, Duration, Done) override { heard_.emplace_back("stop"); }

 private:
  std::vector<std::string>& heard_;
};

class FakePodKeeper : public PodKeeper {
 public:
  explicit FakePodKeeper(std::vector<std::string>& heard) : heard_(heard) {}
  void Hold() override { heard_.emplace_back("hold"); }
  void TakeDown(Duration, Done done) override {
    heard_.emplace_back("take down");
    done({});
  }
  [[nodiscard]] std::string_view HowItEnds() const override { return "delete the object"; }

 private:
  std::vector<std::string>& heard_;
};

// An example of a new source: it is told the pod directly, and has a container manager of its own
// kind.
class ForeignRosterTest : public testing::Test {
 protected:
  ForeignRosterTest() {
    EXPECT_TRUE(cgroups_.Create("kubepods/podu/c1", {}));
    EXPECT_TRUE(cgroups_.Join("kubepods/podu/c1", 7));
    processes_.Add(7, "0::/kubepods/podu/c1\n", "");
    processes_.on_signal = [this](pid_t pid, int signal) { processes_.End(pid, signal); };
    cgroups_.OnSignal([this](pid_t pid, int signal) {
      if (processes_.Runs(pid)) processes_.End(pid, signal);
    });
  }
  [[nodiscard]] FoundForeignPod Finding(const std::string& key) {
    FoundForeignPod finding{.identity = {.key = key, .name = "web"},
                            .list = "pods of a kubelet",
                            .keeper = std::make_shared<FakePodKeeper>(heard_),
                            .containers = {{.id = "c1", .name = "main", .pid = 7}},
                            .considered = {"c1"}};
    finding.containers[0].group = "kubepods/podu/c1";
    finding.containers[0].keeper = std::make_shared<FakeContainerKeeper>(heard_);
    Pod& pod = finding.reading.pod;
    pod.name = "web";
    pod.uid = "u";
    pod.priority = 1000;
    pod.containers.resize(1);
    pod.containers[0].name = "main";
    return finding;
  }
  [[nodiscard]] Result<void> Take(const std::string& key) {
    return roster_.Take(Finding(key), complaints_);
  }
  // The events after all work that is due has been done.
  std::vector<RuntimeEvent> Events() {
    readiness_->Dispatch();
    roster_.Advance();
    return std::exchange(dependencies_.events, {});
  }

  FakeCgroups cgroups_;
  FakeClock clock_{Instant(std::chrono::seconds(100))};
  FakeProcesses processes_;
  std::unique_ptr<kernel::Readiness> readiness_ = std::move(*kernel::Readiness::Create());
  RunDependencies dependencies_{.processes = processes_,
                                .cgroups = cgroups_,
                                .group_end = cgroups_,
                                .clock = clock_,
                                .readiness = *readiness_};
  std::vector<std::string> heard_;
  std::vector<RuntimePod> told_;
  std::string taken_;  // the UID of a pod of this agent
  Complaints complaints_{dependencies_};
  ForeignRoster roster_{dependencies_, [this](const std::string& uid) { return uid == taken_; },
                        [this](RuntimePod pod) { told_.push_back(std::move(pod)); }};
};

TEST_F(ForeignRosterTest, ItIsEndedThroughTheKernelAndTakenDownByItsSource) {
  ASSERT_TRUE(Take("k"));
  roster_.Find("u")->KillContainer("main");
  EXPECT_FALSE(processes_.Runs(7));
  const auto ended = Events();
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(std::get<ContainerExited>(ended[0]).exit.exit_code, 137);
  roster_.Find("u")->Remove();
  const auto removed = Events();
  ASSERT_THAT(removed, SizeIs(1));
  EXPECT_EQ(std::get<PodRemoved>(removed[0]).pod_uid, "u");
  EXPECT_THAT(heard_, ElementsAre("stop", "hold", "take down"));
  EXPECT_EQ(roster_.Find("u"), nullptr);
}

TEST_F(ForeignRosterTest, ThePodIsHeldWhenAllThatWereToldToBeKilledAre) {
  ASSERT_TRUE(cgroups_.Create("kubepods/podu/c2", {}));
  ASSERT_TRUE(cgroups_.Join("kubepods/podu/c2", 8));
  processes_.Add(8, "0::/kubepods/podu/c2\n", "");
  FoundForeignPod finding = Finding("k");
  ForeignContainer& hog = finding.containers.emplace_back(finding.containers[0]);
  hog.id = "c2";
  hog.name = "hog";
  hog.pid = 8;
  hog.group = "kubepods/podu/c2";
  finding.reading.pod.containers.emplace_back().name = "hog";
  ASSERT_TRUE(roster_.Take(std::move(finding), complaints_));
  roster_.Find("u")->KillContainer("main");
  roster_.Find("u")->KillContainer("hog");
  EXPECT_FALSE(processes_.Runs(8));
  EXPECT_THAT(heard_, ElementsAre("stop", "stop"));
  Events();
  EXPECT_THAT(heard_, ElementsAre("stop", "stop", "hold"));
}

TEST_F(ForeignRosterTest, WhatAListHasNoMoreIsGoneAndOtherListsSayNothingOfIt) {
  ASSERT_TRUE(Take("k"));
  roster_.OnListed("another list", {});
  EXPECT_TRUE(roster_.Has("k"));
  roster_.OnListed("pods of a kubelet", {{"k", {"c1"}}});
  EXPECT_THAT(Events(), IsEmpty());
  roster_.OnListed("pods of a kubelet", {});
  ASSERT_THAT(dependencies_.events, SizeIs(1));
  EXPECT_FALSE(roster_.Has("k"));
  EXPECT_THAT(heard_, IsEmpty()) << "it belongs to its owner";
}

}  // namespace
}  // namespace jettison
