#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "kernel/groups/testing/few_descriptors.h"
#include "ports/fakes/fake_cgroups.h"
#include "runtimes/process/runtime_bed.h"

namespace jettison::process {

// Of the burstable pod "u".
inline const std::string kGroup = "kubepods/burstable/podu";

// The runtime with real processes over control groups in memory, which pass signals on.
class ProcessRuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    cgroups_.OnSignal([](pid_t pid, int signal) { ::kill(pid, signal); });
    bed_.Open();
  }
  void TearDown() override {
    for (const auto& [uid, pod] : bed_.known) EXPECT_TRUE(bed_.Remove(uid));
  }

  FakeCgroups cgroups_;
  kernel::TemporaryFolder folder_;
  RuntimeBed bed_{cgroups_, folder_.path()};
};

}  // namespace jettison::process
