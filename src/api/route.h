#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "api/api.h"
#include "http/message.h"
#include "view/snapshot.h"

namespace jettison {

// A request that has found its way.
struct Call {
  const HttpRequest& request;
  std::string_view rest;     // what stands in the place of the path's last "*"
  const Snapshot* snapshot;  // never null where the route needs one
  const ApiSources& sources;
  Watch& watch;

  // The value of a parameter; absent where it was not given.
  [[nodiscard]] std::optional<std::string_view> Parameter(std::string_view name) const;
};

// What must be there for a route to be answered.
enum class Needs : std::uint8_t {
  kNothing,
  kSnapshot,  // the agent has begun
  kPass,      // and has made a pass
};

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kNdjson = "application/x-ndjson";
inline constexpr std::string_view kText = "text/plain; charset=utf-8";
inline constexpr std::string_view kMetrics = "text/plain; version=0.0.4; charset=utf-8";
inline constexpr std::string_view kHtml = "text/html; charset=utf-8";
inline constexpr std::string_view kRecording = "application/vnd.jettison.recording";
inline constexpr std::string_view kEvents = "text/event-stream";

struct Route {
  std::string_view method;
  std::string_view path;        // a last "*" stands for one part that is not empty
  std::string_view parameters;  // that may be given, separated by blanks
  std::string_view type;        // of what is answered
  Needs needs = Needs::kNothing;
  HttpResponse (*answer)(const Call& call) = nullptr;
  bool text_too = false;  // answers as plain text, too, and then says so itself
};

// Finds the route of a request among these, or why there is none: 400 for a parameter that it does
// not know, 404, 405, 406. `rest` is set where its path ends in "*".
struct RouteFound {
  const Route* route = nullptr;
  std::string_view rest;
  std::optional<HttpResponse> refusal;
};
[[nodiscard]] RouteFound FindRoute(const std::vector<Route>& routes, const HttpRequest& request);

// Whether an Accept header lets that type through; an empty one does.
[[nodiscard]] bool Accepts(std::string_view accept, std::string_view type);

}  // namespace jettison
