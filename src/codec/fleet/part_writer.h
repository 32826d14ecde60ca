#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/fleet/fleet_manifest.h"
#include "core/fleet/fleet_node.h"
#include "core/text/hash128.h"

namespace jettison {

// What names a part's version.
inline constexpr std::string_view kPartApiVersion = "jettison.io/v1alpha1";
inline constexpr std::string_view kPartKind = "FleetPart";

// The line of a node, without its end.
[[nodiscard]] std::string PartLineOf(const FleetNode& node);

// Writes a part line by line.
class PartWriter {
 public:
  // Takes bytes; false: they are lost, and so is the part.
  using Write = std::function<bool(std::string_view bytes)>;

  explicit PartWriter(Write write) : write_(std::move(write)) {}

  [[nodiscard]] bool Begin(const FleetManifest& manifest);
  // A line as PartLineOf makes it; nodes come in the order of their names, byte by byte.
  [[nodiscard]] bool Add(std::string_view line);
  [[nodiscard]] bool End();

 private:
  [[nodiscard]] bool Put(std::string_view line);

  Write write_;
  Hash128 hash_;
  std::uint64_t nodes_ = 0;
};

}  // namespace jettison
