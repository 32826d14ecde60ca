#include "core/thresholds/paths.h"

#include <algorithm>

namespace jettison {
namespace {

bool HasPart(std::string_view path, std::string_view part) {
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == part) return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

}  // namespace

std::string_view FaultOfAbsolutePath(std::string_view path) {
  if (!path.starts_with('/')) return "must be an absolute path";
  if (HasPart(path, "..")) return "must not contain '..'";
  if (path.find('\0') != std::string_view::npos) return "must not contain a NUL character";
  return {};
}

std::string WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

std::string PlainPath(std::string_view path) {
  std::string plain;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") plain.append("/").append(part);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return plain.empty() ? "/" : plain;
}

bool IsAtOrBelow(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return path.size() == folder.size() || folder == "/" || path[folder.size()] == '/';
}

std::string_view DirectoryOf(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string_view::npos) return {};
  return file.substr(0, std::max<std::size_t>(slash, 1));
}

std::string JoinedPath(std::string_view directory, std::string_view path) {
  if (directory.empty() || path.starts_with('/')) return std::string(path);
  return WithoutTrailingSlash(directory) + (directory == "/" ? "" : "/") + std::string(path);
}

}  // namespace jettison
