#include "agent/cluster/link/cluster_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "agent/known_pods/hanging_file_fixture.h"
#include "agent/loop/steady_clock.h"
#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/calls/rights.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr auto kWorkerPatience = seconds(20);

class ClusterWorkerTest : public testing::Test {
 protected:
  void Start(const std::string& url, const std::string& pods_folder = "") {
    auto worker = ClusterWorker::Start({.access = {.server = url},
                                        .node = "bed",
                                        .clock = std::make_shared<SteadyClock>(),
                                        .chance = [] { return 0.0; },
                                        .pods_folder = pods_folder});
    ASSERT_TRUE(worker) << worker.error().message;
    worker_ = std::move(*worker);
  }
  // Takes the news that has arrived.
  template <typename Condition>
  [[nodiscard]] bool TakeUntil(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kWorkerPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      pollfd waiting{.fd = worker_->fd(), .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, 100);
      for (ClusterNews& one : worker_->TakeNews()) Take(std::move(one));
    }
    return true;
  }
  void Take(ClusterNews one) {
    if (const auto* pod = std::get_if<ClusterPod>(&one)) news_.push_back("+" + pod->pod.head.uid);
    if (const auto* gone = std::get_if<ClusterPodGone>(&one)) news_.push_back("-" + gone->head.uid);
    if (auto* answer = std::get_if<ClusterAnswer>(&one)) answers_.push_back(std::move(*answer));
    if (const auto* state = std::get_if<ClusterState>(&one)) state_ = state->watch;
    if (auto* not_kept = std::get_if<ClusterNotKept>(&one)) not_kept_.push_back(not_kept->error);
  }

  kube::FakeApiServer server_;
  std::unique_ptr<ClusterWorker> worker_;
  std::vector<std::string> news_;
  std::vector<ClusterAnswer> answers_;
  std::vector<Error> not_kept_;
  kube::PodWatchState state_;
};

TEST_F(ClusterWorkerTest, TellsOfPodsWhileCallsAreAnswered) {
  server_.PutPod("a", "ua");
  Start(server_.url());
  ASSERT_TRUE(TakeUntil([&] { return state_.has_listed && server_.watches() == 1; }));
  worker_->Ask(7, kube::GetVersion(), kWorkerPatience);
  server_.RemovePod("a");
  ASSERT_TRUE(TakeUntil([&] { return !answers_.empty() && news_.size() == 2; }));
  EXPECT_EQ(answers_[0].id, 7U);
  EXPECT_EQ(kube::ReadVersion(answers_[0].reply), "v1.36.2");
  EXPECT_THAT(news_, ElementsAre("+ua", "-ua"));
}

TEST_F(ClusterWorkerTest, TellsThatPodsCannotBeKept) {
  const kernel::TemporaryFolder folder;
  ASSERT_TRUE(kernel::WriteFile(folder.path() + "/pods", "no folder"));
  server_.PutPod("a", "ua");
  Start(server_.url(), folder.path() + "/pods");
  ASSERT_TRUE(TakeUntil([&] { return !not_kept_.empty(); }));
  EXPECT_EQ(not_kept_.size(), 1U);
}

TEST_F(ClusterWorkerTest, AServerThatAnswersNothingDelaysOnlyWhoAskedIt) {
  Start(server_.url());
  ASSERT_TRUE(TakeUntil([&] { return state_.has_listed && server_.watches() == 1; }));
  server_.MisbehaveOnce({.kind = kube::Misbehaviour::Kind::kHang});
  worker_->Ask(1, kube::GetVersion(), kWorkerPatience);
  ASSERT_TRUE(TakeUntil([&] { return server_.CountOf("GET /version") == 1; }));
  worker_->Ask(2, kube::GetVersion(), kWorkerPatience);
  ASSERT_TRUE(TakeUntil([&] { return !answers_.empty(); }));
  EXPECT_EQ(answers_[0].id, 2U);
}

