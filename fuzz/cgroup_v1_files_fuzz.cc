// links: jettison_cgroup_v1
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernel/cgroup_v1/kernel_files.h"
#include "kernel/cgroup_v1/mounts.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/kernel_text.h"
#include "kernel/mounts/mount_info.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

// Whatever the text, a value that comes out is one that is safe to act on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace host = jettison::pod_host;
  namespace v1 = jettison::cgroup_v1;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto counter = host::ParseCounter(text)) {
    Require(host::ParseCounter(std::to_string(*counter)) == counter);
  }
  if (const auto pids = host::ParseProcs(text)) {
    Require(std::all_of(pids->begin(), pids->end(), [](pid_t pid) { return pid > 0; }));
  }
  (void)v1::ParseLimit(text);
  (void)v1::ParseMemoryStat(text);
  (void)v1::ParseOomKills(text);
  (void)v1::FindHierarchies(host::ParseMounts(text));
  if (host::CheckPath(text)) Require(!text.starts_with('/') && text.find("/../") == text.npos);
  return 0;
}
