#include "machine/state/stand_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/root_lock.h"
#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class StandInFolder : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_); }
  static void Put(const std::string& file, const std::string& text) {
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file) << text;
  }
  static std::string TextOf(const std::string& file) {
    return kernel::ReadFile(file).value_or("none");
  }

  kernel::TemporaryFolder folder_;
  const std::string root_ = folder_.path() + "/root";
  const std::string used_ = folder_.path() + "/run/root-a";
};

TEST(StandInFor, NoTwoRootsHaveTheSame) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"/var/lib/jettison", "/run/root-var-lib-jettison"},
      {"/a-b", "/run/root-a_2db"},
      {"/a/b", "/run/root-a-b"},
      {"/a_b", "/run/root-a_5fb"},
      {"/", "/run/root-"}};
  for (const auto& [root, folder] : cases) EXPECT_EQ(StandInFor(root, "/run"), folder);
}

TEST(DiskFault, IsWhatADiskCausesAndNotAWrongPath) {
  for (const int fault : {EROFS, EIO, ENOSPC, EDQUOT, EUCLEAN, ENXIO, ESTALE}) {
    EXPECT_TRUE(IsDiskFault({fault, std::generic_category()})) << fault;
  }
  for (const int other : {0, EACCES, EPERM, ENOTDIR, ENOENT, ELOOP, EMFILE}) {
    EXPECT_FALSE(IsDiskFault({other, std::generic_category()})) << other;
  }
}

TEST_F(StandInFolder, BeginsWithWhatTheRootHasAndKeepsWhatIsNewer) {
  Put(root_ + "/node-state", "old");
  Put(root_ + "/cluster-pods/a", "pod");
  Put(root_ + "/evictions/1.json", "{}");
  {
    const auto opened = OpenStandIn(used_, root_);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_THAT(opened->not_read, IsEmpty());
    EXPECT_EQ(TextOf(used_ + "/node-state"), "old");
    EXPECT_EQ(TextOf(used_ + "/cluster-pods/a"), "pod");
    EXPECT_FALSE(kernel::Exists(used_ + "/evictions")) << "records may be large";
  }
  Put(used_ + "/node-state", "new");
  ASSERT_TRUE(OpenStandIn(used_, root_));
  EXPECT_EQ(TextOf(used_ + "/node-state"), "new");
  EXPECT_EQ(TextOf(root_ + "/node-state"), "old");
}

TEST_F(StandInFolder, SaysWhatCannotBeRead) {
  Put(root_ + "/images.json", "{}");
  ASSERT_EQ(::mkfifo((root_ + "/node-state").c_str(), 0600), 0);
  const auto opened = OpenStandIn(used_, root_);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_THAT(opened->not_read, ElementsAre("node-state"));
  EXPECT_EQ(TextOf(used_ + "/images.json"), "{}");
  const StatePlace place{.folder = used_, .not_read = opened->not_read, .root = root_};
  EXPECT_EQ(place.FolderOf("node-state"), root_);
  EXPECT_EQ(place.FolderOf("images.json"), used_);
}

TEST_F(StandInFolder, OfAnotherAgentIsLeftAlone) {
  const auto first = OpenStandIn(used_, root_);
  ASSERT_TRUE(first);
  Put(used_ + "/node-state", "new");
  EXPECT_EQ(OpenStandIn(used_, root_).error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(TakeBack(used_, root_).error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(kernel::Exists(root_ + "/node-state"));
}

TEST_F(StandInFolder, OfARootInWhichAnotherAgentWorksIsNotMade) {
  Put(root_ + "/node-state", "old");
  {
    const auto running = kernel::LockRoot(root_ + "/lock");
    ASSERT_TRUE(running);
    EXPECT_EQ(OpenStandIn(used_, root_).error().code, ErrorCode::kUnavailable);
    EXPECT_FALSE(kernel::Exists(used_)) << "it would count as newer than what that agent writes";
  }
  ASSERT_TRUE(OpenStandIn(used_, root_));
  EXPECT_TRUE(kernel::LockRoot(root_ + "/lock")) << "the runtime takes it, too";
}

TEST_F(StandInFolder, IsTakenBackOnce) {
  EXPECT_FALSE(TakeBack(used_, root_).value()) << "there is none";
  Put(root_ + "/node-state", "old");
  Put(root_ + "/cluster-pods/a", "gone since");
  ASSERT_TRUE(OpenStandIn(used_, root_));
  Put(used_ + "/node-state", "new");
  fs::remove(used_ + "/cluster-pods/a");
  Put(used_ + "/cluster-pods/b", "pod");
  EXPECT_TRUE(TakeBack(used_, root_).value());
  EXPECT_EQ(TextOf(root_ + "/node-state"), "new");
  EXPECT_FALSE(kernel::Exists(root_ + "/cluster-pods/a"));
  EXPECT_EQ(TextOf(root_ + "/cluster-pods/b"), "pod");
  EXPECT_FALSE(kernel::Exists(used_));
  EXPECT_FALSE(TakeBack(used_, root_).value());
}

TEST_F(StandInFolder, ThatCannotBeTakenBackStays) {
  ASSERT_TRUE(OpenStandIn(used_, root_));
  Put(used_ + "/node-state", "new");
  fs::remove(root_);
  EXPECT_FALSE(TakeBack(used_, root_));
  EXPECT_EQ(TextOf(used_ + "/node-state"), "new");
}

}  // namespace
}  // namespace jettison
