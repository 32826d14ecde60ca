#include "api/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
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

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

class ApiTest : public testing::Test {
 protected:
  void Begin(const Snapshot& snapshot) {
    board_.Turned(now_);
    board_.Put(std::make_shared<const Snapshot>(snapshot));
  }
  HttpResponse Get(const std::string& path,
                   std::map<std::string, std::string, std::less<>> query = {}) {
    return api_.Answer({.method = "GET", .path = path, .query = std::move(query)});
  }
  // What /readyz says of a node.
  std::string Ready(const Snapshot& snapshot) {
    Begin(snapshot);
    return Get("/readyz", {{"verbose", ""}}).body;
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

  int wakes_ = 0;
  Board board_;
  Instant now_ = kTestNow;
  Api api_{{.board = board_,
            .now = [this] { return now_; },
            .started_at = kTestNow,
            .wake_streams = [this] { ++wakes_; }}};
};

// Reason and message of a Status object, having checked that it is one.
std::string RefusalIn(const HttpResponse& answer) {
  const auto status = ParseJson(answer.body);
  EXPECT_TRUE(status) << answer.body;
  if (!status) return {};
  EXPECT_EQ(*status->Find("kind")->AsString(), "Status");
  EXPECT_EQ(*status->Find("apiVersion")->AsString(), "v1");
  EXPECT_EQ(*status->Find("status")->AsString(), "Failure");
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_EQ(status->Find("code")->AsNumber()->text, std::to_string(answer.status));
  return *status->Find("reason")->AsString() + ": " + *status->Find("message")->AsString();
}

TEST_F(ApiTest, WhileTheLoopHangsEveryAnswerSaysSinceWhenAndAgesGrow) {
  Begin(TestSnapshot(1));
  EXPECT_THAT(Get("/api/v1/overview").body, Not(HasSubstr("loopProblem")));
  now_ = kTestNow + seconds(36);
  const auto overview = ParseJson(Get("/api/v1/overview").body);
  ASSERT_TRUE(overview);
  EXPECT_THAT(*overview->Find("loopProblem")->AsString(),
              HasSubstr("the agent's main loop last ran 36 s ago"));
  EXPECT_EQ(*overview->Find("at")->AsString(), FormatInstant(now_));
  EXPECT_THAT(Get("/api/v1/rank", {{"output", "text"}, {"signal", "memory.available"}}).body,
              testing::StartsWith("the agent's main loop last ran 36 s ago, at "));
}

TEST_F(ApiTest, ProbesFailWhereTheLoopHasNotTurnedForSoLong) {
  const auto status_after = [this](int later, const char* path) {
    now_ = kTestNow + seconds(later);
    return Get(path).status;
  };
  EXPECT_EQ(status_after(20, "/livez"), 200) << "before its first turn it is waited for";
  EXPECT_EQ(status_after(40, "/livez"), 500);
  board_.Turned(kTestNow);
  EXPECT_EQ(status_after(5, "/healthz"), 200);
  EXPECT_EQ(status_after(6, "/healthz"), 500);
  EXPECT_EQ(status_after(30, "/livez"), 200);
  EXPECT_EQ(status_after(31, "/livez"), 500);
}

TEST_F(ApiTest, ReadyzNamesEachCheckAsKubernetesDoesAndSaysWhatIsMissing) {
  EXPECT_THAT(Get("/readyz").body, HasSubstr("[-]runtime failed: the runtime has not answered"));
  Snapshot snapshot = TestSnapshot(1);
  EXPECT_EQ(Ready(snapshot),
            "[+]loop ok\n[+]runtime ok\n[+]pass ok\n[+]figures ok\n[+]manifests ok\n[+]cluster ok\n"
            "[+]state ok\nreadyz check passed\n");
  EXPECT_EQ(Get("/readyz").body, "ok");
  snapshot.thresholds[0].observation.reset();
  EXPECT_THAT(Ready(snapshot), HasSubstr("[-]figures failed: these signals have thresholds and "
                                         "cannot be measured: memory.available\n"));
  snapshot.thresholds[0].has_no_such = true;
  EXPECT_THAT(Ready(snapshot), HasSubstr("[+]figures ok\n")) << "the node does not have it";
  now_ = kTestNow + seconds(60);
  EXPECT_THAT(Ready(snapshot), HasSubstr("the last pass was made 63 s ago"));
  snapshot.cluster_error = "list the pods of this node: HTTP 403";
  snapshot.state_error = "root directory /x cannot be written";
  snapshot.awaits_runtime = true;
  snapshot.passes = 0;
  EXPECT_THAT(Ready(snapshot),
              AllOf(HasSubstr("[-]cluster failed: list the pods of this node"),
                    HasSubstr("[-]state failed: root directory /x cannot be written"),
                    HasSubstr("[-]runtime failed: the runtime has not listed its pods"),
                    HasSubstr("[-]pass failed: no pass has been made yet\n")));
}

TEST_F(ApiTest, ARequestThatFindsNoWayIsToldWhatThereIs) {
  Begin(TestSnapshot(1));
  EXPECT_THAT(RefusalIn(Get("/pod")),
              AllOf(HasSubstr("NotFound: there is no endpoint \"/pod\" (did you mean \"/pods\"?)"),
                    HasSubstr("/api/v1/events")));
  EXPECT_EQ(Get("/pods/").status, 404);
  const HttpResponse other_method = api_.Answer({.method = "DELETE", .path = "/pods"});
  EXPECT_THAT(RefusalIn(other_method), HasSubstr("MethodNotAllowed"));
  EXPECT_THAT(other_method.headers, Contains(Pair("Allow", "GET, HEAD")));
  EXPECT_EQ(Get("/api/v1/admit").status, 405);
  EXPECT_EQ(RefusalIn(Get("/pods", {{"pretty", ""}})),
            "BadRequest: /pods has no parameter \"pretty\"; it takes none");
  EXPECT_EQ(RefusalIn(Get("/api/v1/cycles", {{"m", "1"}})),
            "BadRequest: /api/v1/cycles has no parameter \"m\"; it takes: n");
  for (const char* wrong : {"0", "-1", "101", "x", ""}) {
    EXPECT_EQ(Get("/api/v1/cycles", {{"n", wrong}}).status, 400) << wrong;
  }
  EXPECT_EQ(Get("/api/v1/overview", {{"signal", "cpu"}}).status, 400);
}

TEST_F(ApiTest, BeforeTheAgentHasBegunOnlyProbesAreAnsweredAndBeforeAPassNoFigures) {
  board_.Turned(kTestNow);
  for (const char* path : {"/pods", "/stats/summary", "/configz", "/api/v1/node"}) {
    EXPECT_THAT(RefusalIn(Get(path)), HasSubstr("ServiceUnavailable")) << path;
  }
  EXPECT_EQ(Get("/livez").body, "ok");
  EXPECT_EQ(Get("/readyz").status, 500);
  Snapshot snapshot = TestSnapshot(1);
  snapshot.passes = 0;
  snapshot.summary = nullptr;
  Begin(snapshot);
  EXPECT_THAT(RefusalIn(Get("/stats/summary")), HasSubstr("no pass yet"));
  EXPECT_EQ(Get("/pods").status, 200);
}

TEST_F(ApiTest, EveryJsonEndpointAnswersJson) {
  Snapshot snapshot = TestSnapshot(3);
  snapshot.shadow = std::make_shared<const ShadowView>();
  Begin(snapshot);
  std::size_t answered = 0;
  for (const std::string& path : Paths()) {
    const bool ranks = path == "/api/v1/rank";
    const HttpResponse answer = ranks ? Get(path, {{"signal", "memory.available"}}) : Get(path);
    if (answer.content_type != "application/json") continue;
    EXPECT_TRUE(ParseJson(answer.body)) << path << answer.body;
    // Asked for nothing that is there.
    if (path.ends_with('*') || path == "/api/v1/admit" || path == "/api/v1/recording") continue;
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

TEST_F(ApiTest, ShadowModeIsToldWhereThereIsOne) {
  Snapshot snapshot = TestSnapshot(1);
  Begin(snapshot);
  EXPECT_THAT(RefusalIn(Get("/api/v1/shadow")),
              AllOf(HasSubstr("NotFound"), HasSubstr("not in shadow mode"), HasSubstr("dryRun")));
  ShadowBook book;
  book.NoteOurs({.at = kTestNow,
                 .pod = {.namespace_ = "shop", .name = "cart", .uid = "u"},
                 .signal = Signal::kMemoryAvailable,
                 .message = "low"});
  snapshot.shadow = std::make_shared<const ShadowView>(book.View(kTestNow));
  Begin(snapshot);
  EXPECT_THAT(Get("/api/v1/shadow").body,
              AllOf(HasSubstr("\"open\":[{\"at\":"), HasSubstr("\"name\":\"cart\"")));
}

using Piece = Result<std::optional<std::string>>;

// Gives out what the test has laid down; nothing laid down is a disk that does not answer yet.
class FakeRecording final : public ServedRecording {
 public:
  std::deque<Piece> pieces;
  bool is_full = false;
  WakeClient wake;

  Result<RecordingFetch> Fetch(const RecordingTimes& /*times*/, WakeClient wake_client) override {
    if (is_full) return Fail(ErrorCode::kUnavailable, "4 clients fetch it already");
    wake = std::move(wake_client);
    return [this]() -> Piece {
      if (pieces.empty()) return std::string();
      Piece piece = std::move(pieces.front());
      pieces.pop_front();
      return piece;
    };
  }
  RecorderCounters counters() const override { return {}; }
};

TEST_F(ApiTest, ARecordingIsTheStreamOfWhatTheRecorderReads) {
  const auto recording = std::make_shared<FakeRecording>();
  Snapshot snapshot = TestSnapshot(0);
  snapshot.recording = recording;
  Begin(snapshot);
  const HttpResponse answer = Get("/api/v1/recording");
  ASSERT_TRUE(answer.stream);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/vnd.jettison.recording");
  EXPECT_EQ(answer.stream().value(), "") << "the disk has not answered";
  recording->wake();
  EXPECT_EQ(wakes_, 1);
  recording->pieces = {"one", std::nullopt,
                       Fail(ErrorCode::kInternal, "read the folder: Input/output error")};
  EXPECT_EQ(answer.stream().value(), "one");
  EXPECT_EQ(answer.stream().value(), std::nullopt);
  EXPECT_FALSE(answer.stream());
  recording->is_full = true;
  const HttpResponse busy = Get("/api/v1/recording");
  EXPECT_EQ(busy.status, 503);
  EXPECT_THAT(busy.headers, Contains(Pair("Retry-After", "10")));
  EXPECT_THAT(RefusalIn(Get("/api/v1/recording", {{"since", "2026-01-02T00:00:00Z"},
                                                  {"until", "2026-01-01T00:00:00Z"}})),
              HasSubstr("since is later than until"));
}

}  // namespace
}  // namespace jettison
