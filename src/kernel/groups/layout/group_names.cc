#include "kernel/groups/layout/group_names.h"

#include <algorithm>

namespace jettison::kernel {
namespace {

// Calls back with "a", then "a-b_c".
template <typename Visit>
void ForEachSlice(std::string_view root, Visit visit) {
  std::string name;
  while (!root.empty()) {
    const std::size_t end = std::min(root.find('/'), root.size());
    std::string component(root.substr(0, end));
    root.remove_prefix(std::min(end + 1, root.size()));
    if (component.empty()) continue;
    std::ranges::replace(component, '-', '_');
    name += name.empty() ? component : "-" + component;
    visit(name);
  }
}

}  // namespace

std::string SliceOf(std::string_view root) {
  std::string path;
  ForEachSlice(root, [&path](const std::string& name) { path += "/" + name + ".slice"; });
  return path;
}

std::string SlicesBelow(std::string_view root) {
  std::string last;
  ForEachSlice(root, [&last](const std::string& name) { last = name + "-"; });
  return last;
}

bool IsPodName(std::string_view name) {
  return name.starts_with("pod") ||
         (name.ends_with(".slice") && name.find("-pod") != std::string_view::npos);
}

std::string_view PodPart(std::string_view path) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (IsPodName(path.substr(begin, end - begin))) return path.substr(0, end);
    begin = end + 1;
  }
  return path;
}

}  // namespace jettison::kernel
