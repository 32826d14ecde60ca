#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// The value of the first sample that a Prometheus has for a query, as soon as it has one; after 90
// s "nothing: ", and its last answer.
[[nodiscard]] std::string SampleOf(const std::string& prometheus, std::string_view query);

// Runs a program, which must succeed, and returns its output.
std::string OutputOf(const std::vector<std::string>& arguments);

// Each item of a recording that has a member of that name: that member.
[[nodiscard]] std::vector<nlohmann::json> ItemsOf(const std::string& recording,
                                                  const std::string& name);

// A number of 64 bits, which protobuf writes as a string.
[[nodiscard]] std::uint64_t NumberIn(const nlohmann::json& value);

}  // namespace jettison
