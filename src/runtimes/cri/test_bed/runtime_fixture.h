#pragma once

#include <gtest/gtest.h>

#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {

// For tests of the whole runtime over fakes.
class CriRuntime : public testing::Test {
 protected:
  [[nodiscard]] ContainerRuntime& runtime() { return *bed_.runtime; }
  [[nodiscard]] FakeContainerd& containerd() { return bed_.containerd; }
  [[nodiscard]] const ContainerStartFailed* StartFails(const Pod& pod) {
    if (!bed_.Create(pod)) return nullptr;
    runtime().StartContainer(pod.uid, "main", 0, 0);
    return bed_.Await<ContainerStartFailed>(pod.uid);
  }

  FakeRuntimeBed bed_;
};

}  // namespace jettison::cri
