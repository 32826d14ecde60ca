#include "rpc/verbose_info.h"

#include <simdjson.h>

#include <csignal>
#include <cstdint>
#include <limits>

#include "core/text/number.h"

namespace jettison::cri {
namespace {

std::optional<int> NumberIn(std::string_view text) {
  const auto number = ParseNumber<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::optional<int> Valid(int signal) {
  return signal > 0 && signal <= SIGRTMAX ? std::optional(signal) : std::nullopt;
}

bool IsTrue(simdjson::simdjson_result<simdjson::dom::element> value) {
  bool is_true = false;
  return value.get(is_true) == simdjson::SUCCESS && is_true;
}

// The option belongs to runc's handler; "systemdCgroup" of all is from before there were handlers.
std::optional<CgroupDriver> DriverIn(simdjson::dom::element config) {
  std::string_view handler;
  simdjson::dom::element runtime;
  const auto containerd = config["containerd"];
  if (containerd["defaultRuntimeName"].get(handler) != simdjson::SUCCESS ||
      containerd["runtimes"][handler].get(runtime) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  const bool systemd =
      IsTrue(config["systemdCgroup"]) || IsTrue(runtime["options"]["SystemdCgroup"]);
  return systemd ? CgroupDriver::kSystemd : CgroupDriver::kCgroupfs;
}

}  // namespace

std::optional<pid_t> PidIn(std::string_view info) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::int64_t pid = 0;
  if (parser.parse(info.data(), info.size()).get(document) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  if (document["pid"].get(pid) != simdjson::SUCCESS) return std::nullopt;
  if (pid <= 0 || pid > std::numeric_limits<pid_t>::max()) return std::nullopt;
  return static_cast<pid_t>(pid);
}

std::optional<int> StopSignalIn(std::string_view info) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::string_view name;
  if (parser.parse(info.data(), info.size()).get(document) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  if (document["imageSpec"]["config"]["StopSignal"].get(name) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return SignalNamed(name);
}

RuntimeSettings SettingsIn(std::string_view config) {
  RuntimeSettings settings;
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(config.data(), config.size()).get(document) != simdjson::SUCCESS) {
    return settings;
  }
  settings.cgroup_driver = DriverIn(document);
  std::string_view image;
  if (document["sandboxImage"].get(image) == simdjson::SUCCESS) settings.sandbox_image = image;
  return settings;
}

std::optional<int> SignalNamed(std::string_view name) {
  if (const auto number = NumberIn(name)) return Valid(*number);
  if (name.starts_with("SIG")) name.remove_prefix(3);
  if (name == "RTMIN") return SIGRTMIN;
  if (name == "RTMAX") return SIGRTMAX;
  if (name.starts_with("RTMIN+") || name.starts_with("RTMAX-")) {
    const auto offset = NumberIn(name.substr(6));
    if (!offset || *offset > SIGRTMAX - SIGRTMIN) return std::nullopt;
    return name[5] == '+' ? SIGRTMIN + *offset : SIGRTMAX - *offset;
  }
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    const char* const known = ::sigabbrev_np(signal);
    if (known != nullptr && name == known) return signal;
  }
  return std::nullopt;
}

}  // namespace jettison::cri
