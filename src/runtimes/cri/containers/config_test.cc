#include "runtimes/cri/containers/config.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "pods/tree_removal.h"
#include "ports/file_descriptor.h"
#include "runtimes/cri/containers/sub_path.h"
#include "runtimes/cri/containers/systemd_slices.h"

namespace jettison::cri {
namespace {

using namespace testing;

// What sandboxes and containers are made from.

Pod WebPod() {
  Pod pod;
  pod.name = "web";
  pod.namespace_ = "shop";
  pod.uid = "u";
  pod.labels = {{"app", "web"}};
  pod.annotations = {{"note", "x"}};
  pod.containers.resize(1);
  pod.containers[0].name = "c";
  pod.containers[0].image = "web:1";
  return pod;
}

api::PodSandboxConfig SandboxOf(const Pod& pod, bool host_network = false) {
  return SandboxConfigOf({.pod = pod,
                          .attempt = 3,
                          .host_network = host_network,
                          .cgroup_parent = "/node/kubepods/podu",
                          .log_directory = "/logs/p",
                          .root = "/root"});
}

api::ContainerConfig ContainerOf(const Pod& pod, const ImageFacts& image = {.id = "sha256:1"}) {
  return ContainerConfigOf({.pod = pod,
                            .container = pod.containers[0],
                            .attempt = 2,
                            .oom_score_adj = 900,
                            .host_network = true,
                            .image = image,
                            .mounts = {{"/host", "/in", true}},
                            .limits = {.memory_bytes = 64,
                                       .cpu_shares = 512,
                                       .cpu_quota_us = 50'000,
                                       .cpu_period_us = 100'000}});
}

TEST(SandboxConfigOf, SaysWhatTheKubeletSaysAndAPodCannotPassForAnother) {
  Pod pod = WebPod();
  pod.labels["io.kubernetes.pod.uid"] = "other";
  pod.annotations["jettison.io/root"] = "/other";
  const auto config = SandboxOf(pod);
  EXPECT_EQ(config.metadata().name(), "web");
  EXPECT_EQ(config.metadata().namespace_(), "shop");
  EXPECT_EQ(config.metadata().uid(), "u");
  EXPECT_EQ(config.metadata().attempt(), 3U);
  EXPECT_EQ(config.hostname(), "web");
  EXPECT_EQ(config.log_directory(), "/logs/p");
  EXPECT_EQ(config.linux().cgroup_parent(), "/node/kubepods/podu");
  EXPECT_THAT(config.labels(),
              IsSupersetOf({Pair("io.kubernetes.pod.name", "web"),
                            Pair("io.kubernetes.pod.namespace", "shop"),
                            Pair("io.kubernetes.pod.uid", "u"), Pair("app", "web")}));
  EXPECT_THAT(
      config.annotations(),
      IsSupersetOf({Pair("kubernetes.io/config.source", "file"), Pair("jettison.io/root", "/root"),
                    Pair("jettison.io/network", "pod"), Pair("note", "x")}));
}

TEST(SandboxConfigOf, SharesWithTheHostWhatThePodAsksFor) {
  Pod pod = WebPod();
  const auto own = SandboxOf(pod).linux().security_context().namespace_options();
  EXPECT_EQ(own.network(), api::POD);
  EXPECT_EQ(own.pid(), api::CONTAINER);
  EXPECT_EQ(own.ipc(), api::POD);
  pod.host_pid = pod.host_ipc = true;
  pod.containers[0].security_context.privileged = true;
  const auto config = SandboxOf(pod, true);
  EXPECT_EQ(config.hostname(), "");
  EXPECT_TRUE(config.linux().security_context().privileged());
  const auto& shared = config.linux().security_context().namespace_options();
  EXPECT_EQ(shared.network(), api::NODE);
  EXPECT_EQ(shared.pid(), api::NODE);
  EXPECT_EQ(shared.ipc(), api::NODE);
}

TEST(ContainerConfigOf, SaysWhatTheKubeletSays) {
  Pod pod = WebPod();
  Container& container = pod.containers[0];
  container.command = {"/bin/$(NAME)"};
  container.args = {"$(NAME)", "$$(NAME)"};
  container.working_dir = "/srv";
  container.env = {{"NAME", "web"}};
  const auto config = ContainerOf(pod);
  EXPECT_EQ(config.metadata().name(), "c");
  EXPECT_EQ(config.metadata().attempt(), 2U);
  EXPECT_EQ(config.image().image(), "sha256:1");
  EXPECT_THAT(config.command(), ElementsAre("/bin/web"));
  EXPECT_THAT(config.args(), ElementsAre("web", "$(NAME)"));
  EXPECT_EQ(config.working_dir(), "/srv");
  ASSERT_EQ(config.envs_size(), 1);
  EXPECT_EQ(config.envs(0).key(), "NAME");
  EXPECT_EQ(config.log_path(), "c/2.log");
  ASSERT_EQ(config.mounts_size(), 1);
  EXPECT_EQ(config.mounts(0).host_path(), "/host");
  EXPECT_TRUE(config.mounts(0).readonly());
  EXPECT_THAT(config.labels(), IsSupersetOf({Pair("io.kubernetes.container.name", "c"),
                                             Pair("io.kubernetes.pod.uid", "u")}));
  EXPECT_THAT(config.annotations(),
              IsSupersetOf({Pair("io.kubernetes.container.restartCount", "2"),
                            Pair("io.kubernetes.pod.terminationGracePeriod", "30")}));
  const auto& resources = config.linux().resources();
  EXPECT_EQ(resources.memory_limit_in_bytes(), 64);
  EXPECT_EQ(resources.cpu_shares(), 512);
  EXPECT_EQ(resources.cpu_quota(), 50'000);
  EXPECT_EQ(resources.cpu_period(), 100'000);
  EXPECT_EQ(resources.oom_score_adj(), 900);
}

TEST(ContainerConfigOf, TakesTheContainersUserBeforeThePodsBeforeTheImages) {
  Pod pod = WebPod();
  const auto security = [&](const ImageFacts& image = {.id = "i"}) {
    return ContainerOf(pod, image).linux().security_context();
  };
  EXPECT_FALSE(security().has_run_as_user());
  EXPECT_FALSE(security().has_run_as_group());
  pod.security_context = {.run_as_user = 7, .run_as_group = 8};
  EXPECT_EQ(security().run_as_user().value(), 7);
  EXPECT_EQ(security().run_as_group().value(), 8);
  pod.containers[0].security_context.run_as_user = 0;
  EXPECT_EQ(security().run_as_user().value(), 0);
  pod.security_context.run_as_user = pod.containers[0].security_context.run_as_user = std::nullopt;
  EXPECT_EQ(security({.id = "i", .user = 99}).run_as_user().value(), 99);
  EXPECT_EQ(security({.id = "i", .user_name = "www"}).run_as_username(), "www");
  EXPECT_EQ(security().run_as_user().value(), 0) << "an image without a user runs as root";
}

TEST(ContainerConfigOf, TakesGroupsAndSystemCallsFromThePodUnlessTheContainerSaysOtherwise) {
  Pod pod = WebPod();
  const auto plain = ContainerOf(pod).linux().security_context();
  EXPECT_THAT(plain.supplemental_groups(), IsEmpty());
  EXPECT_FALSE(plain.has_seccomp()) << "the runtime's default";
  EXPECT_FALSE(plain.no_new_privs());
  pod.security_context = {.supplemental_groups = {3, 4},
                          .fs_group = 5,
                          .seccomp_profile = SeccompProfile::kRuntimeDefault};
  const auto security = ContainerOf(pod).linux().security_context();
  EXPECT_THAT(security.supplemental_groups(), ElementsAre(5, 3, 4));
  ASSERT_TRUE(security.has_seccomp());
  EXPECT_EQ(security.seccomp().profile_type(), api::SecurityProfile::RuntimeDefault);
  const auto config = SandboxOf(pod);
  const auto& sandbox = config.linux().security_context();
  EXPECT_THAT(sandbox.supplemental_groups(), ElementsAre(5, 3, 4));
  EXPECT_EQ(sandbox.seccomp().profile_type(), api::SecurityProfile::RuntimeDefault);
  pod.containers[0].security_context.seccomp_profile = SeccompProfile::kUnconfined;
  EXPECT_EQ(ContainerOf(pod).linux().security_context().seccomp().profile_type(),
            api::SecurityProfile::Unconfined);
}

TEST(CheckNonRoot, RefusesRootAndWhoMayBeRoot) {
  struct Row {
    std::optional<std::int64_t> own_user;
    std::optional<std::int64_t> pods_user;
    ImageFacts image;
    const char* message;  // between "container" and "(pod:"; empty: allowed
  };
  const std::vector<Row> rows = {
      {{}, {}, {.id = "i"}, " has runAsNonRoot and image will run as root "},
      {{}, {}, {.id = "i", .user = 0}, " has runAsNonRoot and image will run as root "},
      {{}, {}, {.id = "i", .user = 7}, ""},
      {{},
       {},
       {.id = "i", .user_name = "www"},
       " has runAsNonRoot and image has non-numeric user (www), cannot verify user is non-root "},
      {0, 7, {.id = "i", .user = 7}, "'s runAsUser breaks non-root policy "},
      {{}, 0, {.id = "i", .user = 7}, "'s runAsUser breaks non-root policy "},
      {7, 0, {.id = "i"}, ""},
      {{}, 7, {.id = "i", .user_name = "www"}, ""}};
  for (const Row& row : rows) {
    Pod pod = WebPod();
    Container& container = pod.containers[0];
    container.security_context.run_as_user = row.own_user;
    pod.security_context.run_as_user = row.pods_user;
    EXPECT_TRUE(CheckNonRoot(pod, container, row.image)) << "it is not forbidden";
    pod.security_context.run_as_non_root = true;
    const auto checked = CheckNonRoot(pod, container, row.image);
    const std::string message = row.message;
    EXPECT_EQ(
        checked ? "" : checked.error().message,
        message.empty() ? "" : "container" + message + "(pod: \"web_shop(u)\", container: c)");
    container.security_context.run_as_non_root = false;
    EXPECT_TRUE(CheckNonRoot(pod, container, row.image)) << "the container's setting counts";
  }
}

// As the kubelet asks, because CRI-O has no lists of its own.
TEST(ContainerConfigOf, TheHostsSecretsAreHiddenFromAllButPrivilegedContainers) {
  Pod pod = WebPod();
  const auto config = ContainerOf(pod);
  const auto& security = config.linux().security_context();
  EXPECT_THAT(security.masked_paths(),
              IsSupersetOf({"/proc/kcore", "/proc/keys", "/proc/acpi", "/sys/firmware"}));
  EXPECT_THAT(security.readonly_paths(), ElementsAre("/proc/bus", "/proc/fs", "/proc/irq",
                                                     "/proc/sys", "/proc/sysrq-trigger"));
  pod.containers[0].security_context.privileged = true;
  const auto privileged = ContainerOf(pod);
  EXPECT_THAT(privileged.linux().security_context().masked_paths(), IsEmpty());
  EXPECT_THAT(privileged.linux().security_context().readonly_paths(), IsEmpty());
}

class LiveSubPath : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounts need root";
    ASSERT_TRUE(kernel::MakeFolders(volume_));
    ASSERT_TRUE(kernel::MakeFolders(folder_.path() + "/outside"));
  }
  void TearDown() override { EXPECT_EQ(RemoveTree((folder_.path() + "/places").c_str()), 0); }

  kernel::TemporaryFolder folder_;
  const std::string volume_ = folder_.path() + "/volume";
  const std::string place_ = folder_.path() + "/places/c/0";
};

TEST_F(LiveSubPath, AFileIsShownAsAFileAndTheNextRunSeesTheNextContent) {
  ASSERT_TRUE(kernel::WriteFile(volume_ + "/file", "one"));
  ASSERT_TRUE(BindSubPath({volume_, "file"}, place_));
  EXPECT_EQ(*kernel::ReadFile(place_), "one");
  ASSERT_TRUE(kernel::MakeFolders(volume_ + "/folder/inner"));
  ASSERT_TRUE(BindSubPath({volume_, "folder"}, place_));
  EXPECT_TRUE(kernel::Exists(place_ + "/inner"));
  EXPECT_EQ(*kernel::ReadFile(volume_ + "/file"), "one") << "only the mount was replaced";
}

TEST_F(LiveSubPath, LinksLeadAnywhereWithinTheVolumeAndNeverOut) {
  ASSERT_TRUE(kernel::MakeFolders(volume_ + "/inner"));
  ASSERT_EQ(::symlink("inner", (volume_ + "/within").c_str()), 0);
  EXPECT_TRUE(BindSubPath({volume_, "within"}, place_));
  const std::string outside = folder_.path() + "/outside";
  ASSERT_EQ(::symlink(outside.c_str(), (volume_ + "/absolute").c_str()), 0);
  ASSERT_EQ(::symlink("../outside", (volume_ + "/relative").c_str()), 0);
  for (const char* path : {"absolute", "relative", "absolute/new", "relative/new", ".."}) {
    EXPECT_FALSE(BindSubPath({volume_, path}, place_)) << path;
  }
  EXPECT_FALSE(kernel::Exists(outside + "/new"));
  const auto missing = BindSubPath({volume_ + "/none", "x"}, place_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("No such file"));
}

TEST_F(LiveSubPath, NothingIsMadeInWhatTheOperatorKeeps) {
  const std::string link = folder_.path() + "/configured";
  ASSERT_EQ(::symlink(volume_.c_str(), link.c_str()), 0);
  ASSERT_TRUE(kernel::WriteFile(volume_ + "/key", "value"));
  EXPECT_TRUE(BindSubPath({link, "key", true}, place_));
  EXPECT_EQ(*kernel::ReadFile(place_), "value");
  const auto missing = BindSubPath({link, "typo/inner", true}, place_);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("typo/inner"));
  EXPECT_FALSE(kernel::Exists(volume_ + "/typo"));
  // The pod's own folder, in place of a configMap that is optional and missing.
  const std::string own = folder_.path() + "/own";
  ASSERT_TRUE(kernel::MakeFolders(own));
  EXPECT_TRUE(BindSubPath({own, "typo/inner", true}, place_));
}

TEST(SystemdSlices, ManagerThatTakesNoConnectionIsWaitedForOnlySoLong) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/private";
  const FileDescriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.size() + 1);
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 16), 0);
  const auto now = std::chrono::steady_clock::now();
  const auto slices = SlicesOfSystemd("unix:path=" + path);
  const auto stopped = slices->Stop("kubepods-podu.slice", now + std::chrono::milliseconds(50));
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stop kubepods-podu.slice: systemd does not answer");
  EXPECT_LT(std::chrono::steady_clock::now() - now, std::chrono::seconds(5));
}

}  // namespace
}  // namespace jettison::cri
