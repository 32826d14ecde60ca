#include "sources/kubernetes/objects/object_head.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison::kube {
namespace {

bool IsVersion(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<ObjectHead> ReadHead(const kube_json::Field& metadata) {
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

}  // namespace jettison::kube
