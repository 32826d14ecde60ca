// A sub-path on a file system that may never answer.
#include <gmock/gmock.h>

#include "ports/fakes/fake_slow_paths.h"
#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using CriRuntimeSlowSubPath = CriRuntime;

TEST_F(CriRuntimeSlowSubPath, AContainerThatHasWaitedForTooLongFailsNamingThePath) {
  // Only what is below the volume hangs.
  bed_.disk_thread = std::make_shared<FakeSlowPaths>(bed_.root() + "/dea/sub");
  bed_.path_patience = std::chrono::milliseconds(1);
  bed_.Open();
  Pod pod = SimplePod("u");
  pod.volumes = {{"data", HostPathSource{.path = bed_.root() + "/dea", .type = ""}}};
  pod.containers[0].volume_mounts = {{"data", "/data", "sub", false}};
  ASSERT_TRUE(bed_.Create(pod));
  runtime().StartContainer("u", "main", 0, 0);
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, AllOf(HasSubstr("subPath"), HasSubstr("/dea/sub")));
}

}  // namespace
}  // namespace jettison::cri
