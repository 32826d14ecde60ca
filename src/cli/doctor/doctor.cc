#include "cli/doctor/doctor.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/ask/config_files.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "core/json/json_writer.h"

namespace jettison {
namespace {

std::ptrdiff_t CountOf(const std::vector<HostCheck>& checks, HostStatus status) {
  return std::count_if(checks.begin(), checks.end(),
                       [&](const HostCheck& check) { return check.status == status; });
}

struct DoctorFlags {
  ClusterQuestion cluster;
  std::string output = "text";
};

bool IsBesideKubelet(const AgentConfig& config) {
  return config.source == SourceKind::kKubernetes;
}

ClusterQuestion QuestionFor(ClusterQuestion question, const AgentConfig& config) {
  if (!IsBesideKubelet(config)) return question;
  if (question.kubeconfig.empty()) question.kubeconfig = config.kubernetes.kubeconfig;
  if (question.node.empty()) question.node = NodeNameOf(config);
  return question;
}

int RunDoctor(const DoctorFlags& flags) {
  ConfigReading reading = ConfigRereader(flags.cluster.config).ReadFirst();
  // A row of its own says what keeps the kubelet's configuration from being had.
  if (reading.kubelet_at_fault) reading = ReadConfigFiles(flags.cluster.config);
  CommandFaults faults;
  Tell(reading, faults);
  if (faults.status() != 0) return faults.status();
  const AgentConfig& config = reading.config;
  std::vector<HostCheck> checks = HostChecks(config);
  std::ranges::move(RuntimeChecks(config), std::back_inserter(checks));
  if (!flags.cluster.kubeconfig.empty() || IsBesideKubelet(config)) {
    std::ranges::move(KubernetesChecks(QuestionFor(flags.cluster, config)),
                      std::back_inserter(checks));
  }
  const int printed =
      flags.output == "json" ? PrintData(ChecksAsJson(checks)) : PrintText(ChecksAsText(checks));
  if (printed != 0) return printed;
  return IsReady(checks) ? 0 : kExitFailed;
}

constexpr const char* kDoctorFooter =
    "Each row is ok, degraded or missing; below one that is not ok stand its cost and its\n"
    "remedy. The agent works with what is degraded, and not without what is missing. What only\n"
    "the start of pods needs is degraded where the agent starts none (no staticPodPath).\n"
    "\n"
    "doctor makes a cgroup, and removes it afterwards. It asks the container runtime and the API\n"
    "server, and waits some seconds for each at most.\n"
    "\n"
    "Examples:\n"
    "  jettison doctor\n"
    "  jettison doctor --config jettison.yaml --output json\n"
    "  jettison doctor --config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d\n"
    "  jettison doctor --kubeconfig agent.kubeconfig --node node-1\n"
    "  kubectl jettison doctor node-1           the same in the agent's own pod\n"
    "\n"
    "Exit status: 0 everything needed is there, 1 something needed is missing or a file could\n"
    "not be read, 2 wrong usage or invalid configuration.";

}  // namespace

HostCheck OkCheck(std::string check, std::string found) {
  return {.check = std::move(check), .found = std::move(found)};
}

HostCheck Degraded(std::string check, std::string found, std::string cost, std::string remedy) {
  return {std::move(check), HostStatus::kDegraded, std::move(found), std::move(cost),
          std::move(remedy)};
}

HostCheck Missing(std::string check, std::string found, std::string cost, std::string remedy) {
  return {std::move(check), HostStatus::kMissing, std::move(found), std::move(cost),
          std::move(remedy)};
}

HostCheck MissingToStartPods(const AgentConfig& config, HostCheck lack) {
  lack.status = HostStatus::kMissing;
  if (config.source == SourceKind::kManifests && !config.static_pod_path.empty()) return lack;
  lack.status = HostStatus::kDegraded;
  lack.cost += "; this agent starts none, because staticPodPath is not set";
  return lack;
}

HostCheck CheckOf(Result<std::string> found, HostCheck lack) {
  if (found) return OkCheck(std::move(lack.check), *std::move(found));
  lack.found = std::move(found.error().message);
  return lack;
}

bool IsReady(const std::vector<HostCheck>& checks) {
  return CountOf(checks, HostStatus::kMissing) == 0;
}

std::string ChecksAsText(const std::vector<HostCheck>& checks) {
  constexpr std::size_t kStatusWidth = 10;
  std::size_t width = 0;
  for (const HostCheck& check : checks) width = std::max(width, check.check.size());
  const std::string indent(kStatusWidth + width + 2, ' ');
  std::string text;
  for (const HostCheck& check : checks) {
    fmt::format_to(std::back_inserter(text), "{:<{}}{:<{}}  {}\n", NameOf(check.status),
                   kStatusWidth, check.check, width, check.found);
    if (!check.cost.empty()) text += indent + "costs:  " + check.cost + '\n';
    if (!check.remedy.empty()) text += indent + "remedy: " + check.remedy + '\n';
  }
  const auto missing = CountOf(checks, HostStatus::kMissing);
  const auto degraded = CountOf(checks, HostStatus::kDegraded);
  const std::string verdict =
      missing > 0    ? fmt::format("This host is not ready: {} missing.", missing)
      : degraded > 0 ? fmt::format("This host is ready, with {} degraded.", degraded)
                     : "This host offers everything.";
  return text + '\n' + verdict + '\n';
}

std::string ChecksAsJson(const std::vector<HostCheck>& checks) {
  return JsonObject([&](JsonWriter& json) {
           json.Objects("checks", checks, [&](const HostCheck& check) {
             json.Field("check", check.check);
             json.Field("status", NameOf(check.status));
             json.Field("found", check.found);
             json.Field("cost", check.cost);
             json.Field("remedy", check.remedy);
           });
           json.Field("ready", IsReady(checks));
         }) +
         '\n';
}

void AddDoctor(CLI::App& app, int& exit_code) {
  const auto [command, options] = AddCommand(
      app, exit_code, "doctor",
      "Check this host: what it offers, what is missing, what that costs and what to do about it",
      kDoctorFooter, RunDoctor);
  command
      .add_option("--config", options.cluster.config.files,
                  "the configuration that the agent would run with")
      ->type_name("FILE");
  AddConfigDir(command, options.cluster.config.drop_ins);
  CLI::Option* kubeconfig =
      command
          .add_option("--kubeconfig", options.cluster.kubeconfig,
                      "also check what this cluster allows the agent to do; with source: "
                      "kubernetes, instead of the configured one or the service account")
          ->type_name("FILE");
  command
      .add_option("--node", options.cluster.node,
                  "with --kubeconfig: also check that the cluster has this node")
      ->needs(kubeconfig);
  AddOutput(command, options.output);
}

}  // namespace jettison
