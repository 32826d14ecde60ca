#include "http/endpoint.h"

#include <gtest/gtest.h>

#include <sstream>

namespace jettison::http {
namespace {

TEST(HttpEndpoint, ASocketOrAHostWithAPort) {
  const auto socket = ParseEndpoint("unix:///run/j.sock");
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->kind, Endpoint::Kind::kUnix);
  EXPECT_EQ(socket->path, "/run/j.sock");
  EXPECT_EQ(socket->Authority(), "localhost");
  const auto plain = ParseEndpoint("http://127.0.0.1:8080/");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->kind, Endpoint::Kind::kHttp);
  EXPECT_EQ(plain->Authority(), "127.0.0.1:8080");
  const auto tls = ParseEndpoint("https://[::1]");
  ASSERT_TRUE(tls);
  EXPECT_EQ(tls->kind, Endpoint::Kind::kHttps);
  EXPECT_EQ(tls->host, "::1");
  EXPECT_EQ(tls->Authority(), "[::1]:443");
  EXPECT_EQ(ParseEndpoint("http://node-1.example")->port, "80");
}

TEST(HttpEndpoint, AnythingElseIsRefusedWithoutTellingASecret) {
  EXPECT_FALSE(ParseEndpoint("unix:///" + std::string(107, 'a')));
  std::istringstream texts(
      "unix:// unix://run /run/j.sock ftp://h http:// http://h/path http://u@h http://h: "
      "http://h:x "
      "http://h:999999 http://h:65536 http://h:0 http://h:-1 http://[::1 http://[::1]x h "
      "https://me:secret@host https://host?secret http://h\x01:1");
  for (std::string text; texts >> text;) {
    const auto endpoint = ParseEndpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(endpoint.error().message.find("secret"), std::string::npos);
  }
}

}  // namespace
}  // namespace jettison::http
