#include "sources/foreign/foreign_spec.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

namespace jettison {
namespace {

using Json = simdjson::simdjson_result<simdjson::dom::element>;

ContainerSpec SpecOf(Json document) {
  ContainerSpec spec;
  simdjson::dom::object annotations;
  if (document["annotations"].get(annotations) == simdjson::SUCCESS) {
    for (const auto& [name, value] : annotations) {
      std::string_view text;
      if (value.get(text) == simdjson::SUCCESS) spec.annotations[std::string(name)] = text;
    }
  }
  std::string_view path;
  if (document["linux"]["cgroupsPath"].get(path) == simdjson::SUCCESS) spec.cgroups_path = path;
  std::uint64_t shares = 0;
  if (document["linux"]["resources"]["cpu"]["shares"].get(shares) == simdjson::SUCCESS) {
    spec.cpu_shares = shares;
  }
  return spec;
}

// The group up to and including its first component with this name; empty: it has none.
std::string UpTo(std::string_view group, std::string_view name) {
  for (std::size_t begin = 0; begin < group.size();) {
    const std::size_t end = std::min(group.find('/', begin), group.size());
    if (group.substr(begin, end - begin) == name) return std::string(group.substr(0, end));
    begin = end + 1;
  }
  return {};
}

}  // namespace

ContainerSpec ReadSpec(std::string_view json) {
  simdjson::dom::parser parser;
  return SpecOf(parser.parse(json.data(), json.size()));
}

ContainerSpec ReadSpecInInfo(std::string_view info) {
  simdjson::dom::parser parser;
  return SpecOf(parser.parse(info.data(), info.size())["runtimeSpec"]);
}

std::string DeclaredGroup(std::string_view group, std::string_view cgroups_path) {
  const std::size_t slice_end = cgroups_path.find(':');
  if (slice_end == std::string_view::npos) {
    const bool is_absolute = cgroups_path.starts_with('/') && cgroups_path.size() > 1;
    const bool is_in = is_absolute && group.starts_with(cgroups_path) &&
                       (group.size() == cgroups_path.size() || group[cgroups_path.size()] == '/');
    return is_in ? std::string(cgroups_path) : std::string();
  }
  const std::string_view scope = cgroups_path.substr(slice_end + 1);
  const std::size_t prefix_end = scope.find(':');
  if (prefix_end == std::string_view::npos) return {};
  const std::string_view prefix = scope.substr(0, prefix_end);
  const std::string_view name = scope.substr(prefix_end + 1);
  return UpTo(group, fmt::format("{}{}{}.scope", prefix, prefix.empty() ? "" : "-", name));
}

std::optional<std::int64_t> MilliCpuOf(std::uint64_t shares) {
  constexpr std::uint64_t kLeast = 2;
  constexpr std::uint64_t kMost = 262'144;
  constexpr std::uint64_t kOfOneCpu = 1024;
  if (shares <= kLeast) return std::nullopt;
  return static_cast<std::int64_t>((std::min(shares, kMost) * 1000 + kOfOneCpu - 1) / kOfOneCpu);
}

}  // namespace jettison
