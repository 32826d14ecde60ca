#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/kubernetes/objects.h"
#include "core/config/agent_config.h"
#include "core/json/json_writer.h"
#include "core/units/duration.h"
#include "http/message.h"
#include "view/board.h"
#include "view/snapshot.h"

namespace jettison {

// What the endpoints answer from.
struct ApiSources {
  Board& board;
  std::function<Instant()> now;                // a clock that does not step back, near the agent's
  Instant started_at;                          // by it
  std::function<void()> wake_streams = [] {};  // as HttpServer::WakeStreams; from every thread
};

// A stream of /api/v1/watch (docs/http.md). It goes on after the frame of that id; one that is
// none, or of another run of the agent, begins at the oldest event and pass that is remembered. All
// streams share the snapshots that they are told from; where nothing happens they ask for none.
// `board` must outlive it. `now`: any clock that does not step back.
[[nodiscard]] HttpStream OpenWatch(Board& board, const std::function<Instant()>& now,
                                   std::string_view last_event_id);

// The HTTP API: every path with what is answered there, in one table (api.cc). Used by one thread,
// the server's.
class Api {
 public:
  // What `sources` refers to must outlive this, and the streams that it opened.
  explicit Api(ApiSources sources) : sources_(std::move(sources)) {}

  // Never fails: what cannot be answered is told by a Status object.
  [[nodiscard]] HttpResponse Answer(const HttpRequest& request);

 private:
  ApiSources sources_;
  Instant scraped_at_ = Instant::min();
};

// A request that has found its way.
struct Call {
  const HttpRequest& request;
  std::string_view rest;     // what stands in the place of the path's last "*"
  const Snapshot* snapshot;  // never null where the route needs one
  const ApiSources& sources;
  Instant& scraped_at;  // when metrics were last asked for

  // The value of a parameter; absent where it was not given.
  [[nodiscard]] std::optional<std::string_view> Parameter(std::string_view name) const;
};

inline constexpr std::string_view kAsJson = "application/json";
inline constexpr std::string_view kAsNdjson = "application/x-ndjson";
inline constexpr std::string_view kAsText = "text/plain; charset=utf-8";
inline constexpr std::string_view kAsMetrics = "text/plain; version=0.0.4; charset=utf-8";
inline constexpr std::string_view kHtml = "text/html; charset=utf-8";
inline constexpr std::string_view kRecording = "application/vnd.jettison.recording";
inline constexpr std::string_view kEvents = "text/event-stream";

// An answer of 200 with that body.
[[nodiscard]] inline HttpResponse Body(std::string text, std::string_view type = kAsJson) {
  return {.content_type = std::string(type), .body = std::move(text)};
}

// How long the agent's loop may stand still, which is asked to turn where it has not for so long.
inline constexpr Duration kHangs = std::chrono::seconds(5);
// Why the loop counts as one that hangs; empty: it has turned within `patience`. Before its first
// turn, at least half a minute is allowed.
[[nodiscard]] std::string HangOf(const ApiSources& sources, Duration patience);

// Why nothing that is measured can be answered yet; absent: it can.
[[nodiscard]] std::optional<HttpResponse> NoPassYet(const Snapshot& snapshot);
// Why a text is not the name of a signal.
[[nodiscard]] HttpResponse WrongSignal(std::string_view name);

// Answers of single routes that take more than one line to make. docs/http.md says what each tells,
// and docs/explain.md in which form.
[[nodiscard]] HttpResponse AnswerProbe(const Call& call);
[[nodiscard]] HttpResponse AnswerDashboard(const Call& call);
[[nodiscard]] HttpResponse AnswerOverview(const Call& call);
[[nodiscard]] HttpResponse AnswerCycles(const Call& call);
[[nodiscard]] HttpResponse AnswerExplain(const Call& call);
[[nodiscard]] HttpResponse AnswerEvictions(const Call& call);
[[nodiscard]] HttpResponse AnswerEviction(const Call& call);
[[nodiscard]] HttpResponse AnswerRank(const Call& call);
[[nodiscard]] HttpResponse AnswerShadow(const Call& call);
[[nodiscard]] HttpResponse AnswerRecording(const Call& call);

// The last `count` passes that are remembered (full ones, and others that did something), oldest
// first, as a recording in NDJSON (codec/flight/recording_writer.h), which `jettison replay` takes
// as it is. Fewer, the oldest left out, where they would be more than kMostCyclesBytes together;
// the last one in any case.
inline constexpr std::size_t kMostCyclesBytes = std::size_t{2} << 20;
[[nodiscard]] std::string CyclesText(const Snapshot& snapshot, std::size_t count);

// The course of the signals over the last hour, and the evictions of the passes that are still
// remembered: /api/v1/history. docs/overview.md has every field.
[[nodiscard]] std::string HistoryJson(const Snapshot& snapshot);

// POST /api/v1/admit: `body` is one v1.Pod, JSON or YAML. A pod that could not be run here is
// answered 422 with every fault in it, a body that is no document 400. Judges by the node's
// conditions, then by the room beside the pods that are there, but for the one of the same name.
[[nodiscard]] HttpResponse AnswerAdmit(const Snapshot& snapshot, std::string_view body);

// The configuration in force, with every default filled in, in the form of the kubelet's /configz:
// {"kubeletconfig": a KubeletConfiguration, "jettisonconfig": a JettisonConfiguration}. ReadConfig
// makes the same AgentConfig from the two, beside a kubelet together with the kubelet's own. The
// contents of named files (tokens, keys) are not included.
[[nodiscard]] std::string ConfigzJson(const AgentConfig& config);
// The same as members of an object that is open.
void WriteConfigz(const AgentConfig& config, JsonWriter& json);

}  // namespace jettison
