#include "kernel/programs/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using testing::HasSubstr;

TEST(Programs, AProgramIsFoundInPathOnly) {
  EXPECT_THAT(FindProgram("sh").value(), testing::EndsWith("/sh"));
  EXPECT_EQ(FindProgram("no-such-program").error().code, ErrorCode::kNotFound);
}

TEST(Programs, WhatAProgramPrintsIsAnswered) {
  EXPECT_EQ(RunProgram({"/bin/sh", "-c", "echo one; echo two >&2"}).value(), "one\ntwo\n");
}

TEST(Programs, OneThatFailsAnswersWithItsLastLine) {
  const auto failed = RunProgram({"/bin/sh", "-c", "echo first; echo last words; exit 3"});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "/bin/sh failed: last words");
  EXPECT_THAT(RunProgram({"/no/such/program"}).error().message, HasSubstr("/no/such/program"));
}

}  // namespace
}  // namespace jettison
