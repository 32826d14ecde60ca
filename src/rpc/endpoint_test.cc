#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/client.h"

namespace jettison::cri {
namespace {

using ::testing::HasSubstr;

TEST(Endpoint, NamesASocketByItsAbsolutePath) {
  EXPECT_EQ(SocketOf("unix:///run/containerd/containerd.sock").value(),
            "/run/containerd/containerd.sock");
  EXPECT_EQ(SocketOf("unix:///a b%c").value(), "/a b%c");
}

TEST(Endpoint, AnyOtherFormIsRefusedWithWhatIsAllowed) {
  for (const std::string_view endpoint :
       {"", "/run/containerd/containerd.sock", "unix:/run/c.sock", "unix://run/c.sock", "unix://",
        "unix:///", "unix:///run/", "tcp://127.0.0.1:1234", "npipe:////./pipe/containerd",
        "unix-abstract:///x", "UNIX:///run/c.sock", " unix:///run/c.sock"}) {
    const Result<std::string> socket = SocketOf(endpoint);
    ASSERT_FALSE(socket) << endpoint;
    EXPECT_EQ(socket.error().code, ErrorCode::kInvalidArgument) << endpoint;
    EXPECT_THAT(socket.error().message, HasSubstr("as in unix:///run/containerd/containerd.sock"));
  }
}

TEST(Endpoint, APathThatNoSocketCanHaveIsRefused) {
  const std::string longest = "/" + std::string(106, 'x');
  EXPECT_TRUE(SocketOf("unix://" + longest));
  const Result<std::string> too_long = SocketOf("unix://" + longest + "x");
  ASSERT_FALSE(too_long);
  EXPECT_THAT(too_long.error().message,
              HasSubstr("the path has 108 bytes, a socket's at most 107"));
  EXPECT_FALSE(SocketOf(std::string_view("unix:///a\0b", 11)));
}

TEST(Endpoint, TheTargetIsAUri) {
  EXPECT_EQ(TargetOf("/run/a-b_c~1.sock"), "unix:///run/a-b_c~1.sock");
  EXPECT_EQ(TargetOf("/a b/100%?#\xc3\xa4"), "unix:///a%20b/100%25%3F%23%C3%A4");
}

}  // namespace
}  // namespace jettison::cri
