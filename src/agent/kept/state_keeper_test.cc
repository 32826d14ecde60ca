#include "agent/kept/state_keeper.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StateKeeperTest : public testing::Test {
 protected:
  [[nodiscard]] KeptState StateWith(int evictions) const {
    KeptState state;
    state.pods = {
        {.name = "default/a",
         .uid = "u",
         .evictions = evictions,
         .next_delay = seconds(20),
         .absence = KeptAbsence{
             .reason = "Evicted", .message = "m", .comes_back_at = clock_.Now() + seconds(7)}}};
    return state;
  }

  FakeClock clock_{Instant(std::chrono::hours(1000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  kernel::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/node-state";
};

TEST_F(StateKeeperTest, WhatOneAgentSavesTheNextOneLoads) {
  {
    StateKeeper keeper(path_, clock_, log_);
    EXPECT_EQ(keeper.Load(), KeptState{});
    keeper.Finish(StateWith(1));
  }
  StateKeeper next(path_, clock_, log_);
  EXPECT_EQ(next.Load(), StateWith(1));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StateKeeperTest, TheEndDoesNotWaitForADiskThatHangs) {
  // The thread that is left may read it until the process ends.
  static const auto* const kClock = new FakeClock(clock_.Now());
  auto keeper = std::make_shared<StateKeeper>(path_, *kClock, log_);
  (void)keeper->Load();
  ASSERT_EQ(::mkfifo((path_ + ".new").c_str(), 0600), 0);  // whoever writes it waits for a reader
  keeper->Finish(StateWith(1), milliseconds(20));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be saved in time")));
  const int complaints = keeper->fd();
  keeper.reset();
  const FileDescriptor reader(::open((path_ + ".new").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  pollfd told{.fd = complaints, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&told, 1, 20'000), 1) << "the thread that was left uses what is still there";
}

TEST_F(StateKeeperTest, ASaveDoesNotWaitForAnOrderlyEnd) {
  StateKeeper keeper(path_, clock_, log_);
  (void)keeper.Load();
  keeper.Save(StateWith(4), {.all = 1}, clock_.Now());
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (StateKeeper(path_, clock_, log_).Load() != StateWith(4)) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST_F(StateKeeperTest, ChangesInABurstAreSavedTogetherAndWhatAgesAgain) {
  StateKeeper keeper(path_, clock_, log_);
  EXPECT_FALSE(keeper.Due({.all = 0}, clock_.Now()))
      << "a state that has not been read yet is not overwritten";
  (void)keeper.Load();
  EXPECT_TRUE(keeper.Due({.all = 0}, clock_.Now()));
  keeper.Save({}, {.all = 0}, clock_.Now());
  EXPECT_EQ(keeper.NextDeadline({.all = 0}), std::nullopt);
  EXPECT_FALSE(keeper.Due({.all = 1}, clock_.Now()));
  EXPECT_EQ(keeper.NextDeadline({.all = 1}), clock_.Now() + milliseconds(100));
  clock_.Advance(milliseconds(100));
  EXPECT_TRUE(keeper.Due({.all = 1}, clock_.Now()));
  EXPECT_FALSE(keeper.Due({.all = 0}, clock_.Now())) << "nothing has changed";
  KeptState pressed = StateWith(1);
  keeper.Save(pressed, {.all = 1}, clock_.Now());
  clock_.Advance(seconds(60));
  EXPECT_FALSE(keeper.Due({.all = 1}, clock_.Now())) << "the text tells how long ago each was";
  pressed.node.conditions = {{.type = NodeConditionType::kDiskPressure, .status = true}};
  keeper.Save(pressed, {.all = 2}, clock_.Now());
  clock_.Advance(seconds(9));
  EXPECT_FALSE(keeper.Due({.all = 2}, clock_.Now()));
  clock_.Advance(seconds(1));
  EXPECT_TRUE(keeper.Due({.all = 2}, clock_.Now()));
}

// The text tells how old it is, so that the next agent knows for how long nothing was seen.
TEST_F(StateKeeperTest, AThresholdThatIsMetIsSavedEveryTenSeconds) {
  StateKeeper keeper(path_, clock_, log_);
  (void)keeper.Load();
  KeptState met;
  met.node.thresholds = {{.text = "t", .first_observed = clock_.Now()}};
  keeper.Save(met, {.all = 1}, clock_.Now());
  EXPECT_EQ(keeper.NextDeadline({.all = 1}), clock_.Now() + seconds(10));
  EXPECT_FALSE(keeper.Due({.all = 1}, clock_.Now() + seconds(9)));
  EXPECT_TRUE(keeper.Due({.all = 1}, clock_.Now() + seconds(10)));
}

TEST_F(StateKeeperTest, AnEvictionIsSavedAtOnce) {
  StateKeeper keeper(path_, clock_, log_);
  (void)keeper.Load();
  keeper.Save({}, {.all = 1}, clock_.Now());
  EXPECT_FALSE(keeper.Due({.all = 2}, clock_.Now()));
  const KeptChanges evicted{.all = 3, .evictions = 1};
  EXPECT_TRUE(keeper.Due(evicted, clock_.Now()));
  keeper.Save(StateWith(1), evicted, clock_.Now());
  EXPECT_FALSE(keeper.Due(evicted, clock_.Now()));
  EXPECT_FALSE(keeper.Due({.all = 4, .evictions = 1}, clock_.Now()));
}

TEST_F(StateKeeperTest, ADamagedFileIsPutAsideAndSaidWhere) {
  ASSERT_TRUE(kernel::WriteFile(path_, "rubbish"));
  StateKeeper keeper(path_, clock_, log_);
  EXPECT_EQ(keeper.Load(), KeptState{});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("file=" + path_ + ".damaged")));
  EXPECT_EQ(kernel::ReadFile(path_ + ".damaged").value(), "rubbish");
  keeper.Finish(StateWith(2));
  EXPECT_EQ(StateKeeper(path_, clock_, log_).Load(), StateWith(2));
}

// A link is not followed, so a file behind one cannot be read.
TEST_F(StateKeeperTest, AFileThatCannotBeReadIsPutAsideToo) {
  ASSERT_EQ(::symlink("nowhere", path_.c_str()), 0);
  StateKeeper keeper(path_, clock_, log_);
  EXPECT_EQ(keeper.Load(), KeptState{});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("file=" + path_ + ".damaged")));
  keeper.Finish(StateWith(2));
  EXPECT_EQ(StateKeeper(path_, clock_, log_).Load(), StateWith(2));
}

TEST_F(StateKeeperTest, AnotherVersionsFileIsPutAside) {
  ASSERT_TRUE(KeptFile(path_).Write(R"({"version":2})"));
  EXPECT_EQ(StateKeeper(path_, clock_, log_).Load(), KeptState{});
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("version that is not known")));
  EXPECT_TRUE(kernel::Exists(path_ + ".damaged"));
}

