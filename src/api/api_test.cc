#include "api/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "api/kubernetes/objects.h"
#include "api/test_snapshot.h"
#include "codec/documents/json.h"
#include "core/shadow/shadow_book.h"
#include "tests/names_missing.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ApiTest : public testing::Test {
 protected:
  void Begin(Snapshot snapshot) {
    board_.Turned(kTestNow);
    board_.Put(std::make_shared<const Snapshot>(std::move(snapshot)));
  }
  HttpResponse Get(const std::string& path,
                   std::map<std::string, std::string, std::less<>> query = {}) {
    return api_.Answer({.method = "GET", .path = path, .query = std::move(query)});
  }

  // Every path of the table, as the answer to an unknown one lists them.
  std::set<std::string> Paths() {
    const HttpResponse answer = Get("/unknown");
    std::istringstream list(answer.body.substr(answer.body.find("the endpoints are: ") + 19));
    std::set<std::string> paths;
    for (std::string path; list >> path && path.starts_with('/');) {
      const bool is_last = path.find('"') != std::string::npos;
      paths.insert(path.substr(0, path.find('"')));
      if (is_last) break;
    }
    return paths;
  }

  Board board_;
  Instant now_ = kTestNow;
  Api api_{{.board = board_, .now = [this] { return now_; }, .started_at = kTestNow}};
};

// What a Status object says, having checked that it is one.
struct Refusal {
  std::string code;
  std::string reason;
  std::string message;
};
Refusal RefusalIn(const HttpResponse& answer) {
  const auto status = ParseJson(answer.body);
  EXPECT_TRUE(status) << answer.body;
  if (!status) return {};
  EXPECT_EQ(*status->Find("kind")->AsString(), "Status");
  EXPECT_EQ(*status->Find("apiVersion")->AsString(), "v1");
  EXPECT_EQ(*status->Find("status")->AsString(), "Failure");
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(status->Find("code")->AsNumber()->text, std::to_string(answer.status));
  const Value* const reason = status->Find("reason");
  return {.code = status->Find("code")->AsNumber()->text,
          .reason = reason == nullptr ? "" : *reason->AsString(),
          .message = *status->Find("message")->AsString()};
}

TEST_F(ApiTest, WhileTheLoopHangsEveryAnswerSaysSinceWhenAndAgesGrow) {
  Begin(TestSnapshot(1));
  EXPECT_THAT(Get("/api/v1/overview").body, Not(HasSubstr("loopProblem")));
  now_ = kTestNow + std::chrono::seconds(36);
  const auto overview = ParseJson(Get("/api/v1/overview").body);
  ASSERT_TRUE(overview);
  EXPECT_THAT(*overview->Find("loopProblem")->AsString(),
              HasSubstr("the agent's main loop last ran 36 s ago"));
  EXPECT_EQ(*overview->Find("at")->AsString(), FormatInstant(now_));
  EXPECT_THAT(Get("/api/v1/rank", {{"output", "text"}, {"signal", "memory.available"}}).body,
              testing::StartsWith("the agent's main loop last ran 36 s ago, at "));
  EXPECT_EQ(Get("/healthz").status, 500);
  EXPECT_EQ(Get("/livez").status, 500);
  now_ = kTestNow + std::chrono::seconds(6);
  EXPECT_EQ(Get("/healthz").status, 500);
  EXPECT_EQ(Get("/livez").status, 200);
}

TEST_F(ApiTest, AnUnknownPathIsNamedTogetherWithWhatThereIs) {
  const Refusal refusal = RefusalIn(Get("/pod"));
  EXPECT_EQ(refusal.reason, "NotFound");
  EXPECT_THAT(refusal.message, HasSubstr("\"/pod\" (did you mean \"/pods\"?)"));
  EXPECT_THAT(refusal.message, HasSubstr("/api/v1/events"));
  EXPECT_EQ(Get("/pods/").status, 404);
}

TEST_F(ApiTest, AnotherMethodIsRefusedWithTheOneThatIsAllowed) {
  const HttpResponse answer = api_.Answer({.method = "DELETE", .path = "/pods"});
  EXPECT_EQ(RefusalIn(answer).reason, "MethodNotAllowed");
  EXPECT_THAT(answer.headers, testing::Contains(testing::Pair("Allow", "GET, HEAD")));
  EXPECT_EQ(RefusalIn(Get("/api/v1/admit")).code, "405");
}

