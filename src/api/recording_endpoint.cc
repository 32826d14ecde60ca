#include "api/recording_endpoint.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/kubernetes/status_object.h"
#include "view/recording_desk.h"

namespace jettison {
namespace {

constexpr const char* kAgain = "10";  // seconds

// A recording on its way to a client, and whose it is, which it needs until its end.
struct Way {
  std::shared_ptr<RecordingDesk> desk;
  std::unique_ptr<RecordingFetch> fetch;
  std::string first;  // bytes that are there before the stream is

  Way(std::shared_ptr<RecordingDesk> its_desk, std::unique_ptr<RecordingFetch> its_fetch)
      : desk(std::move(its_desk)), fetch(std::move(its_fetch)) {}
};

HttpResponse Unavailable(const Error& error) {
  HttpResponse answer = StatusAnswer(503, error.In("the recording").message);
  answer.headers.emplace_back("Retry-After", kAgain);
  return answer;
}

// Absent: the recorder is still at the first piece.
std::optional<HttpResponse> Begin(const std::shared_ptr<Way>& way) {
  auto piece = way->fetch->Next();
  if (!piece) return Unavailable(piece.error());
  HttpResponse answer;
  answer.content_type = kRecording;
  if (!*piece) return answer;
  if ((*piece)->empty()) return std::nullopt;
  way->first = **std::move(piece);
  answer.stream = [way]() -> Result<std::optional<std::string>> {
    if (!way->first.empty()) return std::exchange(way->first, {});
    return way->fetch->Next();
  };
  return answer;
}

Result<std::optional<Instant>> TimeIn(const Call& call, std::string_view name) {
  const auto text = call.Parameter(name);
  if (!text || text->empty()) return std::nullopt;
  const auto at = ParseInstant(*text);
  if (!at) return Fail(at.error().In(name));
  return *at;
}

}  // namespace

HttpResponse AnswerRecording(const Call& call) {
  const auto since = TimeIn(call, "since");
  if (!since) return StatusAnswer(400, since.error().message);
  const auto until = TimeIn(call, "until");
  if (!until) return StatusAnswer(400, until.error().message);
  if (*since && *until && **since > **until) {
    return StatusAnswer(400, "since is later than until: no pass lies between them");
  }
  const auto& desk = call.snapshot->recording;
  if (!desk) return StatusAnswer(404, "nothing is recorded: recording.enabled is false");
  auto fetch = desk->Fetch({.since = *since, .until = *until}, call.sources.wake_streams);
  if (!fetch) return Unavailable(fetch.error());
  HttpResponse answer;
  answer.later = [way = std::make_shared<Way>(desk, *std::move(fetch))] { return Begin(way); };
  return answer;
}

}  // namespace jettison