TEST_F(StateKeeperTest, APlaceThatCannotBeWrittenIsSaidOnceAndSurvived) {
  StateKeeper keeper(folder_.path() + "/missing/node-state", clock_, log_);
  EXPECT_EQ(keeper.Load(), KeptState{});
  keeper.Finish(StateWith(1));
  keeper.Finish(StateWith(2));
  keeper.LogComplaints();
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("the state of the node cannot be saved")));
}

TEST_F(StateKeeperTest, AStateThatCouldNotBeWrittenIsWrittenLater) {
  const std::string missing = folder_.path() + "/missing";
  StateKeeper keeper(missing + "/node-state", clock_, log_);
  (void)keeper.Load();
  keeper.Save({}, {.all = 0}, clock_.Now());
  pollfd waiting{.fd = keeper.fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&waiting, 1, 20'000), 1) << "it is not said that it cannot be written";
  ASSERT_EQ(::mkdir(missing.c_str(), 0700), 0);
  EXPECT_FALSE(keeper.Due({.all = 0}, clock_.Now()));
  EXPECT_EQ(keeper.NextDeadline({.all = 0}), clock_.Now() + seconds(10));
  clock_.Advance(seconds(10));
  ASSERT_TRUE(keeper.Due({.all = 0}, clock_.Now()));
  keeper.Save({}, {.all = 0}, clock_.Now());
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (!KeptFile(missing + "/node-state").Read().value_or(std::nullopt)) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST_F(StateKeeperTest, WithoutAPathNothingIsKept) {
  StateKeeper keeper("", clock_, log_);
  EXPECT_EQ(keeper.Load(), KeptState{});
  EXPECT_FALSE(keeper.Due({.all = 1}, clock_.Now()));
  keeper.Finish(StateWith(1));
  EXPECT_THAT(lines_, IsEmpty());
}

}  // namespace
}  // namespace jettison
