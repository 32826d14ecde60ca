#include "sources/kubernetes/objects/api_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "codec/documents/json.h"
#include "core/model/fault.h"

namespace jettison::kube {
namespace {

using kube_json::Field;

constexpr std::size_t kShownBytes = 512;
constexpr std::int64_t kMostRetrySeconds = 86'400;

void ReadDetails(const Field& details, ApiStatus& status) {
  if (!details.IsMap()) return;
  const auto seconds = details.Member("retryAfterSeconds").Integer(0, kMostRetrySeconds);
  if (seconds && *seconds > 0) status.retry_after = std::chrono::seconds(*seconds);
  details.Member("causes").ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    status.causes.push_back({.reason = item.Member("reason").String().value_or(""),
                             .message = item.Member("message").String().value_or(""),
                             .field = item.Member("field").String().value_or("")});
  });
}

// A line of text for people.
std::string Plain(std::string_view body) {
  std::string text = Shortened(body, kShownBytes);
  std::ranges::replace_if(
      text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, ' ');
  return text;
}

}  // namespace

ApiStatus ReadStatus(const Field& root) {
  ApiStatus status;
  if (!root.IsMap()) return status;
  status.code = static_cast<int>(root.Member("code").Integer(0, 999).value_or(0));
  status.reason = root.Member("reason").String().value_or("");
  status.message = Shortened(root.Member("message").String().value_or(""), kShownBytes * 4);
  ReadDetails(root.Member("details"), status);
  return status;
}

ApiStatus StatusOf(int http_code, std::string_view body) {
  const auto document = ParseJson(body);
  if (document) {
    kube_json::FaultLog log{.file = {}, .lenient = true, .faults = {}, .warnings = {}};
    const Field root(*document, log);
    if (root.HoldsMap() && root.Member("kind").String() == "Status") {
      ApiStatus status = ReadStatus(root);
      if (status.code == 0) status.code = http_code;
      return status;
    }
  }
  return {.code = http_code, .reason = {}, .message = Plain(body), .causes = {}};
}

bool IsSuccess(std::string_view body, const AnswerObject& object) {
  const auto document = ParseJson(body);
  if (!document) return false;
  kube_json::FaultLog log{.file = {}, .lenient = true, .faults = {}, .warnings = {}};
  const Field root(*document, log);
  if (!root.HoldsMap()) return false;
  const auto kind = root.Member("kind").String();
  if (kind == "Status") return root.Member("status").String() == "Success";
  if (kind != object.kind) return false;
  const Field metadata = root.Member("metadata");
  if (object.uid.empty()) return metadata.HoldsMap();
  return metadata.HoldsMap() && metadata.Member("uid").String() == object.uid;
}

}  // namespace jettison::kube
