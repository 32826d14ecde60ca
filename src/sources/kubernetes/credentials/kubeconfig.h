#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/fault.h"

namespace jettison::kube {

// A certificate or a key: the text itself, or the file that it is in.
struct PemSource {
  std::string text;
  std::string file;  // absolute where the kubeconfig's own path is
  [[nodiscard]] bool is_given() const { return !text.empty() || !file.empty(); }
};

// What the current context of a kubeconfig says. No file that it names has been read.
struct Kubeconfig {
  std::string context;
  std::string server;       // "https://10.0.0.1:6443"
  std::string path_prefix;  // "/k8s/clusters/c-1", before every path; empty as a rule
  std::string server_name;  // tls-server-name
  PemSource ca;
  PemSource certificate;
  PemSource key;
  std::string token;
  std::string token_file;  // read again and again; comes before `token`
};

struct KubeconfigReading {
  Kubeconfig config;
  Faults faults;  // every one, with file and key: "users[0].user.exec"
};

// Reads the text of a kubeconfig (v1 Config); `file` names it and is where relative paths count
// from. Of its contexts only the current one is looked at. Faults are also: what would have to be
// run or asked for a token (exec, auth-provider), passwords, impersonation, proxies, and a server
// whose certificate is not to be looked at, for the agent would show its token to anybody.
[[nodiscard]] KubeconfigReading ReadKubeconfig(std::string_view text, const std::string& file);

}  // namespace jettison::kube
