#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/simulate/fleet_bed.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReplayTest : public FleetBed {
 protected:
  // What `jettison replay` prints about a file with these bytes.
  std::string AnswersTo(const std::string& bytes) {
    Put("x", bytes);
    status_ = RunCommand(AddReplay, {"replay", Path("x")});
    return printed_;
  }

  int status_ = 0;
};

std::ptrdiff_t LinesIn(const std::string& text) {
  return std::ranges::count(text, '\n');
}

TEST_F(ReplayTest, ARecordingIsReplayedPassByPassInEitherForm) {
  const auto items = LifeOf("n", 5);
  const std::string answers = AnswersTo(BinaryOf(items));
  EXPECT_EQ(status_, 0) << said_;
  EXPECT_EQ(LinesIn(answers), std::ptrdiff_t(items.size()) - 1);
  EXPECT_EQ(AnswersTo(NdjsonOf(items)), answers);
  EXPECT_EQ(status_, 0) << said_;
}

TEST_F(ReplayTest, WhatIsLeftOfARecordingWithADamagedBeginIsReplayed) {
  std::string bytes = BinaryOf(LifeOf("n", 5), {.passes = 10});
  bytes[0] ^= 1;
  EXPECT_GT(LinesIn(AnswersTo(bytes)), 20);
  EXPECT_EQ(status_, 2);
  EXPECT_THAT(said_, HasSubstr("x: byte 0: not a Jettison recording, or damaged"));
  EXPECT_EQ(LinesIn(said_), 1);
}

TEST_F(ReplayTest, ALineThatIsNoRecordDoesNotStopTheOthers) {
  const std::string record =
      R"({"name":"a","start":"2026-01-01T00:00:00Z","kubeletConfig":{},"pods":[],"steps":[]})";
  EXPECT_THAT(AnswersTo("a heading\n" + record + "\n"), StartsWith(R"({"name":"a")"));
  EXPECT_EQ(status_, 2);
  EXPECT_THAT(said_, HasSubstr("x:1: "));
}

TEST_F(ReplayTest, AnEmptyFileIsNoRecordingOfNothing) {
  EXPECT_EQ(AnswersTo(""), "");
  EXPECT_EQ(status_, 1);
  EXPECT_THAT(said_, HasSubstr("x is empty"));
}

}  // namespace
}  // namespace jettison
