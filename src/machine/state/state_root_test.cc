#include "machine/state/state_root.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "kernel/groups/few_descriptors.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class StateRoot : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "the agent needs root";
    config_.root = folder_.path() + "/root";
    config_.logs.directory = config_.root + "/logs";
    config_.static_pod_path = "/etc/jettison/pods";
  }
  void Put(const std::string& name, const std::string& text) const {
    const fs::path file = fs::path(config_.root) / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] std::string Noted() const {
    return kernel::ReadFile(config_.root + "/state-version").value_or("none");
  }
  // Every file below the root, with its text.
  [[nodiscard]] std::map<std::string, std::string> Everything() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(config_.root)) {
      all[entry.path()] = entry.is_regular_file() ? kernel::ReadFile(entry.path()).value() : "";
    }
    return all;
  }
  [[nodiscard]] Result<OpenedRoot> Open() const {
    return OpenStateRoot(config_, log_, [](Duration) {});
  }

  AgentConfig config_;
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  kernel::TemporaryFolder folder_;
};

TEST_F(StateRoot, IsMadeAndItsVersionNoted) {
  const auto opened = Open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->config.root, config_.root);
  EXPECT_THAT(Noted(), StartsWith("jettison state 1\n"));
  EXPECT_TRUE(kernel::Exists(config_.root + "/state-version.new")) << "room for the next one";
  EXPECT_TRUE(Open());
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StateRoot, WithoutANoteIsOfVersionOneAndStaysAsItIs) {
  Put("pods/uid/pod.json", "{}");
  Put("node-state", "text");
  const auto opened = Open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->config.root, config_.root);
  EXPECT_THAT(Noted(), StartsWith("jettison state 1\n"));
  EXPECT_EQ(kernel::ReadFile(config_.root + "/pods/uid/pod.json").value(), "{}");
  EXPECT_EQ(kernel::ReadFile(config_.root + "/node-state").value(), "text");
}

TEST_F(StateRoot, OfANoteThatWasCutOffIsNotedAnew) {
  for (const std::string& blank : {std::string(), std::string("\n\n"), std::string(4096, '\0')}) {
    Put("state-version", blank);
    EXPECT_TRUE(Open());
    EXPECT_THAT(Noted(), StartsWith("jettison state 1\n"));
  }
}

TEST_F(StateRoot, OfANewerVersionIsRefusedByAnAgentWithPodsAndNothingIsChanged) {
  Put("state-version", "jettison state 2\nmore\n");
  Put("pods/uid/pod.json", "{}");
  Put("evictions/1.json", "{}");
  const auto before = Everything();
  const auto opened = Open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message,
              HasSubstr(config_.root + " holds state of version 2, and this program knows version "
                                       "1; nothing in it was changed"));
  EXPECT_EQ(Everything(), before);
}

TEST_F(StateRoot, OfANewerVersionIsLeftAloneByAnAgentThatGuardsForeignPods) {
  config_.static_pod_path.clear();
  Put("state-version", "jettison state 2\n");
  Put("evictions/1.json", "{}");
  const auto before = Everything();
  const auto opened = Open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->config.root, config_.root + "/version-1");
  EXPECT_EQ(opened->config.logs.directory, config_.root + "/version-1/logs");
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("the agent guards the node")));
  fs::remove(opened->config.root);
  EXPECT_EQ(Everything(), before);
}

TEST_F(StateRoot, OfANewerVersionThatHoldsPodsIsRefusedByEveryAgent) {
  config_.static_pod_path.clear();
  Put("state-version", "jettison state 2\n");
  Put("pods/uid/pod.json", "{}");
  EXPECT_FALSE(Open());
  EXPECT_FALSE(kernel::Exists(config_.root + "/version-1"));
}

TEST_F(StateRoot, OfAKubeletsNodeIsGuardedWhateverTheManifestsAre) {
  config_.source = SourceKind::kKubernetes;
  config_.logs.directory = "/var/log/pods";
  Put("state-version", "jettison state 2\n");
  const auto opened = Open();
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(opened->config.root, config_.root + "/version-1");
  EXPECT_EQ(opened->config.logs.directory, "/var/log/pods");
}

TEST_F(StateRoot, OfAVersionThatCannotBeUnderstoodIsLikeANewerOne) {
  for (const char* text : {"text\n", "jettison state 0\n", "jettison state -1\n",
                           "jettison state 1x\n", "jettison state 99999999999999999999\n"}) {
    Put("state-version", text);
    const auto opened = Open();
    ASSERT_FALSE(opened) << text;
    EXPECT_THAT(opened.error().message, HasSubstr("state-version does not say a version"));
    EXPECT_EQ(Noted(), text);
  }
  fs::remove(config_.root + "/state-version");
  fs::create_symlink("/etc/hostname", config_.root + "/state-version");
  EXPECT_FALSE(Open());
}

