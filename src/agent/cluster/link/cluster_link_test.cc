#include "agent/cluster/link/cluster_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <memory>

#include "agent/loop/steady_clock.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class ClusterLinkTest : public testing::Test {
 protected:
  void Open() {
    auto opened = ClusterLink::Open({.access = {.server = server_.url()},
                                     .node = "bed",
                                     .clock = std::make_shared<SteadyClock>(),
                                     .chance = [] { return 0.0; }});
    ASSERT_TRUE(opened) << opened.error().message;
    link_ = std::move(*opened);
  }
  [[nodiscard]] bool Await(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      pollfd news{.fd = link_->fd(), .events = POLLIN, .revents = 0};
      ::poll(&news, 1, 100);
      link_->Dispatch();
    }
    return condition();
  }

  kube::FakeApiServer server_;
  std::unique_ptr<ClusterLink> link_;
};

TEST_F(ClusterLinkTest, SaysWhyItsPodsWereNeverListedUntilTheyAre) {
  server_.MisbehaveOnce({.status = 403, .body = "{}"});
  Open();
  EXPECT_EQ(link_->WhyNeverListed(), "") << "it has not been asked yet";
  ASSERT_TRUE(Await([&] { return !link_->WhyNeverListed().empty(); }));
  EXPECT_THAT(link_->WhyNeverListed(), HasSubstr("list the pods of this node: HTTP 403"));
  ASSERT_TRUE(Await([&] { return link_->state().has_listed; }));
  EXPECT_EQ(link_->WhyNeverListed(), "");
}

TEST_F(ClusterLinkTest, AServerThatIsAwayIsNoFaultOfTheList) {
  server_.MisbehaveOnce({.status = 500, .body = "{}"});
  Open();
  ASSERT_TRUE(Await([&] { return link_->state().away_since.has_value(); }));
  EXPECT_EQ(link_->WhyNeverListed(), "");
}

TEST_F(ClusterLinkTest, SaysWhetherAPodGoesOnOnlyWhileItsPodsAreFollowed) {
  Open();
  link_->Follow(
      {.on_pod = {}, .on_gone = {}, .goes_on = [](const std::string& uid) { return uid == "u"; }});
  EXPECT_EQ(link_->GoesOn("u"), std::nullopt) << "they are not listed yet";
  ASSERT_TRUE(Await([&] { return server_.watches() == 1 && link_->GoesOn("u").has_value(); }));
  EXPECT_EQ(link_->GoesOn("u"), true);
  EXPECT_EQ(link_->GoesOn("v"), false);
  server_.Stop();
  ASSERT_TRUE(Await([&] { return !link_->GoesOn("u").has_value(); }));
}

}  // namespace
}  // namespace jettison
