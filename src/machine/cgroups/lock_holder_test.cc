#include "machine/cgroups/lock_holder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include "kernel/files/temporary_folder.h"
#include "ports/fakes/child_process.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using testing::HasSubstr;

TEST(LockHolder, IsFoundByTheFile) {
  const std::string locks =
      "1: POSIX  ADVISORY  WRITE 11 00:1c:99 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 12 00:1c:100 0 EOF\n"
      "junk\n"
      "3: FLOCK  ADVISORY  READ  13 fd:01:99 0 EOF\n"
      "4: FLOCK  ADVISORY  WRITE 14 00:1c:99 0 EOF\n"
      "4: -> FLOCK  ADVISORY  WRITE 15 00:1c:99 0 EOF\n"
      "5: FLOCK  ADVISORY  WRITE 0 00:1c:101 0 EOF\n";
  const auto exclusive = LockHolderIn(locks, {.major = 0, .minor = 0x1c, .inode = 99});
  ASSERT_TRUE(exclusive);
  EXPECT_EQ(exclusive->pid, 14);
  EXPECT_FALSE(exclusive->is_shared);
  const auto shared = LockHolderIn(locks, {.major = 0xfd, .minor = 1, .inode = 99});
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->pid, 13);
  EXPECT_TRUE(shared->is_shared);
  EXPECT_FALSE(LockHolderIn(locks, {.major = 0, .minor = 0x1c, .inode = 7}));
  EXPECT_FALSE(LockHolderIn(locks, {.major = 0, .minor = 0x1c, .inode = 101}))
      << "it is not visible here";
  EXPECT_FALSE(LockHolderIn("", {}));
}

class HeldLock : public testing::Test {
 protected:
  [[nodiscard]] FileDescriptor Open() const {
    return FileDescriptor(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  const kernel::TemporaryFolder folder_;
};

TEST_F(HeldLock, OfALivingProcessOfTheOwnerMayBeAnAgents) {
  const FileDescriptor own = Open();
  ASSERT_EQ(::flock(own.get(), LOCK_EX | LOCK_NB), 0);
  const KnownHolder holder = DescribeLockHolder(Open().get());
  EXPECT_TRUE(holder.may_be_agent);
  EXPECT_THAT(holder.description, HasSubstr(fmt::format("process {} (", ::getpid())));
}

TEST_F(HeldLock, ThatIsSharedIsNoAgents) {
  const FileDescriptor own = Open();
  ASSERT_EQ(::flock(own.get(), LOCK_SH | LOCK_NB), 0);
  EXPECT_FALSE(DescribeLockHolder(Open().get()).may_be_agent);
}

// Somebody else keeps it, to whom the descriptor was given.
TEST_F(HeldLock, OfAProcessThatHasEndedIsNoAgents) {
  const FileDescriptor shared = Open();
  ChildProcess child([&](const auto&) { (void)::flock(shared.get(), LOCK_EX | LOCK_NB); });
  child.Start();
  child.Wait();
  ASSERT_NE(::flock(Open().get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_FALSE(DescribeLockHolder(Open().get()).may_be_agent);
}

TEST_F(HeldLock, ByNobodyWhoCanBeToldMayBeAnAgents) {
  EXPECT_TRUE(DescribeLockHolder(Open().get()).may_be_agent);
  EXPECT_TRUE(DescribeLockHolder(-1).may_be_agent);
}

}  // namespace
}  // namespace jettison
