// Pods on a real containerd from their creation to their removal, their logs and their mounts.

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;

TEST_F(LiveCriRuntime, APodWithInitContainerSidecarAndHookRunsRestartsAndLeavesNothing) {
  Pod pod = TestPod("u", {"exit", "3"});
  pod.volumes = {{"data", EmptyDirSource{}}};
  Container init = pod.containers[0];
  init.name = "init";
  init.args = {"print", "$(WHO)"};
  init.env = {{"WHO", "init"}};
  Container sidecar = pod.containers[0];
  sidecar.name = "side";
  sidecar.args = {"pause"};
  sidecar.volume_mounts = {{"data", "/data", "", false}};
  sidecar.pre_stop = ExecAction{{"/test-program", "touch", "/data/hook"}};
  sidecar.restart_policy = RestartPolicy::kAlways;
  pod.init_containers = {init, sidecar};
  ASSERT_TRUE(Create(pod));
  ASSERT_TRUE(Start(pod.uid, "init"));
  const auto* exited = Await<ContainerExited>("u");
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 0);
  EXPECT_THAT(LogOf(pod, 0, "init"), HasSubstr(" stdout F init\n"));
  ASSERT_TRUE(Start(pod.uid, "side"));
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_TRUE(Start(pod.uid, "main", attempt));
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
  EXPECT_EQ(exited->exit.exit_code, 0) << "it ends by itself on SIGTERM";
  EXPECT_TRUE(kernel::Exists(root() + "/pods/u/volumes/data/hook")) << Said();
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRuntime, TheContainerGetsItsVolumesAndItsRights) {
  const std::string host = root() + "/host";
  ASSERT_TRUE(kernel::MakeFolders(host + "/sub"));
  ASSERT_TRUE(kernel::WriteFile(host + "/sub/file", "of the host\n"));
  ASSERT_EQ(::chmod((host + "/sub/file").c_str(), 0644), 0);
  Pod pod = TestPod("u");
  pod.security_context = {.run_as_user = 1234,
                          .run_as_group = 1235,
                          .run_as_non_root = true,
                          .supplemental_groups = {31, 32},
                          .fs_group = 33,
                          .seccomp_profile = SeccompProfile::kRuntimeDefault};
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}},
                 {"host", HostPathSource{.path = host, .type = "Directory"}}};
  Container container = pod.containers[0];
  container.security_context.allow_privilege_escalation = false;
  container.volume_mounts = {{"data", "/data", "", false},
                             {"mem", "/mem", "", false},
                             {"data", "/deep", "a/b", false},
                             {"host", "/host", "sub", true}};
  pod.containers.clear();
  const auto add = [&](const std::string& name, std::vector<std::string> arguments) {
    container.name = name;
    container.args = std::move(arguments);
    pod.containers.push_back(container);
  };
  add("id", {"id"});
  add("status", {"cat", "/proc/self/status"});
  add("cat", {"cat", "/host/file"});
  add("data", {"touch", "/data/x"});
  add("mem", {"touch", "/mem/x"});
  add("deep", {"touch", "/deep/x"});
  container.security_context.run_as_user = 0;
  container.security_context.run_as_non_root = false;
  container.security_context.read_only_root_filesystem = true;
  add("root", {"touch", "/x"});
  ASSERT_TRUE(Create(pod));
  for (const Container& each : pod.containers) {
    ASSERT_TRUE(Start("u", each.name));
    // The root of the last one is read-only. A folder that is made (a/b) may be written to.
    EXPECT_EQ(Need<ContainerExited>("u").exit.exit_code, each.name == "root" ? 1 : 0)
        << each.name << ": " << LogOf(pod, 0, each.name);
  }
  const std::string identity = LogOf(pod, 0, "id");
  EXPECT_THAT(identity, HasSubstr(" F 1234 1235"));
  for (const char* group : {" 31", " 32", " 33"}) EXPECT_THAT(identity, HasSubstr(group));
  EXPECT_THAT(LogOf(pod, 0, "status"), HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(LogOf(pod, 0, "status"), HasSubstr("Seccomp:\t2"));
  EXPECT_THAT(LogOf(pod, 0, "cat"), HasSubstr("of the host"));
  for (const char* file : {"data/x", "mem/x", "data/a/b/x"}) {
    struct stat facts {};
    const std::string path = root() + "/pods/u/volumes/" + file;
    ASSERT_EQ(::stat(path.c_str(), &facts), 0) << path;
    EXPECT_EQ(facts.st_uid, 1234U);
    EXPECT_EQ(facts.st_gid, 33U);
  }
  EXPECT_THAT(kernel::MountsBelow(root()).value(), Contains(HasSubstr("volumes/mem")));
  RemoveAndLookForRemains(pod);
  EXPECT_TRUE(kernel::Exists(host + "/sub/file")) << "the host's files are not removed";
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

TEST_F(LiveCriRuntime, LimitsHoldAndWhatIgnoresTermIsKilled) {
  Pod pod = LimitedPod("u", {"ignore-term"});
  ASSERT_TRUE(Start(pod));
  ExpectLimits(pod);
  EXPECT_THAT(runtime().GroupOf("u", "main"), testing::SizeIs(64)) << "its ID";
  EXPECT_TRUE(kernel::Exists(runtime().DiskOf(pod).containers[0].layer));
  runtime().StopContainer("u", "main", seconds(1));
  EXPECT_EQ(Await<ContainerExited>("u", milliseconds(100)), nullptr);
  runtime().KillContainer("u", "main");
  const auto& exited = Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.exit_code, 137);
  EXPECT_EQ(exited.exit.signal, SIGKILL);
  EXPECT_FALSE(exited.exit.oom_killed);
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
    Settle();
  }
  EXPECT_EQ(ContainersInContainerd(), 0);
  RemoveAndLookForRemains(pod);
}

