#include "http/endpoint.h"

#include <gtest/gtest.h>

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

TEST(HttpEndpoint, AnythingElseIsRefused) {
  const std::string longest = "unix:///" + std::string(107, 'a');
  for (const std::string& text :
       {std::string(""), std::string("unix://"), std::string("unix://run"), longest,
        std::string("/run/j.sock"), std::string("ftp://h"), std::string("http://"),
        std::string("http://h/path"), std::string("http://u@h"), std::string("http://h:"),
        std::string("http://h:x"), std::string("http://h:999999"), std::string("http://h:99999"),
        std::string("http://h:65536"), std::string("http://h:0"), std::string("http://h:-1"),
        std::string("http://[::1"), std::string("http://[::1]x"), std::string("http://h\r\n:1")}) {
    const auto endpoint = ParseEndpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(HttpEndpoint, ARefusalTellsNoSecret) {
  for (const char* text : {"https://me:secret@host", "https://host?secret"}) {
    const auto endpoint = ParseEndpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().message.find("secret"), std::string::npos)
        << endpoint.error().message;
  }
}

}  // namespace
}  // namespace jettison::http
