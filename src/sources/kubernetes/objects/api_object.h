#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/kubernetes/field.h"
#include "core/json/json_writer.h"
#include "core/model/value.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::kube {

// What names an object of the API, and a state of it.
struct ObjectHead {
  std::string namespace_;  // empty for what belongs to none, as a node
  std::string name;
  std::string uid;               // of this object and of no other that ever had its name
  std::string resource_version;  // of this state
  friend bool operator==(const ObjectHead&, const ObjectHead&) = default;
};

// The head of an object whose `metadata` this is. kInvalidArgument, with what is missing, where it
// has no name, UID or resource version.
[[nodiscard]] Result<ObjectHead> ReadHead(const kube_json::Field& metadata);

// Which of two resource versions is the newer one. They are decimal numbers of any length
// (KEP-5504); absent where one is not, since such versions cannot be compared.
[[nodiscard]] std::optional<std::strong_ordering> CompareVersions(std::string_view a,
                                                                  std::string_view b);

// Writes a value as the JSON that it was read from, but for blanks.
void WriteValue(const Value& value, JsonWriter& json);

// What holds of an object (`status.conditions`).
struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::optional<Instant> since;  // lastTransitionTime
  friend bool operator==(const Condition&, const Condition&) = default;
};

// `status.conditions` of a pod or a node.
[[nodiscard]] std::vector<Condition> ReadConditions(const kube_json::Field& list);

// A time in RFC 3339; one that is none is a fault and absent.
[[nodiscard]] std::optional<Instant> ReadTime(const kube_json::Field& field);

}  // namespace jettison::kube