// Logs that a real containerd writes while the agent rotates them.

// What a container wrote. If the log was reopened in the middle of a line, the last entry of the
// old file, with the tag P, is its beginning, and the first entry of the new file is the rest.
std::string WrittenIn(const std::vector<std::string>& entries) {
  constexpr std::string_view kStream = " stdout ";
  std::string written;
  for (const std::string& entry : entries) {
    const std::size_t tag = std::min(entry.find(kStream) + kStream.size(), entry.size() - 2);
    const bool is_part = entry[tag] == 'P';  // without a line feed of its own
    written += entry.substr(tag + 2, entry.size() - tag - (is_part ? 3 : 2));
  }
  return written;
}

// The lines of a file, compressed or not.
std::vector<std::string> LinesOf(const std::string& path) {
  std::vector<std::string> lines;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  std::array<char, 256> line{};
  while (file != nullptr && ::gzgets(file, line.data(), static_cast<int>(line.size())) != nullptr) {
    lines.emplace_back(line.data());
  }
  if (file != nullptr) ::gzclose(file);
  return lines;
}

class LiveCriLogs : public LiveCriRuntime {
 protected:
  [[nodiscard]] std::vector<std::string> Names(const std::string& folder) const {
    return kernel::NamesIn(folder).value_or(std::vector<std::string>{});
  }
};

