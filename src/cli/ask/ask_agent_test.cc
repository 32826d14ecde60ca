#include "cli/ask/ask_agent.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/terminal/output.h"
#include "http/endpoint.h"
#include "http/server/listen.h"
#include "http/server/testing/test_server.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

std::string TemporaryPath(const std::string& name) {
  return testing::TempDir() + name + "-" + std::to_string(::getpid());
}

TEST(AskAgent, TheTokenIsReadWithoutItsNewline) {
  const std::string path = TemporaryPath("ask-token");
  std::ofstream(path) << "  secret-1\n";
  EXPECT_EQ(TargetOf({.token_file = path})->bearer_token, "secret-1");
  std::ofstream(path) << "\n";
  EXPECT_THAT(TargetOf({.token_file = path}).error().message, HasSubstr("is empty"));
  std::filesystem::remove(path);
  EXPECT_EQ(TargetOf({.token_file = path}).error().code, ErrorCode::kNotFound);
}

TEST(AskAgent, AnAnswerOfAnotherTypeIsNone) {
  http::TestServer server;
  ASSERT_TRUE(server.Start([](const HttpRequest&) {
    HttpResponse answer;
    answer.content_type = "text/html; charset=utf-8";
    answer.body = "<html>Welcome</html>";
    return answer;
  }));
  for (const std::string_view type : {kTextType, kJsonType}) {
    const auto answer = AskAgent({.server = server.endpoint()}, "/api/v1/explain", type);
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message,
                HasSubstr("does not answer as an agent does: the answer is of the type "
                          "\"text/html; charset=utf-8\", but must be "));
  }
}

TEST(AskAgent, TheTokenThatAnAgentOnThisMachineMadeIsFound) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root makes and reads it";
  const kernel::TemporaryFolder folder;
  const auto token = http::MakeOwnToken(http::OwnTokenFile("127.0.0.1:1", folder.path()));
  ASSERT_TRUE(token) << token.error().message;
  const auto sent = [&folder](const std::string& server) {
    const AskOptions options{.server = server, .own_token_folder = folder.path()};
    return TargetOf(options)->bearer_token.size();
  };
  EXPECT_EQ(sent("http://127.0.0.1:1"), 64U);
  EXPECT_EQ(sent("http://localhost:1"), 64U);
  EXPECT_EQ(sent("http://127.0.0.1:2"), 0U);
  EXPECT_EQ(sent("http://192.0.2.1:1"), 0U) << "no other machine is sent it";
  EXPECT_EQ(sent("http://example.com:1"), 0U);
  EXPECT_EQ(sent("unix:///run/jettison/jettison.sock"), 0U);
}

const Instant kNow = ParseInstant("2026-01-31T12:00:00Z").value();

TEST(TimeOption, AnInstantADayNowAndHowLongAgoAreTimes) {
  EXPECT_EQ(TimeNamed("--from", "2026-01-30T01:02:03Z", kNow),
            ParseInstant("2026-01-30T01:02:03Z"));
  EXPECT_EQ(TimeNamed("--from", "2026-01-30", kNow), ParseInstant("2026-01-30T00:00:00Z"));
  EXPECT_EQ(TimeNamed("--from", "now", kNow), kNow);
  EXPECT_EQ(TimeNamed("--from", "2h", kNow), kNow - std::chrono::hours(2));
}

TEST(TimeOption, AnythingElseIsRefusedWithTheOptionAndWhatIsAllowed) {
  for (const char* text : {"", "yesterday", "-2h", "2026-02-30", "2026-01", "9999-12-31",
                           "1500-01-01T00:00:00Z", "9999999h"}) {
    const auto at = TimeNamed("--from", text, kNow);
    ASSERT_FALSE(at) << text;
    EXPECT_THAT(at.error().message, testing::StartsWith(std::string("--from: ") + text + ": must"));
  }
}

}  // namespace
}  // namespace jettison
