#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <string>
#include <vector>

#include "cli/doctor/doctor.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"
#include "runtimes/cri/test_bed/live_containerd.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;

auto IsCheck(const char* check, HostStatus status, const char* found) {
  return AllOf(Field(&HostCheck::check, check), Field(&HostCheck::status, status),
               Field(&HostCheck::found, HasSubstr(found)));
}

AgentConfig ConfigFor(const std::string& endpoint) {
  AgentConfig config;
  config.runtime = RuntimeKind::kCri;
  config.container_runtime_endpoint = endpoint;
  return config;
}

class DoctorRuntime : public ::testing::Test {
 protected:
  std::vector<HostCheck> Look() {
    return RuntimeChecks(ConfigFor("unix://" + socket_), std::chrono::milliseconds(100));
  }
  // Somebody bound to the socket, who takes connections and says nothing.
  FileDescriptor Bind() {
    FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket_.copy(address.sun_path, socket_.size());
    EXPECT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(::listen(listener.get(), 16), 0);
    return listener;
  }

  kernel::TemporaryFolder folder_;
  const std::string socket_ = folder_.path() + "/c.sock";
};

TEST_F(DoctorRuntime, WhoDoesNotAnswerIsMissing) {
  const auto gone = Look();
  ASSERT_THAT(gone, ElementsAre(IsCheck("container runtime", HostStatus::kMissing, "No such")));
  EXPECT_THAT(gone.front().remedy, HasSubstr("start the runtime"));
  const FileDescriptor listener = Bind();
  const auto silent = Look();
  ASSERT_THAT(silent,
              ElementsAre(IsCheck("container runtime", HostStatus::kMissing, "no answer on")));
  EXPECT_THAT(silent.front().remedy, HasSubstr("restart it"));
}

TEST_F(DoctorRuntime, TheProcessRuntimeIsPartOfTheAgent) {
  EXPECT_THAT(RuntimeChecks(AgentConfig{}),
              ElementsAre(IsCheck("container runtime", HostStatus::kOk, "process"),
                          IsCheck("disk layout", HostStatus::kOk, "one file system")));
}

AgentConfig BesideKubelet(const std::string& endpoint) {
  AgentConfig config;
  config.source = SourceKind::kKubernetes;
  config.kubernetes.collect_images = true;
  config.container_runtime_endpoint = endpoint;
  return config;
}

TEST_F(DoctorRuntime, BesideAKubeletItIsAskedOnlyForImages) {
  AgentConfig config = BesideKubelet("unix://" + socket_);
  config.kubernetes.collect_images = false;
  EXPECT_THAT(RuntimeChecks(config),
              ElementsAre(IsCheck("container runtime", HostStatus::kOk, "does not ask it"),
                          IsCheck("disk layout", HostStatus::kOk, "one file system")));
}

TEST_F(DoctorRuntime, ImagesThatCannotBeCollectedBesideAKubeletAreDegraded) {
  const AgentConfig config = BesideKubelet("unix://" + socket_);
  const auto look = [&] { return RuntimeChecks(config, std::chrono::milliseconds(100)); };
  const auto gone = look();
  ASSERT_THAT(gone, ElementsAre(IsCheck("container runtime", HostStatus::kDegraded, "No such")));
  EXPECT_THAT(gone.front().cost, HasSubstr("no unused image is removed"));
  EXPECT_THAT(gone.front().remedy, HasSubstr("components/images mounts the socket's folder"));
  const FileDescriptor listener = Bind();
  EXPECT_THAT(look(),
              ElementsAre(IsCheck("container runtime", HostStatus::kDegraded, "no answer on")));
  const auto none = RuntimeChecks(BesideKubelet("tcp://localhost:1"));
  ASSERT_THAT(none, ElementsAre(IsCheck("container runtime", HostStatus::kMissing, "unix")));
  EXPECT_EQ(none.front().cost, "the agent does not start");
}

cri::RuntimeFacts Healthy(const std::string& images) {
  return {.name = "containerd",
          .version = "1.6.20",
          .not_ready = std::nullopt,
          .no_network = std::nullopt,
          .settings = {.cgroup_driver = CgroupDriver::kCgroupfs, .sandbox_image = "pause:1"},
          .has_sandbox_image = true,
          .folders = StorageFolders{.images = images, .containers = ""}};
}

