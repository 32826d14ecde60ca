#include "pods/rotated_files.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "ports/file_descriptor.h"

namespace jettison {
namespace {

// Of the child alone.
std::array<unsigned char, std::size_t{64} << 10> input;
std::array<unsigned char, std::size_t{64} << 10> output;

int WriteAll(int fd, std::size_t size) {
  for (std::size_t at = 0; at < size;) {
    const ssize_t written = ::write(fd, output.data() + at, size - at);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
  return 0;
}

// Compresses the present input, which may be the last part.
int Compress(z_stream& stream, int to, bool last) {
  do {
    stream.next_out = output.data();
    stream.avail_out = static_cast<uInt>(output.size());
    if (::deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) return EIO;
    if (const int error = WriteAll(to, output.size() - stream.avail_out); error != 0) return error;
  } while (stream.avail_out == 0);
  return 0;
}

int Copy(z_stream& stream, int from, int to) {
  if (::deflateReset(&stream) != Z_OK) return EIO;
  for (;;) {
    const ssize_t size = ::read(from, input.data(), input.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno;
    stream.next_in = input.data();
    stream.avail_in = static_cast<uInt>(size);
    const int error = Compress(stream, to, size == 0);
    if (error != 0 || size == 0) return error;
  }
}

constexpr std::string_view kCompressed = ".gz";
constexpr std::string_view kTemporary = ".tmp";

// The time in the name of a rotated file; absent: the file is not a rotated one.
std::optional<WallTime> TimeIn(const std::string& name, std::string_view log) {
  constexpr std::string_view kForm = ".20060102-150405";
  if (!name.starts_with(log) || name.size() < log.size() + kForm.size()) return std::nullopt;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const std::string time = name.substr(log.size(), kForm.size());
  if (std::sscanf(time.c_str(), ".%4d%2u%2u-%2d%2d%2d", &year, &month, &day, &hour, &minute,
                  &second) != 6) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  constexpr int kFirstYear = 1970;
  constexpr int kLastYear = 2200;  // before nanoseconds overflow
  if (!date.ok() || year < kFirstYear || year > kLastYear) return std::nullopt;
  return WallTime(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                  std::chrono::minutes(minute) + std::chrono::seconds(second));
}

// Writes a compressed copy to `temporary`, renames that to `to` and removes the file. What fails
// leaves the file and no temporary one.
int GzipFile(z_stream& stream, const char* from, const char* temporary, const char* to) {
  const FileDescriptor source(::open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!source) return errno;
  struct stat facts {};
  if (::fstat(source.get(), &facts) != 0) return errno;
  (void)::unlink(temporary);
  const FileDescriptor copy(
      ::open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, facts.st_mode & 0777U));
  if (!copy) return errno;
  int error = Copy(stream, source.get(), copy.get());
  if (error == 0 && ::rename(temporary, to) != 0) error = errno;
  if (error != 0) {
    (void)::unlink(temporary);
    return error;
  }
  return ::unlink(from) == 0 || errno == ENOENT ? 0 : errno;
}

// The work of the child, with absolute paths.
struct TidyOrder {
  struct Compression {
    std::string from;
    std::string temporary;
    std::string to;
  };
  std::vector<std::string> remove;
  std::vector<Compression> compress;
};

TidyOrder OrderFor(const std::string& folder, const LogTidying& plan) {
  TidyOrder order;
  for (const std::string& name : plan.remove) order.remove.push_back(folder + "/" + name);
  for (const std::string& name : plan.compress) {
    const std::string path = folder + "/" + name;
    order.compress.push_back({.from = path, .temporary = path + ".tmp", .to = path + ".gz"});
  }
  return order;
}

// The agent may have the highest priority; this work may only use idle time. (linux/ioprio.h)
void GiveWay() {
  constexpr int kLowest = 19;
  constexpr int kWhoProcess = 1;
  constexpr int kIdleClass = 3 << 13;
  (void)::setpriority(PRIO_PROCESS, 0, kLowest);
  (void)::syscall(SYS_ioprio_set, kWhoProcess, 0, kIdleClass);
}

// A missing file was removed with its pod.
int Tidy(const TidyOrder& order, z_stream& stream) {
  GiveWay();
  int error = 0;
  const auto note = [&error](int failed) {
    if (error == 0 && failed != ENOENT) error = failed;
  };
  for (const std::string& path : order.remove) {
    if (::unlink(path.c_str()) != 0) note(errno);
  }
  for (const auto& [from, temporary, to] : order.compress) {
    note(GzipFile(stream, from.c_str(), temporary.c_str(), to.c_str()));
  }
  return error;
}

}  // namespace

std::string RotatedName(std::string_view log, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return fmt::format("{}.{:%Y%m%d-%H%M%S}", log, fmt::gmtime(static_cast<std::time_t>(seconds)));
}

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
    if (!name.starts_with(log + ".")) continue;
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

// zlib allocates all that it needs in deflateInit2, so that the child allocates nothing.
Result<std::unique_ptr<ChildJob>> StartTidying(kernel::Readiness& readiness,
                                               const std::string& folder, const LogTidying& plan,
                                               ChildJob::Done done) {
  constexpr int kGzipFormat = 16;
  constexpr int kUsualMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipFormat + MAX_WBITS,
                   kUsualMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    return Fail(ErrorCode::kUnavailable, "there is no memory to compress with");
  }
  const TidyOrder order = OrderFor(folder, plan);
  auto job = ChildJob::Start(
      readiness, "tidy up rotated files", [&] { return Tidy(order, stream); }, std::move(done));
  (void)::deflateEnd(&stream);
  return job;
}

}  // namespace jettison