TEST_F(LiveCriLogs, OfAContainerThatWritesALotNoLineIsLostAndNotMoreKeptThanAllowed) {
  constexpr int kLines = 200'000;
  log_max_bytes_ = 64 << 10;
  Open();
  ASSERT_TRUE(runtime().List());
  Pod pod = TestPod("u", {"lines", std::to_string(kLines)});
  ASSERT_TRUE(Start(pod));
  const std::string folder = kernel::Paths(root()).ContainerLogs(pod, "main");
  const std::string last = "F line " + std::to_string(kLines - 1) + "\n";
  const auto is_written = [&] {
    const auto names = Names(folder);
    return std::ranges::any_of(names, [&](const std::string& name) {
      const auto lines = LinesOf(folder + "/" + name);
      return !lines.empty() && lines.back().ends_with(last);
    });
  };
  ASSERT_TRUE(Becomes(is_written, seconds(60))) << Said();
  const auto is_tidy = [&] {
    const auto names = Names(folder);
    return names.size() == 4 && names[1].ends_with(".gz") && names[2].ends_with(".gz") &&
           !names[3].ends_with(".gz") && !names[3].ends_with(".tmp");
  };
  EXPECT_TRUE(Becomes(is_tidy, seconds(60))) << testing::PrintToString(Names(folder));
  auto names = Names(folder);
  std::ranges::rotate(names, names.begin() + 1);  // the log itself is the newest
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const auto some = LinesOf(folder + "/" + name);
    lines.insert(lines.end(), some.begin(), some.end());
  }
  std::string all;
  for (int i = 0; i < kLines; ++i) all += "line " + std::to_string(i) + "\n";
  const std::string written = WrittenIn(lines);
  ASSERT_GT(written.size(), 10'000U);
  EXPECT_TRUE(all.ends_with(written)) << written.substr(0, 100);
  EXPECT_THAT(logged, testing::IsEmpty());
  RemoveAndLookForRemains(pod);
}

// Sub-paths on a host whose mounts are shared, as systemd sets them up.

class LiveCriRuntimeOnSharedMounts : public LiveCriRuntime {
 protected:
  void SetUp() override {
    if (LiveContainerd::Obstacle()) GTEST_SKIP() << *LiveContainerd::Obstacle();
    ASSERT_EQ(::mount("host", root().c_str(), "tmpfs", 0, nullptr), 0);
    ASSERT_EQ(::mount(nullptr, root().c_str(), nullptr, MS_SHARED, nullptr), 0);
    ASSERT_TRUE(kernel::MakeFolders(inner_));
    ASSERT_EQ(::mount("inner", inner_.c_str(), "tmpfs", 0, nullptr), 0);
    ASSERT_TRUE(kernel::WriteFile(inner_ + "/kept", "x"));
    before_ = kernel::MountsBelow(root()).value();
    LiveCriRuntime::SetUp();
  }
  void TearDown() override {
    Close();
    while (::umount2(inner_.c_str(), MNT_DETACH) == 0) {
    }
    ::umount2(root().c_str(), MNT_DETACH);
    LiveCriRuntime::TearDown();
  }
  [[nodiscard]] testing::AssertionResult StartsAndEnds(const Pod& pod, int attempt) {
    auto started = Start(pod.uid, "main", attempt);
    if (!started) return started;
    return Await<ContainerExited>(pod.uid) != nullptr ? testing::AssertionSuccess()
                                                      : testing::AssertionFailure() << Said();
  }

  const std::string host_ = root() + "/host";
  const std::string inner_ = host_ + "/sub/inner";
  std::vector<std::string> before_;
};

TEST_F(LiveCriRuntimeOnSharedMounts, AHostPathKeepsItsMountsThroughRunsARestartAndTheRemoval) {
  Pod pod = TestPod("u", {"touch", "/data/x"});
  pod.volumes = {{"host", HostPathSource{.path = host_, .type = "Directory"}}};
  pod.containers[0].volume_mounts = {{"host", "/data", "sub", false}};
  ASSERT_TRUE(Create(pod));
  ASSERT_TRUE(StartsAndEnds(pod, 0));
  EXPECT_TRUE(kernel::Exists(host_ + "/sub/x"));
  ASSERT_TRUE(StartsAndEnds(pod, 1));
  EXPECT_TRUE(kernel::Exists(inner_ + "/kept")) << "after the container was restarted";
  Open();
  ASSERT_TRUE(runtime().List());
  ASSERT_TRUE(StartsAndEnds(pod, 2));
  runtime().RemovePod("u");
  ASSERT_NE(Await<PodRemoved>("u"), nullptr) << Said();
  EXPECT_TRUE(kernel::Exists(inner_ + "/kept")) << "after the pod was removed";
  EXPECT_EQ(kernel::MountsBelow(root()).value(), before_);
}

}  // namespace
}  // namespace jettison::cri
