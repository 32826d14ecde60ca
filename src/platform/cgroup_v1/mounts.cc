#include "platform/cgroup_v1/mounts.h"

#include <fcntl.h>

#include <algorithm>
#include <vector>

#include "platform/cgroup_v1/group_io.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::cgroup_v1 {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}

// Mount points have space, tab, newline and backslash written as \ooo.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && IsOctal(text[i + 1]) && IsOctal(text[i + 2]) &&
        IsOctal(text[i + 3])) {
      const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

struct Mount {
  bool is_root = false;  // of its hierarchy, not one of its groups bound here
  std::string point;
  std::string_view type;
  std::string_view super_options;
};

// "ID PARENT MAJ:MIN ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE SUPER-OPTIONS"
std::optional<Mount> ParseLine(std::string_view line) {
  constexpr std::size_t kRoot = 3;
  constexpr std::size_t kPoint = 4;
  constexpr std::size_t kFixedFields = 6;
  const auto fields = Split(line, ' ');
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (dash - fields.begin() < static_cast<std::ptrdiff_t>(kFixedFields) || fields.end() - dash < 4)
    return std::nullopt;
  return Mount{.is_root = fields[kRoot] == "/",
               .point = Unescape(fields[kPoint]),
               .type = dash[1],
               .super_options = dash[3]};
}

bool Carries(const Mount& mount, Controller controller) {
  if (controller == Controller::kUnified) return mount.type == "cgroup2";
  if (mount.type != "cgroup") return false;
  const auto options = Split(mount.super_options, ',');
  return std::find(options.begin(), options.end(), NameOf(controller)) != options.end();
}

// A hierarchy whose groups others make.
bool IsForeign(const Mount& mount) {
  return mount.type == "cgroup" && mount.is_root &&
         std::ranges::none_of(kControllers, [&](Controller c) { return Carries(mount, c); });
}

}  // namespace

std::string_view NameOf(Controller controller) {
  switch (controller) {
    case Controller::kMemory: return "memory";
    case Controller::kCpu: return "cpu";
    case Controller::kCpuacct: return "cpuacct";
    case Controller::kPids: return "pids";
    case Controller::kFreezer: return "freezer";
    case Controller::kUnified: return "unified";
  }
  return "";
}

MountPoints ParseMountInfo(std::string_view text) {
  MountPoints points;
  std::array<bool, kControllers.size()> root_found{};
  for (const std::string_view line : Split(text, '\n')) {
    const auto mount = ParseLine(line);
    if (!mount) continue;
    if (IsForeign(*mount)) points.others.push_back(mount->point);
    for (const Controller controller : kControllers) {
      if (!Carries(*mount, controller)) continue;
      bool& found = root_found[static_cast<std::size_t>(controller)];
      if (found || (points[controller] && !mount->is_root)) continue;
      points[controller] = mount->point;
      found = mount->is_root;
    }
  }
  return points;
}

Result<MountPoints> ReadMountInfo(const std::string& file) {
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return FailErrno("open " + file);
  auto text = ReadToEnd(fd.get());
  if (!text) return Fail(text.error().In("read " + file));
  return ParseMountInfo(*text);
}

}  // namespace jettison::cgroup_v1
