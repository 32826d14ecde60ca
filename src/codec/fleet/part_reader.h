#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "codec/documents/json.h"
#include "core/fleet/fleet_manifest.h"
#include "core/fleet/fleet_node.h"
#include "core/text/hash128.h"
#include "core/units/result.h"

namespace jettison {

// The end of a part: it is complete.
struct PartEnd {};

using PartItem = std::variant<FleetManifest, FleetNode, PartEnd>;

// Reads the line of a node alone.
[[nodiscard]] Result<FleetNode> ReadPartLine(std::string_view line, JsonReader& json);

// Reads and checks parts, line by line. After a fault nothing more is read.
class PartReader {
 public:
  // `line` is without its end. kUnavailable: it is of another version.
  [[nodiscard]] Result<PartItem> Take(std::string_view line);
  // Whether a part began and has not ended.
  [[nodiscard]] bool is_open() const { return manifest_.has_value(); }

 private:
  [[nodiscard]] Result<PartItem> TakeManifest(const Value& value, std::string_view line);
  [[nodiscard]] Result<PartItem> TakeNode(const Value& value, std::string_view line);
  [[nodiscard]] Result<PartItem> TakeEnd(const Value& end);
  void AddToHash(std::string_view line);

  JsonReader json_;
  std::optional<FleetManifest> manifest_;  // of the part that is read
  std::string last_node_;
  std::uint64_t nodes_ = 0;
  Hash128 hash_;
};

}  // namespace jettison
