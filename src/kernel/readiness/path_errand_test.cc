#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "kernel/readiness/disk_work.h"
#include "ports/fakes/fake_disk_thread.h"
#include "ports/fakes/fake_slow_paths.h"

namespace jettison::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Duration kPatience = std::chrono::seconds(10);

class PathErrandTest : public testing::Test {
 protected:
  PathErrandTest() { disk_thread_->slow_paths = slow_; }
  [[nodiscard]] PathStep Step(const std::string& path, Result<void> outcome = {}) {
    return {.what = "volume of " + path, .path = path, .work = [this, path, outcome](const auto&) {
              done_.push_back(path);
              return outcome;
            }};
  }
  [[nodiscard]] PathErrand::Done Note() {
    return [this](const Result<void>& outcome) {
      told_.push_back(outcome ? "fine" : outcome.error().message);
      errand_.reset();
    };
  }
  void Dispatch() const {
    pollfd ready = {.fd = readiness_->fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 30'000), 1);
    readiness_->Dispatch();
  }
  std::unique_ptr<Readiness> readiness_ = std::move(*Readiness::Create());
  std::shared_ptr<FakeSlowPaths> slow_ = std::make_shared<FakeSlowPaths>("/dead");
  DiskWork disk_{*readiness_, slow_};
  std::shared_ptr<FakeDiskThread> disk_thread_ = std::make_shared<FakeDiskThread>();
  DiskWork slow_disk_{*readiness_, disk_thread_};
  std::vector<std::string> done_;
  std::vector<std::string> told_;
  std::optional<PathErrand> errand_;
};

TEST_F(PathErrandTest, OfPathsThatAnswerIsDoneAtOnce) {
  errand_.emplace(*readiness_, disk_, kPatience);
  const auto outcome = errand_->Begin({Step("/a"), Step("/b")}, Note());
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(*outcome);
  EXPECT_THAT(done_, ElementsAre("/a", "/b"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PathErrandTest, EndsWithTheFirstFailure) {
  errand_.emplace(*readiness_, disk_, kPatience);
  const auto outcome =
      errand_->Begin({Step("/a", Fail(ErrorCode::kInternal, "no")), Step("/b")}, Note());
  ASSERT_TRUE(outcome && !*outcome);
  EXPECT_EQ(outcome->error().message, "volume of /a: no");
  EXPECT_THAT(done_, ElementsAre("/a"));
}

TEST_F(PathErrandTest, OfAPathThatMayHangIsDoneBeside) {
  errand_.emplace(*readiness_, disk_, kPatience);
  ASSERT_FALSE(errand_->Begin({Step("/a"), Step("/dead/x"), Step("/b")}, Note()));
  EXPECT_THAT(done_, ElementsAre("/a"));
  EXPECT_EQ(slow_->Answer(), 1);
  Dispatch();
  EXPECT_THAT(done_, ElementsAre("/a", "/dead/x", "/b"));
  EXPECT_THAT(told_, ElementsAre("fine"));
}

TEST_F(PathErrandTest, OfPathsThatAnswerWaitsForASlowDisk) {
  errand_.emplace(*readiness_, slow_disk_, Duration(1));
  ASSERT_FALSE(errand_->Begin({Step("/a"), Step("/b")}, Note()));
  readiness_->Dispatch();
  EXPECT_THAT(done_, IsEmpty());
  EXPECT_THAT(told_, IsEmpty()) << "the disk is slow, and not one that never answers";
  EXPECT_EQ(disk_thread_->Answer(), 1);
  EXPECT_THAT(done_, ElementsAre("/a", "/b"));
  Dispatch();
  EXPECT_THAT(told_, ElementsAre("fine"));
}

TEST_F(PathErrandTest, GoesOnBesideAfterTheDisk) {
  errand_.emplace(*readiness_, slow_disk_, kPatience);
  ASSERT_FALSE(errand_->Begin({Step("/a"), Step("/dead/x"), Step("/b")}, Note()));
  EXPECT_EQ(slow_->Answer(), 0);
  EXPECT_EQ(disk_thread_->Answer(), 1);
  EXPECT_THAT(done_, ElementsAre("/a"));
  Dispatch();
  EXPECT_EQ(slow_->Answer(), 1);
  Dispatch();
  EXPECT_THAT(done_, ElementsAre("/a", "/dead/x", "/b"));
  EXPECT_THAT(told_, ElementsAre("fine"));
}

TEST_F(PathErrandTest, TellsOfAFailureOnTheDiskAndDoesNothingMore) {
  errand_.emplace(*readiness_, slow_disk_, kPatience);
  ASSERT_FALSE(
      errand_->Begin({Step("/a", Fail(ErrorCode::kInternal, "no")), Step("/dead/x")}, Note()));
  EXPECT_EQ(disk_thread_->Answer(), 1);
  Dispatch();
  EXPECT_THAT(told_, ElementsAre("volume of /a: no"));
  EXPECT_EQ(slow_->Answer(), 0);
}

TEST_F(PathErrandTest, ThatNobodyWaitsForIsNotBegunByTheDisk) {
  errand_.emplace(*readiness_, slow_disk_, kPatience);
  ASSERT_FALSE(errand_->Begin({Step("/a")}, Note()));
  errand_.reset();
  EXPECT_EQ(disk_thread_->Answer(), 1);
  readiness_->Dispatch();
  EXPECT_THAT(done_, IsEmpty());
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PathErrandTest, ThatIsHurriedDoesNotWaitForTheDisk) {
  errand_.emplace(*readiness_, slow_disk_, kPatience);
  ASSERT_FALSE(errand_->Begin({Step("/a")}, [this](const Result<void>& outcome) {
    told_.push_back(outcome ? "fine" : outcome.error().message);
  }));
  errand_->Hurry();
  Dispatch();
  EXPECT_THAT(told_, ElementsAre(HasSubstr("volume of /a")));
  EXPECT_EQ(disk_thread_->Answer(), 1);
  Dispatch();
  EXPECT_THAT(done_, IsEmpty());
  EXPECT_EQ(told_.size(), 1U) << "it is told once";
}

TEST_F(PathErrandTest, IsGivenUpWithThePathThatDoesNotAnswer) {
  errand_.emplace(*readiness_, disk_, Duration(1));
  ASSERT_FALSE(errand_->Begin({Step("/dead/x")}, Note()));
  Dispatch();
  EXPECT_THAT(told_, ElementsAre(HasSubstr("volume of /dead/x: /dead/x")));
  EXPECT_EQ(slow_->Answer(), 0) << "it is no longer wanted";
}

TEST_F(PathErrandTest, ThatNobodyWaitsForIsNotBegun) {
  errand_.emplace(*readiness_, disk_, kPatience);
  ASSERT_FALSE(errand_->Begin({Step("/dead/x")}, Note()));
  errand_.reset();
  EXPECT_EQ(slow_->Answer(), 0);
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(PathErrandTest, ThatIsHurriedIsGivenUpAtOnce) {
  errand_.emplace(*readiness_, disk_, kPatience);
  ASSERT_FALSE(errand_->Begin({Step("/dead/x")}, Note()));
  errand_->Hurry();
  Dispatch();
  EXPECT_EQ(told_.size(), 1U);
}

}  // namespace
}  // namespace jettison::kernel
