#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "agent/figures/file_systems.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_image_store.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TheImagePlaces : public testing::Test {
 protected:
  FakeClock clock_{Instant(std::chrono::hours(1))};
  FakeImageStore store_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::vector<std::string> found_;
  int answered_ = 0;
  ImagePlaces places_{store_, clock_, log_,
                      [this](const StorageFolders& folders) { found_.push_back(folders.images); }};
};

// As after a restart with another root.
TEST_F(TheImagePlaces, AreAskedForAgainAndTheLastAnswerHoldsWhileTheRuntimeIsAway) {
  places_.Ask([this] { ++answered_; }, [] { ADD_FAILURE() << "it is not late"; });
  EXPECT_THAT(found_, ElementsAre("/"));
  store_.FailFolders(Error{ErrorCode::kUnavailable, "no socket"});
  clock_.Advance(seconds(10));
  places_.Advance(clock_.Now());
  EXPECT_THAT(found_, ElementsAre("/"));
  store_.FailFolders(std::nullopt);
  store_.SetFolders({.images = "/elsewhere", .containers = ""});
  clock_.Advance(seconds(10));
  places_.Advance(clock_.Now());
  EXPECT_THAT(found_, ElementsAre("/", "/elsewhere"));
  EXPECT_EQ(answered_, 1);
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(TheImagePlaces, AnAnswerThatIsLateIsToldOnceSoThatNobodyWaitsForIt) {
  store_.Hang();
  int late = 0;
  places_.Ask([this] { ++answered_; }, [&] { ++late; });
  places_.Advance(clock_.Now());
  EXPECT_EQ(late, 0);
  ASSERT_EQ(places_.NextDeadline(), clock_.Now() + ImagePlaces::kPatience);
  clock_.Advance(ImagePlaces::kPatience);
  places_.Advance(clock_.Now());
  EXPECT_EQ(late, 1);
  EXPECT_EQ(answered_, 0);
  EXPECT_FALSE(places_.NextDeadline()) << "while it is asked";
  clock_.Advance(seconds(1));
  places_.Advance(clock_.Now());
  store_.Resume();
  store_.Deliver();
  EXPECT_EQ(late, 1);
  EXPECT_EQ(answered_, 1);
  EXPECT_THAT(found_, ElementsAre("/"));
}

TEST_F(TheImagePlaces, AreAskedForAgainWhileTheRuntimeIsAwayWhichIsSaidOnce) {
  store_.FailFolders(Error{ErrorCode::kUnavailable, "no socket"});
  places_.Ask([this] { ++answered_; });
  EXPECT_EQ(answered_, 1) << "nothing waits any longer";
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(places_.NextDeadline(), clock_.Now() + seconds(10));
    clock_.Advance(seconds(10));
    places_.Advance(clock_.Now());
  }
  EXPECT_THAT(found_, IsEmpty());
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("no socket")));
  store_.FailFolders(std::nullopt);
  clock_.Advance(seconds(10));
  places_.Advance(clock_.Now());
  EXPECT_THAT(found_, ElementsAre("/"));
  EXPECT_EQ(answered_, 1);
}

}  // namespace
}  // namespace jettison
