#include "api/recording_endpoint.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

#include "agent/recorder/recording_stream.h"
#include "api/kubernetes/status_object.h"
#include "view/recording_desk.h"

namespace jettison {
namespace {

// The thread that answers waits no longer for a recorder that has no processor; what is missing
// then is the last minutes.
constexpr Duration kPatience = std::chrono::milliseconds(500);

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
  (void)desk->Save(kPatience);
  auto stream = RecordingStream::Open(desk->folder(), {.since = *since, .until = *until});
  if (!stream) return StatusAnswer(503, stream.error().In("the recording").message);
  HttpResponse answer;
  answer.stream = [from = std::make_shared<RecordingStream>(*std::move(stream))] {
    return from->Next();
  };
  return answer;
}

}  // namespace jettison
