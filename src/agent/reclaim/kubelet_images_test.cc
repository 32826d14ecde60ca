// The images of a container runtime, collected beside the kubelet that runs the pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "agent/reclaim/image_collector.h"
#include "agent/reclaim/testing/image_test_bed.h"
#include "kernel/processes/fake_processes.h"
#include "machine/pods/pods_of_node.h"
#include "ports/fakes/fake_cgroups.h"
#include "rpc/fake_calls.h"
#include "runtimes/cri/images/image_store.h"
#include "sources/kubernetes/pods/kubernetes_source.h"
#include "sources/kubernetes/pods/testing/pods_test_bed.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::UnorderedElementsAre;

class KubeletImages : public testing::Test {
 protected:
  KubeletImages() {
    auto calls = std::make_unique<cri::FakeCalls>();
    calls_ = calls.get();
    auto processes = std::make_unique<FakeProcesses>();
    processes_ = processes.get();
    store_ = std::make_unique<cri::CriImageStore>(*calls_);
    auto pods = PodsOfNode::Open(std::make_unique<NoOwnPods>(std::move(calls)),
                                 {.processes = std::move(processes),
                                  .cgroups = cgroups_,
                                  .group_end = cgroups_,
                                  .clock = bed_.clock,
                                  .cgroup_prefix = "/kbed"});
    (*pods)->Add(std::make_unique<kube::KubernetesSource>(feed_, (*pods)->source_dependencies(),
                                                          kube::KubeletPlaces{}));
    pods_ = std::move(*pods);
    collector_.emplace(ImageCollectorSettings{.policy = {}, .others_pull = true},
                       ImageCollectorDependencies{.clock = bed_.clock,
                                                  .images = *store_,
                                                  .figures = bed_.disk,
                                                  .events = bed_.events,
                                                  .log = bed_.log,
                                                  .needed = {}});
    EXPECT_TRUE(pods_->List());
  }
  // The runtime answers, with these images and with containers that use some of them.
  void Answer() {
    calls_->on_list_images = [this](const auto&) {
      cri::api::ListImagesResponse response;
      for (const std::string& id : images_) {
        auto& image = *response.add_images();
        image.set_id(id);
        image.add_repo_tags("host/" + id);
        image.set_pinned(id == "pinned");
      }
      return response;
    };
    calls_->on_list_containers = [this](const auto&) {
      cri::api::ListContainersResponse response;
      for (const std::string& id : used_) {
        response.add_containers()->set_image_ref(id);
        response.mutable_containers()->rbegin()->set_id("of-" + id);
      }
      return response;
    };
    calls_->on_container_status = [](const auto&) { return cri::api::ContainerStatusResponse(); };
    calls_->on_status = [](const auto&) {
      cri::api::StatusResponse response;
      (*response.mutable_info())["config"] = R"({"sandboxImage":"host/pause"})";
      return response;
    };
    calls_->on_remove_image = [this](const cri::api::RemoveImageRequest& request) {
      images_.erase(request.image().image());
      return cri::api::RemoveImageResponse();
    };
  }
  // What the agent's loop does for so long.
  std::vector<RuntimeEvent> Pass(Duration time) {
    std::vector<RuntimeEvent> events;
    const Instant end = bed_.clock.Now() + time;
    for (;;) {
      collector_->Advance(bed_.clock.Now());
      pollfd readable{.fd = pods_->EventFd(), .events = POLLIN, .revents = 0};
      if (::poll(&readable, 1, 0) == 1) {
        for (RuntimeEvent& event : pods_->TakeEvents()) events.push_back(std::move(event));
      }
      const auto next = collector_->NextDeadline();
      if (!next || *next > end) break;
      bed_.clock.Set(std::max(*next, bed_.clock.Now() + std::chrono::nanoseconds(1)));
    }
    bed_.clock.Set(end);
    collector_->Advance(end);
    return events;
  }
  // A container of the kubelet's runs.
  void Run(const std::string& uid, const std::string& id, pid_t pid) {
    const std::string group = "kubepods/burstable/pod" + uid + "/" + id;
    ASSERT_TRUE(cgroups_.Create(group, {}));
    ASSERT_TRUE(cgroups_.Join(group, pid));
    processes_->Add(pid, "0::/kbed/" + group + "\n",
                    "1 2 0:1 / / rw - overlay overlay rw,upperdir=/l\n");
    feed_.Tell({.uid = uid, .container_id = id});
  }

  ImageTestBed bed_;
  kube::FakePodFeed feed_;
  FakeCgroups cgroups_;
  FakeProcesses* processes_ = nullptr;
  cri::FakeCalls* calls_ = nullptr;
  std::set<std::string> images_ = {"kubelets", "pause", "pinned", "unused"};
  std::set<std::string> used_ = {"kubelets"};
  std::unique_ptr<ContainerRuntime> pods_;
  std::unique_ptr<ImageStore> store_;
  std::optional<ImageCollector> collector_;
};

TEST_F(KubeletImages, UnusedOnesAreRemovedAndThoseOfTheKubeletsContainersStay) {
  Answer();
  Pass(seconds(1));
  collector_->DeleteUnused();
  Pass(minutes(1));
  EXPECT_EQ(images_.size(), 4U) << "the kubelet may just have pulled it";
  Pass(minutes(2));
  collector_->DeleteUnused();
  Pass(minutes(1));
  EXPECT_THAT(images_, UnorderedElementsAre("kubelets", "pause", "pinned"));
  const std::set<std::string> allowed = {"ListImages", "ListContainers", "Status",
                                         "RemoveImage unused", "ContainerStatus of-kubelets"};
  for (const std::string& call : calls_->TakeCalls()) {
    EXPECT_TRUE(allowed.contains(call)) << call << " is not about images";
  }
}

TEST_F(KubeletImages, ARuntimeThatHangsDelaysNoPod) {
  calls_->Hang();
  Pass(seconds(1));
  Run("p", "c0", 100);
  const auto events = pods_->TakeEvents();
  ASSERT_EQ(events.size(), 1U);
  const auto* const found = std::get_if<PodFound>(&events.front());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pod_uid, "p");
}

}  // namespace
}  // namespace jettison
