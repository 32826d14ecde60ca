#include "cli/check_config.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/ask/config_dir_option.h"
#include "cli/ask/config_files.h"
#include "cli/check_config_report.h"
#include "cli/doctor/doctor_checks.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

struct CheckConfigOptions {
  ConfigSources sources;
  std::string output = "text";
  bool on_this_host = false;
};

int RunCheckConfig(const CheckConfigOptions& options) {
  ConfigReading reading = ReadConfigBesideKubelet(options.sources);
  if (options.on_this_host && reading.faults.empty()) {
    const AgentConfig& config = reading.config;
    for (const Fault& unfit :
         CheckAlwaysMet(config.eviction.thresholds, CapacitiesOfThisHost(config))) {
      AddFault(reading.warnings, unfit);
    }
  }
  const int printed = options.output == "json" ? PrintData(ConfigAsJson(reading))
                                               : PrintText(ConfigAsText(reading));
  if (printed != 0) return printed;
  if (reading.unread) return kExitFailed;
  return AllFaults(reading).empty() ? 0 : kExitInvalidInput;
}

constexpr const char* kCheckConfigFooter =
    "FILE holds KubeletConfiguration and JettisonConfiguration documents, in YAML or JSON. The\n"
    "files are read together, as `jettison run --config` reads them. Drop-ins are merged over\n"
    "them: the files in DIR whose names end in .yaml, .yml, .json or .conf, in the order of their\n"
    "names. With source: kubernetes, the kubelet's own configuration is read as well, from its\n"
    "file or through the API server.\n"
    "\n"
    "Examples:\n"
    "  jettison check-config kubelet.yaml jettison.yaml\n"
    "  jettison check-config /etc/jettison/jettison.yaml --config-dir /etc/jettison/conf.d\n"
    "  jettison check-config --output json config.yaml | jq .thresholds\n"
    "  kubectl get --raw /api/v1/nodes/N/proxy/configz | jq '.kubeletconfig\n"
    "    + {kind: \"KubeletConfiguration\", apiVersion: \"kubelet.config.k8s.io/v1beta1\"}' |\n"
    "    jettison check-config -\n"
    "\n"
    "Exit status: 0 the configuration is valid, though there may be warnings; 1 a file could not\n"
    "be read; 2 the configuration is faulty, or wrong usage.";

}  // namespace

void AddCheckConfig(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckConfigOptions>();
  options->sources.dash_is_standard_input = true;
  CLI::App* command =
      app.add_subcommand("check-config", "Show the effective policy, or every fault");
  command->add_option("FILE", options->sources.files, "configuration files; - reads standard input")
      ->type_name("FILE")
      ->required();
  AddConfigDir(*command, options->sources.drop_ins);
  command->add_flag("--on-this-host", options->on_this_host,
                    "warn of thresholds that this host always meets, because its capacity is less");
  command->add_option("--output", options->output, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->footer(kCheckConfigFooter);
  command->callback([options, &exit_code] { exit_code = RunCheckConfig(*options); });
}

}  // namespace jettison
