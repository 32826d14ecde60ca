#include "agent/cluster/link/cluster_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/cluster/link/testing/link_clock.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kPatience = seconds(20);

class ClusterLinkTest : public testing::Test {
 protected:
  // What a test does not say of the connection.
  [[nodiscard]] ClusterLink::Setup Usual() {
    return {
        .access = {.server = server_.url()}, .node = "bed", .clock = steady_.clock(), .chance = [] {
          return 0.0;
        }};
  }
  void Open(ClusterLink::Setup setup) {
    auto opened = ClusterLink::Open(std::move(setup));
    ASSERT_TRUE(opened) << opened.error().message;
    link_ = std::move(*opened);
    link_->Follow(
        {.on_pod = [this](const kube::ApiPod& pod) { news_.push_back("+" + pod.head.uid); },
         .on_gone = [this](const kube::ObjectHead& head) { news_.push_back("-" + head.uid); }});
  }
  void Open() { Open(Usual()); }
  void Ask(int which, Duration timeout = kPatience) {
    link_->Ask(kube::GetVersion(), timeout, [this, which](const Result<kube::ApiReply>& reply) {
      answers_.emplace_back(which, reply);
    });
  }
  [[nodiscard]] bool Await(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!condition() && std::chrono::steady_clock::now() < deadline) {
      pollfd news{.fd = link_->fd(), .events = POLLIN, .revents = 0};
      ::poll(&news, 1, 100);
      link_->Dispatch();
    }
    return condition();
  }
  [[nodiscard]] bool AwaitWatch() {
    return Await([&] { return link_->state().has_listed && server_.watches() == 1; });
  }

  kube::FakeApiServer server_;
  LinkClock steady_;
  std::unique_ptr<ClusterLink> link_;
  std::vector<std::string> news_;
  std::vector<std::pair<int, Result<kube::ApiReply>>> answers_;
};

TEST_F(ClusterLinkTest, TellsOfPodsWhileCallsAreAnswered) {
  server_.PutPod("a", "ua");
  Open();
  ASSERT_TRUE(AwaitWatch());
  Ask(7);
  server_.RemovePod("a");
  ASSERT_TRUE(Await([&] { return !answers_.empty() && news_.size() == 2; }));
  EXPECT_EQ(answers_[0].first, 7);
  EXPECT_EQ(kube::ReadVersion(answers_[0].second), "v1.36.2");
  EXPECT_THAT(news_, ElementsAre("+ua", "-ua"));
}

TEST_F(ClusterLinkTest, AServerThatAnswersNothingDelaysOnlyWhoAskedIt) {
  Open();
  ASSERT_TRUE(AwaitWatch());
  server_.MisbehaveOnce({.kind = kube::Misbehaviour::Kind::kHang});
  Ask(1);
  ASSERT_TRUE(Await([&] { return server_.CountOf("GET /version") == 1; }));
  Ask(2);
  ASSERT_TRUE(Await([&] { return !answers_.empty(); }));
  EXPECT_EQ(answers_[0].first, 2);
}

