#include "view/board.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

bool Readable(int fd) {
  pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&waiting, 1, 0) == 1;
}

std::shared_ptr<const Snapshot> SnapshotOf(std::uint64_t passes) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->passes = passes;
  return snapshot;
}

TEST(Board, AsksNobodyWhileNobodyLooks) {
  Board board;
  EXPECT_FALSE(Readable(board.fd()));
  EXPECT_FALSE(board.TakeAsked());
}

TEST(Board, HasNothingWhereTheAgentDoesNotAnswer) {
  Board board;
  EXPECT_EQ(board.Look(seconds(1), milliseconds(1)), nullptr);
  EXPECT_TRUE(Readable(board.fd()));
  EXPECT_TRUE(board.TakeAsked());
}

TEST(Board, WaitsForTheAnswerOfTheAgent) {
  Board board;
  std::jthread agent([&board] {
    pollfd waiting = {.fd = board.fd(), .events = POLLIN, .revents = 0};
    poll(&waiting, 1, -1);
    if (board.TakeAsked()) board.Put(SnapshotOf(7));
  });
  const auto seen = board.Look(seconds(1), seconds(30));
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->passes, 7U);
}

TEST(Board, SharesASnapshotThatIsYoungEnough) {
  Board board;
  board.Put(SnapshotOf(1));
  EXPECT_EQ(board.Look(std::chrono::hours(1), seconds(0))->passes, 1U);
  EXPECT_FALSE(Readable(board.fd())) << "it need not be asked for again";
}

TEST(Board, GivesTheOneBeforeWhereTheAgentIsBusy) {
  Board board;
  board.Put(SnapshotOf(1));
  EXPECT_EQ(board.Look(Duration::zero(), milliseconds(1))->passes, 1U);
}

TEST(Board, TellsOfTurnsAndOfNews) {
  Board board;
  EXPECT_EQ(board.last_turn(), std::nullopt);
  board.Turned(Instant(seconds(5)));
  EXPECT_EQ(board.last_turn(), Instant(seconds(5)));
  board.TellNews();  // nobody wants to know
  int news = 0;
  board.OnNews([&news] { ++news; });
  board.TellNews();
  EXPECT_EQ(news, 1);
}

TEST(Board, HandsNotesToTheAgentOnce) {
  Board board;
  board.Say({.level = LogLevel::kWarning, .message = "first", .key = "err", .value = "full"});
  board.Say({.message = "second"});
  EXPECT_TRUE(Readable(board.fd()));
  EXPECT_FALSE(board.TakeAsked());
  const auto notes = board.TakeNotes();
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].value, "full");
  EXPECT_EQ(notes[1].message, "second");
  EXPECT_TRUE(board.TakeNotes().empty());
}

}  // namespace
}  // namespace jettison
