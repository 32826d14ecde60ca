// The listings do here what the kubelet's container garbage collection does with sandboxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "runtimes/cri/test_bed/fake_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Pair;

class CriRuntimeCollection : public ::testing::Test {
 protected:
  CriRuntimeCollection() {
    bed_.relist_period = milliseconds(10);
    bed_.Open();
  }
  // A dead sandbox like the one that the pod "u" has.
  api::PodSandboxConfig& AddDead(const std::string& id) {
    FakeContainerd::Box& box = boxes()[id];
    box = {.config = boxes().at(own_).config, .ready = false};
    return box.config;
  }
  // The same for a pod that does not exist any more.
  void AddDeadOfGone(const std::string& id) {
    api::PodSandboxConfig& config = AddDead(id);
    config.mutable_metadata()->set_uid("x");
    (*config.mutable_annotations())[std::string(kPodAnnotation)] = "x";
    bed_.known["x"] = SimplePod("x");
  }
  void RunPod() {
    ASSERT_TRUE(bed_.runtime->List());
    ASSERT_TRUE(bed_.Run(SimplePod("u")));
    own_ = boxes().begin()->first;
  }
  std::map<std::string, FakeContainerd::Box>& boxes() { return bed_.containerd.boxes; }
  [[nodiscard]] bool Becomes(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(10);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)bed_.Await<PodRemoved>("nobody", milliseconds(5));
    }
    return true;
  }

  FakeRuntimeBed bed_;
  std::string own_;
};

TEST_F(CriRuntimeCollection, DeadSandboxesGoBesideTheOneThatAPodHas) {
  RunPod();
  AddDead("newer").mutable_metadata()->set_attempt(7);
  AddDeadOfGone("of-a-gone-pod");
  EXPECT_TRUE(Becomes([this] { return boxes().size() == 1; }));
  EXPECT_THAT(boxes(), ElementsAre(Pair(own_, _)));
}

TEST_F(CriRuntimeCollection, LogsAndFilesOfAGonePodGoWithItsSandbox) {
  RunPod();
  const std::string logs = bed_.root() + "/logs/default_pod-x_x";
  const std::string files = bed_.root() + "/pods/x";
  ASSERT_TRUE(kernel::MakeFolders(logs + "/main"));
  ASSERT_TRUE(kernel::MakeFolders(files));
  AddDeadOfGone("of-a-gone-pod");
  EXPECT_TRUE(Becomes([&] { return !kernel::Exists(logs) && !kernel::Exists(files); }));
}

TEST_F(CriRuntimeCollection, TheNewestSandboxOfAPodStaysThoughItIsDead) {
  RunPod();
  bed_.containerd.Exit("main", 0);
  ASSERT_NE(bed_.Await<ContainerExited>("u"), nullptr);
  boxes().at(own_).ready = false;
  AddDead("older").mutable_metadata()->set_attempt(7);
  EXPECT_TRUE(Becomes([this] { return boxes().size() == 1; }));
  EXPECT_THAT(boxes(), ElementsAre(Pair(own_, _)));
}

TEST_F(CriRuntimeCollection, DeadSandboxesOfOthersStay) {
  RunPod();
  (*AddDead("another-agents").mutable_annotations())[std::string(kRootAnnotation)] = "/elsewhere";
  AddDead("somebodys").clear_annotations();
  AddDeadOfGone("own-remains");
  EXPECT_TRUE(Becomes([this] { return !boxes().contains("own-remains"); }));
  EXPECT_TRUE(boxes().contains("another-agents"));
  EXPECT_TRUE(boxes().contains("somebodys"));
}

}  // namespace
}  // namespace jettison::cri
