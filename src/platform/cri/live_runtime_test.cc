// The runtime on a containerd of its own, with real processes in real control groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "platform/cgroup_v1/cgroup_v1.h"
#include "platform/cri/client.h"
#include "platform/cri/fake_runtime_bed.h"
#include "platform/cri/test_bed/containerd_remains.h"
#include "platform/cri/test_bed/live_containerd.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

class SystemClock : public Clock {
 public:
  [[nodiscard]] Instant Now() const override {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  }
};

// A pod whose container runs the test program.
Pod TestPod(const std::string& uid, std::vector<std::string> arguments = {"pause"}) {
  Pod pod = SimplePod(uid);
  pod.containers[0].image = LiveContainerd::kTestImage;
  pod.containers[0].image_pull_policy = PullPolicy::kNever;
  pod.containers[0].args = std::move(arguments);
  return pod;
}

class LiveCriRuntime : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    auto host = CgroupV1::Open({});
    if (!host) GTEST_SKIP() << host.error().message;
    auto bed = LiveContainerd::Start();
    ASSERT_TRUE(bed) << bed.error().message;
    bed_ = std::move(*bed);
    const auto made = (*host)->Create(bed_->group(), {});
    ASSERT_TRUE(made) << made.error().message;
    auto node = CgroupV1::Open({.node_cgroup = bed_->group()});
    ASSERT_TRUE(node) << node.error().message;
    cgroups_ = std::move(*node);
    Open();
  }
  void TearDown() override {
    if (!bed_) return;
    runtime_.reset();
    cgroups_.reset();
    const std::string folder = bed_->folder();
    const std::string group = bed_->group();
    bed_.reset();
    EXPECT_THAT(ProcessesOf(folder), IsEmpty());
    EXPECT_THAT(GroupsNamed(group), IsEmpty());
    EXPECT_THAT(MountsOf(root()), IsEmpty());
  }

  // Begins anew, as a restarted agent does.
  void Open() {
    runtime_.reset();
    auto calls = Connect(bed_->endpoint());
    ASSERT_TRUE(calls) << calls.error().message;
    CriRuntimeOptions options{
        .root = root(),
        .cgroup_prefix = "/" + bed_->group(),
        .format_pod = [](const Pod& pod) { return pod.uid; },
        .parse_pod = [this](std::string_view text) -> Result<Pod> { return Known(text); },
        .rules = PlainRules(),
        .relist_period = milliseconds(200),
        .log = [this](std::string_view message) { logged_.emplace_back(message); }};
    auto opened = OpenCriRuntime(options, std::move(*calls), *cgroups_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    runtime_ = std::move(*opened);
    ASSERT_TRUE(IsReady());
  }
  [[nodiscard]] bool IsReady() {
    for (int i = 0; i < 100; ++i) {
      if (runtime_->Ready()) return true;
      ::usleep(50'000);  // an answer at once that nobody listens yet
    }
    return false;
  }
  [[nodiscard]] Result<Pod> Known(std::string_view uid) const {
    const auto it = known_.find(std::string(uid));
    if (it == known_.end()) return Fail(ErrorCode::kInvalidArgument, "not a pod");
    return it->second;
  }
  [[nodiscard]] const std::string& root() const { return folder_.path(); }
  [[nodiscard]] ContainerRuntime& runtime() { return *runtime_; }
  template <typename Event>
  [[nodiscard]] const Event* Await(const std::string& uid, milliseconds timeout = seconds(20)) {
    return events_.Await<Event>(*runtime_, uid, timeout);
  }

  [[nodiscard]] testing::AssertionResult Create(const Pod& pod) {
    known_[pod.uid] = pod;
    runtime().CreatePod(pod);
    if (Await<PodReady>(pod.uid) != nullptr) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "pod " << pod.uid << " was not made: " << Said();
  }
  [[nodiscard]] testing::AssertionResult StartContainer(const Pod& pod, const std::string& name,
                                                        int attempt = 0) {
    runtime().StartContainer(pod.uid, name, attempt, 500);
    if (Await<ContainerStarted>(pod.uid) != nullptr) return testing::AssertionSuccess();
    return testing::AssertionFailure() << name << " did not start: " << Said();
  }
  [[nodiscard]] testing::AssertionResult Start(const Pod& pod) {
    const auto created = Create(pod);
    return created ? StartContainer(pod, "main") : created;
  }
  // Creates it and runs its container to the end.
  [[nodiscard]] const ContainerExited* Run(const Pod& pod) {
    return Start(pod) ? Await<ContainerExited>(pod.uid) : nullptr;
  }
  [[nodiscard]] std::string Said() const {
    std::string text;
    for (const std::string& line : logged_) text += line + "\n";
    return text;
  }
  // What a run has printed.
  [[nodiscard]] std::string LogOf(const Pod& pod, int attempt = 0,
                                  const std::string& name = "main") const {
    return pod_host::ReadFile(pod_host::Paths(root()).Log(pod, name, attempt)).value_or("no log");
  }
  [[nodiscard]] int ContainersInContainerd(
      std::optional<api::ContainerState> state = std::nullopt) {
    api::ListContainersRequest request;
    if (state) request.mutable_filter()->mutable_state()->set_state(*state);
    const auto listed = bed_->Await<api::ListContainersResponse>(
        [&](auto answer) { bed_->calls().ListContainers(request, seconds(10), answer); });
    return listed ? listed->containers_size() : -1;
  }
  [[nodiscard]] std::vector<pid_t> ProcessesIn(const Pod& pod) {
    return cgroups_->Processes("kubepods/burstable/pod" + pod.uid).value_or(std::vector<pid_t>{});
  }
  // Removes the pod and looks for what is left of it anywhere.
  void RemoveAndLookForRemains(const Pod& pod) {
    runtime().RemovePod(pod.uid);
    ASSERT_NE(Await<PodRemoved>(pod.uid), nullptr) << Said();
    EXPECT_THAT(GroupsNamed(bed_->group() + "/kubepods/burstable/pod" + pod.uid), IsEmpty());
    EXPECT_THAT(*pod_host::NamesIn(root() + "/pods"), IsEmpty());
    EXPECT_THAT(*pod_host::NamesIn(root() + "/logs"), IsEmpty());
    EXPECT_THAT(MountsOf(root()), IsEmpty());
    const auto left = bed_->Await<api::ListPodSandboxResponse>([&](auto answer) {
      bed_->calls().ListPodSandbox(api::ListPodSandboxRequest(), seconds(10), answer);
    });
    ASSERT_TRUE(left);
    EXPECT_EQ(left->items_size(), 0);
  }

  pod_host::TemporaryFolder folder_;
  SystemClock clock_;
  std::unique_ptr<LiveContainerd> bed_;
  std::unique_ptr<CgroupV1> cgroups_;
  std::unique_ptr<ContainerRuntime> runtime_;
  std::map<std::string, Pod> known_;
  std::vector<std::string> logged_;
  EventReader events_;
};

TEST_F(LiveCriRuntime, APodWithInitContainerAndSidecarRunsRestartsAndLeavesNothing) {
  Pod pod = TestPod("u", {"exit", "3"});
  Container init = pod.containers[0];
  init.name = "init";
  init.args = {"print", "$(WHO)"};
  init.env = {{"WHO", "init"}};
  Container sidecar = pod.containers[0];
  sidecar.name = "side";
  sidecar.args = {"pause"};
  sidecar.restart_policy = RestartPolicy::kAlways;
  pod.init_containers = {init, sidecar};
  ASSERT_TRUE(Create(pod));
  ASSERT_TRUE(StartContainer(pod, "init"));
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0);
  EXPECT_THAT(LogOf(pod, 0, "init"), HasSubstr(" stdout F init\n"));
  ASSERT_TRUE(StartContainer(pod, "side"));
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_TRUE(StartContainer(pod, "main", attempt));
    exited = Await<ContainerExited>("u");
    ASSERT_NE(exited, nullptr);
    EXPECT_EQ(exited->attempt, attempt);
    EXPECT_EQ(exited->exit.exit_code, 3);
    EXPECT_EQ(exited->exit.signal, 0);
    EXPECT_LE(exited->exit.started, exited->exit.finished);
  }
  runtime().StopContainer("u", "side", seconds(5));
  exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0) << "it ends in peace on TERM";
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, TheContainerGetsItsVolumesAndItsRights) {
  const std::string host = root() + "/host";
  ASSERT_TRUE(pod_host::MakeFolders(host + "/sub"));
  ASSERT_TRUE(pod_host::WriteFile(host + "/sub/file", "of the host\n"));
  ASSERT_EQ(::chmod((host + "/sub/file").c_str(), 0644), 0);
  Pod pod = TestPod("u", {"id"});
  pod.security_context = {.run_as_user = 1234, .run_as_group = 5678};
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}},
                 {"host", HostPathSource{.path = host, .type = "Directory"}}};
  const auto with = [&](const std::string& name, std::vector<std::string> arguments) {
    Container container = pod.containers[0];
    container.name = name;
    container.args = std::move(arguments);
    container.volume_mounts = {{"data", "/data", "", false},
                               {"mem", "/mem", "", false},
                               {"data", "/deep", "a/b", false},
                               {"host", "/host", "sub", true}};
    return container;
  };
  pod.containers = {with("main", {"id"}), with("cat", {"cat", "/host/file"}),
                    with("data", {"touch", "/data/x"}), with("root", {"touch", "/x"})};
  pod.containers[2].security_context = {.run_as_user = 0, .read_only_root_filesystem = true};
  pod.containers[3].security_context = {.run_as_user = 0, .read_only_root_filesystem = true};
  ASSERT_TRUE(Create(pod));
  std::map<std::string, int> codes;
  for (const Container& container : pod.containers) {
    ASSERT_TRUE(StartContainer(pod, container.name));
    const auto* exited = Await<ContainerExited>("u");
    ASSERT_NE(exited, nullptr);
    codes[exited->container] = exited->exit.exit_code;
  }
  EXPECT_THAT(LogOf(pod), HasSubstr(" F 1234 5678"));
  EXPECT_THAT(LogOf(pod, 0, "cat"), HasSubstr("of the host"));
  EXPECT_EQ(codes["data"], 0) << LogOf(pod, 0, "data");
  EXPECT_EQ(codes["root"], 1) << "its root is read-only";
  EXPECT_TRUE(pod_host::Exists(root() + "/pods/u/volumes/data/x"));
  EXPECT_TRUE(pod_host::Exists(root() + "/pods/u/volumes/data/a/b"));
  EXPECT_THAT(MountsOf(root()), Contains(HasSubstr("volumes/mem")));
  RemoveAndLookForRemains(pod);
  EXPECT_TRUE(pod_host::Exists(host + "/sub/file")) << "the host's files are not the pod's";
}