TEST_F(ClusterLinkTest, ACallThatWaitedLongerThanItsLimitIsNotMade) {
  const auto clock = std::make_shared<FakeClock>(Instant(std::chrono::hours(500'000)));
  std::promise<void> stands;
  std::promise<void> goes_on;
  ClusterLink::Setup setup = Usual();
  setup.clock = clock;
  setup.chance = [&, first = true]() mutable {
    if (std::exchange(first, false)) {
      stands.set_value();
      goes_on.get_future().wait();
    }
    return 0.0;
  };
  Open(std::move(setup));
  stands.get_future().wait();
  Ask(1, seconds(4));
  clock->Advance(seconds(4));
  goes_on.set_value();
  ASSERT_TRUE(Await([&] { return !answers_.empty(); }));
  ASSERT_FALSE(answers_[0].second);
  EXPECT_EQ(answers_[0].second.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(server_.CountOf("GET /version"), 0U);
}

TEST_F(ClusterLinkTest, CredentialsThatCannotBeReadNowDelayNoCall) {
  const auto clock = std::make_shared<FakeClock>(Instant(std::chrono::hours(500'000)));
  const auto is_read = std::make_shared<std::promise<void>>();
  const auto goes_on = std::make_shared<std::promise<void>>();
  const kube::ApiAccess access = {.server = server_.url()};
  ClusterLink::Setup setup = Usual();
  setup.clock = clock;
  setup.read_access = [is_read, goes_on, access] {
    is_read->set_value();
    goes_on->get_future().wait();
    return kube::AccessReading{.access = access};
  };
  Open(std::move(setup));
  clock->Advance(kube::AccessSource::kReadEvery);
  Ask(1);
  Ask(2);
  is_read->get_future().wait();
  const bool are_answered = Await([&] { return answers_.size() == 2; });
  goes_on->set_value();
  EXPECT_TRUE(are_answered);
}

TEST_F(ClusterLinkTest, AnAddressThatIsNoneIsAnError) {
  ClusterLink::Setup setup = Usual();
  setup.access.server = "nowhere";
  EXPECT_FALSE(ClusterLink::Open(std::move(setup)));
}

TEST_F(ClusterLinkTest, SaysWhyItsPodsWereNeverListedUntilTheyAre) {
  server_.MisbehaveOnce({.status = 403, .body = "{}"});
  Open();
  EXPECT_EQ(link_->WhyNeverListed(), "") << "it has not been asked yet";
  ASSERT_TRUE(Await([&] { return !link_->WhyNeverListed().empty(); }));
  EXPECT_THAT(link_->WhyNeverListed(), HasSubstr("list the pods of this node: HTTP 403"));
  ASSERT_TRUE(Await([&] { return link_->state().has_listed; }));
  EXPECT_EQ(link_->WhyNeverListed(), "");
}

const char* const kRule = R"(- {apiGroups: [""], resources: [pods], verbs: [list]})";

class ClusterStateLogTest : public testing::Test {
 protected:
  // The lines that this state leads to.
  std::vector<std::string> Told(const kube::PodWatchState& state) {
    told_.Take(state, clock_.Now());
    return std::exchange(lines_, {});
  }
  [[nodiscard]] kube::PodWatchState Away() const {
    return {.away_since = clock_.Now(),
            .fault = kube::PodWatchFault{.error = {ErrorCode::kUnavailable, "no route"}}};
  }
  [[nodiscard]] static kube::PodWatchState Refused(const std::string& why) {
    return {.fault = kube::PodWatchFault{.error = {ErrorCode::kPermissionDenied, why},
                                         .is_refusal = true,
                                         .missing_rule = kRule}};
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  ClusterStateLog told_{log_};
};

TEST_F(ClusterStateLogTest, ARefusalIsSaidOnceWithTheRuleThatIsMissing) {
  EXPECT_THAT(Told(Refused("HTTP 403")),
              ElementsAre(AllOf(HasSubstr("cannot be read"), HasSubstr("HTTP 403"),
                                HasSubstr("verbs: [list]"))));
  EXPECT_THAT(Told(Refused("HTTP 403")), IsEmpty());
  EXPECT_THAT(Told(Refused("HTTP 400")), ElementsAre(HasSubstr("HTTP 400")));
  EXPECT_THAT(Told({.has_listed = true}), ElementsAre(HasSubstr("were read from the API server")));
  clock_.Advance(ClusterStateLog::kSayAgainAfter);
  EXPECT_THAT(Told(Refused("HTTP 403")), ElementsAre(HasSubstr("HTTP 403")));
  EXPECT_THAT(Told({.has_listed = true}), ElementsAre(HasSubstr("can be read again")));
}

TEST_F(ClusterStateLogTest, AServerThatComesBackAndRefusesIsNotSaidToAnswerAgain) {
  EXPECT_THAT(Told(Away()), ElementsAre(HasSubstr("does not answer")));
  EXPECT_THAT(Told(Away()), IsEmpty());
  EXPECT_THAT(Told(Refused("HTTP 403")), ElementsAre(HasSubstr("cannot be read")));
  EXPECT_THAT(Told({}), ElementsAre(HasSubstr("answers again")));
}

TEST_F(ClusterStateLogTest, AServerThatIsNotTrustedIsNotSaidToBeAway) {
  kube::PodWatchState state = Away();
  state.fault->is_untrusted = true;
  EXPECT_THAT(Told(state), ElementsAre(AllOf(HasSubstr("does not trust the certificate"),
                                             HasSubstr("certificate-authority"))));
  EXPECT_THAT(Told(state), IsEmpty());
  EXPECT_THAT(Told(Away()), ElementsAre(HasSubstr("does not answer")));
}

TEST_F(ClusterStateLogTest, AFaultThatComesAndGoesIsSaidOnceAnHour) {
  for (int i = 0; i < 10; ++i) {
    const std::vector<std::string> lines = Told(Refused("nonsense"));
    EXPECT_EQ(lines.size(), i == 0 ? 1U : 0U);
    EXPECT_EQ(Told({}).size(), i == 0 ? 1U : 0U);
  }
}

TEST_F(ClusterStateLogTest, ATokenThatCannotBeReadIsSaidOnce) {
  const kube::PodWatchState state{.token_fault = Error{ErrorCode::kNotFound, "no such file"}};
  EXPECT_THAT(Told(state), ElementsAre(AllOf(HasSubstr("token"), HasSubstr("no such file"))));
  EXPECT_THAT(Told(state), IsEmpty());
}

}  // namespace
}  // namespace jettison
