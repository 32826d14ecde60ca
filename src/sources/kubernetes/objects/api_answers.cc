#include "sources/kubernetes/objects/api_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "codec/documents/json.h"
#include "codec/documents/room.h"
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

std::string TextIn(const Value& metadata, std::string_view name) {
  const Value* member = metadata.Find(name);
  const std::string* text = member == nullptr ? nullptr : member->AsString();
  return text == nullptr ? "" : *text;
}

// The most memory of one parsed object; the largest pod that the API server accepts takes less.
constexpr std::size_t kMostMemory = std::size_t{32} << 20;

constexpr std::pair<std::string_view, WatchKind> kKinds[] = {
    {"ADDED", WatchKind::kAdded},     {"MODIFIED", WatchKind::kModified},
    {"DELETED", WatchKind::kDeleted}, {"BOOKMARK", WatchKind::kBookmark},
    {"ERROR", WatchKind::kError},
};

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
    kube_json::FaultLog log{.lenient = true};
    const Field root(*document, log);
    if (root.HoldsMap() && root.Member("kind").String() == "Status") {
      ApiStatus status = ReadStatus(root);
      if (status.code == 0) status.code = http_code;
      return status;
    }
  }
  return {.code = http_code, .message = Plain(body)};
}

bool IsSuccess(std::string_view body, const AnswerObject& object) {
  const auto document = ParseJson(body);
  if (!document) return false;
  kube_json::FaultLog log{.lenient = true};
  const Field root(*document, log);
  if (!root.HoldsMap()) return false;
  const auto kind = root.Member("kind").String();
  if (kind == "Status") return root.Member("status").String() == "Success";
  if (kind != object.kind) return false;
  const Field metadata = root.Member("metadata");
  if (object.uid.empty()) return metadata.HoldsMap();
  return metadata.HoldsMap() && metadata.Member("uid").String() == object.uid;
}

const Value::List& ListPage::items() const {
  static const Value::List kNone;
  const Value::List* list = root.Find("items")->AsList();
  return list == nullptr ? kNone : *list;
}

Result<ListPage> ReadListPage(std::string_view json) {
  documents::Room room(kMostMemory);
  auto root = ParseJson(json, 1, room);
  if (!root && room.left() == 0) {
    return Fail(ErrorCode::kUnavailable, "the pods of a page take too much memory");
  }
  const Value* metadata = root ? root->Find("metadata") : nullptr;
  const Value* items = root ? root->Find("items") : nullptr;
  const bool is_list = items != nullptr && (items->AsList() != nullptr || items->IsNull());
  ListPage page{.resource_version = metadata ? TextIn(*metadata, "resourceVersion") : "",
                .continue_token = metadata ? TextIn(*metadata, "continue") : ""};
  if (!is_list || page.resource_version.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "the answer is no list");
  }
  page.root = *std::move(root);
  return page;
}

Result<WatchLine> ReadWatchLine(std::string_view line) {
  documents::Room room(kMostMemory);
  auto root = ParseJson(line, 1, room);
  if (!root) return Fail(root.error());
  const Value* type = root->Find("type");
  const std::string* name = type == nullptr ? nullptr : type->AsString();
  const auto kind = std::ranges::find_if(
      kKinds, [&](const auto& known) { return name != nullptr && known.first == *name; });
  if (kind == std::end(kKinds)) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("a watch tells of {}", name == nullptr ? "nothing" : Shortened(*name, 64)));
  }
  const Value* object = root->Find("object");
  if (object == nullptr || object->AsMap() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} without an object", kind->first));
  }
  return WatchLine{.kind = kind->second, .root = std::move(*root)};
}

}  // namespace jettison::kube
