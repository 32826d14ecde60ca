#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/kubernetes/field.h"
#include "core/model/value.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::kube {

// One of the things that an API server gives as its reason (`details.causes`).
struct StatusCause {
  std::string reason;  // "DisruptionBudget", "ResourceVersionTooLarge"
  std::string message;
  std::string field;  // "metadata.uid"
  friend bool operator==(const StatusCause&, const StatusCause&) = default;
};

// What an API server says instead of an object: a meta/v1 Status.
struct ApiStatus {
  int code = 0;        // of HTTP; 0 where it does not say
  std::string reason;  // "NotFound", "Conflict", "Expired"
  std::string message;
  std::vector<StatusCause> causes;
  std::optional<Duration> retry_after;  // `details.retryAfterSeconds`
};

[[nodiscard]] ApiStatus ReadStatus(const kube_json::Field& root);

// The status in the body of an answer. Where it is none (a proxy in between, an old server), its
// code is that of HTTP and its message the beginning of the text.
[[nodiscard]] ApiStatus StatusOf(int http_code, std::string_view body);

// What the body of a successful answer has to be.
struct AnswerObject {
  std::string_view kind;  // "Pod"
  std::string_view uid;   // empty: any
};

// Whether the body of an answer is such an object, or a Status with the status Success. What a
// proxy or a load balancer says in place of an API server is neither.
[[nodiscard]] bool IsSuccess(std::string_view body, const AnswerObject& object);

// A page of a list ("PodList").
struct ListPage {
  std::string resource_version;  // of the list as a whole
  std::string continue_token;    // empty: it was the last page
  Value root;

  [[nodiscard]] const Value::List& items() const;
};

// kInvalidArgument: it is no list. kUnavailable: it takes too much memory as values.
[[nodiscard]] Result<ListPage> ReadListPage(std::string_view json);

// What a line of a watch tells.
enum class WatchKind : std::uint8_t { kAdded, kModified, kDeleted, kBookmark, kError };

// A line of a watch.
struct WatchLine {
  WatchKind kind = WatchKind::kError;
  Value root;  // {"type": ..., "object": ...}

  // The object: as it is now, as it was last (kDeleted), one that has a resource version only
  // (kBookmark), or a Status (kError). Never null.
  [[nodiscard]] const Value& object() const { return *root.Find("object"); }
};

// Reads one line. kInvalidArgument: not JSON, of a type that is not known, or without an object.
[[nodiscard]] Result<WatchLine> ReadWatchLine(std::string_view line);

}  // namespace jettison::kube
