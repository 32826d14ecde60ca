#include "kernel/readiness/disk_work.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "ports/fakes/fake_disk_thread.h"

namespace jettison::kernel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class DiskWorkTest : public testing::Test {
 protected:
  [[nodiscard]] DiskWork::Work Note(const std::string& what) {
    return [this, what]() -> Result<void> {
      happened_.push_back(what);
      if (what == "fails") return Fail(ErrorCode::kInternal, "no disk");
      return {};
    };
  }
  [[nodiscard]] DiskWork::Done Hear(const std::string& what) {
    return [this, what](const Result<void>& result) {
      happened_.push_back(what + (result ? " heard" : " " + result.error().message));
    };
  }

  std::vector<std::string> happened_;
  std::unique_ptr<Readiness> readiness_ = std::move(*Readiness::Create());
  std::shared_ptr<FakeDiskThread> thread_ = std::make_shared<FakeDiskThread>();
};

TEST_F(DiskWorkTest, IsDoneElsewhereInItsOrderAndHeardOfInDispatch) {
  DiskWork disk(*readiness_, thread_);
  disk.Do(Note("a"), Hear("a"));
  disk.Do(Note("fails"), Hear("b"));
  disk.Do(Note("c"));
  EXPECT_THAT(happened_, IsEmpty());
  EXPECT_EQ(thread_->Answer(), 3);
  EXPECT_THAT(happened_, ElementsAre("a", "fails", "c"));
  happened_.clear();
  readiness_->Dispatch();
  EXPECT_THAT(happened_, ElementsAre("a heard", "b no disk"));
  readiness_->Dispatch();
  EXPECT_EQ(happened_.size(), 2U);
}

TEST_F(DiskWorkTest, WhatIsBegunInAnAnswerComesLater) {
  DiskWork disk(*readiness_, thread_);
  disk.Do(Note("a"), [&](const Result<void>&) { disk.Do(Note("b"), Hear("b")); });
  EXPECT_EQ(thread_->Answer(), 1);
  readiness_->Dispatch();
  EXPECT_EQ(thread_->Answer(), 1);
  readiness_->Dispatch();
  EXPECT_THAT(happened_, ElementsAre("a", "b", "b heard"));
}

TEST_F(DiskWorkTest, IsDoneAtOnceWhereNobodyElseCan) {
  DiskWork alone(*readiness_, nullptr);
  alone.Do(Note("a"), Hear("a"));
  EXPECT_THAT(happened_, ElementsAre("a", "a heard"));
  thread_->refuses = true;
  DiskWork refused(*readiness_, thread_);
  refused.Do(Note("fails"), Hear("b"));
  EXPECT_THAT(happened_, ElementsAre("a", "a heard", "fails", "b no disk"));
}

TEST_F(DiskWorkTest, IsDoneAndNotHeardOfAfterItsOwnerHasGone) {
  {
    DiskWork disk(*readiness_, thread_);
    disk.Do(Note("a"), Hear("a"));
  }
  EXPECT_EQ(thread_->Answer(), 1);
  readiness_->Dispatch();
  EXPECT_THAT(happened_, ElementsAre("a"));
}

}  // namespace
}  // namespace jettison::kernel
