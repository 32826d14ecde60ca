#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/command_bed.h"
#include "codec/flight/recording_writer.h"
#include "http/server/testing/test_server.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Somebody whom `jettison record` asks.
class Record : public testing::Test {
 protected:
  Record() {
    EXPECT_TRUE(server_.Start([this](const HttpRequest&) {
      HttpResponse answer = answer_;
      ++asked_;
      return answer;
    }));
    EXPECT_TRUE(kernel::WriteFile(path_, "a good one"));
  }

  // The exit status; what it says is in `said_`, what it prints in `printed_`.
  int Run(const std::string& path, std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"record", path, "--server", server_.endpoint()});
    const CommandRun run = RunCommand(std::move(arguments));
    said_ = run.complaint;
    printed_ = run.out;
    return run.status;
  }
  [[nodiscard]] std::string Content() const { return *kernel::ReadFile(path_); }

  const kernel::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/node.jtr";
  const std::string recording_ = std::string(kChunkMagic) + "and so on";
  HttpResponse answer_;
  int asked_ = 0;
  std::string said_;
  std::string printed_;

 private:
  http::TestServer server_;
};

TEST_F(Record, PutsARecordingInPlace) {
  answer_.body = recording_;
  EXPECT_EQ(Run(path_), 0);
  EXPECT_EQ(Content(), recording_);
  EXPECT_THAT(printed_, EndsWith("node.jtr: 25 bytes\n"));
}

TEST_F(Record, WritesItToStandardOutput) {
  answer_.body = recording_;
  EXPECT_EQ(Run("-"), 0);
  EXPECT_EQ(printed_, recording_);
  EXPECT_EQ(said_, "-: 25 bytes\n");
}

TEST_F(Record, LeavesTheFileWhereTheAnswerIsNoRecording) {
  for (const char* body : {"<html>Welcome to another server</html>", "ok"}) {
    answer_.body = body;
    EXPECT_EQ(Run(path_), 1);
    EXPECT_THAT(said_, HasSubstr("does not answer as an agent does: the answer is no recording"));
    EXPECT_EQ(Content(), "a good one");
    EXPECT_EQ(Run("-"), 1);
    EXPECT_THAT(printed_, IsEmpty());
  }
}

TEST_F(Record, LeavesTheFileWhereNothingWasRecordedInThatTime) {
  EXPECT_EQ(Run(path_, {"--since", "2h"}), 1);
  EXPECT_EQ(said_, "jettison: the agent has recorded nothing in that time (--since, --until)\n");
  EXPECT_EQ(Run(path_), 1);
  EXPECT_EQ(said_, "jettison: the agent has recorded nothing yet\n");
  EXPECT_EQ(Content(), "a good one");
}

TEST_F(Record, NamesEveryOptionThatIsWrongAndAsksNobody) {
  struct Row {
    std::vector<std::string> options;
    std::vector<std::string> said;
  };
  for (const auto& [options, said] :
       {Row{{"--since", "1m", "--until", "1h"},
            {"--since 1m: must be before --until 1h, which is 2"}},
        Row{{"--since", "2026-01-31", "--until", "2026-01-31"}, {"must be before"}},
        Row{{"--since", "1h", "--until", "bleh"}, {"jettison: --until: bleh: "}},
        Row{{"--since", "blah", "--until", "bleh", "--token-file", "/nonexistent"},
            {"jettison: --since: blah: ", "\njettison: --until: bleh: ",
             "\njettison: token file /nonexistent: "}}}) {
    EXPECT_EQ(Run(path_, options), 2);
    for (const std::string& part : said) EXPECT_THAT(said_, HasSubstr(part));
    const bool are_times = options[3] != "bleh";
    EXPECT_EQ(said_.find("must be before") != std::string::npos, are_times) << said_;
    EXPECT_EQ(asked_, 0);
    EXPECT_EQ(Content(), "a good one");
  }
}

}  // namespace
}  // namespace jettison
