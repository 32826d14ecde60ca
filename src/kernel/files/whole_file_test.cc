#include "kernel/files/whole_file.h"

#include <gmock/gmock.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

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

// Writes as a user to whom neither the file nor its group belongs, in a process of its own.
void WriteAsAnother(const std::string& path) {
  constexpr uid_t kNobody = 65534;
  const bool is_other = ::setgroups(0, nullptr) == 0 &&
                        ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                        ::setresuid(kNobody, kNobody, kNobody) == 0;
  ::_exit(is_other && WriteWholeFile(path, "new") ? 0 : 1);
}

TEST_F(WholeFileTest, IsItsOwnersAloneWhereTheOwnerCannotBeKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "to be another user needs root";
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_TRUE(WriteWholeFile(Path("a"), "old"));
  ASSERT_EQ(::chmod(Path("a").c_str(), 06664), 0);
  EXPECT_EXIT(WriteAsAnother(Path("a")), testing::ExitedWithCode(0), "");
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "new");
  EXPECT_EQ(FactsOf("a").st_uid, 65534U);
  EXPECT_EQ(FactsOf("a").st_mode & 07777U, 0600U);
}

}  // namespace
}  // namespace jettison
