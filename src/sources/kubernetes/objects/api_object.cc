#include "sources/kubernetes/objects/api_object.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison::kube {
namespace {

using kube_json::Field;

bool IsVersion(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<ObjectHead> ReadHead(const Field& metadata) {
  if (!metadata.IsMap()) return Fail(ErrorCode::kInvalidArgument, "an object without metadata");
  ObjectHead head{.namespace_ = metadata.Member("namespace").String().value_or(""),
                  .name = metadata.Member("name").String().value_or(""),
                  .uid = metadata.Member("uid").String().value_or(""),
                  .resource_version = metadata.Member("resourceVersion").String().value_or("")};
  if (head.name.empty() || head.uid.empty() || head.resource_version.empty()) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("an object without {}: {}/{}",
                                                         head.name.empty()  ? "name"
                                                         : head.uid.empty() ? "uid"
                                                                            : "resourceVersion",
                                                         head.namespace_, head.name));
  }
  return head;
}

std::optional<std::strong_ordering> CompareVersions(std::string_view a, std::string_view b) {
  if (!IsVersion(a) || !IsVersion(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

void WriteValue(const Value& value, JsonWriter& json) {
  if (const bool* flag = value.AsBool()) {
    json.Bool(*flag);
  } else if (const Value::Number* number = value.AsNumber()) {
    json.Json(number->text);
  } else if (const std::string* text = value.AsString()) {
    json.String(*text);
  } else if (const Value::List* list = value.AsList()) {
    json.Array([&] {
      for (const Value& item : *list) WriteValue(item, json);
    });
  } else if (const Value::Map* map = value.AsMap()) {
    json.Object([&] {
      for (const auto& [name, member] : *map) {
        json.Key(name);
        WriteValue(member, json);
      }
    });
  } else {
    json.Null();
  }
}

std::optional<Instant> ReadTime(const Field& field) {
  const auto text = field.String();
  if (!text || text->empty()) return std::nullopt;
  const auto time = ParseInstant(*text);
  if (time) return *time;
  field.Fault(time.error().message);
  return std::nullopt;
}

std::vector<Condition> ReadConditions(const Field& list) {
  std::vector<Condition> conditions;
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    conditions.push_back({.type = item.Member("type").String().value_or(""),
                          .status = item.Member("status").String().value_or(""),
                          .reason = item.Member("reason").String().value_or(""),
                          .message = item.Member("message").String().value_or(""),
                          .since = ReadTime(item.Member("lastTransitionTime"))});
  });
  return conditions;
}

}  // namespace jettison::kube
