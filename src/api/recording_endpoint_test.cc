#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "api/api.h"
#include "api/test_snapshot.h"
#include "http/message.h"
#include "view/board.h"
#include "view/snapshot.h"

namespace jettison {
namespace {

using ::testing::Contains;
using ::testing::Pair;

using Piece = Result<std::optional<std::string>>;

// Gives out what the test has laid down; nothing laid down is a disk that does not answer yet.
class FakeRecording final : public ServedRecording {
 public:
  std::deque<Piece> pieces;
  bool is_full = false;
  WakeClient wake;

  Result<RecordingFetch> Fetch(const RecordingTimes& /*times*/, WakeClient wake_client) override {
    if (is_full) return Fail(ErrorCode::kUnavailable, "4 clients fetch it already");
    wake = std::move(wake_client);
    return [this]() -> Piece {
      if (pieces.empty()) return std::string();
      Piece piece = std::move(pieces.front());
      pieces.pop_front();
      return piece;
    };
  }
  RecorderCounters counters() const override { return {}; }
};

class RecordingEndpoint : public testing::Test {
 protected:
  RecordingEndpoint() {
    Snapshot snapshot = TestSnapshot(0);
    snapshot.recording = recording_;
    board_.Turned(kTestNow);
    board_.Put(std::make_shared<const Snapshot>(std::move(snapshot)));
  }
  HttpResponse Get() {
    return api_.Answer({.method = "GET", .path = "/api/v1/recording", .query = {}});
  }

  std::shared_ptr<FakeRecording> recording_ = std::make_shared<FakeRecording>();
  int wakes_ = 0;
  Board board_;
  Api api_{{.board = board_,
            .now = [] { return kTestNow; },
            .started_at = kTestNow,
            .wake_streams = [this] { ++wakes_; }}};
};

TEST_F(RecordingEndpoint, IsTheStreamOfWhatTheRecorderReads) {
  const HttpResponse answer = Get();
  ASSERT_TRUE(answer.stream);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/vnd.jettison.recording");
  EXPECT_EQ(answer.stream().value(), "") << "the disk has not answered";
  recording_->wake();
  EXPECT_EQ(wakes_, 1);
  recording_->pieces = {"one", "two", std::nullopt,
                        Fail(ErrorCode::kInternal, "read the folder: Input/output error")};
  EXPECT_EQ(answer.stream().value(), "one");
  EXPECT_EQ(answer.stream().value(), "two");
  EXPECT_EQ(answer.stream().value(), std::nullopt);
  EXPECT_FALSE(answer.stream());
}

TEST_F(RecordingEndpoint, OneTooManyIsToldToComeBack) {
  recording_->is_full = true;
  const HttpResponse answer = Get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.headers, Contains(Pair("Retry-After", "10")));
  EXPECT_FALSE(answer.stream);
}

}  // namespace
}  // namespace jettison
