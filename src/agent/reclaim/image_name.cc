#include "agent/reclaim/image_name.h"

#include <algorithm>

namespace jettison {
namespace {

constexpr std::string_view kDefaultRegistry = "docker.io";

bool IsRegistry(std::string_view part) {
  const auto capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return part.find_first_of(".:") != std::string_view::npos || part == "localhost" ||
         std::ranges::any_of(part, capital);
}

// With the tag "latest" where there is neither tag nor digest.
std::string WithTag(std::string_view path) {
  const auto last = path.rfind('/');
  const auto tag = path.find(':', last == std::string_view::npos ? 0 : last);
  const auto digest = path.find('@');
  if (digest != std::string_view::npos) {
    return std::string(path.substr(0, std::min(tag, digest))) + std::string(path.substr(digest));
  }
  return std::string(path) + (tag == std::string_view::npos ? ":latest" : "");
}

}  // namespace

std::string FullImageName(std::string_view name) {
  std::string_view registry = kDefaultRegistry;
  std::string_view path = name;
  const auto slash = name.find('/');
  if (slash != std::string_view::npos && IsRegistry(name.substr(0, slash))) {
    registry = name.substr(0, slash);
    path = name.substr(slash + 1);
  }
  if (registry == "index.docker.io") registry = kDefaultRegistry;
  std::string full(registry);
  full += '/';
  if (registry == kDefaultRegistry && path.find('/') == std::string_view::npos) full += "library/";
  return full + WithTag(path);
}

}  // namespace jettison
