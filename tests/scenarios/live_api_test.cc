#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <optional>

#include "codec/documents/json.h"
#include "http/client/client.h"
#include "http/server/listen.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

class LiveApi : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure("evictionHard: {memory.available: 100Mi}\n");
    bed_.ConfigureAgent("monitoringInterval: 500ms\n");
    PutSleeper("web");
    target_.endpoint = bed_.endpoint();
  }
  void Start() {
    bed_.StartAgent();
    ASSERT_TRUE(bed_.WaitForLine({"the HTTP server is running", "agent.sock"}));
    ASSERT_TRUE(HasStarted());
  }
  HttpResponse Get(const std::string& path) {
    auto answer = HttpGet(target_, path);
    EXPECT_TRUE(answer) << path << ": " << answer.error().message;
    return answer ? std::move(*answer) : HttpResponse{.status = 0};
  }
  // Until the answer holds that text.
  bool WaitFor(const std::string& path, std::string_view text) {
    const auto deadline = steady_clock::now() + seconds(20);
    while (steady_clock::now() < deadline) {
      if (Get(path).body.find(text) != std::string::npos) return true;
      poll(nullptr, 0, 50);
    }
    return false;
  }

  HttpTarget target_;
};

TEST_F(LiveApi, EveryEndpointIsAnswered) {
  Start();
  ASSERT_TRUE(WaitFor("/readyz?verbose", "readyz check passed"));
  ASSERT_TRUE(WaitFor("/api/v1/cycles", "\"pass\":"));
  for (const char* path : {"/stats/summary", "/pods", "/configz", "/api/v1/node", "/api/v1/events",
                           "/api/v1/overview", "/api/v1/history"}) {
    const HttpResponse answer = Get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_TRUE(ParseJson(answer.body)) << path << ": " << answer.body;
  }
  EXPECT_EQ(Get("/healthz").body, "ok");
  EXPECT_EQ(Get("/livez").body, "ok");
  EXPECT_THAT(Get("/").body, HasSubstr("<html"));
  EXPECT_THAT(Get("/metrics").body, HasSubstr("jettison_"));
  EXPECT_THAT(Get("/pods").body, HasSubstr("\"phase\":\"Running\""));
  EXPECT_TRUE(WaitFor("/stats/summary", "\"podRef\":{\"name\":\"web\""));
  EXPECT_THAT(Get("/configz").body, HasSubstr("\"memory.available\":\"100Mi\""));
  EXPECT_THAT(Get("/api/v1/node").body, HasSubstr("KubeletHasSufficientMemory"));
  EXPECT_THAT(Get("/api/v1/events").body, HasSubstr("Started container main"));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveApi, IsTriedAgainWhereTheSocketIsTakenWhileTheNodeIsGuarded) {
  std::optional taken = http::ListenAt(bed_.folder() + "/agent.sock", "");
  ASSERT_TRUE(*taken) << taken->error().message;
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"the HTTP server cannot be started", "is in use by"}));
  EXPECT_TRUE(HasStarted());
  taken.reset();
  EXPECT_TRUE(bed_.WaitForLine({"the HTTP server is running", "agent.sock"}));
  EXPECT_EQ(Get("/livez").status, 200);
  EXPECT_EQ(bed_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
