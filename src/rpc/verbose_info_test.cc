#include "rpc/verbose_info.h"

#include <gtest/gtest.h>

#include <csignal>

namespace jettison::cri {
namespace {

TEST(PidIn, ReadsWhatContainerdWrites) {
  EXPECT_EQ(PidIn(R"({"sandboxID":"x","pid":4711,"removing":false,"runtimeSpec":{"pid":1}})"),
            4711);
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

}  // namespace
}  // namespace jettison::cri
