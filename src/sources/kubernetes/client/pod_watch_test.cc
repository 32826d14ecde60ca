#include "sources/kubernetes/client/pod_watch.h"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>

#include "core/model/value.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/event_queue.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/objects/testing/test_answers.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison::kube {
namespace {

using namespace testing;
using std::chrono::seconds;

using Kind = Misbehaviour::Kind;

// A client of an API server of the tests' own, and what it tells of the pods of the node "bed".
// Pauses are stepped over.
class WithFakeApiServer : public testing::Test {
 protected:
  static constexpr auto kLongest = std::chrono::seconds(120);  // that what must come is waited for

  void Connect(const ApiAccess& access) {
    watch_.reset();
    auto client = ApiClient::Open(access, clock_);
    ASSERT_TRUE(client) << client.error().message;
    client_ = std::move(*client);
  }
  void Connect() { Connect({.server = server_.url()}); }

  void Follow() {
    if (client_ == nullptr) Connect();
    told_.clear();
    watch_ = std::make_unique<PodWatch>(
        *client_, clock_, "bed", [] { return 0.0; },
        PodWatch::Listeners{.on_pod =
                                [this](const ApiPod& pod) {
                                  const bool is_new = told_.insert(pod.head.uid).second;
                                  news_.push_back((is_new ? "+" : "~") + pod.head.uid + " " +
                                                  pod.phase);
                                },
                            .on_gone =
                                [this](const ObjectHead& head) {
                                  told_.erase(head.uid);
                                  news_.push_back("-" + head.uid);
                                }});
  }

  template <typename Condition>
  [[nodiscard]] bool TurnUntil(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kLongest;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      Turn();
    }
    return true;
  }
  void Turn() {
    const auto pause = watch_ == nullptr ? std::nullopt : watch_->Advance();
    if (pause) {
      clock_.Advance(*pause);
      paused_ += *pause;
    }
    client_->Turn(pause ? Duration::zero() : std::chrono::milliseconds(20));
  }
  // Until it has listed and watches again.
  [[nodiscard]] bool IsWatching() {
    return TurnUntil([&] {
      return watch_->state().has_listed && !watch_->state().fault && server_.watches() == 1;
    });
  }
  [[nodiscard]] Result<ApiReply> Ask(const ApiCall& call) {
    return AskNow(*client_, call, kLongest);
  }
  [[nodiscard]] std::vector<std::string> TakeNews() { return std::exchange(news_, {}); }

  FakeApiServer server_;
  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<PodWatch> watch_;
  std::vector<std::string> news_;
  std::set<std::string> told_;  // UIDs of pods that are there
  Duration paused_{0};
};

class PodWatchTest : public WithFakeApiServer {
 protected:
  PodWatchTest() {
    server_.PutPod("a", "ua");
    server_.PutPod("b", "ub");
  }
  // Follows the pods, and has reported both.
  void Begin() {
    Follow();
    ASSERT_TRUE(IsWatching());
    ASSERT_THAT(TakeNews(), ElementsAre("+ua Running", "+ub Running"));
  }
  [[nodiscard]] bool Told(std::size_t count) {
    return TurnUntil([&] { return news_.size() >= count; });
  }
};

TEST_F(PodWatchTest, TellsWhatIsThereThenWhatComesChangesAndGoes) {
  Begin();
  server_.PutPod("c", "uc", "Pending");
  server_.PutPod("c", "uc", "Running");
  server_.RemovePod("a");
  ASSERT_TRUE(Told(3));
  EXPECT_THAT(TakeNews(), ElementsAre("+uc Pending", "~uc Running", "-ua"));
  EXPECT_THAT(server_.requests(), ElementsAre("GET /api/v1/pods", "GET /api/v1/pods?watch"));
  EXPECT_EQ(paused_, Duration(0));
}

