#include <gtest/gtest.h>

#include "core/units/http_url.h"

namespace jettison {
namespace {

TEST(TcpAddress, AnIpAddressAndAPort) {
  const auto v4 = ParseTcpAddress("127.0.0.1:10350");
  ASSERT_TRUE(v4);
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, 10350);
  EXPECT_FALSE(v4->is_v6);
  const auto v6 = ParseTcpAddress("[::1]:0");
  ASSERT_TRUE(v6);
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 0);
  EXPECT_TRUE(v6->is_v6);
}

TEST(TcpAddress, LoopbackIs127And1Only) {
  for (const char* text : {"127.0.0.1:1", "127.255.255.254:1", "[::1]:1", "[0:0::1]:1"}) {
    const auto address = ParseTcpAddress(text);
    EXPECT_TRUE(address && address->is_loopback) << text;
  }
  for (const char* text : {"0.0.0.0:1", "128.0.0.1:1", "10.0.0.1:1", "[::]:1", "[fe80::1]:1",
                           "[::ffff:127.0.0.1]:1"}) {
    const auto address = ParseTcpAddress(text);
    EXPECT_TRUE(address && !address->is_loopback) << text;
  }
}

TEST(TcpAddress, WhatIsNotOfThisFormIsNone) {
  for (const char* text :
       {"", ":", ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1: 1", "127.0.0.1:1x", "127.1:80", "localhost:80", "::1:80", "[::1]", "[]:80",
        "[127.0.0.1]:80", "[::1%lo]:80", "127.0.0.1\0:80"}) {
    EXPECT_FALSE(ParseTcpAddress(text)) << text;
  }
}

}  // namespace
}  // namespace jettison
