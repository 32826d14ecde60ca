#include "kernel/files/whole_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WholeFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] std::vector<std::string> Names() const { return *kernel::NamesIn(folder_.path()); }
  [[nodiscard]] struct stat FactsOf(const std::string& name) const {
    struct stat facts {};
    EXPECT_EQ(::stat(Path(name).c_str(), &facts), 0);
    return facts;
  }
  kernel::TemporaryFolder folder_;
};

TEST_F(WholeFileTest, IsThereOnceItIsComplete) {
  WholeFile file(Path("a"));
  ASSERT_TRUE(file.Add("one "));
  ASSERT_TRUE(file.Add("two"));
  EXPECT_FALSE(kernel::Exists(Path("a")));
  ASSERT_TRUE(file.PutInPlace());
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "one two");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WholeFileTest, LeavesWhatWasThereWhereItIsGivenUp) {
  ASSERT_TRUE(kernel::WriteFile(Path("a"), "old"));
  {
    WholeFile file(Path("a"));
    ASSERT_TRUE(file.Add("new"));
  }
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "old");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WholeFileTest, RemovesWhatDeadOnesHaveLeftAndNothingElse) {
  const std::vector<std::string> others = {"a.backup", "a.jettison-locked", "a.jettison-toolong",
                                           "b.jettison-Xy12zQ"};
  std::ofstream(Path("a.jettison-Xy12zQ")) << "left";
  for (const std::string& name : others) std::ofstream(Path(name)) << name;
  const FileDescriptor held(::open(Path(others[1]).c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  WholeFile file(Path("a"));
  ASSERT_TRUE(file.PutInPlace());
  EXPECT_THAT(Names(), ElementsAre("a", others[0], others[1], others[2], others[3]));
}

TEST_F(WholeFileTest, SaysWhyItCannotBeWritten) {
  WholeFile file(Path("missing/a"));
  EXPECT_FALSE(file.Add("x"));
  ASSERT_TRUE(file.fault());
  EXPECT_THAT(file.fault()->message, HasSubstr("missing/a: No such file"));
  EXPECT_FALSE(file.PutInPlace());
}

TEST_F(WholeFileTest, IsWhereASymbolicLinkLeadsAndTheLinkStays) {
  ASSERT_TRUE(kernel::MakeFolders(Path("far")));
  std::filesystem::create_symlink("far/b", Path("a"));
  std::filesystem::create_symlink("a", Path("chain"));
  ASSERT_TRUE(WriteWholeFile(Path("chain"), "first"));
  ASSERT_TRUE(WriteWholeFile(Path("a"), "second"));
  EXPECT_EQ(*kernel::ReadFile(Path("far/b")), "second");
  EXPECT_THAT(Names(), ElementsAre("a", "chain", "far"));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("a")));
}

TEST_F(WholeFileTest, WritesToADeviceThatIsThere) {
  std::filesystem::create_symlink("/dev/full", Path("a"));
  const auto written = WriteWholeFile(Path("a"), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write " + Path("a") + ": No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(WholeFileTest, KeepsTheOwnerOfTheFileThatItReplaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "to give a file away needs root";
  ASSERT_TRUE(WriteWholeFile(Path("a"), "old"));
  ASSERT_EQ(::chown(Path("a").c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chmod(Path("a").c_str(), 06750), 0);
  ASSERT_TRUE(WriteWholeFile(Path("a"), "new"));
  EXPECT_EQ(FactsOf("a").st_uid, 1234U);
  EXPECT_EQ(FactsOf("a").st_gid, 2345U);
  EXPECT_EQ(FactsOf("a").st_mode & 07777U, 06750U);
}

// A list that gives the user 1234 what the owner has, and the group nothing, as the kernel takes
// it: a version, then a tag, rights and an id each (linux/posix_acl_xattr.h).
std::string AccessList() {
  struct Entry {
    std::uint16_t tag;
    std::uint16_t rights;
    std::uint32_t id;
  };
  constexpr auto kNone = static_cast<std::uint32_t>(ACL_UNDEFINED_ID);
  const std::uint32_t version = POSIX_ACL_XATTR_VERSION;
  std::string list(reinterpret_cast<const char*>(&version), sizeof version);
  for (const Entry& entry :
       {Entry{ACL_USER_OBJ, 6, kNone}, Entry{ACL_USER, 6, 1234}, Entry{ACL_GROUP_OBJ, 0, kNone},
        Entry{ACL_MASK, 6, kNone}, Entry{ACL_OTHER, 0, kNone}}) {
    list.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  return list;
}

constexpr const char* kAccessList = "system.posix_acl_access";

TEST_F(WholeFileTest, KeepsTheAccessListOfTheFileThatItReplaces) {
  const std::string list = AccessList();
  ASSERT_TRUE(WriteWholeFile(Path("a"), "old"));
  if (::setxattr(Path("a").c_str(), kAccessList, list.data(), list.size(), 0) != 0) {
    GTEST_SKIP() << "the file system has no access control lists";
  }
  ASSERT_TRUE(WriteWholeFile(Path("a"), "new"));
  std::string kept(list.size() + 100, '\0');
  const ssize_t size = ::getxattr(Path("a").c_str(), kAccessList, kept.data(), kept.size());
  ASSERT_EQ(size, static_cast<ssize_t>(list.size()));
  EXPECT_EQ(kept.substr(0, list.size()), list) << "without it 0660 gives the group what it had not";
  EXPECT_EQ(FactsOf("a").st_mode & 07777U, 0660U);
}

// Writes as a user to whom neither the file nor its group belongs, in a process of its own.
void WriteAsAnother(const std::string& path) {
  constexpr uid_t kNobody = 65534;
  const bool is_other = ::setgroups(0, nullptr) == 0 &&
                        ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                        ::setresuid(kNobody, kNobody, kNobody) == 0;
  ::_exit(is_other && WriteWholeFile(path, "new") ? 0 : 1);
}

TEST_F(WholeFileTest, GivesNobodyARightWhereTheOwnerCannotBeKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "to be another user needs root";
  struct Row {
    mode_t before;
    mode_t after;
  };
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  for (const Row& row : {Row{06755, 0755}, Row{0640, 0600}, Row{0604, 0600}, Row{0664, 0644}}) {
    std::filesystem::remove(Path("a"));
    ASSERT_TRUE(WriteWholeFile(Path("a"), "old"));
    ASSERT_EQ(::chmod(Path("a").c_str(), row.before), 0);
    EXPECT_EXIT(WriteAsAnother(Path("a")), testing::ExitedWithCode(0), "");
    EXPECT_EQ(*kernel::ReadFile(Path("a")), "new");
    EXPECT_EQ(FactsOf("a").st_uid, 65534U);
    EXPECT_EQ(FactsOf("a").st_mode & 07777U, row.after);
  }
}

}  // namespace
}  // namespace jettison
