#pragma once

#include <string>

#include "core/model/fault.h"
#include "sources/kubernetes/credentials/kubeconfig.h"

namespace jettison::kube {

// The address of an API server and the credentials for it. Everything that had to be read from
// files is contained; a token in a file may change at any time (TokenSource).
struct ApiAccess {
  std::string origin;  // where this comes from: "kubeconfig /etc/x, context y", "service account"
  std::string server;  // "https://10.0.0.1:6443"
  std::string path_prefix;
  std::string server_name;  // empty: the server's host
  std::string namespace_;   // where the agent itself is; may be empty
  std::string ca_pem;       // empty: those that the system trusts
  std::string ca_name;      // where they come from, for messages: a file, or a key and its file
  std::string cert_pem;     // with key_pem; empty: none
  std::string key_pem;
  std::string token;       // empty: none; of a token file: as it was read with the rest
  std::string token_file;  // comes before another token
};

struct AccessReading {
  ApiAccess access;
  Faults faults;  // every one; `access` is not to be used where there are any
};

// By a kubeconfig and the files that it names.
[[nodiscard]] AccessReading AccessByKubeconfig(const std::string& path);

// Where a pod finds its service account.
struct ServiceAccount {
  std::string host;  // $KUBERNETES_SERVICE_HOST
  std::string port;  // $KUBERNETES_SERVICE_PORT
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};
// As the environment of this process says.
[[nodiscard]] ServiceAccount OwnServiceAccount();

// By the service account of the pod that this runs in: `token`, `ca.crt`, `namespace`.
[[nodiscard]] AccessReading AccessByServiceAccount(const ServiceAccount& account);

}  // namespace jettison::kube
