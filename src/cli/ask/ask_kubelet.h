#pragma once

#include <cstdint>
#include <string>

#include "core/config/agent_config.h"
#include "core/config/beside_kubelet.h"
#include "core/model/fault.h"

namespace jettison {

// Where the configuration of the kubelet beside the agent is to be had.
struct KubeletQuestion {
  std::string file;        // it stands there; empty: the API server is asked
  std::string usual_file;  // where it stands if the API server does not tell; empty: nowhere
  std::string kubeconfig;  // empty: as the service account of the pod that this runs in
  std::string node;
};
// As `kubernetes` and `nodeName` of a configuration say.
[[nodiscard]] KubeletQuestion QuestionOf(const AgentConfig& config);

// By which ways it may be had: as the configuration says, or also by the other one of file and
// API server.
enum class Ways : std::uint8_t { kConfigured, kEither };

struct KubeletAnswer {
  KubeletSide side;
  std::string text;     // as received; to be compared with later answers
  std::string instead;  // why the other way was gone, in words for a warning; empty: it was not
  Faults warnings;      // keys that a file has twice
  Faults faults;        // a file is not understood
  bool unread = false;  // a file could not be read, or a server was away: it may be had later
};

// The answer of the kubelet of `node` to configz, understood or not.
[[nodiscard]] KubeletAnswer AnswerOf(const std::string& body, const std::string& node);

// Reads the kubelet's file, or asks for the configuration that the kubelet runs with (configz):
// first the API server, and then the kubelet itself where the API server forbids it. A token is
// sent only to a kubelet whose certificate is from the cluster's CA. A file that can be read and is
// not understood is an answer: it may be half written. Waits 10 s at most.
[[nodiscard]] KubeletAnswer AskKubelet(const KubeletQuestion& question, Ways ways);

}  // namespace jettison
