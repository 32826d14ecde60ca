#include "pods/rotated_files.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <optional>
#include <set>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kCompressed = ".gz";
constexpr std::string_view kTemporary = ".tmp";

// The time in the name of a rotated file; absent: the file is not a rotated one.
std::optional<WallTime> TimeIn(const std::string& name, std::string_view log) {
  constexpr std::string_view kForm = ".20060102-150405";
  if (!name.starts_with(log) || name.size() < log.size() + kForm.size()) return std::nullopt;
  std::tm time{};
  const std::string text = name.substr(log.size(), kForm.size());
  const char* const end = ::strptime(text.c_str(), ".%Y%m%d-%H%M%S", &time);
  constexpr int kLastYear = 2200 - 1900;  // before nanoseconds overflow
  if (end == nullptr || *end != '\0' || time.tm_year > kLastYear) return std::nullopt;
  return WallTime(std::chrono::seconds(::timegm(&time)));
}

// Whether all of it was read and written.
bool Compress(int from, gzFile to) {
  std::array<char, std::size_t{64} << 10> buffer;
  for (;;) {
    const ssize_t size = ::read(from, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    if (::gzwrite(to, buffer.data(), static_cast<unsigned>(size)) != size) return false;
  }
}

// Writes a compressed copy to `<path>.tmp`, renames that to `<path>.gz` and removes the file. What
// fails leaves the file and no temporary one. An errno or 0.
int GzipFile(const std::string& path) {
  const std::string temporary = path + std::string(kTemporary);
  const FileDescriptor source(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!source) return errno;
  struct stat facts {};
  if (::fstat(source.get(), &facts) != 0) return errno;
  (void)::unlink(temporary.c_str());
  const int copy =
      ::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, facts.st_mode & 0777U);
  if (copy < 0) return errno;
  gzFile const zipped = ::gzdopen(copy, "wb");
  if (zipped == nullptr) ::close(copy);
  errno = EIO;  // what zlib does not explain
  const bool is_copied = zipped != nullptr && Compress(source.get(), zipped);
  int error = is_copied ? 0 : errno;
  errno = EIO;
  if (zipped != nullptr && ::gzclose(zipped) != Z_OK && error == 0) error = errno;
  const std::string compressed = path + std::string(kCompressed);
  if (error == 0 && ::rename(temporary.c_str(), compressed.c_str()) != 0) error = errno;
  const std::string& over = error == 0 ? path : temporary;
  if (::unlink(over.c_str()) != 0 && errno != ENOENT && error == 0) error = errno;
  return error;
}

std::string RotatedName(std::string_view log, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return fmt::format("{}.{:%Y%m%d-%H%M%S}", log, fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace

std::string NextRotatedName(const std::vector<std::string>& names, std::string_view log,
                            WallTime now) {
  std::string name = RotatedName(log, now);
  for (const std::string& there : names) {
    const auto time = TimeIn(there, log);
    if (!time || there.substr(0, name.size()) <= name) continue;
    name = RotatedName(log, *time + std::chrono::seconds(1));
  }
  return name;
}

LogTidying PlanTidying(const std::vector<std::string>& names, const std::string& log,
                       int max_files) {
  LogTidying plan;
  std::set<std::string> rotated;
  for (const std::string& name : names) {
    if (!TimeIn(name, log)) continue;
    if (name.ends_with(kTemporary)) {
      plan.remove.push_back(name);
    } else {
      rotated.insert(name);
    }
  }
  std::erase_if(rotated, [&](const std::string& name) {
    if (!rotated.contains(name + std::string(kCompressed))) return false;
    plan.remove.push_back(name);
    return true;
  });
  const auto most = static_cast<std::size_t>(std::max(max_files - 1, 1));
  while (rotated.size() > most) plan.remove.push_back(rotated.extract(rotated.begin()).value());
  for (const std::string& name : rotated) {
    const bool newest = name == *rotated.rbegin();
    if (!newest && !name.ends_with(kCompressed)) plan.compress.push_back(name);
  }
  return plan;
}

// A missing file was removed with its pod.
Result<void> Tidy(const std::string& folder, const LogTidying& plan) {
  int error = 0;
  const auto note = [&error](int failed) {
    if (error == 0 && failed != ENOENT) error = failed;
  };
  for (const std::string& name : plan.remove) {
    if (::unlink((folder + "/" + name).c_str()) != 0) note(errno);
  }
  for (const std::string& name : plan.compress) note(GzipFile(folder + "/" + name));
  return error == 0 ? Result<void>() : Fail(SystemError(error, "tidy up rotated files"));
}

}  // namespace jettison
