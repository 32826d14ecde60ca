// `jettison demo` as a user starts it: it shows what it promises and leaves nothing behind.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <utility>

#include "tests/live/program.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LiveDemo : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  }

  [[nodiscard]] static std::unique_ptr<Program> Start() {
    return std::make_unique<Program>(std::vector<std::string>{JETTISON_BINARY, "demo", "--plain"},
                                     std::vector<std::string>{"LC_ALL=C.UTF-8"});
  }

  static void ExpectNothingLeftOf(const Program& demo) {
    const std::string name = fmt::format("jettison-demo-{}", demo.pid());
    EXPECT_EQ(ProcessesLeft(), 0);
    EXPECT_THAT(CgroupsNamed(name), IsEmpty());
    EXPECT_THAT(MountsOf("/run/" + name), IsEmpty());
    EXPECT_NE(::access(("/run/" + name).c_str(), F_OK), 0);
  }
};

TEST_F(LiveDemo, HoldsItsPromisesAndLeavesNothingBehind) {
  const auto demo = Start();
  EXPECT_EQ(demo->Wait(), 0) << demo->output();
  EXPECT_THAT(demo->output(), HasSubstr("14 of 14 expectations held"));
  ExpectNothingLeftOf(*demo);
}

TEST_F(LiveDemo, LeavesNothingBehindWhenItIsToldToEnd) {
  for (const auto& [at, signal] :
       {std::pair("act 1 of 4", SIGINT), std::pair("the pods start", SIGTERM)}) {
    const auto demo = Start();
    ASSERT_TRUE(demo->ReadUntil(at)) << demo->output();
    demo->Signal(signal);
    EXPECT_EQ(demo->Wait(), 128 + signal) << demo->output();
    ExpectNothingLeftOf(*demo);
  }
}

TEST_F(LiveDemo, TheNextOneRemovesWhatAKilledOneLeft) {
  const auto killed = Start();
  ASSERT_TRUE(killed->ReadUntil("act 1 of 4")) << killed->output();
  killed->Signal(SIGKILL);
  EXPECT_EQ(killed->Wait(), 128 + SIGKILL);
  const std::string group = fmt::format("jettison-demo-{}", killed->pid());
  EXPECT_THAT(CgroupsNamed(group), ::testing::Not(IsEmpty()));

  const auto next = Start();
  EXPECT_TRUE(next->ReadUntil("the pods start")) << next->output();
  next->Signal(SIGINT);
  next->Wait();
  EXPECT_THAT(next->output(), HasSubstr("left behind: " + group));
  EXPECT_THAT(CgroupsNamed(group), IsEmpty());
  ExpectNothingLeftOf(*next);
}

}  // namespace
}  // namespace jettison