TEST_F(StateRoot, WhoseVersionCannotBeReadForAMomentIsReadAgain) {
  Put("state-version", "jettison state 2\n");
  auto none = std::make_unique<kernel::FewDescriptors>(0);
  int waits = 0;
  const auto opened = OpenStateRoot(config_, log_, [&](Duration) {
    if (++waits == 3) none.reset();
  });
  none.reset();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("holds state of version 2"));
  EXPECT_EQ(waits, 3);
}

TEST_F(StateRoot, WhoseVersionCannotBeReadIsTakenToBeTheKnownOne) {
  for (const SourceKind source : {SourceKind::kManifests, SourceKind::kKubernetes}) {
    config_.source = source;
    Put("state-version", "jettison state 1\n");
    Duration waited{0};
    auto none = std::make_unique<kernel::FewDescriptors>(0);
    const auto opened = OpenStateRoot(config_, log_, [&](Duration rest) { waited += rest; });
    none.reset();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->config.root, config_.root);
    EXPECT_EQ(waited, std::chrono::seconds(1));
  }
  EXPECT_THAT(lines_, testing::Each(HasSubstr("taken to be the known one")));
}

TEST_F(StateRoot, WhoseVersionCannotBeNotedIsUsedAllTheSame) {
  fs::create_directories(config_.root + "/state-version.new");
  EXPECT_TRUE(Open());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be written")));
}

// A root on a disk that fails: a file system in a mount namespace of its own, in a process of its
// own.
class FailingRoot : public StateRoot {
 protected:
  void SetUp() override {
    StateRoot::SetUp();
    config_.root = folder_.path() + "/disk/root";
    config_.logs.directory = config_.root + "/logs";
    fs::create_directories(Disk());
  }
  [[nodiscard]] std::string Disk() const { return folder_.path() + "/disk"; }
  // Runs `body` where the disk has been mounted.
  void OnDisk(const char* size, const std::function<void()>& body) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (::unshare(CLONE_NEWNS) != 0 ||
          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          ::mount("tmpfs", Disk().c_str(), "tmpfs", 0, size) != 0) {
        ::_exit(77);
      }
      body();
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "file systems cannot be mounted here";
    EXPECT_EQ(status, 0);
  }
  void Remount(unsigned long flags) const {
    EXPECT_EQ(::mount("none", Disk().c_str(), nullptr, MS_REMOUNT | flags, nullptr), 0);
  }
};

TEST_F(FailingRoot, ThatIsReadOnlyIsRead) {
  OnDisk("size=4m", [this] {
    ASSERT_TRUE(Open());
    Put("node-state", "kept before");
    Put("pods/uid/pod.json", "{}");
    Remount(MS_RDONLY);
    const auto before = Everything();
    const auto opened = Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->config.root, config_.root) << "its pods are there";
    EXPECT_TRUE(opened->state.root_fails);
    EXPECT_EQ(opened->state.folder, config_.root);
    EXPECT_THAT(opened->state.problem, HasSubstr("cannot be written: Read-only file system"));
    EXPECT_THAT(lines_, ElementsAre(HasSubstr("the agent guards the node")));
    EXPECT_EQ(Everything(), before);
  });
}

TEST_F(FailingRoot, ThatCanBeWrittenAgainIsUsed) {
  OnDisk("size=4m", [this] {
    ASSERT_TRUE(Open());
    Remount(MS_RDONLY);
    EXPECT_FALSE(CanWriteRoot(config_));
    Remount(0);
    EXPECT_TRUE(CanWriteRoot(config_));
    const auto opened = Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->state.problem, "");
    EXPECT_FALSE(opened->state.root_fails);
  });
}

TEST_F(FailingRoot, ThatHasNoRoomForItsFirstFoldersIsDoneWithout) {
  OnDisk("size=4m,nr_inodes=3", [this] {
    const auto opened = Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_TRUE(opened->state.root_fails);
    EXPECT_THAT(opened->state.problem, HasSubstr("No space left on device"));
  });
}

TEST_F(FailingRoot, ThatIsFullAndHasAllItNeedsIsUsed) {
  OnDisk("size=4m,nr_inodes=20", [this] {
    ASSERT_TRUE(Open());
    for (int i = 0; i < 20; ++i) std::ofstream(Disk() + "/" + std::to_string(i));
    const auto opened = Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->state.folder, config_.root);
    EXPECT_EQ(opened->state.problem, "");
  });
}

TEST_F(FailingRoot, OfAnotherVersionIsRefusedOrLeftAloneAsEver) {
  OnDisk("size=4m", [this] {
    Put("state-version", "jettison state 2\n");
    Put("node-state", "of version 2");
    Remount(MS_RDONLY);
    EXPECT_FALSE(Open());
    config_.static_pod_path.clear();
    const auto opened = Open();
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->config.root, config_.root + "/version-1");
    EXPECT_EQ(opened->config.logs.directory, config_.root + "/version-1/logs");
    EXPECT_TRUE(opened->state.root_fails);
  });
}

TEST_F(FailingRoot, ThatIsNoFolderIsStillRefused) {
  std::ofstream(config_.root) << "a file";
  const auto opened = Open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("set `root`"));
}

}  // namespace
}  // namespace jettison
