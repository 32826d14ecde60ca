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

TEST(RecordingLines, TheRecordingMadeOfThemIsTheSame) {
  const WrittenRecording written = Written(SomeRecording(5));
  const auto lines = LinesOf(ReadAll(written.bytes).items);
  EXPECT_EQ(Written(ReadLines(lines).items).bytes, written.bytes);
}

TEST(RecordingLines, WhatComesTwiceIsReadOnce) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const auto items = SomeRecording(seed, 1);
    const std::string all = LinesOf(items);
    EXPECT_EQ(HashesOf(ReadLines(all + all).items), HashesOf(items)) << seed;
    // The first half, fetched earlier.
    const std::vector<RecordedItem> half(
        items.begin(), items.begin() + static_cast<std::ptrdiff_t>(items.size() / 2));
    EXPECT_EQ(HashesOf(ReadLines(LinesOf(half) + all).items), HashesOf(items)) << seed;
  }
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

// What a recording of three passes, of which only the first has a state, becomes where `line` takes
// the place of the second one.
ReadRecording ReadWithSecond(const std::string& line) {
  const auto pass = [](int second) {
    return fmt::format(R"({{"pass":{{"number":{0},"at":"2026-01-01T00:00:0{0}Z","policy":1{1}}}}})",
                       second, second == 1 ? R"(,"state":{})" : "");
  };
  return ReadLines(R"({"about":{"at":"2026-01-01T00:00:00Z","node":"n"}})"
                   "\n"
                   R"({"policy":{"id":1}})"
                   "\n" +
                   pass(1) + "\n" + line + "\n" + pass(3) + "\n" + pass(4) + "\n");
}

TEST(RecordingLines, BehindALostPassThereIsAGapAndTheOthersAreRead) {
  for (const std::string line : {R"({"pass":{"number":"two"}})", R"({"pass":{"nu)", "[]",
                                 R"({"gap":{"from":"yesterday"}})"}) {
    const ReadRecording read = ReadWithSecond(line);
    EXPECT_THAT(read.faults, ElementsAre(HasSubstr("line 4: "))) << line;
    ASSERT_THAT(read.items, SizeIs(5)) << line;
    const auto* gap = std::get_if<RecordedGap>(&read.items[2]);
    ASSERT_NE(gap, nullptr) << line;
    EXPECT_EQ(FormatInstant(gap->from), "2026-01-01T00:00:01Z");
    EXPECT_EQ(FormatInstant(gap->to), "2026-01-01T00:00:03Z");
    EXPECT_THAT(gap->why, HasSubstr("line 4"));
  }
}

TEST(RecordingLines, BeginWithWhoseTheyAre) {
  EXPECT_THAT(ReadLines(R"({"gap":{}})").faults, ElementsAre(HasSubstr("must begin with")));
}

}  // namespace
}  // namespace jettison