TEST_F(PodWatchTest, AListIsBegunAnewWhereAPageNeverComes) {
  for (int i = 0; i < 250; ++i) server_.PutPod("p" + std::to_string(i), "u" + std::to_string(i));
  for (int i = 0; i < 4; ++i) server_.MisbehaveOnce({.kind = Kind::kCut, .part = "continue"});
  Follow();
  ASSERT_TRUE(IsWatching());
  EXPECT_EQ(told_.size(), 252U);
  EXPECT_EQ(server_.requests().size(), 9U) << "with the first page twice";
}

TEST_F(PodWatchTest, ListsThatWorkAndWatchesThatAreTooOldAtOnceAreNoHotLoop) {
  for (int i = 0; i < 6; ++i) {
    server_.MisbehaveOnce({.kind = Kind::kRefuse,
                           .part = "watch",
                           .status = 410,
                           .body = RecordedAnswer("status_expired.json")});
  }
  Follow();
  ASSERT_TRUE(IsWatching());
  EXPECT_GT(paused_, seconds(15));
}

TEST_F(PodWatchTest, ACutWatchGoesOnWithoutAList) {
  Begin();
  server_.CutWatches();
  server_.PutPod("c", "uc");
  ASSERT_TRUE(Told(1));
  EXPECT_THAT(TakeNews(), ElementsAre("+uc Running"));
  EXPECT_EQ(server_.requests().size(), 3U);  // the list, and two watches
}

TEST_F(PodWatchTest, WhatVanishedWhileTheServerWasAwayIsTold) {
  Begin();
  server_.Stop();
  const Instant before = clock_.Now();
  ASSERT_TRUE(TurnUntil([&] { return watch_->state().away_since.has_value(); }));
  EXPECT_EQ(watch_->state().away_since, before);
  EXPECT_TRUE(watch_->state().has_listed);
  EXPECT_TRUE(watch_->state().fault);
  ASSERT_TRUE(TurnUntil([&] { return paused_ > seconds(60); }));
  EXPECT_EQ(watch_->state().away_since, before);
  EXPECT_THAT(TakeNews(), IsEmpty());
  server_.Change([](FakeStore& store) {
    store.RemovePod("a");
    store.PutPod("c", "uc");
    store.PutPod("b", "ub", "Failed");
    store.Compact();
  });
  server_.Start();
  ASSERT_TRUE(IsWatching());
  EXPECT_EQ(watch_->state().away_since, std::nullopt);
  EXPECT_THAT(TakeNews(), ElementsAre("~ub Failed", "+uc Running", "-ua"));
}

// As a real API server does: it sends nothing to a watch from a version that it has not reached.
TEST_F(PodWatchTest, AStoreThatIsSetBackBelowAWatchIsNoticedByTheSilence) {
  Begin();
  server_.SendToWatches(
      R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"500"}}})"
      "\n"
      R"({"type":"ADDED","object":{"metadata":{"namespace":"default","name":"x","uid":"ux",)"
      R"("resourceVersion":"501"},"status":{"phase":"Running"}}})"
      "\n");
  ASSERT_TRUE(Told(1));
  EXPECT_THAT(TakeNews(), ElementsAre("+ux Running"));
  server_.Change([](FakeStore& store) {
    store.RemovePod("b");
    store.SetBack(50);
  });
  clock_.Advance(seconds(150));
  server_.CutWatches();
  ASSERT_TRUE(Told(2));
  EXPECT_THAT(TakeNews(), ElementsAre("-ub", "-ux"));
  ASSERT_TRUE(IsWatching());
}

// If a watch brings something invalid, what is known stays known, and changes meanwhile are
// reported.
TEST_F(PodWatchTest, AWatchThatBreaksIsBegunAgain) {
  const std::string rows[] = {
      "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"na",  // cut off here
      "nonsense\n",
      "{\"type\":\"ADDED\",\"object\":{}}\n",
      "{\"type\":\"NEWS\",\"object\":{}}\n",
      "{\"type\":\"BOOKMARK\",\"object\":{}}\n",
      "{\"type\":\"ERROR\",\"object\":" + RecordedAnswer("status_expired.json") + "}\n",
      "{\"type\":\"ERROR\",\"object\":{\"code\":500}}\n",
      std::string(std::size_t{17} << 20, 'x'),
  };
  Begin();
  int number = 0;
  for (const std::string& row : rows) {
    server_.SendToWatches(row);
    // The watch takes these in before it is cut.
    for (int i = 0; i < 3; ++i) Turn();
    server_.CutWatches();
    const std::string name = "new" + std::to_string(number++);
    server_.PutPod(name, name);
    ASSERT_TRUE(Told(1)) << row.substr(0, 80);
    EXPECT_THAT(TakeNews(), ElementsAre("+" + name + " Running")) << row.substr(0, 80);
    ASSERT_TRUE(IsWatching());
  }
  EXPECT_GT(paused_, seconds(3));
}

