#include "codec/flight/recording_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "codec/flight/recording_bed.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string LinesOf(const std::vector<RecordedItem>& items) {
  std::string lines;
  LineWriter writer([&](std::string_view line) -> Result<void> {
    lines += line;
    return {};
  });
  for (const RecordedItem& item : items) EXPECT_TRUE(writer.Add(item));
  EXPECT_TRUE(writer.Finish());
  return lines;
}

ReadRecording ReadLines(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  RecordingLines lines([&]() -> Result<std::optional<std::string_view>> {
    if (!std::getline(in, line)) return std::nullopt;
    return line;
  });
  ReadRecording read;
  for (;;) {
    auto item = lines.Next();
    if (!item) {
      read.faults.push_back(item.error().message);
    } else if (*item) {
      read.items.push_back(**std::move(item));
    } else {
      return read;
    }
  }
}

TEST(RecordingLines, EveryItemComesBackAsItWas) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    const auto items = SomeRecording(seed);
    const ReadRecording read = ReadLines(LinesOf(items));
    EXPECT_THAT(read.faults, IsEmpty());
    ASSERT_EQ(HashesOf(read.items), HashesOf(items)) << seed;
  }
}

TEST(RecordingLines, EachFigureOfAPodHasItsOwnName) {
  auto pass = std::make_shared<RecordedPass>();
  pass->policy = std::make_shared<const PassPolicy>();
  pass->summary.pods = {{.uid = "u",
                         .name = "n",
                         .namespace_ = "s",
                         .process_count = 2,
                         .memory_working_set_bytes = 3,
                         .containers = {{.name = "c"}},
                         .volumes = {{.name = "v", .usage = {}}},
                         .ephemeral_storage = FsUsage{.used_bytes = 4, .inodes_used = {}},
                         .stale_disk = StaleDisk{},
                         .has_memory = true,
                         .swap_bytes = 5,
                         .io_some_avg10 = 6}};
  const std::string lines =
      LinesOf({RecordingAbout{.node = "a"}, std::shared_ptr<const RecordedPass>(std::move(pass))});
  EXPECT_THAT(
      lines,
      HasSubstr(R"({"uid":"u","name":"n","namespace":"s","processCount":"2","workingSetBytes":"3",)"
                R"("containers":[{"name":"c"}],"volumes":[{"name":"v","usage":{}}],)"
                R"("ephemeralStorage":{"usedBytes":"4"},"staleDisk":{},"hasMemory":true,)"
                R"("swapBytes":"5","ioSomeAvg10":"6"})"));
}

TEST(RecordingLines, AFaultNamesItsLineAndTheOthersAreRead) {
  const std::string about = R"({"about":{"at":"2026-01-01T00:00:00Z","node":"n"}})";
  const struct {
    std::string line;
    std::string fault;
  } faults[] = {
      {"{", "line 2: "},
      {"[]", "line 2: "},
      {R"({"pod":{"id":1}})", "line 2: a pod"},
      {R"({"pod":{"id":-1}})", "line 2: "},
      {R"({"pod":{"id":1,"source":"MOON","manifest":"{}"}})", "line 2: "},
      {R"({"gap":{"from":"yesterday"}})", "line 2: "},
      {R"({"pass":{}})", "line 2: a pass has no time"},
      {R"({"pass":{"at":"2026-01-01T00:00:00Z","policy":7}})", "line 2: policy 7 was not told"},
      {R"({"weather":{}})", "line 2: "},
  };
  for (const auto& [line, fault] : faults) {
    std::string text = about + "\n";
    text += line + "\n\n" + R"({"oomKill":{"at":"2026-01-01T00:00:01Z","pod":"u"}})" + "\n";
    const ReadRecording read = ReadLines(text);
    EXPECT_THAT(read.faults, ElementsAre(HasSubstr(fault)));
    EXPECT_THAT(read.items, SizeIs(2));
  }
}

}  // namespace
}  // namespace jettison