TEST_F(DoctorRuntime, WhatAHealthyOneTellsIsShown) {
  const auto checks = ContainerRuntimeChecks(ConfigFor("unix:///s"), Healthy(folder_.path()));
  EXPECT_TRUE(IsReady(checks));
  EXPECT_THAT(checks, Contains(IsCheck("container runtime", HostStatus::kOk,
                                       "cri: containerd 1.6.20 at unix:///s")));
  EXPECT_THAT(checks, Contains(IsCheck("cgroup driver", HostStatus::kOk, "cgroupfs")));
  EXPECT_THAT(checks, Contains(IsCheck("sandbox image", HostStatus::kOk, "pause:1")));
  EXPECT_THAT(checks, Contains(IsCheck("pod network", HostStatus::kOk, "the runtime's")));
  EXPECT_THAT(checks, Contains(IsCheck("imagefs", HostStatus::kOk, folder_.path().c_str())));
}

TEST_F(DoctorRuntime, WhatKeepsPodsFromStartingIsMissingWhereTheAgentStartsThem) {
  AgentConfig config = ConfigFor("unix:///s");
  cri::RuntimeFacts facts = Healthy(folder_.path());
  facts.settings.cgroup_driver = CgroupDriver::kSystemd;
  EXPECT_TRUE(IsReady(ContainerRuntimeChecks(config, facts))) << "it starts none";
  config.static_pod_path = "/m";
  facts.not_ready = "Why: because";
  const auto checks = ContainerRuntimeChecks(config, facts);
  EXPECT_THAT(checks, Contains(IsCheck("container runtime", HostStatus::kMissing, "Why: because")));
  EXPECT_THAT(checks, Contains(AllOf(IsCheck("cgroup driver", HostStatus::kMissing, "systemd"),
                                     Field(&HostCheck::remedy, HasSubstr("SystemdCgroup")))));
}

TEST_F(DoctorRuntime, WhatOnlyCostsSomethingIsDegraded) {
  cri::RuntimeFacts facts = Healthy("/nonexistent/images");
  facts.has_sandbox_image = false;
  const auto checks = ContainerRuntimeChecks(ConfigFor("unix:///s"), facts);
  EXPECT_TRUE(IsReady(checks));
  EXPECT_THAT(checks, Contains(AllOf(IsCheck("sandbox image", HostStatus::kDegraded, "pause:1"),
                                     Field(&HostCheck::remedy, HasSubstr("pull pause:1")))));
  EXPECT_THAT(checks, Contains(IsCheck("disk layout", HostStatus::kDegraded, "/nonexistent")));
}

TEST(LiveDoctorRuntime, AContainerdTellsWhatItIsUntilItHangs) {
  if (const auto obstacle = cri::LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
  const auto bed = cri::LiveContainerd::Start();
  ASSERT_TRUE(bed) << bed.error().message;
  const AgentConfig config = ConfigFor((*bed)->endpoint());
  const auto checks = RuntimeChecks(config);
  EXPECT_TRUE(IsReady(checks)) << ChecksAsText(checks);
  EXPECT_THAT(checks, Contains(IsCheck("container runtime", HostStatus::kOk, "cri: containerd ")));
  EXPECT_THAT(checks, Contains(IsCheck("cgroup driver", HostStatus::kOk, "cgroupfs")));
  EXPECT_THAT(checks, Contains(IsCheck("sandbox image", HostStatus::kOk,
                                       cri::LiveContainerd::kPauseImage)));
  EXPECT_THAT(checks, Contains(IsCheck("pod network", HostStatus::kOk, "the host's")));
  EXPECT_THAT(checks, Contains(Field(&HostCheck::found, HasSubstr((*bed)->root()))));
  EXPECT_THAT(checks, Contains(Field(&HostCheck::check, "disk layout")));

  const auto images = RuntimeChecks(BesideKubelet((*bed)->endpoint()));
  EXPECT_THAT(images, Contains(IsCheck("container runtime", HostStatus::kOk, "asked for images")));
  EXPECT_THAT(images, Contains(Field(&HostCheck::check, "disk layout")));

  (*bed)->Freeze();
  EXPECT_THAT(RuntimeChecks(config, std::chrono::milliseconds(200)),
              ElementsAre(IsCheck("container runtime", HostStatus::kMissing, "no answer on")));
  (*bed)->Thaw();
}

}  // namespace
}  // namespace jettison
