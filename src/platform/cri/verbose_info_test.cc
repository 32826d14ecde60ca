#include "platform/cri/verbose_info.h"

#include <gtest/gtest.h>

#include <csignal>

namespace jettison::cri {
namespace {

TEST(PidIn, ReadsWhatContainerdWrites) {
  EXPECT_EQ(PidIn(R"({"sandboxID":"x","pid":4711,"removing":false,"runtimeSpec":{"pid":1}})"),
            4711);
}

TEST(PidIn, TakesAnythingElseForUnknown) {
  for (const char* info :
       {"", "{", "[]", "7", R"({"pid":"7"})", R"({"pid":0})", R"({"pid":-1})", R"({"pid":1.5})",
        R"({"pid":99999999999})", R"({"process":{"pid":7}})"}) {
    EXPECT_FALSE(PidIn(info)) << info;
  }
}

TEST(StopSignalIn, ReadsTheImagesConfiguration) {
  EXPECT_EQ(StopSignalIn(R"({"chainID":"c","imageSpec":{"config":{"StopSignal":"SIGQUIT"}}})"),
            SIGQUIT);
  for (const char* info : {"", "{}", R"({"imageSpec":{"config":{}}})", R"({"imageSpec":7})",
                           R"({"imageSpec":{"config":{"StopSignal":"SIGNOTHING"}}})"}) {
    EXPECT_FALSE(StopSignalIn(info)) << info;
  }
}

TEST(SignalNamed, KnowsEverySpelling) {
  EXPECT_EQ(SignalNamed("SIGTERM"), SIGTERM);
  EXPECT_EQ(SignalNamed("USR1"), SIGUSR1);
  EXPECT_EQ(SignalNamed("3"), SIGQUIT);
  EXPECT_EQ(SignalNamed("SIGRTMIN+3"), SIGRTMIN + 3);
  EXPECT_EQ(SignalNamed("RTMAX-1"), SIGRTMAX - 1);
  for (const char* name : {"", "SIG", "0", "-1", "65", "999999999999", "sigterm", "RTMIN+",
                           "RTMIN+99", "RTMIN-1", "TERM "}) {
    EXPECT_FALSE(SignalNamed(name)) << name;
  }
}

}  // namespace
}  // namespace jettison::cri
