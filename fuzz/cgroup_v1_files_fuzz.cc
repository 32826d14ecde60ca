// links: jettison_cgroup_v1
#include <algorithm>
#include <string>

#include "fuzz/fuzz.h"
#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/groups/group_files.h"
#include "kernel/groups/open_files.h"
#include "kernel/mounts/mount_info.h"

// Whatever the text, a value that comes out is one that is safe to act on.
void Fuzz(std::string_view text) {
  namespace host = jettison::kernel;
  namespace v1 = jettison::cgroup_v1;
  if (const auto counter = host::ParseCounter(text)) {
    Require(host::ParseCounter(std::to_string(*counter)) == counter);
  }
  if (const auto pids = host::ParseProcs(text)) {
    Require(std::all_of(pids->begin(), pids->end(), [](pid_t pid) { return pid > 0; }));
  }
  (void)v1::MemoryOf(text, text.size());
  (void)v1::FindHierarchies(host::ParseMounts(text));
  if (host::CheckPath(text)) Require(!text.starts_with('/') && text.find("/../") == text.npos);
}
