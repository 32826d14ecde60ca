// A pod without any readable description, on a real containerd.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "runtimes/cri/test_bed/live_runtime_bed.h"

namespace jettison::cri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class LiveCriUnread : public LiveCriRuntime {
 protected:
  [[nodiscard]] std::string SandboxId() {
    const auto listed = bed_->Await<api::ListPodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kListPodSandbox, api::ListPodSandboxRequest(), seconds(10),
                         std::move(answer));
    });
    return listed && listed->items_size() == 1 ? listed->items(0).id() : "not one sandbox";
  }
  // The same as `crictl stopp` and `crictl rmp`.
  void RemoveByHand(const std::string& sandbox) {
    api::StopPodSandboxRequest stop;
    stop.set_pod_sandbox_id(sandbox);
    ASSERT_TRUE(bed_->Await<api::StopPodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kStopPodSandbox, stop, seconds(20), std::move(answer));
    }));
    api::RemovePodSandboxRequest remove;
    remove.set_pod_sandbox_id(sandbox);
    ASSERT_TRUE(bed_->Await<api::RemovePodSandboxResponse>([&](auto answer) {
      bed_->calls().Make(kRemovePodSandbox, remove, seconds(20), std::move(answer));
    }));
  }
};

TEST_F(LiveCriUnread, APodThatNothingDescribesGoesOnUntilItsSandboxIsRemoved) {
  const Pod pod = TestPod("u");
  ASSERT_TRUE(Start(pod));
  const auto processes = ProcessesIn(pod);
  ASSERT_THAT(processes, SizeIs(2));
  const std::string sandbox = SandboxId();
  const std::string data = root() + "/pods/u/volumes/data";
  ASSERT_TRUE(kernel::WriteFile(data, "dear"));
  known_.clear();  // neither the annotation nor the record can be read any more
  Open();
  const auto listed = runtime().List();
  ASSERT_TRUE(listed) << listed.error().message;
  ASSERT_THAT(*listed, SizeIs(1)) << Said();
  EXPECT_TRUE((*listed)[0].foreign && (*listed)[0].spared);
  EXPECT_THAT(runtime().ForeignGroupsOf("u"), ElementsAre(GroupOf(pod)));
  EXPECT_THAT(logged_, Contains(HasSubstr("sandbox " + sandbox)));
  runtime().CreatePod(kernel::PlainPlan(pod));
  const auto* failed = Await<PodFailed>("u");
  ASSERT_NE(failed, nullptr);
  EXPECT_THAT(failed->error.message, HasSubstr("crictl stopp " + sandbox));
  EXPECT_EQ(Await<PodRemoved>("u", milliseconds(700)), nullptr) << "even after several listings";
  EXPECT_EQ(ProcessesIn(pod), processes);
  EXPECT_EQ(SandboxId(), sandbox);
  EXPECT_EQ(kernel::ReadFile(data).value_or(""), "dear");

  RemoveByHand(sandbox);
  ASSERT_TRUE(events_.CreateInTheEnd(runtime(), pod)) << Said();
  known_[pod.uid] = pod;
  ASSERT_TRUE(StartContainer(pod, "main"));
  const auto places = kernel::NamesIn(root() + "/quarantine");
  ASSERT_THAT(*places, ElementsAre(StartsWith("u-"))) << Said();
  EXPECT_EQ(
      kernel::ReadFile(root() + "/quarantine/" + places->front() + "/volumes/data").value_or(""),
      "dear");
  RemoveAndLookForRemains(pod);
}

}  // namespace
}  // namespace jettison::cri
