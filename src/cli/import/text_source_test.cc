#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/import/import.h"
#include "cli/recording/recording_file.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TextSourceTest : public testing::Test {
 protected:
  [[nodiscard]] std::string Write(const std::string& text) const {
    const std::string path = folder_.path() + "/dump";
    std::ofstream(path) << text;
    return path;
  }
  kernel::TemporaryFolder folder_;
};

// Series that tell of nodes may stand behind those of the nodes.
constexpr const char* kDump =
    "{__name__=\"node_memory_working_set_bytes\", instance=\"10.0.0.7:10250\"} 400 1767225600000\n"
    "{__name__=\"node_memory_working_set_bytes\", instance=\"10.0.0.7:10250\"} 600 1767225615000\n"
    "{__name__=\"machine_memory_bytes\", instance=\"10.0.0.7:10250\"} 1000 1767225600000\n"
    "{__name__=\"machine_memory_bytes\", instance=\"10.0.0.7:10250\"} 1000 1767225615000\n"
    "{__name__=\"kube_node_info\", node=\"a\", internal_ip=\"10.0.0.7\"} 1 1767225600000\n"
    "{__name__=\"go_goroutines\", instance=\"10.0.0.7:10250\"} 7 1767225600000\n";

TEST_F(TextSourceTest, ADumpBecomesARecordingThatCanBeRead) {
  TextSource source(Write(kDump));
  NodeDirectory directory;
  ASSERT_TRUE(source.Learn(directory));
  const Instant from = ParseInstant("2026-01-01T00:00:00Z").value();
  ImportSamples samples(directory, {}, {.from = from, .to = from + std::chrono::hours(1)});
  ASSERT_TRUE(source.ReadInto(samples));
  const std::string path = RecordingPath(folder_.path() + "/out/", "a", false);
  const auto written = WriteNode(path, "a", samples.nodes()["a"],
                                 {.source = "dump",
                                  .policy = {},
                                  .pods = {},
                                  .paths = {},
                                  .from = from,
                                  .to = from + std::chrono::hours(1)});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->summary.passes, 2U);
  auto file = RecordingFile::Open(path);
  ASSERT_TRUE(file);
  std::size_t notes = 0;
  std::vector<std::int64_t> available;
  while (const auto item = file->source().Next().value()) {
    notes += std::holds_alternative<RecordedNote>(*item) ? 1 : 0;
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&*item);
    if (pass == nullptr) continue;
    available.push_back((*pass)->report.observations[Signal::kMemoryAvailable]->available);
  }
  EXPECT_THAT(available, ElementsAre(600, 400));
  EXPECT_EQ(notes, written->summary.notes.size());
}

TEST_F(TextSourceTest, WrongLinesAreNamedAndTheOthersAreRead) {
  TextSource source(Write("# TYPE up gauge\nup one 1\nup{a=\"b\",a=\"c\"} 1 1\nup 1 1\n"));
  NodeDirectory directory;
  testing::internal::CaptureStderr();
  EXPECT_EQ(source.Learn(directory), 3U);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("line 2: \"one\" is no value"), HasSubstr("line 3: label a"),
                    HasSubstr("ends without \"# EOF\"")));
}

TEST_F(TextSourceTest, WhatCannotBeReadIsNamed) {
  NodeDirectory directory;
  EXPECT_THAT(TextSource(folder_.path() + "/none").Learn(directory).error().message,
              HasSubstr("/none: No such file"));
  EXPECT_THAT(TextSource(folder_.path()).Learn(directory).error().message,
              HasSubstr("must be a file"));
}

TEST(RecordingPath, IsAFileOrInAFolderAndNeverElsewhere) {
  EXPECT_EQ(RecordingPath("x.jtr", "a", false), "x.jtr");
  EXPECT_EQ(RecordingPath("x", "a", true), "x/a.jtr");
  EXPECT_EQ(RecordingPath("x/", "a", false), "x/a.jtr");
  EXPECT_EQ(RecordingPath("x", "../b/c", true), "x/%2E.%2Fb%2Fc.jtr");
}

}  // namespace
}  // namespace jettison
