#include "core/units/http_url.h"

#include <gtest/gtest.h>

#include <map>

namespace jettison {
namespace {

struct Parts {
  std::string origin;
  std::string target;
  std::string credentials;
};

TEST(HttpUrl, IsWhomToAskWhatForAndAsWhom) {
  const std::map<std::string, Parts> cases = {
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
  };
  for (const auto& [text, parts] : cases) {
    const auto url = ParseHttpUrl(text);
    ASSERT_TRUE(url) << text << ": " << url.error().message;
    EXPECT_EQ(url->origin, parts.origin) << text;
    EXPECT_EQ(url->target, parts.target) << text;
    EXPECT_EQ(url->credentials, parts.credentials) << text;
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

}  // namespace
}  // namespace jettison
