#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

TEST_F(CriRuntime, AStartedContainerOfWhichNothingIsKnownIsAskedForAgain) {
  ASSERT_TRUE(bed_.Create(SimplePod("u")));
  bed_.calls->on_start_container = [](const auto&) { return api::StartContainerResponse(); };
  containerd().refused_statuses["run-2"] = {ErrorCode::kUnavailable, "the runtime is busy"};
  runtime().StartContainer("u", "main", 0, 0);
  EXPECT_EQ(bed_.Await<ContainerStarted>("u", std::chrono::milliseconds(50)), nullptr);
  containerd().refused_statuses.clear();
  EXPECT_NE(bed_.Await<ContainerStarted>("u"), nullptr);
}

}  // namespace
}  // namespace jettison::cri
