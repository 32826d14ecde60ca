#include "agent/state/state_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StateFileTest : public testing::Test {
 protected:
  [[nodiscard]] AgentState StateWith(int evictions) const {
    AgentState state;
    state.pods = {
        {.name = "default/a",
         .uid = "u",
         .evictions = evictions,
         .next_delay = seconds(20),
         .absence = SavedAbsence{
             .reason = "Evicted", .message = "m", .comes_back_at = clock_.Now() + seconds(7)}}};
    return state;
  }

  FakeClock clock_{Instant(std::chrono::hours(1000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  kernel::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/node-state";
};

TEST_F(StateFileTest, WhatOneAgentSavesTheNextOneLoads) {
  {
    StateFile file(path_, clock_, log_);
    EXPECT_EQ(file.Load(), AgentState{});
    file.Finish(StateWith(1));
  }
  StateFile next(path_, clock_, log_);
  EXPECT_EQ(next.Load(), StateWith(1));
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StateFileTest, TheEndDoesNotWaitForADiskThatHangs) {
  // The thread that is left may read it until the process ends.
  static const auto* const kClock = new FakeClock(clock_.Now());
  auto file = std::make_shared<StateFile>(path_, *kClock, log_);
  (void)file->Load();
  ASSERT_EQ(::mkfifo((path_ + ".new").c_str(), 0600), 0);  // whoever writes it waits for a reader
  file->Finish(StateWith(1), milliseconds(20));
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("cannot be saved in time")));
  const int complaints = file->fd();
  file.reset();
  const FileDescriptor reader(::open((path_ + ".new").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  pollfd told{.fd = complaints, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&told, 1, 20'000), 1) << "the thread that was left uses what is still there";
}

TEST_F(StateFileTest, ASaveDoesNotWaitForAnOrderlyEnd) {
  StateFile file(path_, clock_, log_);
  (void)file.Load();
  file.Save(StateWith(4), {.all = 1}, clock_.Now());
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (StateFile(path_, clock_, log_).Load() != StateWith(4)) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST_F(StateFileTest, ChangesInABurstAreSavedTogetherAndWhatAgesAgain) {
  StateFile file(path_, clock_, log_);
  EXPECT_FALSE(file.Due({.all = 0}, clock_.Now()))
      << "a state that has not been read yet is not overwritten";
  (void)file.Load();
  EXPECT_TRUE(file.Due({.all = 0}, clock_.Now()));
  file.Save({}, {.all = 0}, clock_.Now());
  EXPECT_EQ(file.NextDeadline({.all = 0}), clock_.Now() + std::chrono::hours(1))
      << "the uptime of the machine counts";
  EXPECT_FALSE(file.Due({.all = 1}, clock_.Now()));
  EXPECT_EQ(file.NextDeadline({.all = 1}), clock_.Now() + milliseconds(100));
  clock_.Advance(milliseconds(100));
  EXPECT_TRUE(file.Due({.all = 1}, clock_.Now()));
  EXPECT_FALSE(file.Due({.all = 0}, clock_.Now())) << "nothing has changed";
  AgentState pressed = StateWith(1);
  file.Save(pressed, {.all = 1}, clock_.Now());
  clock_.Advance(seconds(60));
  EXPECT_FALSE(file.Due({.all = 1}, clock_.Now())) << "the text tells how long ago each was";
  pressed.node.conditions = {{.type = NodeConditionType::kDiskPressure, .status = true}};
  file.Save(pressed, {.all = 2}, clock_.Now());
  clock_.Advance(seconds(9));
  EXPECT_FALSE(file.Due({.all = 2}, clock_.Now()));
  clock_.Advance(seconds(1));
  EXPECT_TRUE(file.Due({.all = 2}, clock_.Now()));
}

TEST_F(StateFileTest, AnEvictionIsSavedAtOnce) {
  StateFile file(path_, clock_, log_);
  (void)file.Load();
  file.Save({}, {.all = 1}, clock_.Now());
  EXPECT_FALSE(file.Due({.all = 2}, clock_.Now()));
  const StateChanges evicted{.all = 3, .evictions = 1};
  EXPECT_TRUE(file.Due(evicted, clock_.Now()));
  file.Save(StateWith(1), evicted, clock_.Now());
  EXPECT_FALSE(file.Due(evicted, clock_.Now()));
  EXPECT_FALSE(file.Due({.all = 4, .evictions = 1}, clock_.Now()));
}

// A link is not followed, so a file behind one cannot be read.
TEST_F(StateFileTest, WhatCannotBeReadIsPutAsideAndSaidWhere) {
  for (const char* text : {"rubbish", R"({"version":1})", ""}) {
    lines_.clear();
    std::filesystem::remove(path_ + ".damaged");
    std::filesystem::remove(path_);
    if (*text != '\0') {
      ASSERT_TRUE(kernel::WriteFile(path_, text));
    } else {
      ASSERT_EQ(::symlink("nowhere", path_.c_str()), 0);
    }
    StateFile file(path_, clock_, log_);
    EXPECT_EQ(file.Load(), AgentState{});
    EXPECT_THAT(lines_, ElementsAre(HasSubstr("file=" + path_ + ".damaged")));
    if (*text != '\0') EXPECT_EQ(kernel::ReadFile(path_ + ".damaged").value(), text);
    file.Finish(StateWith(2));
    EXPECT_EQ(StateFile(path_, clock_, log_).Load(), StateWith(2));
  }
}

TEST_F(StateFileTest, APlaceThatCannotBeWrittenIsSaidOnceAndSurvived) {
  StateFile file(folder_.path() + "/missing/node-state", clock_, log_);
  EXPECT_EQ(file.Load(), AgentState{});
  file.Finish(StateWith(1));
  file.Finish(StateWith(2));
  file.LogNews();
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("the state of the node cannot be saved")));
  EXPECT_THAT(file.problem(), HasSubstr("cannot be saved: "));
}

TEST_F(StateFileTest, AStateThatCouldNotBeWrittenIsWrittenLater) {
  const std::string missing = folder_.path() + "/missing";
  StateFile file(missing + "/node-state", clock_, log_);
  (void)file.Load();
  file.Save({}, {.all = 0}, clock_.Now());
  pollfd waiting{.fd = file.fd(), .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&waiting, 1, 20'000), 1) << "it is not said that it cannot be written";
  ASSERT_EQ(::mkdir(missing.c_str(), 0700), 0);
  EXPECT_FALSE(file.Due({.all = 0}, clock_.Now()));
  EXPECT_EQ(file.NextDeadline({.all = 0}), clock_.Now() + seconds(10));
  clock_.Advance(seconds(10));
  ASSERT_TRUE(file.Due({.all = 0}, clock_.Now()));
  file.LogNews();
  EXPECT_THAT(file.problem(), HasSubstr("cannot be saved: "));
  file.Save({}, {.all = 0}, clock_.Now());
  ASSERT_EQ(::poll(&waiting, 1, 20'000), 1) << "it is not said that it can be again";
  file.LogNews();
  EXPECT_EQ(file.problem(), "");
  EXPECT_TRUE(kernel::Exists(missing + "/node-state"));
}

// Each text takes the space of the one before it, so that a full disk stops none.
TEST_F(StateFileTest, TheSpaceForTheNextTextIsThere) {
  StateFile file(path_, clock_, log_);
  (void)file.Load();
  for (const int evictions : {1, 2, 3}) {
    file.Finish(StateWith(evictions));
    EXPECT_EQ(std::filesystem::file_size(path_), StateFile::kReservedBytes);
    EXPECT_EQ(std::filesystem::file_size(path_ + ".new"), StateFile::kReservedBytes);
    EXPECT_EQ(StateFile(path_, clock_, log_).Load(), StateWith(evictions));
  }
}

TEST_F(StateFileTest, AWriteThatWasCutOffLeavesTheTextBefore) {
  StateFile file(path_, clock_, log_);
  (void)file.Load();
  file.Finish(StateWith(1));
  ASSERT_TRUE(kernel::WriteFile(path_ + ".new", "{\"vers"));
  EXPECT_EQ(StateFile(path_, clock_, log_).Load(), StateWith(1));
  file.Finish(StateWith(2));
  EXPECT_EQ(StateFile(path_, clock_, log_).Load(), StateWith(2));
}

}  // namespace
}  // namespace jettison
