#include "sources/foreign/foreign_roster.h"

#include <gmock/gmock.h>

#include <variant>

#include "kernel/processes/fake_processes.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/found_foreign_pod.h"

namespace jettison {
namespace {

using namespace testing;

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

// A whole source, as src/sources/README.md has it: of software that lists its containers by ID and
// first process.
class ListedContainers : public ForeignSource {
 public:
  explicit ListedContainers(const SourceDependencies& dependencies)
      : dependencies_(dependencies), complaints_(dependencies.run) {}

  void OnListed(const std::map<std::string, pid_t>& listing) {
    std::map<std::string, std::set<std::string>> running;
    left_out_.clear();
    for (const auto& [id, pid] : listing) {
      running[id] = {id};
      if (!dependencies_.roster.Has(id)) Consider(id, pid);
    }
    dependencies_.roster.OnListed(kList, running);
  }
  void Await(Duration) override {}  // nothing is examined for long
  [[nodiscard]] std::vector<std::string> NotGuarded() const override { return left_out_; }

 private:
  static constexpr const char* kList = "listed containers";

  void Consider(const std::string& id, pid_t pid) {
    FoundForeignPod found{.identity = {.key = id, .name = id},
                          .list = kList,
                          .containers = {{.id = id, .given_name = id, .pid = pid}},
                          .considered = {id}};
    auto taken = TakeGroup(dependencies_.groups, found.containers[0]);
    if (taken) {
      Describe(found);
      taken = dependencies_.roster.Take(std::move(found), complaints_);
    }
    if (taken || taken.error().code == ErrorCode::kNotFound) return;
    left_out_.push_back(id + " is left out: " + taken.error().message);
    complaints_.Say(id, left_out_.back());
  }

