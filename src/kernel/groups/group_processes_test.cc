#include "kernel/groups/group_processes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/readiness/pidfd.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/scarcity.h"

namespace jettison::kernel {
namespace {

using testing::ElementsAre;

// A folder with a list of processes, like that of a group.
class GroupProcesses : public testing::Test {
 protected:
  void List(const std::string& text) { std::ofstream(list_) << text; }
  [[nodiscard]] FileDescriptor Open() const {
    return FileDescriptor(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  static bool EndsWithin(const ChildProcess& child, int ms) {
    const FileDescriptor pidfd = OpenPidfd(child.pid());
    pollfd ended = {.fd = pidfd.get(), .events = POLLIN, .revents = 0};
    return ::poll(&ended, 1, ms) == 1;
  }

  const TemporaryFolder folder_;
  const std::string list_ = folder_.path() + "/cgroup.procs";
};

// The list names a process that ends, and its id is reused before the signal is sent. The second
// time, the list is empty.
TEST_F(GroupProcesses, WhoOnlyHasTheNumberOfOneThatWasListedIsLeftAlone) {
  const ChildProcess innocent([](const auto&) { SleepForever(); });
  ASSERT_EQ(::mkfifo(list_.c_str(), 0600), 0);
  std::atomic<bool> over = false;
  std::thread lister([&] {
    {
      const FileDescriptor first(::open(list_.c_str(), O_WRONLY | O_CLOEXEC));
      const std::string text = std::to_string(innocent.pid()) + "\n";
      EXPECT_EQ(::write(first.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    while (!over) {  // opened and closed, so that a reader finds the end at once
      const FileDescriptor later(::open(list_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_THAT(SignalBelow(Open().get(), SIGKILL).value(), ElementsAre(innocent.pid()));
  over = true;
  lister.join();
  EXPECT_FALSE(EndsWithin(innocent, 50));
}

// A list that says something else each time that it is read.
class ChangingList {
 public:
  explicit ChangingList(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    EXPECT_GE(::inotify_add_watch(closed_.get(), path_.c_str(), IN_CLOSE_NOWRITE), 0);
  }
  // Waits for the next reader, lets it read `text`, and waits until it has closed the list.
  void Answer(const std::string& text) const {
    {
      const FileDescriptor list(::open(path_.c_str(), O_WRONLY | O_CLOEXEC));
      EXPECT_EQ(::write(list.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::array<char, 4096> event{};
    EXPECT_GT(::read(closed_.get(), event.data(), event.size()), 0);
  }

 private:
  const std::string path_;
  const FileDescriptor closed_{::inotify_init1(IN_CLOEXEC)};
};

// It is in the group when that is listed, and in the one below when the list is read again.
class MovingProcess : public GroupProcesses {
 protected:
  struct Reading {
    const ChangingList& list;
    bool has_it;
  };
  // Signals it while these lists are read in this order.
  void Signal(const std::vector<Reading>& readings) {
    const std::string pid = std::to_string(child_.pid()) + "\n";
    std::thread lister([&] {
      for (const Reading& each : readings) each.list.Answer(each.has_it ? pid : "");
    });
    EXPECT_THAT(SignalBelow(Open().get(), SIGKILL).value(), ElementsAre(child_.pid()));
    lister.join();
    EXPECT_TRUE(EndsWithin(child_, 10'000));
  }
  static std::string MakeFolder(std::string path) {
    EXPECT_EQ(::mkdir(path.c_str(), 0700), 0);
    return path;
  }

  const ChildProcess child_{[](const auto&) { SleepForever(); }};
  const ChangingList top_{list_};
  const ChangingList below_{MakeFolder(folder_.path() + "/below") + "/cgroup.procs"};
};

TEST_F(MovingProcess, IsLookedForOnceMoreInEveryGroup) {
  Signal({{top_, true}, {below_, false}, {top_, false}, {below_, true}});
}

TEST_F(GroupProcesses, ManyAreSignalledWithFewDescriptors) {
  std::vector<std::unique_ptr<ChildProcess>> children;
  std::string text;
  for (int i = 0; i < 40; ++i) {
    children.push_back(std::make_unique<ChildProcess>([](const auto&) { SleepForever(); }));
    text += std::to_string(children.back()->pid()) + "\n";
  }
  List(text);
  const FileDescriptor group = Open();
  {
    const ScarceDescriptors few(6);
    const auto signalled = SignalBelow(group.get(), SIGKILL).value();
    EXPECT_EQ(signalled.size(), 40U);
  }
  for (const auto& child : children) EXPECT_TRUE(EndsWithin(*child, 10'000));
}

// A small separate file system.
class LiveRewriteFile : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
    ASSERT_EQ(::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=256k"), 0);
  }
  void TearDown() override { (void)::umount2(folder_.path().c_str(), MNT_DETACH); }
  void Fill() const {
    std::ofstream stream(folder_.path() + "/fill");
    while (stream << std::string(4096, 'x') << std::flush) continue;
  }
  // The text without the blank lines at its end.
  [[nodiscard]] std::string Text() const {
    const std::string text = ReadFile(path_).value_or("nothing");
    return text.substr(0, text.find_last_not_of('\n') + 1);
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/record";
};

TEST_F(LiveRewriteFile, OnAFullDiskItIsWrittenAgainAndAgain) {
  ASSERT_TRUE(RewriteFile(path_, "first"));
  Fill();
  EXPECT_FALSE(WriteFile(folder_.path() + "/other", "text")) << "the disk is not full";
  for (int i = 0; i < 5; ++i) {
    const std::string text = "text " + std::string(static_cast<std::size_t>(200 * i), 'y');
    const auto written = RewriteFile(path_, text);
    EXPECT_TRUE(written) << written.error().message;
    EXPECT_EQ(Text(), text);
  }
}

}  // namespace
}  // namespace jettison::kernel
