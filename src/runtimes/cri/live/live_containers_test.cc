#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;

// Logs that a real containerd writes while the agent rotates them.

// The lines that a container wrote. If the log was reopened in the middle of a line, the last entry
// of the old file, with the tag P, is its beginning, and the first entry of the new file is the
// rest.
std::vector<std::string> WrittenIn(const std::vector<std::string>& entries) {
  constexpr std::string_view kStream = " stdout ";
  std::vector<std::string> written;
  bool goes_on = false;
  for (const std::string& entry : entries) {
    const std::size_t tag = std::min(entry.find(kStream) + kStream.size(), entry.size() - 2);
    std::string text = entry.substr(tag + 2);
    const bool is_part = entry[tag] == 'P';
    if (is_part) text.pop_back();  // the line feed
    if (goes_on) {
      written.back() += text;
    } else {
      written.push_back(text);
    }
    goes_on = is_part;
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
  [[nodiscard]] bool Becomes(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)Await<PodRemoved>("nobody", std::chrono::milliseconds(20));
    }
    return true;
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
  ASSERT_TRUE(Becomes(is_written)) << Said();
  const auto is_tidy = [&] {
    const auto names = Names(folder);
    return names.size() == 4 && names[1].ends_with(".gz") && names[2].ends_with(".gz") &&
           !names[3].ends_with(".gz") && !names[3].ends_with(".tmp");
  };
  EXPECT_TRUE(Becomes(is_tidy)) << testing::PrintToString(Names(folder));
  auto names = Names(folder);
  std::ranges::rotate(names, names.begin() + 1);  // the log itself is the newest
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const auto some = LinesOf(folder + "/" + name);
    lines.insert(lines.end(), some.begin(), some.end());
  }
  const std::vector<std::string> written = WrittenIn(lines);
  ASSERT_GT(written.size(), 1000U);
  for (std::size_t i = 1; i < written.size(); ++i) {  // the first may have begun earlier
    const std::string number = std::to_string(kLines - written.size() + i);
    ASSERT_EQ(written[i], "line " + number + "\n");
  }
  EXPECT_THAT(logged_, testing::IsEmpty());
  RemoveAndLookForRemains(pod);
}

// Rights of containers, as the kernel reports them.

class LiveCriRights : public LiveCriRuntime {};

TEST_F(LiveCriRights, GroupsSystemCallsAndEscalationAreAsThePodSays) {
  Pod pod = TestPod("u");
  pod.security_context = {.run_as_user = 1234,
                          .run_as_group = 1235,
                          .run_as_non_root = true,
                          .supplemental_groups = {31, 32},
                          .fs_group = 33,
                          .seccomp_profile = SeccompProfile::kRuntimeDefault};
  pod.volumes = {{"data", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}}};
  Container container = pod.containers[0];
  container.volume_mounts = {{"data", "/data", "", false}, {"mem", "/mem", "", false}};
  container.security_context.allow_privilege_escalation = false;
  pod.containers.clear();
  const auto add = [&](const std::string& name, std::vector<std::string> arguments) {
    container.name = name;
    container.args = std::move(arguments);
    pod.containers.push_back(container);
  };
  add("id", {"id"});
  add("status", {"cat", "/proc/self/status"});
  add("touch", {"touch", "/data/x"});
  add("touch-mem", {"touch", "/mem/x"});
  ASSERT_TRUE(Create(pod));
  for (const Container& each : pod.containers) {
    ASSERT_TRUE(StartContainer(pod, each.name));
    const auto& exited = Need<ContainerExited>("u");
    EXPECT_EQ(exited.exit.exit_code, 0) << each.name << ": " << LogOf(pod, 0, each.name);
  }
  const std::string identity = LogOf(pod, 0, "id");
  EXPECT_THAT(identity, HasSubstr(" F 1234 1235"));
  for (const char* group : {" 31", " 32", " 33"}) EXPECT_THAT(identity, HasSubstr(group));
  EXPECT_THAT(LogOf(pod, 0, "status"), HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(LogOf(pod, 0, "status"), HasSubstr("Seccomp:\t2"));
  for (const char* volume : {"data", "mem"}) {
    struct stat facts {};
    const std::string file = root() + "/pods/u/volumes/" + volume + "/x";
    ASSERT_EQ(::stat(file.c_str(), &facts), 0) << file;
    EXPECT_EQ(facts.st_uid, 1234U);
    EXPECT_EQ(facts.st_gid, 33U);
  }
  RemoveAndLookForRemains(pod);
}

TEST_F(LiveCriRights, WhatMustNotRunAsRootAndWouldIsNotStarted) {
  Pod pod = TestPod("u");
  pod.security_context.run_as_non_root = true;
  ASSERT_TRUE(Create(pod));
  runtime().StartContainer("u", "main", 0, 500);
  const auto& failed = Need<ContainerStartFailed>("u");
  EXPECT_EQ(failed.error.message,
            "container has runAsNonRoot and image will run as root "
            "(pod: \"pod-u_default(u)\", container: main)");
  EXPECT_EQ(ContainersInContainerd(), 0);
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
    runtime_.reset();
    while (::umount2(inner_.c_str(), MNT_DETACH) == 0) {
    }
    ::umount2(root().c_str(), MNT_DETACH);
    LiveCriRuntime::TearDown();
  }
  [[nodiscard]] testing::AssertionResult StartsAndEnds(const Pod& pod, int attempt) {
    auto started = StartContainer(pod, "main", attempt);
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
