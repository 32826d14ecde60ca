#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "codec/kubernetes/field.h"
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

}  // namespace jettison::kube
