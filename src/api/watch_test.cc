#include "api/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/test_snapshot.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The types of the frames in a piece of a stream.
std::vector<std::string> Types(const std::string& bytes) {
  constexpr std::string_view kKey = "event: ";
  std::vector<std::string> types;
  for (std::size_t at = bytes.find(kKey); at != std::string::npos; at = bytes.find(kKey, at + 1)) {
    const std::size_t begin = at + kKey.size();
    types.push_back(bytes.substr(begin, bytes.find('\n', begin) - begin));
  }
  return types;
}

void AddPass(Snapshot& snapshot, std::uint64_t number, bool evicts) {
  auto pass = std::make_shared<RecordedPass>();
  pass->number = number;
  pass->policy = snapshot.policy;
  pass->report.at = snapshot.at;
  if (evicts) {
    pass->report.acting_for = Threshold{.signal = Signal::kMemoryAvailable, .value = Quantity()};
    pass->report.evictions.push_back({.order = {.pod_uid = "u", .message = "low on memory"}});
  }
  snapshot.cycles.push_back(std::move(pass));
}

TEST(WatchFrames, TheFirstOnesTellHowEverythingStands) {
  Snapshot snapshot = TestSnapshot(1);
  AddTestEvent(snapshot, "default/a", "BackOff", kTestNow);
  AddPass(snapshot, 1, true);
  WatchCursor cursor;
  EXPECT_THAT(Types(WatchFrames(snapshot, cursor)),
              ElementsAre("condition", "condition", "condition", "condition", "event", "eviction",
                          "pass", "status"));
  EXPECT_EQ(WatchFrames(snapshot, cursor), "");
}

TEST(WatchFrames, MuchIsToldInPiecesAndNothingTwice) {
  Snapshot snapshot = TestSnapshot(1);
  for (int i = 0; i < 300; ++i) {
    AddTestEvent(snapshot, "default/p" + std::to_string(i), std::string(1000, 'r'), kTestNow);
  }
  for (std::uint64_t i = 1; i <= 40; ++i) AddPass(snapshot, i, true);
  WatchCursor cursor;
  std::vector<std::string> all;
  int pieces = 0;
  do {
    const std::string bytes = WatchFrames(snapshot, cursor);
    // The status is one frame, however large.
    EXPECT_LT(std::min(bytes.size(), bytes.find("event: status")), kMostFrames + 8192);
    for (std::string& type : Types(bytes)) all.push_back(std::move(type));
  } while (++pieces < 100 && cursor.is_behind);
  EXPECT_GT(pieces, 4);
  EXPECT_EQ(std::ranges::count(all, "event"), 300);
  EXPECT_EQ(std::ranges::count(all, "eviction"), 40);
  EXPECT_EQ(std::ranges::count(all, "pass"), 40);
  EXPECT_EQ(std::ranges::count(all, "status"), 1);
  EXPECT_EQ(WatchFrames(snapshot, cursor), "");
}

TEST(WatchFrames, LaterOnesTellWhatIsNew) {
  Snapshot snapshot = TestSnapshot(1);
  WatchCursor cursor;
  (void)WatchFrames(snapshot, cursor);
  snapshot.condition_views[1].status = true;
  AddPass(snapshot, 2, false);
  const std::string bytes = WatchFrames(snapshot, cursor);
  EXPECT_THAT(Types(bytes), ElementsAre("condition", "pass"));
  EXPECT_THAT(bytes, HasSubstr("KubeletHasInsufficientMemory"));
  snapshot.at += seconds(1);
  EXPECT_THAT(Types(WatchFrames(snapshot, cursor)), ElementsAre("status"));
}

TEST(WatchFrames, AClientThatComesBackIsToldWhatItMissed) {
  Snapshot snapshot = TestSnapshot(1);
  AddTestEvent(snapshot, "", "First", kTestNow);
  AddPass(snapshot, 1, false);
  WatchCursor cursor;
  (void)WatchFrames(snapshot, cursor);
  const std::string id = FrameId(cursor);
  AddTestEvent(snapshot, "", "Second", kTestNow);
  AddPass(snapshot, 2, false);
  WatchCursor back = CursorAt(id);
  const std::string bytes = WatchFrames(snapshot, back);
  EXPECT_THAT(bytes.substr(0, bytes.find("event: status")), testing::Not(HasSubstr("First")));
  EXPECT_THAT(bytes, HasSubstr("Second"));
  EXPECT_THAT(Types(bytes), ElementsAre("condition", "condition", "condition", "condition", "event",
                                        "pass", "status"));
}

TEST(WatchFrames, AnIdOfAnotherRunOrOfNobodyBeginsAtTheOldest) {
  Snapshot snapshot = TestSnapshot(1);
  AddTestEvent(snapshot, "", "First", kTestNow);
  for (const char* id : {"", "x", "1-2", "1-2-3-4", "12-99-99", "--", "1-99-99 "}) {
    WatchCursor cursor = CursorAt(id);
    EXPECT_THAT(WatchFrames(snapshot, cursor), HasSubstr("First")) << id;
  }
}

class WatchTest : public testing::Test {
 protected:
  void Put(Snapshot snapshot) { board_.Put(std::make_shared<const Snapshot>(std::move(snapshot))); }

  Instant now_ = kTestNow;
  Board board_;
  std::shared_ptr<Watch> watch_ = std::make_shared<Watch>(board_, [this] { return now_; });
};

TEST_F(WatchTest, AStreamSaysNothingWhereNothingHappensButThatItLives) {
  Put(TestSnapshot(1));
  const HttpStream stream = watch_->Open("");
  EXPECT_THAT(**stream(), HasSubstr("event: status"));
  EXPECT_THAT(**stream(), IsEmpty());
  EXPECT_FALSE(board_.TakeAsked()) << "the agent was asked although there is no news";
  now_ += seconds(15);
  EXPECT_EQ(**stream(), ":\n\n");
  EXPECT_THAT(**stream(), IsEmpty());
}

TEST_F(WatchTest, NewsAreToldFromASnapshotThatShowsThem) {
  Put(TestSnapshot(1));
  const HttpStream stream = watch_->Open("");
  (void)stream();
  board_.Turned(kTestNow + seconds(2));
  watch_->News();
  Snapshot next = TestSnapshot(1);
  next.at = kTestNow + seconds(2);
  AddTestEvent(next, "default/a", "BackOff", next.at);
  Put(std::move(next));
  EXPECT_THAT(Types(**stream()), ElementsAre("event", "status"));
}

}  // namespace
}  // namespace jettison
