#include "core/config/agent_config.h"

namespace jettison {

std::string_view NameOf(Occasion occasion) {
  switch (occasion) {
    case Occasion::kConditionChange: return "ConditionChange";
    case Occasion::kBeforeEviction: return "BeforeEviction";
    case Occasion::kAfterEviction: return "AfterEviction";
  }
  __builtin_unreachable();
}

HttpConfig WithFilesOf(HttpConfig running, const HttpConfig& read) {
  for (std::string HttpConfig::*file :
       {&HttpConfig::tls_cert_file, &HttpConfig::tls_private_key_file, &HttpConfig::client_ca_file,
        &HttpConfig::bearer_token_file}) {
    if (!(running.*file).empty() && !(read.*file).empty()) running.*file = read.*file;
  }
  return running;
}

std::string_view NameOf(SourceKind source) {
  switch (source) {
    case SourceKind::kManifests: return "manifests";
    case SourceKind::kKubernetes: return "kubernetes";
  }
  __builtin_unreachable();
}

std::string_view NameOf(JobEnding ending) {
  switch (ending) {
    case JobEnding::kKill: return "kill";
    case JobEnding::kTerminate: return "terminate";
  }
  __builtin_unreachable();
}

std::string_view NameOf(RuntimeKind kind) {
  switch (kind) {
    case RuntimeKind::kProcess: return "process";
    case RuntimeKind::kCri: return "cri";
  }
  return "";
}

std::string_view NameOf(AdoptPolicy policy) {
  switch (policy) {
    case AdoptPolicy::kNone: return "none";
    case AdoptPolicy::kObserve: return "observe";
    case AdoptPolicy::kEvict: return "evict";
  }
  __builtin_unreachable();
}

}  // namespace jettison