TEST_F(PodWatchTest, AListThatFailsIsAskedForAgainLater) {
  const Misbehaviour rows[] = {
      {.kind = Kind::kRefuse, .status = 500, .body = "{}"},
      {.kind = Kind::kRefuse,
       .status = 429,
       .body = RecordedAnswer("status_budget.json"),
       .retry_after = "9"},
      {.kind = Kind::kRefuse, .status = 410, .body = RecordedAnswer("status_expired.json")},
      {.kind = Kind::kRefuse, .status = 504, .body = RecordedAnswer("status_too_new.json")},
      {.kind = Kind::kRefuse, .status = 200, .body = "<html>"},
      {.kind = Kind::kRefuse,
       .status = 200,
       .body = R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}}]})"},
      {.kind = Kind::kCut},
      {.kind = Kind::kHuge},
  };
  for (const Misbehaviour& row : rows) server_.MisbehaveOnce(row);
  Follow();
  ASSERT_TRUE(IsWatching());
  EXPECT_THAT(TakeNews(), ElementsAre("+ua Running", "+ub Running"));
  EXPECT_GT(paused_, seconds(9));
}

TEST_F(PodWatchTest, ASlowAnswerIsWaitedForAndASilentOneDelaysNobody) {
  server_.MisbehaveOnce({.kind = Kind::kSlow, .part = "limit"});
  Begin();
  server_.MisbehaveOnce({.kind = Kind::kHang, .part = "/version"});
  bool answered = false;
  client_->Call({.path = "/version"}, seconds(20), [&](const auto&) { answered = true; });
  server_.PutPod("c", "uc");
  ASSERT_TRUE(Told(1));
  EXPECT_FALSE(answered);
}

