#include "cli/ask_agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

TEST(AskAgent, WhereNobodyListensTheStatusIsOne) {
  const AskOptions options{.server = "unix://" + TemporaryPath("no-agent.sock")};
  const auto answer = AskAgent(options, "/healthz");
  ASSERT_FALSE(answer);
  testing::internal::CaptureStderr();
  EXPECT_EQ(ReportUnanswered(answer.error()), 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no-agent.sock"));
}

TEST(AskAgent, AnEndpointOfAnotherFormIsWrongUsage) {
  const auto answer = AskAgent({.server = "ftp://agent"}, "/healthz");
  ASSERT_FALSE(answer);
  testing::internal::CaptureStderr();
  EXPECT_EQ(ReportUnanswered(answer.error()), 2);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace jettison
