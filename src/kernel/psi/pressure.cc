#include "kernel/psi/pressure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "core/text/parts.h"
#include "kernel/groups/open_files.h"
#include "ports/system_error.h"

namespace jettison::psi {
namespace {

constexpr std::int32_t kAll = 10'000;

using kernel::FailText;

// "12.34", always with two decimals.
std::optional<std::int32_t> Share(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  constexpr std::int32_t kPerPercent = 100;
  const auto point = text.find('.');
  if (point == std::string_view::npos || text.size() != point + 1 + kDecimals) return std::nullopt;
  const auto percent = ParseNumber<std::uint8_t>(text.substr(0, point));
  const auto decimals = ParseNumber<std::uint8_t>(text.substr(point + 1));
  if (!percent || !decimals) return std::nullopt;
  const std::int32_t share = *percent * kPerPercent + *decimals;
  if (share > kAll) return std::nullopt;
  return share;
}

// The value of "KEY=VALUE" if it has this key.
std::optional<std::string_view> ValueOf(std::string_view word, std::string_view key) {
  if (!word.starts_with(key) || !word.substr(key.size()).starts_with('=')) return std::nullopt;
  return word.substr(key.size() + 1);
}

// "avg10=0.00 avg60=0.00 avg300=0.00 total=0", in any order, among other keys.
Result<StallLine> ParseFigures(std::string_view line) {
  std::optional<std::int32_t> avg10;
  std::optional<std::int32_t> avg60;
  std::optional<std::int32_t> avg300;
  std::optional<std::uint64_t> total;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = TakePart(rest, ' ');
    if (const auto ten = ValueOf(word, "avg10")) avg10 = Share(*ten);
    if (const auto sixty = ValueOf(word, "avg60")) avg60 = Share(*sixty);
    if (const auto long_one = ValueOf(word, "avg300")) avg300 = Share(*long_one);
    if (const auto sum = ValueOf(word, "total")) total = ParseNumber<std::uint64_t>(*sum);
  }
  if (!avg10 || !avg60 || !avg300 || !total) {
    return FailText("avg10=, avg60=, avg300= and total=", line);
  }
  return StallLine{.avg10 = *avg10, .avg60 = *avg60, .avg300 = *avg300, .total = *total};
}

const char* FileOf(PressureResource resource, bool of_machine) {
  if (resource == PressureResource::kMemory) return of_machine ? "memory" : "memory.pressure";
  return of_machine ? "io" : "io.pressure";
}

Result<Pressure> ReadPressure(const FileDescriptor& file) {
  // Two lines of at most 80 characters; more in case keys are added.
  auto pressure = kernel::ParseKept<1024>(file, "its text", ParsePressure);
  if (pressure || pressure.error().code != ErrorCode::kUnavailable) return pressure;
  return Fail(ErrorCode::kUnavailable,
              "the kernel keeps no pressure stall information: boot with psi=1");
}

tl::unexpected<Error> FailMissing(const std::string& file) {
  return Fail(ErrorCode::kUnavailable,
              "no " + file +
                  ": the kernel was built without CONFIG_PSI, needs psi=1 on its command line, or "
                  "cgroup.pressure is 0");
}

bool IsGone(const Result<Pressure>& pressure) {
  return !pressure && pressure.error().code == ErrorCode::kNotFound;
}

}  // namespace

Result<Pressure> ParsePressure(std::string_view text) {
  std::optional<StallLine> some;
  std::optional<StallLine> full;
  for (std::string_view rest = text; !rest.empty();) {
    const auto end = rest.find('\n');
    if (end == std::string_view::npos) return FailText("whole lines", rest);
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    const std::string_view kind = TakePart(line, ' ');
    if (kind != "some" && kind != "full") continue;
    auto& into = kind == "some" ? some : full;
    if (into) return FailText(fmt::format("one line {}", kind), text);
    const auto figures = ParseFigures(line);
    if (!figures) return Fail(figures.error().In(kind));
    into = *figures;
  }
  if (!some) return FailText("a line some", text);
  return Pressure{.some = *some, .full = full};
}