TEST_F(ApiTest, AnUnknownParameterIsNamedTogetherWithThoseThereAre) {
  Begin(TestSnapshot(1));
  EXPECT_EQ(RefusalIn(Get("/pods", {{"pretty", ""}})).message,
            "/pods has no parameter \"pretty\"; it takes none");
  EXPECT_EQ(RefusalIn(Get("/api/v1/cycles", {{"m", "1"}})).message,
            "/api/v1/cycles has no parameter \"m\"; it takes: n");
  for (const char* wrong : {"0", "-1", "101", "x", ""}) {
    EXPECT_EQ(RefusalIn(Get("/api/v1/cycles", {{"n", wrong}})).reason, "BadRequest") << wrong;
  }
  EXPECT_EQ(RefusalIn(Get("/api/v1/overview", {{"signal", "cpu"}})).reason, "BadRequest");
}

TEST_F(ApiTest, BeforeTheAgentHasBegunOnlyProbesAreAnswered) {
  board_.Turned(kTestNow);
  for (const char* path : {"/pods", "/stats/summary", "/configz", "/api/v1/node"}) {
    EXPECT_EQ(RefusalIn(Get(path)).reason, "ServiceUnavailable") << path;
  }
  EXPECT_EQ(Get("/livez").body, "ok");
  EXPECT_EQ(Get("/readyz").status, 500);
}

TEST_F(ApiTest, BeforeTheFirstPassThereAreNoFigures) {
  Snapshot snapshot = TestSnapshot(1);
  snapshot.passes = 0;
  snapshot.summary = nullptr;
  Begin(std::move(snapshot));
  EXPECT_THAT(RefusalIn(Get("/stats/summary")).message, HasSubstr("no pass yet"));
  EXPECT_EQ(Get("/pods").status, 200);
}

TEST_F(ApiTest, EveryJsonEndpointAnswersJson) {
  Snapshot snapshot = TestSnapshot(3);
  snapshot.shadow = std::make_shared<const ShadowView>();
  Begin(std::move(snapshot));
  std::size_t answered = 0;
  for (const std::string& path : Paths()) {
    const bool ranks = path == "/api/v1/rank";
    const HttpResponse answer = ranks ? Get(path, {{"signal", "memory.available"}}) : Get(path);
    if (answer.content_type != "application/json") continue;
    EXPECT_TRUE(ParseJson(answer.body)) << path << answer.body;
    // Asked for nothing that is there.
    if (path.ends_with('*') || path == "/api/v1/admit") continue;
    if (path == "/api/v1/recording") continue;
    EXPECT_EQ(answer.status, 200) << path << answer.body;
    ++answered;
  }
  EXPECT_GE(answered, 10U);
}

// The paths in the table of the page, what stands for any part as "*".
std::set<std::string> PathsInThePage() {
  std::ifstream page(JETTISON_TESTDATA "/../../docs/http.md");
  std::set<std::string> paths;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) in_table = line == "## What there is";
    if (!in_table || !line.starts_with("| `")) continue;
    const std::string cell = line.substr(0, line.find(" | "));
    static const std::regex kPath("`(?:[A-Z]+ )?(/[^`]*)`");
    for (std::sregex_iterator it(cell.begin(), cell.end(), kPath), end; it != end; ++it) {
      paths.insert(std::regex_replace((*it)[1].str(), std::regex(R"(\{[a-z]+\})"), "*"));
    }
  }
  return paths;
}

TEST_F(ApiTest, ThePageHasARowForEachPathAndNoOther) {
  EXPECT_THAT(NamesMissing(Paths(), PathsInThePage()), IsEmpty())
      << "the table of docs/http.md lacks a path of Routes() in api.cc";
  EXPECT_THAT(NamesMissing(PathsInThePage(), Paths()), IsEmpty())
      << "the table of docs/http.md has a path that Routes() in api.cc lacks";
}

TEST_F(ApiTest, ARecordingOfATimeThatRunsBackwardsIsRefused) {
  Begin(TestSnapshot(0));
  HttpRequest request{.method = "GET", .path = "/api/v1/recording"};
  request.query = {{"since", "2026-01-02T00:00:00Z"}, {"until", "2026-01-01T00:00:00Z"}};
  EXPECT_THAT(RefusalIn(api_.Answer(request)).message, HasSubstr("since is later than until"));
}

}  // namespace
}  // namespace jettison
