// The images of a container runtime, collected beside the kubelet that runs the pods.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "agent/reclaim/image_collector.h"
#include "agent/reclaim/testing/image_test_bed.h"
#include "machine/pods/pods_of_node.h"
#include "rpc/fake_calls.h"
#include "runtimes/cri/images/image_store.h"

namespace jettison {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::UnorderedElementsAre;

class KubeletImages : public testing::Test {
 protected:
  KubeletImages() {
    collector_.emplace(ImageCollectorSettings{.policy = {}, .others_pull = true},
                       ImageCollectorDependencies{.clock = bed_.clock,
                                                  .images = store_,
                                                  .figures = bed_.disk,
                                                  .events = bed_.events,
                                                  .log = bed_.log,
                                                  .needed = {}});
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
  void Pass(Duration time) {
    const Instant end = bed_.clock.Now() + time;
    for (;;) {
      collector_->Advance(bed_.clock.Now());
      (void)pods_.TakeEvents();
      const auto next = collector_->NextDeadline();
      if (!next || *next > end) break;
      bed_.clock.Set(std::max(*next, bed_.clock.Now() + std::chrono::nanoseconds(1)));
    }
    bed_.clock.Set(end);
    collector_->Advance(end);
  }

  ImageTestBed bed_;
  cri::FakeCalls* calls_ = new cri::FakeCalls;  // owned by the pods
  NoOwnPods pods_{std::unique_ptr<cri::Calls>(calls_)};
  cri::CriImageStore store_{*calls_};
  std::set<std::string> images_ = {"kubelets", "pause", "pinned", "unused"};
  std::set<std::string> used_ = {"kubelets"};
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

}  // namespace
}  // namespace jettison
