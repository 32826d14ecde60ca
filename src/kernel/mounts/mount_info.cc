#include "kernel/mounts/mount_info.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/number.h"
#include "core/text/parts.h"
#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

// "0:32"; 0 if the text is not a device.
dev_t DeviceIn(std::string_view text) {
  const auto major = ParseNumber<unsigned>(TakePart(text, ':'));
  const auto minor = ParseNumber<unsigned>(text);
  return major && minor ? ::makedev(*major, *minor) : 0;
}

// "ID PARENT MAJ:MIN ROOT POINT OPTIONS [OPTIONAL...] - TYPE SOURCE SUPER-OPTIONS"
std::optional<Mount> ParseLine(std::string_view line) {
  constexpr std::size_t kDevice = 2;
  constexpr std::size_t kRoot = 3;
  constexpr std::size_t kPoint = 4;
  constexpr std::ptrdiff_t kFixedFields = 6;
  constexpr std::ptrdiff_t kFieldsFromDash = 4;
  std::vector<std::string_view> fields;
  while (!line.empty()) fields.push_back(TakePart(line, ' '));
  const auto dash = std::find(fields.begin(), fields.end(), "-");
  if (dash - fields.begin() < kFixedFields || fields.end() - dash < kFieldsFromDash) {
    return std::nullopt;
  }
  return Mount{.root = UnescapedMountField(fields[kRoot]),
               .point = UnescapedMountField(fields[kPoint]),
               .type = std::string(dash[1]),
               .super_options = std::string(dash[3]),
               .device = DeviceIn(fields[kDevice])};
}

}  // namespace

std::string UnescapedMountField(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_octal = [&](std::size_t digit) {
      return text[i + digit] >= '0' && text[i + digit] <= '7';
    };
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(1) && is_octal(2) && is_octal(3)) {
      const int code = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

bool Mount::HasOption(std::string_view option) const {
  std::string_view options = super_options;
  while (!options.empty()) {
    if (TakePart(options, ',') == option) return true;
  }
  return false;
}

std::vector<Mount> ParseMounts(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    if (auto mount = ParseLine(TakePart(text, '\n'))) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

Result<std::vector<Mount>> ReadMounts(const std::string& file) {
  const auto text = ReadFile(file);
  if (!text) return Fail(text.error());
  return ParseMounts(*text);
}

Result<std::vector<std::string>> MountsBelow(const std::string& folder) {
  std::vector<std::string> points;
  std::array<char, PATH_MAX> real{};
  if (::realpath(folder.c_str(), real.data()) == nullptr) {
    return errno == ENOENT ? Result<std::vector<std::string>>() : FailErrno(folder);
  }
  const std::string below = std::string(real.data()) + "/";
  auto mounts = ReadMounts("/proc/self/mountinfo");
  if (!mounts) return Fail(mounts.error());
  for (Mount& mount : *mounts) {
    if (mount.point.starts_with(below)) points.push_back(std::move(mount.point));
  }
  std::ranges::reverse(points);
  return points;
}

namespace {

std::array<char, 32> PathOf(int descriptor) {
  std::array<char, 32> path{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", descriptor);
  return path;
}

}  // namespace

// Asks for a change of nothing.
bool HasMountCalls() {
  struct mount_attr attributes {};
  return ::syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes) == 0 ||
         errno != ENOSYS;
}

// An agent that is killed between the two calls leaves a mount that is not private. DetachPrivately
// makes it private before it detaches it.
Result<void> BindPrivately(const FileDescriptor& content, const std::string& place) {
  if (::mount(PathOf(content.get()).data(), place.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    return FailErrno("mount at " + place);
  }
  if (::mount(nullptr, place.c_str(), nullptr, MS_PRIVATE, nullptr) == 0) return {};
  const auto failed = FailErrno(fmt::format("make the mount at {} private", place));
  // The unmount is not lazy, so it fails while something is mounted inside.
  (void)::umount2(place.c_str(), UMOUNT_NOFOLLOW);
  return failed;
}

// By a descriptor, so that both calls affect the same mount.
int DetachPrivately(int folder, const char* name) {
  const int mount_point = ::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (mount_point < 0) return errno;
  const std::array<char, 32> path = PathOf(mount_point);
  int error = 0;
  if (::mount(nullptr, path.data(), nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::umount2(path.data(), MNT_DETACH) != 0) {
    error = errno;
  }
  ::close(mount_point);
  return error;
}

}  // namespace jettison::kernel
