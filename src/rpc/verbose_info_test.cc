#include "rpc/verbose_info.h"

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

TEST(SettingsIn, ReadsWhatContainerdWrites) {
  const RuntimeSettings settings = SettingsIn(
      R"({"containerd":{"snapshotter":"overlayfs","defaultRuntimeName":"runc","runtimes":{
          "runc":{"runtimeType":"io.containerd.runc.v2","options":{"SystemdCgroup":true}}}},
          "sandboxImage":"pause:1","systemdCgroup":false,"restrictOOMScoreAdj":false})");
  EXPECT_EQ(settings.cgroup_driver, CgroupDriver::kSystemd);
  EXPECT_EQ(settings.sandbox_image, "pause:1");
  EXPECT_EQ(settings.restricts_oom_score_adj, false);
}

TEST(SettingsIn, TheDriverIsThatOfTheDefaultHandler) {
  const auto driver = [](const char* config) { return SettingsIn(config).cgroup_driver; };
  constexpr const char* kTwo =
      R"({"containerd":{"defaultRuntimeName":"b","runtimes":{
          "a":{"options":{"SystemdCgroup":true}},"b":{"options":null}}}})";
  EXPECT_EQ(driver(kTwo), CgroupDriver::kCgroupfs);
  EXPECT_EQ(driver(R"({"systemdCgroup":true,
                       "containerd":{"defaultRuntimeName":"b","runtimes":{"b":{}}}})"),
            CgroupDriver::kSystemd);
  EXPECT_FALSE(driver(R"({"containerd":{"defaultRuntimeName":"b","runtimes":{}}})"));
}

TEST(SettingsIn, TakesAnythingElseForUnknown) {
  for (const char* config :
       {"", "{", "[]", "7", "{}", R"({"containerd":7,"sandboxImage":7,"restrictOOMScoreAdj":7})"}) {
    const RuntimeSettings settings = SettingsIn(config);
    EXPECT_FALSE(settings.cgroup_driver) << config;
    EXPECT_EQ(settings.sandbox_image, "") << config;
    EXPECT_FALSE(settings.restricts_oom_score_adj) << config;
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