TEST_F(PodWatchTest, AnExpiredTokenIsReadAgain) {
  const kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/token";
  std::ofstream(file) << "old";
  server_.RequireToken("new");
  Connect({.server = server_.url(), .token_file = file});
  Follow();
  ASSERT_TRUE(TurnUntil([&] { return watch_->state().fault.has_value(); }));
  EXPECT_EQ(watch_->state().fault->error.code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(watch_->state().fault->error.message, HasSubstr("Unauthorized"));
  EXPECT_EQ(watch_->state().fault->missing_rule, "");
  EXPECT_EQ(watch_->state().away_since, std::nullopt);
  std::ofstream(file) << "new";
  ASSERT_TRUE(IsWatching());
}

TEST_F(PodWatchTest, WhatIsForbiddenIsARefusalWithTheRuleThatIsMissing) {
  for (const auto& [part, verb] : {std::pair("limit=", "list"), std::pair("watch=", "watch")}) {
    server_.MisbehaveOnce({.kind = Kind::kRefuse,
                           .part = part,
                           .status = 403,
                           .body = RecordedAnswer("status_forbidden.json")});
    Follow();
    ASSERT_TRUE(TurnUntil([&] { return watch_->state().fault.has_value(); }));
    const PodWatchFault fault = *watch_->state().fault;
    EXPECT_TRUE(fault.is_refusal);
    EXPECT_THAT(fault.error.message, HasSubstr(verb));
    EXPECT_THAT(fault.missing_rule, HasSubstr(std::string("resources: [pods], verbs: [") + verb));
  }
}

TEST_F(PodWatchTest, APodThatIsTooLargeIsARefusalAndOneOfTenMegabytesIsRead) {
  for (int page = 100; page >= 1; page /= 2) {
    server_.MisbehaveOnce({.kind = Kind::kHuge, .part = "limit=" + std::to_string(page)});
  }
  Follow();
  ASSERT_TRUE(
      TurnUntil([&] { return watch_->state().fault && watch_->state().fault->is_refusal; }));
  EXPECT_THAT(watch_->state().fault->error.message, HasSubstr("a single pod has more than 16 MiB"));
  EXPECT_FALSE(watch_->state().has_listed);
  server_.Change([](FakeStore& store) {
    FakeStore::Json& pod = *store.Pod("a");
    pod["metadata"]["annotations"]["big"] = std::string(std::size_t{10} << 20, 'x');
    store.Touch(pod);
  });
  ASSERT_TRUE(IsWatching());
  EXPECT_THAT(TakeNews(), ElementsAre("+ua Running", "+ub Running"));
  server_.Change([](FakeStore& store) { store.Touch(*store.Pod("a")); });
  ASSERT_TRUE(Told(1));
  EXPECT_THAT(TakeNews(), ElementsAre("~ua Running"));
}

using Json = FakeStore::Json;

class ApiCalls : public WithFakeApiServer {
 protected:
  ApiCalls() {
    server_.PutPod("a", "ua");
    Connect();
  }
  CallResult ResultOf(const ApiCall& call) { return OutcomeOf(Ask(call)).result; }
  Json Node() {
    return server_.Look<Json>([](FakeStore& store) { return store.node(); });
  }
};

TEST_F(ApiCalls, ATaintIsPutBesideThoseOfOthersUnlessTheNodeWasChangedMeanwhile) {
  const auto stale = ReadApiNode(Ask(GetNode("bed"))->body).value();
  server_.Change([](FakeStore& store) {
    store.node()["spec"]["taints"] =
        Json::array({{{"key", "foreign"}, {"value", "x"}, {"effect", "NoSchedule"}, {"new", 1}}});
    store.TouchNode();
  });
  TaintWish wish = {.key = "jettison.io/memory-pressure"};
  EXPECT_EQ(ResultOf(ChangeTaint(stale, wish).value()), CallResult::kConflict);
  const auto change = [&] {
    return ResultOf(ChangeTaint(ReadApiNode(Ask(GetNode("bed"))->body).value(), wish).value());
  };
  EXPECT_EQ(change(), CallResult::kDone);
  const Json taints = Node()["spec"]["taints"];
  ASSERT_EQ(taints.size(), 2U);
  EXPECT_EQ(taints[0]["new"], 1);
  EXPECT_EQ(taints[1]["key"], "jettison.io/memory-pressure");
  wish.present = false;
  EXPECT_EQ(change(), CallResult::kDone);
  EXPECT_EQ(Node()["spec"]["taints"].size(), 1U);
}

TEST_F(ApiCalls, CertificatesAreReadAgainSoonAfterTheServerRefusedTheAgentOrWasNotReached) {
  int reads = 0;
  const ApiAccess access = {.server = server_.url()};
  auto client = ApiClient::Open(access, clock_, [&] {
    ++reads;
    return AccessReading{.access = access, .faults = {}};
  });
  ASSERT_TRUE(client);
  client_ = std::move(*client);
  const auto ask = [&] {
    (void)Ask(GetVersion());
    clock_.Advance(AccessSource::kReadAfterFailure);
    (void)Ask(GetVersion());
    return std::exchange(reads, 0);
  };
  EXPECT_EQ(ask(), 0);
  server_.RequireToken("another");
  EXPECT_EQ(ask(), 1);
  server_.RequireToken("");
  (void)ask();
  server_.Stop();
  EXPECT_EQ(ask(), 1);
}

TEST_F(ApiCalls, GoToTheServersOwnPath) {
  Connect({.server = server_.url(), .path_prefix = "/k8s/c-1"});
  EXPECT_EQ(Ask(GetVersion())->status, 404);
  EXPECT_THAT(server_.requests(), ElementsAre("GET /k8s/c-1/version"));
}

}  // namespace
}  // namespace jettison::kube
