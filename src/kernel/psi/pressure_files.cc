#include "kernel/psi/pressure_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "ports/system_error.h"

namespace jettison::psi {
namespace {

// Two lines of at most 80 characters; more in case keys are added.
using Buffer = std::array<char, 1024>;

const char* FileOf(PressureResource resource, bool of_machine) {
  if (resource == PressureResource::kMemory) return of_machine ? "memory" : "memory.pressure";
  return of_machine ? "io" : "io.pressure";
}

Result<std::string_view> ReadText(int fd, Buffer& buffer) {
  ssize_t count = 0;
  do {
    count = ::pread(fd, buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EOPNOTSUPP) {
    return Fail(ErrorCode::kUnavailable,
                "the kernel keeps no pressure stall information: boot with psi=1");
  }
  if (count < 0) return FailErrno("read");
  if (static_cast<std::size_t>(count) == buffer.size()) {
    return Fail(ErrorCode::kInternal, "longer than the kernel writes it");
  }
  return std::string_view(buffer.data(), static_cast<std::size_t>(count));
}

Result<Pressure> ReadPressure(int fd) {
  Buffer buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  const auto text = ReadText(fd, buffer);
  if (!text) return Fail(text.error());
  return ParsePressure(*text);
}

bool IsGone(const Result<Pressure>& pressure) {
  return !pressure && pressure.error().code == ErrorCode::kNotFound;
}

}  // namespace

PressureFiles PressureFiles::OfMachine(std::string root) {
  PressureFiles files([folder = std::move(root) + "/pressure"](std::string_view) {
    FileDescriptor directory(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (directory) return Result<FileDescriptor>(std::move(directory));
    if (errno != ENOENT) return Result<FileDescriptor>(FailErrno("open " + folder));
    return Result<FileDescriptor>(
        Fail(ErrorCode::kUnavailable,
             "no " + folder +
                 ": the kernel is older than 4.20, built without CONFIG_PSI, or needs "
                 "psi=1 on its command line"));
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
  return Fail(ErrorCode::kUnavailable,
              std::string("no ") + name +
                  ": the kernel is older than 4.20, built without CONFIG_PSI, needs psi=1 on its "
                  "command line, or cgroup.pressure is 0");
}

Result<Pressure> PressureFiles::Read(std::string_view group, PressureResource resource) {
  const std::pair<PressureResource, std::string_view> key(resource, group);
  const auto found = files_.find(key);
  if (found != files_.end()) {
    auto pressure = ReadPressure(found->second.get());
    if (!IsGone(pressure)) return pressure;
    files_.erase(found);
  }
  auto file = OpenFile(group, resource);
  if (!file) return Fail(file.error());
  auto pressure = ReadPressure(file->get());
  if (pressure) files_.emplace(std::pair(resource, std::string(group)), std::move(*file));
  return pressure;
}

}  // namespace jettison::psi
