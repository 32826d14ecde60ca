#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "http/server/listen.h"
#include "http/server/testing/test_server.h"
#include "http/server/testing/test_wire.h"

namespace jettison::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(OwnToken, IsAnotherOneEachTimeAndItsOwnersAlone) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/run/a.token";
  const auto token = MakeOwnToken(path);
  ASSERT_TRUE(token) << token.error().message;
  const std::string first = TextOf(path);
  EXPECT_EQ(first.size(), 65U);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  ASSERT_TRUE(MakeOwnToken(path));
  EXPECT_NE(TextOf(path), first);
}

TEST(OwnToken, ALinkThatWaitsThereIsNotFollowed) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/a.token";
  const std::string target = folder.path() + "/target";
  ASSERT_EQ(::symlink(target.c_str(), path.c_str()), 0);
  ASSERT_EQ(::symlink(target.c_str(), (path + ".new").c_str()), 0);
  const auto token = MakeOwnToken(path);
  ASSERT_TRUE(token) << token.error().message;
  EXPECT_FALSE(std::filesystem::exists(target));
}

TEST(OwnToken, WhoReadsItWhileItIsReplacedFindsAWholeOne) {
  const kernel::TemporaryFolder folder;
  const std::string path = folder.path() + "/a.token";
  ASSERT_TRUE(MakeOwnToken(path));
  const std::jthread reader([&](const std::stop_token& ended) {
    while (!ended.stop_requested()) EXPECT_EQ(TextOf(path).size(), 65U);
  });
  for (int i = 0; i < 300; ++i) {
    const auto token = MakeOwnToken(path);
    ASSERT_TRUE(token) << token.error().message;
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(OwnToken, GoesWithTheServerAndItsSocket) {
  const kernel::TemporaryFolder folder;
  const HttpServerOptions options{.socket_path = folder.path() + "/j.sock",
                                  .address = "127.0.0.1:0",
                                  .own_token_file = folder.path() + "/a.token"};
  {
    TestServer server;
    ASSERT_TRUE(server.Start([](const HttpRequest&) { return HttpResponse{}; }, options));
    EXPECT_TRUE(std::filesystem::exists(options.own_token_file));
    EXPECT_TRUE(std::filesystem::exists(options.socket_path));
  }
  EXPECT_FALSE(std::filesystem::exists(options.own_token_file));
  EXPECT_FALSE(std::filesystem::exists(options.socket_path));
}

TEST(OwnToken, OnTcpOnlyWhoSendsItIsAnsweredAndOthersAreToldWhereItIs) {
  TestServer server;
  const std::string path = server.folder() + "/a.token";
  ASSERT_TRUE(server.Start([](const HttpRequest&) { return HttpResponse{.body = "good"}; },
                           {.address = "127.0.0.1:0", .own_token_file = path}))
      << server.error.message;
  Wire without(server.server().port());
  without.Send(Ask("/"));
  EXPECT_THAT(without.ReadAll(), AllOf(StartsWith("HTTP/1.1 401"), HasSubstr(path)));
  std::string token = TextOf(path);
  token.pop_back();
  Wire with(server.server().port());
  with.Send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: Bearer " + token +
            "\r\n\r\n");
  EXPECT_THAT(with.ReadAll(), StartsWith("HTTP/1.1 200"));
  Wire on_socket(server.socket());
  on_socket.Send(Ask("/"));
  EXPECT_THAT(on_socket.ReadAll(), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace jettison::http
