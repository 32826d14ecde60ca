// Pods with volumes on file systems that may never answer.
#include <gmock/gmock.h>

#include "ports/fakes/fake_slow_paths.h"
#include "runtimes/cri/test_bed/runtime_fixture.h"

namespace jettison::cri {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CriRuntimeSlowVolumes : public CriRuntime {
 protected:
  void Begin(Duration patience) {
    ASSERT_TRUE(kernel::MakeFolders(dead_));
    slow_ = std::make_shared<FakeSlowPaths>(dead_);
    bed_.disk_thread = slow_;
    bed_.path_patience = patience;
    bed_.Open();
  }
  [[nodiscard]] Pod OnTheDead(const std::string& uid) {
    Pod pod = SimplePod(uid);
    pod.volumes = {{"data", HostPathSource{.path = dead_, .type = "Directory"}}};
    return bed_.known[uid] = pod;
  }

  const std::string dead_ = bed_.root() + "/dead";
  std::shared_ptr<FakeSlowPaths> slow_;
};

TEST_F(CriRuntimeSlowVolumes, OthersStartWhileAPodWaitsForItsVolume) {
  Begin(std::chrono::hours(1));
  runtime().CreatePod(kernel::PlainPlan(OnTheDead("u")));
  ASSERT_TRUE(bed_.Run(SimplePod("other")));
  EXPECT_EQ(slow_->Answer(), 1);
  EXPECT_NE(bed_.Await<PodReady>("u"), nullptr);
}

TEST_F(CriRuntimeSlowVolumes, APodThatHasWaitedForTooLongFailsNamingThePath) {
  Begin(std::chrono::milliseconds(1));
  runtime().CreatePod(kernel::PlainPlan(OnTheDead("u")));
  const auto* failed = bed_.Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, AllOf(HasSubstr("volume data"), HasSubstr(dead_)));
  EXPECT_EQ(slow_->Answer(), 0);
}

class CriRuntimeSlowSubPath : public CriRuntimeSlowVolumes {
 protected:
  // A created pod with a container that waits for its sub-path.
  void StartOnTheDead(Duration patience) {
    Begin(patience);
    Pod pod = SimplePod("u");
    pod.volumes = {{"data", HostPathSource{.path = bed_.root() + "/dea", .type = ""}}};
    pod.containers[0].volume_mounts = {{"data", "/data", "sub", false}};
    // Only what is below the volume hangs.
    slow_ = std::make_shared<FakeSlowPaths>(bed_.root() + "/dea/sub");
    bed_.disk_thread = slow_;
    bed_.Open();
    ASSERT_TRUE(bed_.Create(pod));
    runtime().StartContainer("u", "main", 0, 0);
  }
};

TEST_F(CriRuntimeSlowSubPath, AContainerThatHasWaitedForTooLongFailsNamingThePath) {
  StartOnTheDead(std::chrono::milliseconds(1));
  const auto* failed = bed_.Await<ContainerStartFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, AllOf(HasSubstr("subPath"), HasSubstr("/dea/sub")));
}

}  // namespace
}  // namespace jettison::cri
