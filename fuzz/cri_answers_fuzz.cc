// links: jettison_rpc jettison_foreign
#include <sys/types.h>

#include <csignal>
#include <string>

#include "fuzz/fuzz.h"
#include "kernel/processes/processes.h"
#include "rpc/verbose_info.h"
#include "sources/foreign/foreign_group.h"

// Whatever a container runtime or a container's files tell, what is made of it can be used: a name
// of a group, an absolute path, a process, a signal.
void Fuzz(std::string_view text) {
  if (jettison::MemoryGroupIn(text).find('\n') != std::string::npos) std::abort();
  const std::string upper = jettison::UpperFolderOf(text);
  if (!upper.empty() && upper.front() != '/') std::abort();
  if (const auto pid = jettison::cri::PidIn(text); pid && *pid <= 0) std::abort();
  for (const auto signal : {jettison::cri::StopSignalIn(text), jettison::cri::SignalNamed(text)}) {
    if (signal && (*signal <= 0 || *signal > SIGRTMAX)) std::abort();
  }
  constexpr std::string_view kGroup = "/system.slice/docker-1.scope/x";
  for (const std::string& path : {std::string(text), jettison::ReadSpec(text).cgroups_path}) {
    if (!kGroup.starts_with(jettison::DeclaredGroup(kGroup, path))) std::abort();
  }
  (void)jettison::ReadSpecInInfo(text);
  if (jettison::cri::SettingsIn(text).sandbox_image.size() > text.size()) std::abort();
}
