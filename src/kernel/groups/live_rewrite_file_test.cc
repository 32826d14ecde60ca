#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::kernel {
namespace {

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

TEST_F(LiveRewriteFile, WhereThereWasNoSpaceFromTheBeginningTheOldTextStays) {
  ASSERT_TRUE(WriteFile(path_, "old"));
  Fill();
  EXPECT_FALSE(RewriteFile(path_, "new"));
  EXPECT_EQ(Text(), "old");
}

}  // namespace
}  // namespace jettison::kernel