TEST_F(LiveCriRuntime, AContainerBeyondItsMemoryLimitIsOomKilledAndSoIsTold) {
  Pod pod = TestPod("u", {"hog", "64"});
  pod.containers[0].resources.limits = {{"memory", *Quantity::Parse("16Mi")}};
  const auto* exited = Run(pod);
  ASSERT_NE(exited, nullptr) << Said();
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_TRUE(exited->exit.oom_killed);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, WhatIgnoresTermIsKilledWithAllItForked) {
  Pod pod = TestPod("u", {"ignore-term"});
  ASSERT_TRUE(Start(pod));
  EXPECT_THAT(runtime().GroupOf("u", "main"), testing::SizeIs(64)) << "its ID";
  EXPECT_TRUE(pod_host::Exists(runtime().DiskOf(pod).containers[0].layer));
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_EQ(Await<ContainerExited>("u", milliseconds(100)), nullptr);
  runtime().KillContainer("u", "main");
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 137);
  EXPECT_EQ(exited->exit.signal, SIGKILL);
  EXPECT_FALSE(exited->exit.oom_killed);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, AHookRunsInTheContainerBeforeItEnds) {
  Pod pod = TestPod("u");
  pod.volumes = {{"data", EmptyDirSource{}}};
  pod.containers[0].volume_mounts = {{"data", "/data", "", false}};
  pod.containers[0].pre_stop = ExecAction{{"/test-program", "touch", "/data/hook"}};
  ASSERT_TRUE(Start(pod));
  runtime().StopContainer("u", "main", seconds(10));
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0);
  EXPECT_TRUE(pod_host::Exists(root() + "/pods/u/volumes/data/hook")) << Said();
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, WhatCannotBeStartedSaysWhyAndLeavesNoContainer) {
  Pod pod = TestPod("u");
  Container no_image = pod.containers[0];
  no_image.name = "no-image";
  no_image.image = "bed.local/none:1";
  Container no_program = pod.containers[0];
  no_program.name = "no-program";
  no_program.command = {"/nothing"};
  pod.containers = {no_image, no_program};
  ASSERT_TRUE(Create(pod));
  runtime().StartContainer("u", "no-image", 0, 500);
  const auto* failed = Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message,
              HasSubstr("Container image \"bed.local/none:1\" is not present with pull policy of "
                        "Never"));
  runtime().StartContainer("u", "no-program", 0, 500);
  failed = Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("no such file"));
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  while (ContainersInContainerd() > 0 && std::chrono::steady_clock::now() < deadline) {
    events_.Collect(runtime());
  }
  EXPECT_EQ(ContainersInContainerd(), 0);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, ARestartedAgentTakesOverItsPods) {
  Pod pod = TestPod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "short";
  pod.containers[1].args = {"exit", "5", "300"};
  ASSERT_TRUE(Start(pod));
  ASSERT_TRUE(StartContainer(pod, "short"));
  const std::string group = runtime().GroupOf("u", "main");
  const std::string layer = runtime().DiskOf(pod).containers[0].layer;
  runtime_.reset();
  const auto deadline = std::chrono::steady_clock::now() + seconds(10);
  while (ContainersInContainerd(api::CONTAINER_EXITED) == 0 &&
         std::chrono::steady_clock::now() < deadline) {
    ::usleep(10'000);
  }
  Open();
  const auto listed = runtime().List();
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_EQ(listed->size(), 1U) << Said();
  EXPECT_EQ((*listed)[0].pod, pod);
  ASSERT_EQ((*listed)[0].containers.size(), 2U);
  for (const ContainerRecord& record : (*listed)[0].containers) {
    EXPECT_EQ(record.exit.has_value(), record.name == "short");
    EXPECT_EQ(record.exit ? record.exit->exit_code : 5, 5);
  }
  EXPECT_EQ(runtime().GroupOf("u", "main"), group);
  EXPECT_EQ(runtime().DiskOf(pod).containers[0].layer, layer);
  EXPECT_TRUE(Create(pod)) << "it stands";
  runtime().StopContainer("u", "main", seconds(5));
  ASSERT_NE(Await<ContainerExited>("u"), nullptr);
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, ARestartOfContainerdLosesAndDoublesNothing) {
  ASSERT_TRUE(runtime().List());
  Pod pod = TestPod("u");
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "other";
  ASSERT_TRUE(Start(pod));
  ASSERT_TRUE(StartContainer(pod, "other"));
  bed_->Kill();
  runtime().StopContainer("u", "main", seconds(5));
  EXPECT_EQ(Await<ContainerExited>("u", milliseconds(100)), nullptr) << "its code is asked for";
  const auto again = bed_->StartAgain();
  ASSERT_TRUE(again) << again.error().message;
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->container, "main");
  EXPECT_EQ(exited->exit.exit_code, 0);
  EXPECT_NE(runtime().GroupOf("u", "other"), "");
  ASSERT_TRUE(StartContainer(pod, "main", 1));
  EXPECT_EQ(ProcessesIn(pod).size(), 3U) << "two containers and what holds the sandbox";
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, AFrozenContainerdDelaysNeitherTheSignalNorTheKill) {
  const Pod polite = TestPod("polite");
  const Pod stubborn = TestPod("stubborn", {"ignore-term"});
  ASSERT_TRUE(Start(polite));
  ASSERT_TRUE(Start(stubborn));
  bed_->Freeze();
  const auto before = std::chrono::steady_clock::now();
  runtime().StopContainer("polite", "main", seconds(1));
  const auto took = std::chrono::steady_clock::now() - before;
  EXPECT_LT(took, milliseconds(20));
  RecordProperty("stop_us", std::to_string(took / std::chrono::microseconds(1)));
  runtime().StopContainer("stubborn", "main", seconds(1));
  runtime().KillContainer("stubborn", "main");
  runtime().KillContainer("polite", "main");
  std::map<std::string, int> codes;
  for (int i = 0; i < 2; ++i) {
    const auto* exited = Await<ContainerExited>("", seconds(2));
    ASSERT_NE(exited, nullptr) << "told without containerd";
    codes[exited->pod_uid] = exited->exit.exit_code;
  }
  EXPECT_EQ(codes["stubborn"], 137);
  EXPECT_TRUE(codes["polite"] == 0 || codes["polite"] == 137) << "as far as the kernel tells";
  runtime().RemovePod("polite");
  runtime().RemovePod("stubborn");
  EXPECT_EQ(Await<PodRemoved>("polite", milliseconds(300)), nullptr);
  EXPECT_THAT(ProcessesIn(polite), IsEmpty()) << "not even the sandbox's";
  EXPECT_THAT(ProcessesIn(stubborn), IsEmpty());
  bed_->Thaw();
  ASSERT_NE(Await<PodRemoved>("polite"), nullptr) << Said();
  RemoveAndLookForRemains(stubborn);
}

