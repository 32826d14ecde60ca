#include "sources/kubernetes/objects/list_page.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>

namespace jettison::kube {
namespace {

namespace ondemand = simdjson::ondemand;

std::optional<std::string> TextIn(ondemand::object& metadata, const char* name) {
  std::string_view text;
  if (metadata[name].get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

bool ReadItems(ondemand::value value, const std::function<void(std::string_view)>& visit) {
  ondemand::array items;
  bool is_null = false;
  if (value.is_null().get(is_null) == simdjson::SUCCESS && is_null) return true;
  if (value.get_array().get(items) != simdjson::SUCCESS) return false;
  for (auto item : items) {
    ondemand::object object;
    std::string_view raw;
    if (item.get_object().get(object) != simdjson::SUCCESS ||
        object.raw_json().get(raw) != simdjson::SUCCESS) {
      return false;
    }
    visit(raw);
  }
  return true;
}

bool ReadMetadata(ondemand::value value, ListHead& head) {
  ondemand::object metadata;
  if (value.get_object().get(metadata) != simdjson::SUCCESS) return false;
  head.resource_version = TextIn(metadata, "resourceVersion").value_or("");
  head.continue_token = TextIn(metadata, "continue").value_or("");
  return !head.resource_version.empty();
}

bool ReadPage(ondemand::object& page, const std::function<void(std::string_view)>& visit,
              ListHead& head) {
  bool has_items = false;
  for (auto field : page) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    const bool is_metadata = key == "metadata";
    const bool is_items = key == "items";
    if (field.value().get(value) != simdjson::SUCCESS) return false;
    if (is_metadata && !ReadMetadata(value, head)) return false;
    if (is_items && !ReadItems(value, visit)) return false;
    has_items = has_items || is_items;
  }
  return has_items && !head.resource_version.empty();
}

}  // namespace

Result<ListHead> ReadListPage(std::string_view json,
                              const std::function<void(std::string_view)>& visit) {
  const simdjson::padded_string padded(json);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object page;
  ListHead head;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(page) != simdjson::SUCCESS || !ReadPage(page, visit, head)) {
    return Fail(ErrorCode::kInvalidArgument, "the answer is no list");
  }
  return head;
}

}  // namespace jettison::kube
