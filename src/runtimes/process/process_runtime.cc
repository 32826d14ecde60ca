#include "runtimes/process/process_runtime.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "kernel/files/own_folders.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/runtime.h"

namespace jettison {
namespace {

constexpr std::string_view kShimName = "jettison-shim";

// The shim lies beside the running program.
Result<std::string> DefaultShim() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size < 0) return FailErrno("read /proc/self/exe");
  const std::string_view program(path.data(), static_cast<std::size_t>(size));
  return std::string(program.substr(0, program.rfind('/') + 1)).append(kShimName);
}

}  // namespace

Result<std::unique_ptr<ContainerRuntime>> OpenProcessRuntime(ProcessRuntimeOptions options,
                                                             Cgroups& cgroups, GroupEnd& group_end,
                                                             const Clock& clock) {
  while (options.root.ends_with('/')) options.root.pop_back();
  if (options.shim.empty()) {
    auto shim = DefaultShim();
    if (!shim) return Fail(shim.error());
    options.shim = std::move(*shim);
  }
  auto lock = kernel::OpenRootFolders(kernel::Paths(options.root), kernel::kProcessPodMarks);
  if (!lock) return Fail(lock.error());
  auto boot_id = process::ReadBootId();
  if (!boot_id) return Fail(boot_id.error());
  auto readiness = kernel::Readiness::Create();
  if (!readiness) return Fail(readiness.error());
  return std::make_unique<process::Runtime>(std::move(*readiness), std::move(*lock), options,
                                            std::move(*boot_id), cgroups, group_end, clock);
}

}  // namespace jettison