TEST_F(LiveCriRuntime, TwoAgentsOnOneContainerdLeaveEachOthersPodsAlone) {
  const Pod pod = TestPod("u");
  ASSERT_TRUE(Start(pod));
  const pod_host::TemporaryFolder elsewhere;
  auto calls = Connect(bed_->endpoint());
  ASSERT_TRUE(calls);
  CriRuntimeOptions options{
      .root = elsewhere.path(),
      .cgroup_prefix = "/" + bed_->group(),
      .format_pod = [](const Pod& p) { return p.uid; },
      .parse_pod = [this](std::string_view text) -> Result<Pod> { return Known(text); },
      .rules = PlainRules()};
  auto other = OpenCriRuntime(options, std::move(*calls), *cgroups_, clock_);
  ASSERT_TRUE(other);
  const auto listed = (*other)->List();
  ASSERT_TRUE(listed);
  EXPECT_THAT(*listed, IsEmpty());
  (*other)->RemovePod("u");
  EXPECT_EQ(ProcessesIn(pod).size(), 2U);
  EXPECT_FALSE(
      OpenCriRuntime({.root = root()}, Connect(bed_->endpoint()).value(), *cgroups_, clock_))
      << "not two on one root";
  RemoveAndLookForRemains(pod);
}

}  // namespace
}  // namespace jettison::cri
