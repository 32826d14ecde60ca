#include "platform/process/process_runtime.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "platform/process/process_identity.h"
#include "platform/process/runtime.h"
#include "pod_host/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kShimName = "jettison-shim";

// The shim stands beside the running program.
Result<std::string> DefaultShim() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size < 0) return FailErrno("read /proc/self/exe");
  const std::string_view program(path.data(), static_cast<std::size_t>(size));
  return std::string(program.substr(0, program.rfind('/') + 1)).append(kShimName);
}

// Two agents on one root would each take the other's pods for their own.
Result<FileDescriptor> LockRoot(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return FailErrno("open " + path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) {
    return Fail(ErrorCode::kUnavailable, path + " is locked: another agent works in this folder");
  }
  return FailErrno("lock " + path);
}

}  // namespace

Result<std::unique_ptr<ContainerRuntime>> OpenProcessRuntime(ProcessRuntimeOptions options,
                                                             Cgroups& cgroups, const Clock& clock) {
  while (options.root.ends_with('/')) options.root.pop_back();
  if (!options.root.starts_with('/')) {
    return Fail(ErrorCode::kInvalidArgument, "the runtime's root must be an absolute path");
  }
  if (options.shim.empty()) {
    auto shim = DefaultShim();
    if (!shim) return Fail(shim.error());
    options.shim = std::move(*shim);
  }
  const pod_host::Paths paths(options.root);
  for (const std::string& folder : {paths.Pods(), paths.Logs()}) {
    if (auto made = pod_host::MakeFolders(folder); !made) return Fail(made.error());
  }
  auto lock = LockRoot(paths.Lock());
  if (!lock) return Fail(lock.error());
  auto boot_id = process::ReadBootId();
  if (!boot_id) return Fail(boot_id.error());
  auto readiness = process::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  return std::make_unique<process::Runtime>(std::move(*readiness), std::move(*lock), options,
                                            std::move(*boot_id), cgroups, clock);
}

}  // namespace jettison
