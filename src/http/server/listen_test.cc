#include "http/server/listen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "http/server/testing/test_wire.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::http {
namespace {

using ::testing::HasSubstr;

class UnixSocket : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path() + "/a/b/j.sock"; }
  kernel::TemporaryFolder folder_;
};

TEST_F(UnixSocket, IsForOwnerAndGroupAndReplacesOnlyAStaleOne) {
  { ASSERT_TRUE(ListenAt(path(), "")); }
  ASSERT_TRUE(std::filesystem::exists(path()));
  const auto socket = ListenAt(path(), std::to_string(::getegid()));
  ASSERT_TRUE(socket) << socket.error().message;
  struct stat status {};
  EXPECT_EQ(::lstat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode, S_IFSOCK | 0660U);
  EXPECT_EQ(status.st_gid, ::getegid());
  const auto second = ListenAt(path(), "");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("perhaps another agent"));
  EXPECT_TRUE(Wire(path()).is_connected());
}

TEST_F(UnixSocket, WhatCannotBeIsRefusedWithWords) {
  const auto group = ListenAt(path(), "no-such-group");
  ASSERT_FALSE(group);
  EXPECT_THAT(group.error().message, HasSubstr("groupadd --system no-such-group"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  const auto longest = ListenAt("/" + std::string(107, 'a'), "");
  ASSERT_FALSE(longest);
  EXPECT_THAT(longest.error().message, HasSubstr("107 bytes at most"));
}

}  // namespace
}  // namespace jettison::http
