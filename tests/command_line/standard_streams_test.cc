// A standard stream that is closed is a fault of the command that needs it, and no other file's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/live/program.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

TEST(StandardStreams, InputThatIsClosedCannotBeRead) {
#ifdef JETTISON_SHARED_GRPC
  GTEST_SKIP() << "static objects of shared libraries open files before the program can";
#endif
  for (const char* command : {"replay", "inspect", "check-config"}) {
    Program program({"/bin/sh", "-c", R"(exec "$0" "$1" - <&-)", JETTISON_BINARY, command}, {});
    EXPECT_EQ(program.Wait(), 1) << command;
    EXPECT_THAT(program.output(), HasSubstr("Bad file descriptor")) << command;
  }
}

}  // namespace
}  // namespace jettison