TEST_F(ClusterWorkerTest, ACallThatWaitedLongerThanItsLimitIsNotMade) {
  const auto clock = std::make_shared<FakeClock>(Instant(std::chrono::hours(500'000)));
  std::promise<void> stands;
  std::promise<void> goes_on;
  auto worker = ClusterWorker::Start({.access = {.server = server_.url()},
                                      .node = "bed",
                                      .clock = clock,
                                      .chance = [&, first = true]() mutable {
                                        if (std::exchange(first, false)) {
                                          stands.set_value();
                                          goes_on.get_future().wait();
                                        }
                                        return 0.0;
                                      }});
  ASSERT_TRUE(worker) << worker.error().message;
  worker_ = std::move(*worker);
  stands.get_future().wait();
  worker_->Ask(1, kube::GetVersion(), seconds(4));
  clock->Advance(seconds(4));
  goes_on.set_value();
  ASSERT_TRUE(TakeUntil([&] { return !answers_.empty(); }));
  ASSERT_FALSE(answers_[0].reply);
  EXPECT_EQ(answers_[0].reply.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(server_.CountOf("GET /version"), 0U);
}

TEST_F(ClusterWorkerTest, ADiskThatHangsDelaysNoCall) {
  const kernel::TemporaryFolder folder;
  HangingFile hanging(folder.path() + "/ua.json");
  server_.PutPod("a", "ua");
  Start(server_.url(), folder.path());
  worker_->Ask(1, kube::GetVersion(), kWorkerPatience);
  const bool is_answered = TakeUntil([&] { return !answers_.empty() && news_.size() == 1; });
  hanging.Release();
  EXPECT_TRUE(is_answered);
}

TEST_F(ClusterWorkerTest, CredentialsThatCannotBeReadNowDelayNoCall) {
  const auto clock = std::make_shared<FakeClock>(Instant(std::chrono::hours(500'000)));
  const auto is_read = std::make_shared<std::promise<void>>();
  const auto goes_on = std::make_shared<std::promise<void>>();
  const kube::ApiAccess access = {.server = server_.url()};
  auto worker = ClusterWorker::Start({.access = access,
                                      .node = "bed",
                                      .clock = clock,
                                      .chance = [] { return 0.0; },
                                      .read_access =
                                          [is_read, goes_on, access] {
                                            is_read->set_value();
                                            goes_on->get_future().wait();
                                            return kube::AccessReading{.access = access};
                                          }});
  ASSERT_TRUE(worker) << worker.error().message;
  worker_ = std::move(*worker);
  clock->Advance(kube::AccessSource::kReadEvery);
  worker_->Ask(1, kube::GetVersion(), kWorkerPatience);
  worker_->Ask(2, kube::GetVersion(), kWorkerPatience);
  is_read->get_future().wait();
  const bool are_answered = TakeUntil([&] { return answers_.size() == 2; });
  goes_on->set_value();
  EXPECT_TRUE(are_answered);
}

TEST_F(ClusterWorkerTest, AServerThatIsAwayIsTold) {
  Start(server_.url());
  ASSERT_TRUE(TakeUntil([&] { return state_.has_listed && server_.watches() == 1; }));
  server_.Stop();
  ASSERT_TRUE(TakeUntil([&] { return state_.away_since.has_value(); }));
  EXPECT_TRUE(state_.fault);
  worker_->Ask(3, kube::GetVersion(), kWorkerPatience);
  ASSERT_TRUE(TakeUntil([&] { return !answers_.empty(); }));
  EXPECT_EQ(kube::OutcomeOf(answers_[0].reply).result, kube::CallResult::kAway);
  server_.Start();
  ASSERT_TRUE(TakeUntil([&] { return !state_.away_since && !state_.fault; }));
}

TEST_F(ClusterWorkerTest, EndsWithWhatIsUnderWay) {
  Start(server_.url());
  ASSERT_TRUE(TakeUntil([&] { return server_.watches() == 1; }));
  worker_.reset();
  const auto deadline = std::chrono::steady_clock::now() + kWorkerPatience;
  while (server_.watches() > 0 && std::chrono::steady_clock::now() < deadline) {
    ::poll(nullptr, 0, 1);
  }
  EXPECT_EQ(server_.watches(), 0U);
}

TEST_F(ClusterWorkerTest, AnAddressThatIsNoneIsAnError) {
  EXPECT_FALSE(ClusterWorker::Start({.access = {.server = "nowhere"},
                                     .node = "bed",
                                     .clock = std::make_shared<SteadyClock>(),
                                     .chance = [] { return 0.0; }}));
}

}  // namespace
}  // namespace jettison