  SourceDependencies dependencies_;
  Complaints complaints_;
  std::vector<std::string> left_out_;
};

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

TEST_F(ForeignRosterTest, ASourceIsWhatItReportsAndARow) {
  const auto open = [](const SourceDependencies& dependencies) {
    return std::make_unique<ListedContainers>(dependencies);
  };
  const auto source = open({.run = dependencies_,
                            .groups = {.processes = processes_, .cgroups = cgroups_, .prefix = ""},
                            .roster = roster_});
  processes_.Add(8, "0::/elsewhere\n", "");
  source->OnListed({{"c1", 7}, {"c2", 8}});
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].pod.name, "c1");
  EXPECT_THAT(source->NotGuarded(), ElementsAre(testing::StartsWith("c2 is left out")));
  roster_.Find("c1")->KillContainer("c1");
  EXPECT_FALSE(processes_.Runs(7));
  EXPECT_THAT(Events(), SizeIs(1));
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

ForeignIdentity Sandbox() {
  return {.key = "abc", .name = "name", .namespace_ = "space", .uid = "uid"};
}

ForeignContainer Running(const std::string& id, const std::string& name, const std::string& group) {
  ForeignContainer container;
  container.id = id;
  container.given_name = name;
  container.image = "bed.local/" + name + ":1";
  container.name = name;
  container.group = group;
  return container;
}

TEST(ForeignPodValue, LabelsComeBeforeMetadataAndThatBeforeIds) {
  ForeignIdentity sandbox = Sandbox();
  Pod pod = ReadForeignPod(sandbox, {}).pod;
  EXPECT_EQ(FullName(pod), "space/name");
  EXPECT_EQ(pod.uid, "uid");
  EXPECT_EQ(pod.restart_policy, RestartPolicy::kNever);
  auto& labels = sandbox.labels;
  labels["io.kubernetes.pod.name"] = "web";
  labels["io.kubernetes.pod.namespace"] = "shop";
  labels["io.kubernetes.pod.uid"] = "1-2-3";
  pod = ReadForeignPod(sandbox, {}).pod;
  EXPECT_EQ(FullName(pod), "shop/web");
  EXPECT_EQ(pod.uid, "1-2-3");
  for (auto& [name, value] : labels) value = "../up";
  sandbox.name = sandbox.namespace_ = sandbox.uid = "";
  pod = ReadForeignPod(sandbox, {}).pod;
  EXPECT_EQ(FullName(pod), "default/abc");
  EXPECT_EQ(pod.uid, "abc");
}

TEST(ForeignPodValue, TheQosClassIsTheAnnotationsOrThatOfTheGroup) {
  struct Row {
    const char* group;
    std::optional<QosClass> qos;
  };
  ForeignIdentity sandbox = Sandbox();
  for (const Row& row : {Row{"kubepods/podu/1", QosClass::kGuaranteed},
                         Row{"kubepods/burstable/podu/1", QosClass::kBurstable},
                         Row{"kubepods.slice/kubepods-besteffort.slice/x/1", QosClass::kBestEffort},
                         Row{"k8s.io/burstable", std::nullopt}}) {
    EXPECT_EQ(ReadForeignPod(sandbox, {Running("1", "a", row.group)}).pod.status_qos_class, row.qos)
        << row.group;
  }
  sandbox.annotations["jettison.io/qos"] = "Burstable";
  EXPECT_EQ(ReadForeignPod(sandbox, {Running("1", "a", "kubepods/podu/1")}).pod.status_qos_class,
            QosClass::kBurstable);
}

TEST(ForeignPodValue, WhatAnnotationsSayOfThePodComesBeforeWhatWasFound) {
  ForeignIdentity sandbox = Sandbox();
  std::vector<ForeignContainer> containers = {Running("1", "a", "k/1"), Running("2", "b", "k/2")};
  containers[0].memory_limit = 100;
  containers[1].memory_limit = 50;
  Pod pod = ReadForeignPod(sandbox, containers).pod;
  EXPECT_EQ(pod.containers[1].resources.limits.at("memory"), Quantity::Of(50));
  EXPECT_EQ(pod.containers[1].image, "bed.local/b:1");
  auto& annotations = sandbox.annotations;
  annotations["jettison.io/priority"] = "-7";
  annotations["jettison.io/requests.memory"] = "64Mi";
  annotations["jettison.io/requests.cpu"] = "250m";
  annotations["jettison.io/requests.ephemeral-storage"] = "1Gi";
  annotations["jettison.io/limits.memory"] = "128Mi";
  annotations["io.kubernetes.pod.terminationGracePeriod"] = "12";
  const ForeignReading reading = ReadForeignPod(sandbox, containers);
  pod = reading.pod;
  EXPECT_THAT(reading.ignored, IsEmpty());
  EXPECT_EQ(pod.priority, -7);
  EXPECT_EQ(pod.termination_grace_period_seconds, 12);
  const ResourceRequirements& all = pod.containers[0].resources;
  EXPECT_EQ(all.requests.at("memory"), Quantity::Of(64 << 20));
  EXPECT_EQ(all.requests.at("cpu").MilliValue(), 250);
  EXPECT_EQ(all.requests.at("ephemeral-storage"), Quantity::Of(1 << 30));
  EXPECT_EQ(all.limits.at("memory"), Quantity::Of(128 << 20));
  EXPECT_EQ(pod.containers[1].resources, ResourceRequirements{});
}

TEST(ForeignPodValue, NonsenseIsNamedAndIgnored) {
  ForeignIdentity sandbox = Sandbox();
  auto& annotations = sandbox.annotations;
  annotations["jettison.io/priority"] = "99999999999";
  annotations["jettison.io/qos"] = "Best";
  annotations["jettison.io/requests.memory"] = "-1";
  annotations["jettison.io/requests.cpu"] = "";
  annotations["jettison.io/limits.memory"] = "much";
  annotations["io.kubernetes.pod.terminationGracePeriod"] = "-3";
  const ForeignReading reading = ReadForeignPod(sandbox, {Running("1", "a", "k/1")});
  EXPECT_THAT(reading.ignored,
              ElementsAre("jettison.io/priority: 99999999999", "jettison.io/qos: Best",
                          "jettison.io/requests.cpu: ", "jettison.io/requests.memory: -1",
                          "jettison.io/limits.memory: much"));
  EXPECT_FALSE(reading.pod.priority);
  EXPECT_FALSE(reading.pod.status_qos_class);
  EXPECT_FALSE(reading.pod.termination_grace_period_seconds);
  EXPECT_EQ(reading.pod.containers[0].resources, ResourceRequirements{});
}

TEST(ForeignSpec, TheDeclaredGroupIsTheProcesssOrAboveIt) {
  struct Row {
    const char* group;
    const char* path;
    const char* declared;
  };
  for (const Row& row :
       {Row{"/default/web", "/default/web", "/default/web"},
        Row{"/default/web/init", "/default/web", "/default/web"},
        Row{"/default/website", "/default/web", ""}, Row{"/default", "/default/web", ""},
        Row{"/default/web", "", ""}, Row{"/default/web", "/", ""},
        Row{"/default/web", "default/web", ""},
        Row{"/system.slice/docker-1a.scope", "system.slice:docker:1a",
            "/system.slice/docker-1a.scope"},
        Row{"/a.slice/a-b.slice/nerdctl-1a.scope/x", "a-b.slice:nerdctl:1a",
            "/a.slice/a-b.slice/nerdctl-1a.scope"},
        Row{"/system.slice/1a.scope", "system.slice::1a", "/system.slice/1a.scope"},
        Row{"/system.slice/docker-1ab.scope", "system.slice:docker:1a", ""},
        Row{"/system.slice", "system.slice:docker", ""}}) {
    EXPECT_EQ(DeclaredGroup(row.group, row.path), row.declared) << row.group << " " << row.path;
  }
}

TEST(ForeignSpec, SharesAskForWhatTheKubeletWouldHaveMadeThemOf) {
  EXPECT_EQ(MilliCpuOf(0), std::nullopt);
  EXPECT_EQ(MilliCpuOf(2), std::nullopt);
  EXPECT_EQ(MilliCpuOf(3), 3);
  EXPECT_EQ(MilliCpuOf(102), 100);
  EXPECT_EQ(MilliCpuOf(256), 250);
  EXPECT_EQ(MilliCpuOf(1024), 1000);
  EXPECT_EQ(MilliCpuOf(UINT64_MAX), 256'000);
}

}  // namespace
}  // namespace jettison
