#include "api/kubernetes/host_facts.h"

#include <sys/utsname.h>

#include <fstream>
#include <string_view>

namespace jettison {
namespace {

std::string FirstLine(const char* path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// PRETTY_NAME of /etc/os-release (os-release(5)), without its quotes.
std::string OsImage() {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    std::erase(name, '"');
    return name;
  }
  return "";
}

std::string GoArchitecture(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string(machine);
}

}  // namespace

HostFacts ReadHostFacts() {
  HostFacts facts;
  facts.machine_id = FirstLine("/etc/machine-id");
  facts.boot_id = FirstLine("/proc/sys/kernel/random/boot_id");
  facts.os_image = OsImage();
  utsname names{};
  if (uname(&names) == 0) {
    facts.kernel_version = names.release;
    facts.architecture = GoArchitecture(names.machine);
  }
  return facts;
}

}  // namespace jettison
