#include "core/units/http_url.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <tuple>

namespace jettison {
namespace {

TEST(HttpUrl, IsWhomToAskWhatForAndAsWhom) {
  struct Row {
    const char* text;
    std::array<const char*, 3> parts;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"http://host", {"http://host", "/", ""}},
           {"https://host:8443/a/b?c=d#e", {"https://host:8443", "/a/b?c=d", ""}},
           {"http://host?x=1", {"http://host", "/?x=1", ""}},
           {"http://host#part", {"http://host", "/", ""}},
           {"http://[::1]:9000/x", {"http://[::1]:9000", "/x", ""}},
           {"http://me:secret@host/", {"http://host", "/", "me:secret"}},
           {"http://me:secret@[::1]/", {"http://[::1]", "/", "me:secret"}},
           {"http://me@host/", {"http://host", "/", "me:"}},
           {"http://:secret@host/", {"http://host", "/", ":secret"}},
           {"http://@host/", {"http://host", "/", ""}},
           {"http://me:a@b@host/", {"http://host", "/", "me:a@b"}},
           {"http://me:a:b@host/", {"http://host", "/", "me:a:b"}},
           {"http://m%65:%2f%3F%c3%a9%25@host/", {"http://host", "/", "me:/?\xC3\xA9%"}},
           {"http://me:50%@host/", {"http://host", "/", "me:50%"}},
           {"http://me:%zz@host/", {"http://host", "/", "me:%zz"}},
           {"http://host/path@x", {"http://host", "/path@x", ""}},
       }) {
    const auto url = ParseHttpUrl(row.text);
    ASSERT_TRUE(url) << row.text << ": " << url.error().message;
    EXPECT_EQ(url->origin, row.parts[0]) << row.text;
    EXPECT_EQ(url->target, row.parts[1]) << row.text;
    EXPECT_EQ(url->credentials, row.parts[2]) << row.text;
  }
}

TEST(HttpUrl, AnythingElseIsRefusedWithoutTellingIt) {
  for (const std::string_view text : {"",
                                      "secret",
                                      "ftp://secret",
                                      "HTTP//secret",
                                      "http://",
                                      "http:///secret",
                                      "http://?secret",
                                      "http://me:secret@",
                                      "http://me:secret@/path",
                                      "http://me:sec/ret@host/",
                                      "http://me:secret@host:port",
                                      "http://host:",
                                      "http://host:123456/secret",
                                      "http://[::1",
                                      "http://[::1]secret",
                                      "http://[]/secret",
                                      "http://a b/secret",
                                      "http://host/secret\r\nX: y",
                                      "http://me:secret%0D%0A@host/",
                                      "http://h\xC3\xA9/secret"}) {
    const auto url = ParseHttpUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(url.error().message.find("sec"), std::string::npos) << url.error().message;
  }
}

TEST(TcpAddress, AnIpAddressAndAPort) {
  const auto v4 = ParseTcpAddress("127.0.0.1:10350");
  const auto v6 = ParseTcpAddress("[::1]:0");
  ASSERT_TRUE(v4 && v6);
  EXPECT_EQ(std::tie(v4->host, v4->port, v4->is_v6), std::make_tuple("127.0.0.1", 10350, false));
  EXPECT_EQ(std::tie(v6->host, v6->port, v6->is_v6), std::make_tuple("::1", 0, true));
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

}  // namespace
}  // namespace jettison
