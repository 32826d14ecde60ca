#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/api.h"
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

class WatchTest : public testing::Test {
 protected:
  void Put(Snapshot snapshot) { board_.Put(std::make_shared<const Snapshot>(std::move(snapshot))); }

  Instant now_ = kTestNow;
  Board board_;
  HttpStream Open(std::string_view id) {
    return OpenWatch(
        board_, [this] { return now_; }, id);
  }
};

TEST_F(WatchTest, TheFirstFramesTellHowEverythingStands) {
  Snapshot snapshot = TestSnapshot(1);
  AddTestEvent(snapshot, "default/a", "BackOff", kTestNow);
  AddPass(snapshot, 1, true);
  Put(std::move(snapshot));
  const HttpStream stream = Open("");
  EXPECT_THAT(Types(**stream()), ElementsAre("condition", "condition", "condition", "condition",
                                             "event", "eviction", "pass", "status"));
  EXPECT_THAT(**stream(), IsEmpty());
}

TEST_F(WatchTest, LaterFramesTellWhatIsNew) {
  Snapshot snapshot = TestSnapshot(1);
  Put(snapshot);
  const HttpStream stream = Open("");
  (void)stream();
  snapshot.condition_views[1].status = true;
  AddPass(snapshot, 2, false);
  Put(snapshot);
  const std::string bytes = **stream();
  EXPECT_THAT(Types(bytes), ElementsAre("condition", "pass"));
  EXPECT_THAT(bytes, HasSubstr("KubeletHasInsufficientMemory"));
  snapshot.at += seconds(1);
  Put(snapshot);
  EXPECT_THAT(Types(**stream()), ElementsAre("status"));
}

TEST_F(WatchTest, AClientThatComesBackIsToldWhatItMissed) {
  Snapshot snapshot = TestSnapshot(1);
  AddTestEvent(snapshot, "", "First", kTestNow);
  AddPass(snapshot, 1, false);
  Put(snapshot);
  const std::string before = **Open("")();
  const std::size_t id = before.rfind("id: ") + 4;
  AddTestEvent(snapshot, "", "Second", kTestNow);
  AddPass(snapshot, 2, false);
  Put(snapshot);
  const std::string bytes = **Open(before.substr(id, before.find('\n', id) - id))();
  EXPECT_THAT(bytes.substr(0, bytes.find("event: status")), testing::Not(HasSubstr("First")));
  EXPECT_THAT(bytes, HasSubstr("Second"));
  EXPECT_THAT(Types(bytes), ElementsAre("condition", "condition", "condition", "condition", "event",
                                        "pass", "status"));
}

TEST_F(WatchTest, AnIdOfAnotherRunOrOfNobodyBeginsAtTheOldest) {
  Snapshot snapshot = TestSnapshot(1);
  AddTestEvent(snapshot, "", "First", kTestNow);
  Put(std::move(snapshot));
  for (const char* id : {"", "x", "1-2", "1-2-3-4", "12-99-99", "--", "1-99-99 "}) {
    EXPECT_THAT(**Open(id)(), HasSubstr("First")) << id;
  }
}

TEST_F(WatchTest, AStreamSaysNothingWhereNothingHappensButThatItLives) {
  Put(TestSnapshot(1));
  const HttpStream stream = Open("");
  EXPECT_THAT(**stream(), HasSubstr("event: status"));
  EXPECT_THAT(**stream(), IsEmpty());
  EXPECT_FALSE(board_.TakeAsked()) << "the agent was asked although there is no news";
  now_ += seconds(15);
  EXPECT_EQ(**stream(), ":\n\n");
  EXPECT_THAT(**stream(), IsEmpty());
}

TEST_F(WatchTest, NewsAreToldFromASnapshotThatShowsThem) {
  Put(TestSnapshot(1));
  const HttpStream stream = Open("");
  (void)stream();
  board_.Turned(kTestNow + seconds(2));
  board_.TellNews();
  Snapshot next = TestSnapshot(1);
  next.at = kTestNow + seconds(2);
  AddTestEvent(next, "default/a", "BackOff", next.at);
  Put(std::move(next));
  EXPECT_THAT(Types(**stream()), ElementsAre("event", "status"));
}

}  // namespace
}  // namespace jettison
