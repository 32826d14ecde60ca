#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "core/config/agent_config.h"
#include "core/config/beside_kubelet.h"
#include "core/model/fault.h"
#include "core/units/duration.h"

namespace jettison {

// Where the configuration of the kubelet beside the agent is to be had.
struct KubeletQuestion {
  std::string file;        // it stands there; empty: the API server is asked
  std::string kubeconfig;  // empty: as the service account of the pod that this runs in
  std::string node;
};
// As `kubernetes` and `nodeName` of a configuration say.
[[nodiscard]] KubeletQuestion QuestionOf(const AgentConfig& config);

// How long and how often an API server is asked that does not answer.
struct Patience {
  Duration in_all = std::chrono::seconds(10);
  Duration between = std::chrono::seconds(1);
  std::function<void(const std::string& why)> on_retry = {};  // may be empty
};

struct KubeletAnswer {
  KubeletSide side;
  std::string text;     // as received; to be compared with later answers
  Faults faults;        // a file is missing, a kubeconfig faulty
  bool unread = false;  // a file could not be read, or a server was away: it may be had later
};

// The answer of the kubelet of `node` to configz, understood or not.
[[nodiscard]] KubeletAnswer AnswerOf(const std::string& body, const std::string& node);

// Reads the kubelet's file, or asks for the configuration that the kubelet runs with (configz):
// first the API server, again and again while it is unreachable, and then the kubelet itself where
// the API server forbids it. A token is sent only to a kubelet whose certificate is from the
// cluster's CA.
[[nodiscard]] KubeletAnswer AskKubelet(const KubeletQuestion& question, const Patience& patience);

}  // namespace jettison
