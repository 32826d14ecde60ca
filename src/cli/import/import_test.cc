#include "cli/import/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>

#include "http/server/testing/test_server.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const Instant kTo = ParseInstant("2026-01-01T02:00:00Z").value();

// Has one series, a sample each minute from two hours before kTo on.
class FakePrometheus {
 public:
  explicit FakePrometheus(std::function<std::optional<HttpResponse>(const std::string& body)> first)
      : first_(std::move(first)) {
    EXPECT_TRUE(server_.Start([this](const HttpRequest& request) { return Answer(request); }))
        << server_.error.message;
    request_.target.endpoint = server_.endpoint();
    request_.options.from = kTo - std::chrono::hours(2);
    request_.options.to = kTo;
    request_.nodes = {"a"};
    request_.instances_of = {{"a", "b:1"}};
  }

  // Everything of the node, by as many queries as that takes.
  Result<PrometheusAnswer> Read() {
    return ReadNode(request_, "a", [this](Duration wait) { waits.push_back(wait); });
  }

  std::vector<Duration> waits;
  std::vector<std::string> asked;  // the bodies; for samples, unless it refuses names, too
  bool refuses_names = false;
  std::string names;  // series that tell the names of the node

 private:
  HttpResponse Answer(const HttpRequest& request) {
    EXPECT_THAT(request.path, testing::AnyOf("/api/v1/query", "/api/v1/series"));
    EXPECT_EQ(request.content_type, "application/x-www-form-urlencoded");
    if (request.path == "/api/v1/series" && !refuses_names) {
      return {.body = fmt::format(R"({{"status":"success","data":[{}]}})", names)};
    }
    asked.push_back(request.body);
    if (const auto answer = first_(request.body)) return *answer;
    std::string values;
    // Only the first of the queries is about the instance.
    if (request.body.find("instance") != std::string::npos) {
      for (int minute = 0; minute <= 120; ++minute) {
        const auto at = kTo - std::chrono::minutes(120 - minute);
        values += fmt::format("{}[{},\"1\"]", values.empty() ? "" : ",",
                              SecondsOf(at.time_since_epoch()));
      }
    }
    return {.body = fmt::format(R"({{"status":"success","data":{{"resultType":"matrix","result":[)"
                                R"({{"metric":{{"__name__":"node_time_seconds","node":"a"}},)"
                                R"("values":[{}]}}]}}}})",
                                values)};
  }

  std::function<std::optional<HttpResponse>(const std::string&)> first_;
  ImportRequest request_;
  http::TestServer server_;
};

HttpResponse Refusal(int status, const char* kind) {
  return {.status = status,
          .body = fmt::format(R"({{"status":"error","errorType":"{}","error":"no"}})", kind)};
}

// The times of all samples, each once: a figure has them from the first series that tells of it.
std::set<Instant> TimesOf(const PrometheusAnswer& answer) {
  std::set<Instant> times;
  for (const MetricSeries& series : answer.series) {
    for (const MetricSample& sample : series.samples) times.insert(sample.at);
  }
  return times;
}

TEST(PrometheusSource, WhatIsAskedForIsReadWithItsWarnings) {
  FakePrometheus prometheus([](const std::string&) { return std::nullopt; });
  const auto read = prometheus.Read();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(TimesOf(*read), SizeIs(121));
}

TEST(PrometheusSource, PodsAreAskedForInBatches) {
  FakePrometheus prometheus([](const std::string&) { return std::nullopt; });
  for (int i = 0; i < 250; ++i) {
    prometheus.names +=
        fmt::format(R"({}{{"__name__":"kube_pod_info","uid":"u{}"}})", i == 0 ? "" : ",", i);
  }
  ASSERT_TRUE(prometheus.Read());
  ASSERT_THAT(prometheus.asked, SizeIs(6));
  for (int i = 3; i < 6; ++i) {
    EXPECT_THAT(prometheus.asked[static_cast<std::size_t>(i)], HasSubstr("status_reason"));
  }
}

TEST(PrometheusSource, WhatIsScrapedOnTheNodeIsFoundByItsAddressOrItsInstance) {
  FakePrometheus prometheus([](const std::string&) { return std::nullopt; });
  prometheus.names =
      R"({"__name__":"kube_node_info","node":"a","internal_ip":"10.0.0.7","instance":"ksm:80"},)"
      R"({"__name__":"node_uname_info","nodename":"a","instance":"exporter-1"},)"
      R"({"__name__":"kubelet_node_name","node":"b","exported_node":"a","instance":"kubelet-1"},)"
      R"({"__name__":"kube_node_info","node":"a","exported_node":"b","internal_ip":"10.0.0.9"},)"
      R"({"__name__":"kubelet_node_name","node":"a","exported_node":"b","instance":"other"})";
  ASSERT_TRUE(prometheus.Read());
  EXPECT_THAT(
      prometheus.asked[0],
      HasSubstr(EncodedForUrl("instance=~\"a(:[0-9]+)?|b:1|[[]?10[.]0[.]0[.]7[]]?(:[0-9]+)?|"
                              "exporter-1|kubelet-1\"}")));
}

TEST(PrometheusSource, WhatIsTooMuchAtOnceIsAskedForInHalves) {
  int refused = 0;
  FakePrometheus prometheus([&](const std::string&) -> std::optional<HttpResponse> {
    if (++refused > 3) return std::nullopt;
    return refused == 2 ? Refusal(503, "timeout") : Refusal(422, "execution");
  });
  const auto read = prometheus.Read();
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_THAT(TimesOf(*read), SizeIs(121));
  EXPECT_THAT(prometheus.asked[0], HasSubstr("7500000ms"));
  EXPECT_THAT(prometheus.asked[3], HasSubstr("937500ms"));
  EXPECT_THAT(prometheus.waits, SizeIs(0));
}