PressureStats StatsOf(const Pressure& pressure, Instant time) {
  const auto shares = [](const StallLine& line) {
    return StallShares{.avg10 = line.avg10, .avg60 = line.avg60};
  };
  return {.time = time,
          .some = shares(pressure.some),
          .full = pressure.full ? shares(*pressure.full) : StallShares{}};
}

PressureFiles PressureFiles::OfMachine(std::string root) {
  PressureFiles files([folder = std::move(root) + "/pressure"](std::string_view) {
    FileDescriptor directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (directory) return Result<FileDescriptor>(std::move(directory));
    if (errno != ENOENT) return Result<FileDescriptor>(FailErrno("open " + folder));
    return Result<FileDescriptor>(FailMissing(folder));
  });
  files.of_machine_ = true;
  return files;
}

Result<FileDescriptor> PressureFiles::OpenFile(std::string_view group,
                                               PressureResource resource) const {
  const auto directory = open_group_(group);
  if (!directory) return Fail(directory.error());
  const char* const name = FileOf(resource, of_machine_);
  FileDescriptor file(::openat(directory->get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file) return file;
  if (errno != ENOENT) return FailErrno(std::string("open ") + name);
  return FailMissing(name);
}

Result<Pressure> PressureFiles::Read(std::string_view group, PressureResource resource) {
  TextIndex<FileDescriptor>& files = files_[static_cast<std::size_t>(resource)];
  const auto found = files.find(group);
  if (found != files.end()) {
    auto pressure = ReadPressure(found->second);
    if (!IsGone(pressure)) return pressure;
    files.erase(found);
  }
  auto file = OpenFile(group, resource);
  if (!file) return Fail(file.error());
  auto pressure = ReadPressure(*file);
  if (pressure) files.emplace(group, std::move(*file));
  return pressure;
}

namespace {

using std::chrono::microseconds;

Result<FileDescriptor> OpenForTrigger(int directory, const std::string& file) {
  FileDescriptor fd(
      ::openat(directory, file.c_str(), O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  if (fd) return fd;
  const int error = errno;
  if (error == EPERM || error == EACCES) {
    return Fail(ErrorCode::kPermissionDenied,
                file +
                    ": this kernel gives pressure triggers to processes with CAP_SYS_RESOURCE "
                    "alone (before Linux 6.5), or the file system is read-only");
  }
  if (error == ENOENT) return FailMissing(file);
  return Fail(SystemError(error, "open " + file));
}

// The errno of the write; 0 if the trigger is set. The kernel accepts one trigger for each
// descriptor and requires the terminating NUL.
int Ask(int fd, const Stalls& stalls) {
  const std::string request =
      fmt::format("{} {} {}", stalls.kind == StallKind::kFull ? "full" : "some",
                  stalls.stall.count(), stalls.window.count());
  return ::write(fd, request.c_str(), request.size() + 1) < 0 ? errno : 0;
}

tl::unexpected<Error> FailAsking(int error, const std::string& file) {
  if (error == EOPNOTSUPP) {
    return Fail(ErrorCode::kUnavailable,
                file + ": the kernel keeps no pressure stall information: boot with psi=1");
  }
  if (error == EINVAL) {
    return Fail(ErrorCode::kPermissionDenied,
                file +
                    ": the kernel refuses the window: without CAP_SYS_RESOURCE it has to be a "
                    "multiple of 2 s");
  }
  return Fail(SystemError(error, "pressure trigger on " + file));
}

}  // namespace

Result<PressureTrigger> PressureTrigger::Open(const std::string& file, const Stalls& wanted) {
  return Open(AT_FDCWD, file, wanted);
}

Result<PressureTrigger> PressureTrigger::Open(int directory, const std::string& file,
                                              const Stalls& wanted) {
  auto fd = OpenForTrigger(directory, file);
  if (!fd) return Fail(fd.error());
  int error = 0;
  for (const microseconds window : {wanted.window, kUnprivilegedWindow}) {
    if (window < wanted.window) continue;
    const Stalls asked = {.kind = wanted.kind, .stall = wanted.stall, .window = window};
    error = Ask(fd->get(), asked);
    if (error == 0) return PressureTrigger(std::move(*fd), asked);
    if (error != EINVAL) break;
  }
  return FailAsking(error, file);
}

}  // namespace jettison::psi
