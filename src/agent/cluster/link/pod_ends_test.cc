#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/cluster/link/cluster_link.h"
#include "machine/loop/steady_clock.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;

// Over the thread and a connection, as in the agent, which listens only once the first list is
// there.
TEST(PodEnds, AnApiServersPodsAreFollowedAndWhatTheFirstListHasAsEndedIsNotTold) {
  constexpr auto kLongest = std::chrono::seconds(20);
  kube::FakeApiServer server;
  server.PutPod("old", "uo", "Failed");
  server.PutPod("a", "ua");
  auto opened = ClusterLink::Open({.access = {.server = server.url()},
                                   .node = "bed",
                                   .clock = std::make_shared<SteadyClock>(),
                                   .chance = [] { return 0.0; }});
  ASSERT_TRUE(opened) << opened.error().message;
  ClusterLink& link = **opened;
  const auto await = [&](const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      pollfd news{.fd = link.fd(), .events = POLLIN, .revents = 0};
      ::poll(&news, 1, 100);
      link.Dispatch();
    }
    return condition();
  };
  ASSERT_TRUE(await([&] { return link.state().has_listed; }));
  std::vector<std::string> told;
  link.FollowEnds(
      {.on_ended = [&](const kube::ApiPod& pod) { told.push_back("ended " + pod.head.uid); },
       .on_gone = [&](const kube::ObjectHead& head) { told.push_back("gone " + head.uid); }});
  server.PutPod("old", "uo", "Failed");
  server.PutPod("a", "ua", "Failed");
  server.RemovePod("a");
  ASSERT_TRUE(await([&] { return told.size() >= 2; }));
  EXPECT_THAT(told, ElementsAre("ended ua", "gone ua"));
}

}  // namespace
}  // namespace jettison