TEST(PrometheusSource, ARefusedQueryIsAnErrorInTheWordsOfPrometheus) {
  FakePrometheus prometheus([](const std::string&) { return Refusal(400, "bad_data"); });
  const auto read = prometheus.Read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(read.error().message, HasSubstr("bad_data: no"));
  EXPECT_THAT(prometheus.asked, SizeIs(1));
}

TEST(PrometheusSource, WhatPassesIsAskedForAgainLessAndLessOftenFiveTimesAtMost) {
  int refused = 0;
  FakePrometheus prometheus([&](const std::string&) -> std::optional<HttpResponse> {
    if (++refused > 2) return std::nullopt;
    return HttpResponse{.status = 502, .content_type = "text/html", .body = "<html>"};
  });
  testing::internal::CaptureStderr();
  EXPECT_TRUE(prometheus.Read());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("answers 502; asking again"));
  EXPECT_THAT(prometheus.waits,
              ElementsAre(std::chrono::milliseconds(500), std::chrono::milliseconds(1000)));
  FakePrometheus away([](const std::string&) { return HttpResponse{.status = 503}; });
  testing::internal::CaptureStderr();
  EXPECT_EQ(away.Read().error().code, ErrorCode::kUnavailable);
  testing::internal::GetCapturedStderr();
  EXPECT_THAT(away.asked, SizeIs(kMostTries));
}

TEST(PrometheusSource, ARefusalSaysWhyAndWhatToDo) {
  struct Row {
    HttpResponse answer;
    std::string message;
  };
  const auto redirect = [](const char* target) {
    return HttpResponse{.status = 301, .body = "", .headers = {{"Location", target}}};
  };
  const std::string credentials =
      ": it requires valid credentials; give them with --token-file or --basic-auth-file";
  const Row rows[] = {
      {{.status = 401, .body = R"({"message":"Unauthorized"})"},
       R"(Prometheus answers 401 ({"message":"Unauthorized"}))" + credentials},
      {{.status = 403, .body = R"({"status":"error","errorType":"","error":"no org id"})"},
       R"(Prometheus answers 403 ({"status":"error","errorType":"","error":"no org id"}))" +
           credentials},
      {{.status = 401, .content_type = "text/html", .body = "<html>"},
       "Prometheus answers 401" + credentials},
      {{.status = 500, .body = R"({"status":"error","errorType":"","error":"no store"})"},
       "no store"},
      {{.status = 404, .body = R"({"message":"no route"})"},
       R"(this is no answer of Prometheus' HTTP API: {"message":"no route"})"},
      {redirect("https://login.example/?state=secret"),
       "Prometheus answers 301 and redirects to https://login.example/, but redirects are not "
       "followed: give the URL of Prometheus itself as SOURCE"},
  };
  for (const auto& [answer, message] : rows) {
    FakePrometheus prometheus([&](const std::string&) { return answer; });
    prometheus.refuses_names = true;
    const auto read = prometheus.Read();
    ASSERT_FALSE(read);
    EXPECT_THAT(read.error().message, testing::EndsWith(message));
    EXPECT_THAT(prometheus.asked, SizeIs(1));
  }
}

const Instant kNow = ParseInstant("2026-01-31T12:00:00Z").value();

ImportRequest Command(const std::string& source) {
  ImportRequest request;
  request.options.source = source;
  request.nodes = {"a"};
  request.from = "2026-01-30";
  return request;
}

// What is made of a command; what it tells on standard error is in `told`.
ImportRequest Read(const ImportRequest& command, int status, std::string& told) {
  CommandFaults faults;
  testing::internal::CaptureStderr();
  ImportRequest request = ReadImportRequest(command, kNow, faults);
  told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(faults.status(), status) << told;
  return request;
}

TEST(ImportRequest, EveryFaultIsNamedAtOnce) {
  ImportRequest command = Command("http://user:secret@example.org/x?tenant=secret");
  command.from = "soon";
  command.priority_classes = {"high"};
  command.instances = {"a="};
  command.config_files = {"/none/kubelet.yaml"};
  std::string told;
  (void)Read(command, kExitInvalidInput, told);
  EXPECT_THAT(told,
              AllOf(HasSubstr("must not contain a password"), HasSubstr("must not contain a query"),
                    HasSubstr("--from: soon"), HasSubstr("--priority-class: high"),
                    HasSubstr("--instance: a="), HasSubstr("/none/kubelet.yaml")));
  EXPECT_THAT(told, testing::Not(HasSubstr("secret")));
}

TEST(ImportRequest, CredentialsComeFromFilesAndGoOverTlsOrToThisMachine) {
  const kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/token";
  std::ofstream(file) << " word\n";
  ImportRequest command = Command("http://127.0.0.1:9090");
  command.token_file = file;
  std::string told;
  EXPECT_EQ(Read(command, 0, told).target.bearer_token, "word");
  command.options.source = "http://10.0.0.1:9090";
  (void)Read(command, kExitInvalidInput, told);
  EXPECT_THAT(told, HasSubstr("only over https"));
  command.token_file.clear();
  command.basic_auth_file = file;
  (void)Read(command, kExitInvalidInput, told);
  EXPECT_THAT(told, HasSubstr("user:password"));
}

TEST(RecordingPath, IsAFileOrInAFolderAndNeverElsewhere) {
  EXPECT_EQ(RecordingPath("x.jtr", "a", false), "x.jtr");
  EXPECT_EQ(RecordingPath("x", "a", true), "x/a.jtr");
  EXPECT_EQ(RecordingPath("x/", "a", false), "x/a.jtr");
  EXPECT_EQ(RecordingPath("x", "../b/c", true), "x/..%2Fb%2Fc.jtr");
}

}  // namespace
}  // namespace jettison
