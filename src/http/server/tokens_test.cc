#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "http/server/access.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::http {
namespace {

class BearerTokenTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) const {
    // As secrets are replaced: whole, under the same name.
    std::ofstream(path() + ".new") << text;
    std::filesystem::rename(path() + ".new", path());
  }
  [[nodiscard]] std::string path() const { return folder_.path() + "/token"; }
  kernel::TemporaryFolder folder_;
};

TEST_F(BearerTokenTest, OnlyTheTokenMatches) {
  Write("  s3cret\n");
  ASSERT_TRUE(ReadToken(path()));
  for (const char* right : {"Bearer s3cret", "bearer s3cret", "Bearer  s3cret "}) {
    EXPECT_TRUE(HasToken(right, path())) << right;
  }
  for (const char* wrong : {"", "Bearer", "Bearer ", "s3cret", "Bearer s3cre", "Bearer s3crets",
                            "Bearer s3cres", "Bearer s3crets3cret", "Basic s3cret"}) {
    EXPECT_FALSE(HasToken(wrong, path())) << wrong;
  }
}

TEST_F(BearerTokenTest, AChangedFileCountsAtOnce) {
  Write("first");
  EXPECT_TRUE(HasToken("Bearer first", path()));
  Write("other");
  EXPECT_FALSE(HasToken("Bearer first", path()));
  EXPECT_TRUE(HasToken("Bearer other", path()));
}

TEST_F(BearerTokenTest, WithoutAFileOrATokenInItNothingMatches) {
  Write("first");
  Write("\n");
  EXPECT_FALSE(HasToken("Bearer first", path()));
  EXPECT_FALSE(HasToken("Bearer ", path()));
  std::filesystem::remove(path());
  EXPECT_FALSE(HasToken("Bearer first", path()));
  Write("first");
  EXPECT_TRUE(HasToken("Bearer first", path()));
}

}  // namespace
}  // namespace jettison::http
