#include "agent/tell/node_status_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "kernel/files/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant kWrittenAt{seconds(1'000'000)};

std::string TextOf(const Snapshot& snapshot) {
  return "passes " + std::to_string(snapshot.passes);
}

Snapshot WithPasses(std::uint64_t passes) {
  Snapshot snapshot;
  snapshot.passes = passes;
  return snapshot;
}

NodeConditions DiskPressure() {
  NodeConditions conditions;
  conditions.Set(NodeConditionType::kDiskPressure);
  return conditions;
}

TEST(NodeStatusFile, IsDueEveryTenSecondsAndWhenAConditionChanges) {
  const kernel::TemporaryFolder folder;
  NodeStatusFile file(folder.path() + "/node.json", TextOf);
  EXPECT_TRUE(file.Due({}, kWrittenAt));
  file.Write(WithPasses(1), kWrittenAt);
  EXPECT_EQ(file.NextDeadline(), kWrittenAt + seconds(10));
  EXPECT_FALSE(file.Due({}, kWrittenAt + seconds(9)));
  EXPECT_TRUE(file.Due({}, kWrittenAt + seconds(10)));
  EXPECT_TRUE(file.Due(DiskPressure(), kWrittenAt));
}

TEST(NodeStatusFile, IsNeverDueWhereNobodyAskedForOne) {
  EXPECT_FALSE(NodeStatusFile("", TextOf).Due({}, kWrittenAt));
  EXPECT_FALSE(NodeStatusFile("/node.json", {}).Due({}, kWrittenAt));
}

TEST(NodeStatusFile, HoldsWhatWasWrittenLast) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/node.json";
  NodeStatusFile file(path, TextOf);
  file.Write(WithPasses(7), kWrittenAt);
  while (!std::filesystem::exists(path)) std::this_thread::yield();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "passes 7");
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(NodeStatusFile, FollowsALinkAndReplacesNothingButFiles) {
  const kernel::TemporaryFolder folder;
  const std::string real = folder.path() + "/real.json";
  const std::string link = folder.path() + "/node.json";
  std::filesystem::create_symlink(real, link);
  {
    NodeStatusFile file(link, TextOf);
    file.Write(WithPasses(7), kWrittenAt);
    while (!std::filesystem::exists(real)) std::this_thread::yield();
  }
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  NodeStatusFile file(fifo, TextOf);
  file.Write(WithPasses(1), kWrittenAt);
  pollfd waiting = {.fd = file.fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&waiting, 1, 30'000), 1);
  EXPECT_EQ(file.TakeErrors().at(0),
            fifo + " is not a regular file, and is left as it is; choose another path");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST(NodeStatusFile, TheEndDoesNotWaitForADiskThatHangs) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/node.json";
  const std::string draft = path + ".new";
  ASSERT_EQ(mkfifo(draft.c_str(), 0600), 0);  // whoever writes it waits for a reader
  {
    NodeStatusFile file(path, TextOf);
    file.Write(WithPasses(7), kWrittenAt);
    // The thread has taken its job, and is at it or about to be.
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  }
  FileDescriptor reader(open(draft.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_TRUE(reader);
}

TEST(NodeStatusFile, ThatCannotBeWrittenSaysSo) {
  NodeStatusFile file("/nowhere/node.json", TextOf);
  file.Write(WithPasses(1), kWrittenAt);
  pollfd waiting = {.fd = file.fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(poll(&waiting, 1, 30'000), 1);
  EXPECT_EQ(file.TakeErrors().at(0), "write /nowhere/node.json.new: No such file or directory");
}

}  // namespace
}  // namespace jettison
